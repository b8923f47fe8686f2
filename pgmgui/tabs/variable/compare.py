"""Tables compared: the differences of two as a heat map, and how a prior shrinks what was learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import panel as pn
import panel_material_ui as pmui

from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
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
        """Show what is compared: at once, or for a factor after the inference that it takes."""
        self._turn += 1
        network, name = self._session.network, self._name
        factors = []
        if name and isinstance(network, MarkovNetwork):
            factors = [k for k, scope in enumerate(network.scopes) if network.index[name] in scope]
        self._offer_factors(factors)
        if factors:
            scope = network.scopes[int(self._factor.value)]
            work_beside(partial(self._find, self._turn, list_sources(self._session), scope))
        elif isinstance(network, BayesianNetwork) and name:
            tables = gather_tables(self._session, name, float(self._slider.value))
            self._show(tables, network.scopes[network.index[name]], name)
        else:
            self._show(Tables({}, None), (), name)

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

    def _find(self, turn: int, sources: Mapping[str, Network], scope: tuple[int, ...]) -> Callable[[], None]:
        """The marginals of a factor's variables, beside the page; what was asked for last is what is shown."""
        variables = [sources[CURRENT].variables[v] for v in scope]
        tables, trouble = Tables({}, None), ""
        try:
            if len(sources) > 1:
                tables = gather_marginals(sources, variables)
        except PgmError as error:
            trouble = f"These networks cannot be compared: {error}."

        def show() -> None:
            if turn == self._turn:
                self._show(tables, scope, "–".join(variable.name for variable in variables), trouble)

        return show

    def _show(self, tables: Tables, scope: tuple[int, ...], name: str, trouble: str = "") -> None:
        several = len(tables.found) > 1
        self._comparing.visible = several
        if not several:
            self._grid.source = None
            self._text.write(trouble or NOTHING)
            return
        first, second = choose_pair(list(tables.found), self._pair)
        options = {key: key for key in SOURCES if key in tables.found}
        self._choosing = True  # the lists are set from here, which is no choice of the user's
        self._from.param.update(options=options, value=first)
        self._to.param.update(options=options, value=second)
        self._choosing = False
        self._shrinking.visible = tables.counts is not None
        a, b, counts = tables.found[first], tables.found[second], tables.counts
        highest = 1.0 if counts is None else float(counts.sum(axis=1).max())
        self._grid.source = table_source(
            self._session.network,
            scope,
            lambda row: difference_cells(a[row], b[row], None if counts is None else counts[row], highest),
            f"Differences of {name}",
            "the change of the probability",
            editable=False,
        )
        is_factor = isinstance(self._session.network, MarkovNetwork)
        self._text.write(
            f"From {first} ({SOURCES[first]}) to {second} ({SOURCES[second]}).",
            describe_difference(a, b, counts),
            *(["The fainter a cell, the fewer rows are behind it."] if counts is not None else []),
            *([MARGINALS] if is_factor else []),
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
