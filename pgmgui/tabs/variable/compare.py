"""Tables compared: the differences of two as a heat map, and how a prior shrinks what was learned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import panel as pn
import panel_material_ui as pmui

from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork
from pgmgui.board.beside import work_beside
from pgmgui.components.fields import make_narrow_button, make_select
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.project.words import name_factors
from pgmgui.state.session import Session
from pgmgui.tabs.variable.comparing import (
    CURRENT,
    LEARNED,
    SHRUNK,
    SOURCES,
    Tables,
    choose_pair,
    describe_difference,
    difference_cells,
    gather_marginals,
    gather_tables,
    list_sources,
)
from pgmgui.tabs.variable.renaming import rename_hidden
from pgmgui.tabs.variable.rows import table_source

MOST_EXPONENT = 50
NOTHING = "There is nothing to compare with yet: learn, simulate data or change the table."
MARGINALS = (
    "Of a factor, the probabilities of its variables' states together are compared: they are what it means in its "
    "network, while its own numbers have no scale."
)
WATCHED = ["selected", "scene", "learned", "moment"]


class ComparePanel(pn.viewable.Viewer):
    """Two tables of the selected variable, chosen from all there are, and the difference between them.

    In a Markov network, the marginals of one of its factors.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pair = (CURRENT, LEARNED)
        self._choosing = False
        self._turn = 0
        self._text = PlainText(margin=(6, 0, 0, 0))
        self._from = make_select("From", "The table that is compared.", {}, lambda key: self._choose(0, key))
        self._to = make_select("To", "The table that it is compared with.", {}, lambda key: self._choose(1, key))
        self._factor = make_select("Factor", "Which factor of the variable.", {}, self._choose_factor)
        self._slider = pmui.FloatSlider(
            label="Prior exponent ψ",
            description="MAP: expected counts plus ψ − 1 in every cell, normalised. 1 is maximum likelihood.",
            start=1.0,
            end=float(MOST_EXPONENT),
            step=0.5,
            value=2.0,
            size="small",
            sizing_mode="stretch_width",
            margin=(4, 16, 0, 10),
        )
        self._slider.param.watch(lambda *_: self._show_shrinkage(), "value")
        self._use = make_narrow_button(
            "Use this exponent", "make it the prior of this variable in the next run", self._set
        )
        self._grid = Grid(shown=9, sizing_mode="stretch_width", margin=(4, 0, 2, 0))
        self._shrinking = pn.Row(self._slider, self._use, margin=0, sizing_mode="stretch_width")
        self._comparing = pn.Column(
            pn.Row(self._factor, self._from, self._to, margin=0, sizing_mode="stretch_width"),
            self._grid,
            self._shrinking,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._view = pn.Column(self._text, self._comparing, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), WATCHED)
        self._update()

    @property
    def _name(self) -> str:
        return self._session.selected[0] if len(self._session.selected) == 1 else ""

    def _choose(self, which: int, key: str) -> None:
        if not self._choosing and key and key != self._pair[which]:
            self._pair = (key, self._pair[1]) if which == 0 else (self._pair[0], key)
            self._update()

    def _choose_factor(self, _key: str) -> None:
        if not self._choosing:
            self._update()

    def _show_shrinkage(self) -> None:
        """Moving the slider asks for what it shows."""
        self._pair = (self._pair[0] if self._pair[0] != SHRUNK else LEARNED, SHRUNK)
        self._update()

    def _set(self) -> None:
        if self._name:
            self._session.set_prior(self._name, float(self._slider.value))

    def _update(self) -> None:
        """Show what is compared, once hidden states are renamed and the inference that a factor takes is done."""
        self._turn += 1
        session, network, name = self._session, self._session.network, self._name
        factors = []
        if name and isinstance(network, MarkovNetwork):
            factors = [k for k, scope in enumerate(network.scopes) if network.index[name] in scope]
        self._offer_factors(factors)
        if factors:
            factor, sources = int(self._factor.value), list_sources(session)
            variables = [network.variables[v] for v in network.scopes[factor]]
            self._find(lambda: gather_marginals(sources, variables), factor, len(sources) > 1)
        elif isinstance(network, BayesianNetwork) and name:
            tables = gather_tables(session, name, float(self._slider.value))
            self._find(lambda: tables, network.index[name], len(tables.found) > 1)
        else:
            self._show_nothing(NOTHING)

    def _offer_factors(self, factors: list[int]) -> None:
        """The factors of the selected variable in the list; the one that is chosen stays, if it is among them."""
        network = self._session.network
        if isinstance(network, MarkovNetwork):
            options = {title: str(k) for k, title in zip(factors, name_factors(network, factors), strict=True)}
            kept = self._factor.value if self._factor.value in options.values() else next(iter(options.values()), None)
            self._choosing = True
            self._factor.param.update(options=options, value=kept)
            self._choosing = False
        self._factor.visible = len(factors) > 1

    def _find(self, gather: Callable[[], Tables], factor: int, several: bool) -> None:
        """Gather tables beside the page and show two of them; what was asked for last is what is shown."""
        if not several:
            self._show_nothing(NOTHING)
            return
        turn, pair, parts = self._turn, self._pair, self._session.parts

        def work() -> Callable[[], None]:
            try:
                tables = gather()
                first, second = choose_pair(list(tables.found), pair)
                task = None if parts is None else parts.task
                tables, said = rename_hidden(task, factor, tables, first, second)
            except PgmError as error:
                show = partial(self._show_nothing, f"These networks cannot be compared: {error}.")
            else:
                show = partial(self._show, tables, factor, (first, second), said)
            return lambda: show() if turn == self._turn else None

        work_beside(work)

    def _show_nothing(self, why: str) -> None:
        self._comparing.visible = False
        self._grid.source = None
        self._text.write(why)

    def _show(self, tables: Tables, factor: int, pair: tuple[str, str], renamed: list[str]) -> None:
        if len(tables.found) < 2:
            self._show_nothing(NOTHING)
            return
        first, second = pair
        self._comparing.visible = True
        options = {key: key for key in SOURCES if key in tables.found}
        self._choosing = True  # the lists are set from here, which is no choice of the user's
        self._from.param.update(options=options, value=first)
        self._to.param.update(options=options, value=second)
        self._choosing = False
        self._shrinking.visible = tables.counts is not None
        a, b, counts = tables.found[first], tables.found[second], tables.counts
        highest = 1.0 if counts is None else float(counts.sum(axis=1).max())
        network = self._session.network
        is_factor = isinstance(network, MarkovNetwork)
        scope = network.scopes[factor]
        names = [network.variables[v].name for v in scope]
        self._grid.source = table_source(
            network,
            scope,
            lambda row: difference_cells(a[row], b[row], None if counts is None else counts[row], highest),
            f"Differences of {'–'.join(names) if is_factor else names[-1]}",
            "the change of the probability",
            editable=False,
        )
        self._text.write(
            f"From {first} ({SOURCES[first]}) to {second} ({SOURCES[second]}).",
            *renamed,
            describe_difference(a, b, counts),
            *(["The fainter a cell, the fewer rows are behind it."] if counts is not None else []),
            *([MARGINALS] if is_factor else []),
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
