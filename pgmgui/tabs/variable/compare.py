"""Tables compared: the differences of two as a heat map, and how a prior shrinks what was learned."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from pgmgui.components.fields import make_narrow_button, make_select
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
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
    gather_tables,
)
from pgmgui.tabs.variable.rows import table_source

MOST_EXPONENT = 50
WATCHED = ["selected", "scene", "learned", "moment"]


class ComparePanel(pn.viewable.Viewer):
    """Two tables of the selected variable, chosen from all there are, and the difference between them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pair = (CURRENT, LEARNED)
        self._choosing = False
        self._text = PlainText(margin=(6, 0, 0, 0))
        self._from = make_select("From", "The table that is compared.", {}, lambda key: self._choose(0, key))
        self._to = make_select("To", "The table that it is compared with.", {}, lambda key: self._choose(1, key))
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
            pn.Row(self._from, self._to, margin=0, sizing_mode="stretch_width"),
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

    def _show_shrinkage(self) -> None:
        """Moving the slider asks for what it shows."""
        self._pair = (self._pair[0] if self._pair[0] != SHRUNK else LEARNED, SHRUNK)
        self._update()

    def _set(self) -> None:
        if self._name:
            self._session.set_prior(self._name, float(self._slider.value))

    def _update(self) -> None:
        tables = gather_tables(self._session, self._name, float(self._slider.value)) if self._name else Tables({}, None)
        several = len(tables.found) > 1
        self._comparing.visible = several
        if not several:
            self._grid.source = None
            self._text.write(
                "There is nothing to compare with yet: learn, simulate data or change the table of a Bayesian network."
            )
            return
        first, second = choose_pair(list(tables.found), self._pair)
        options = {key: key for key in SOURCES if key in tables.found}
        self._choosing = True  # the lists are set from here, which is no choice of the user's
        self._from.param.update(options=options, value=first)
        self._to.param.update(options=options, value=second)
        self._choosing = False
        self._shrinking.visible = tables.counts is not None
        a, b = tables.found[first], tables.found[second]
        highest = 1.0 if tables.counts is None else float(tables.counts.sum(axis=1).max())
        network = self._session.network
        self._grid.source = table_source(
            network,
            network.scopes[network.index[self._name]],
            lambda row: difference_cells(
                a[row], b[row], None if tables.counts is None else tables.counts[row], highest
            ),
            f"Differences of {self._name}",
            "the change of the probability",
            editable=False,
        )
        self._text.write(
            f"From {first} ({SOURCES[first]}) to {second} ({SOURCES[second]}).",
            describe_difference(a, b, tables.counts),
            *(["The fainter a cell, the fewer rows are behind it."] if tables.counts is not None else []),
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
