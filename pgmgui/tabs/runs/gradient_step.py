"""A gradient step of a Markov network under the microscope: what the data expects of a factor, and what the model."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import product

import numpy as np
import panel as pn

from engine.learning.parameters import LogLinear
from engine.learning.snapshot import Snapshot
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import MarkovNetwork
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.words import name_factors
from pgmgui.state.session import Session

WATCHED = ["learned", "moment", "derived", "selected"]
COLUMNS = (
    Column("Factor", "text", "the variables of its scope", 80),
    Column("States", "text", "theirs, in this cell", 90),
    Column("Data", "number", "how often the data has these states, hidden ones as the model expects them", 80),
    Column("Model", "number", "how often the model expects them in as many rows", 80),
    Column("Slope", "number", "the difference: by how much the objective climbs with the cell's logarithm", 80),
)
MOST_CELLS = 20_000


class GradientStep(pn.viewable.Viewer):
    """The factors of the selected variable, cell by cell, at the parameters that are shown."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._looked_at, self._turn = False, 0
        self._words = PlainText(margin=(10, 8, 0, 0))
        self._cells = Grid(shown=8, sizing_mode="stretch_width", margin=(4, 8, 8, 0))
        self._view = pn.Column(self._words, self._cells, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), WATCHED)

    def look(self, looked_at: bool) -> None:
        """Say whether the panel is in view: nothing is computed while it is not."""
        self._looked_at = looked_at
        self._update()

    def _update(self) -> None:
        session, reached = self._session, self._session.reached
        self._view.visible = isinstance(session.network, MarkovNetwork)
        if not self._looked_at or reached is None or not isinstance(session.network, MarkovNetwork):
            return
        name = session.selected[0] if len(session.selected) == 1 else ""
        self._cells.visible = bool(name)
        if not name:
            self._words.write("A gradient step: select one variable on the canvas to see the slopes of its factors.")
            return
        self._turn += 1
        pn.state.execute(partial(self._look, self._turn, reached, session.network.index[name]), schedule=True)

    async def _look(self, turn: int, reached: Snapshot, variable: int) -> None:
        """Compute beside the page; what was asked for last is what is shown."""
        try:
            counts = await asyncio.to_thread(find_counts, reached)
        except PgmError as error:
            if turn == self._turn:
                self._words.write(f"There are no slopes to show: {error}")
            return
        if turn == self._turn:
            pn.state.execute(partial(self._show, turn, reached, variable, *counts), schedule=True)

    def _show(self, turn: int, reached: Snapshot, variable: int, counts: Floats, model_counts: Floats) -> None:
        if turn != self._turn:
            return
        name, geometry = reached.task.network.variables[variable].name, reached.task.geometry
        has_prior = isinstance(geometry, LogLinear) and geometry.has_prior
        self._words.write(
            f"A gradient step: each cell of the factors of {name} is pulled by how often the data has its states, and "
            "pushed by how often the model expects them. "
            + ("The prior pulls it to 1 besides." if has_prior else "At an optimum both are the same.")
        )
        self._cells.source = slopes_source(reached, variable, counts, model_counts)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def find_counts(reached: Snapshot) -> tuple[Floats, Floats]:
    """Expected counts of every cell of the best restart, under the data and under the model."""
    found = Workspace(reached.task.objective).evaluate(reached.theta[reached.best])
    return found.counts, found.model_counts


def slopes_source(reached: Snapshot, variable: int, counts: Floats, model_counts: Floats) -> Source:
    """A row for each cell of the factors of a variable."""
    network, starts = reached.task.network, reached.task.layout.starts
    assert isinstance(network, MarkovNetwork)
    rows: list[list[Cell]] = []
    for factor, scope in enumerate(network.scopes):
        if variable not in scope or len(rows) > MOST_CELLS:
            continue
        states = product(*(network.variables[v].states for v in scope))
        [title] = name_factors(network, [factor])
        for cell, configuration in zip(np.arange(starts[factor], starts[factor + 1]), states, strict=True):
            data, model = counts[cell], model_counts[cell]
            rows.append([title, ", ".join(configuration), f"{data:,.4g}", f"{model:,.4g}", f"{data - model:+,.2g}"])
    return Source(COLUMNS, len(rows), lambda first, last: rows[first : last + 1], "Slopes")
