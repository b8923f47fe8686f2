"""Drawing data from the model on the page."""

from __future__ import annotations

from functools import partial

import panel as pn
import panel_material_ui as pmui

from pgmgui.marks import MECHANISMS
from pgmgui.panels.work import Work, make_button, settle
from pgmgui.session import Session
from pgmgui.simulation import Simulation, simulate_scene
from pgmgui.words import count

MOST_ROWS = 10_000_000
_HALF = {"sizing_mode": "stretch_width", "size": "small", "margin": (8, 8, 4, 0)}


class SimulateForm(pn.viewable.Viewer):
    """How many rows, from which seed, and what of them is to be seen."""

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__()
        self._session, self._work = session, work
        self._make_controls()
        self._view = pn.Column(
            pn.Row(self._rows, self._seed, margin=0, sizing_mode="stretch_width"),
            self._hide,
            pn.Row(self._fraction, self._missing, margin=0, sizing_mode="stretch_width"),
            self._mechanism,
            make_button("Draw the data", "in place of the data on the page", self._draw, "contained"),
            visible=False,
            sizing_mode="stretch_width",
            margin=(0, 0, 8, 0),
        )
        session.param.watch(lambda *_: self._look(), "scene")
        self._look()

    def _make_controls(self) -> None:
        self._rows = pmui.IntInput(
            label="Rows to draw",
            value=1000,
            start=1,
            end=MOST_ROWS,
            step=1000,
            description="How many rows to draw.",
            **_HALF,
        )
        self._seed = pmui.IntInput(
            label="Seed of the data", value=0, start=0, description="The same seed gives the same rows.", **_HALF
        )
        self._hide = pmui.MultiChoice(
            label="Hide these",
            description="Variables that are not seen. Their values are drawn all the same: "
            "take the mark away, and they are there.",
            sizing_mode="stretch_width",
            margin=(8, 8, 4, 0),
        )
        self._fraction = pmui.FloatInput(
            label="Hide a fraction",
            value=0.0,
            start=0.0,
            end=1.0,
            step=0.1,
            description="Of the other variables, drawn at random, this fraction is hidden too.",
            **_HALF,
        )
        self._missing = pmui.FloatInput(
            label="Fraction missing",
            value=0.0,
            start=0.0,
            end=1.0,
            step=0.1,
            description="Of the cells of the variables that are not hidden.",
            **_HALF,
        )
        self._mechanism = pmui.Select(
            label="Cells are missing",
            options={words: name for name, words in MECHANISMS.items()},
            value="mcar",
            description="What makes a cell go missing. Given other variables, half of them stay seen.",
            **_HALF,
        )

    @property
    def is_open(self) -> bool:
        """Whether the form is open."""
        return bool(self._view.visible)

    def open(self, is_open: bool) -> None:
        """Open or close the form."""
        self._view.visible = is_open

    def _look(self) -> None:
        names = [variable.name for variable in self._session.network.variables]
        if names != self._hide.options:
            kept = [name for name in self._hide.value or [] if name in names]
            self._hide.param.update(options=names, value=kept)

    async def _draw(self, _event: object) -> None:
        await settle()
        simulation = Simulation(
            rows=int(self._rows.value or 0),
            seed=int(self._seed.value or 0),
            hide=tuple(self._hide.value or ()),
            hide_fraction=float(self._fraction.value or 0),
            missing=float(self._missing.value or 0),
            mechanism=self._mechanism.value,
        )
        what = f"Drawing {count(simulation.rows, 'row')}"
        await self._work.change(what, "simulate data", partial(simulate_scene, simulation=simulation))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
