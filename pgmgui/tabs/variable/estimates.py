"""The mode and the posterior predictive of the selected variable's table, side by side, from what was learned."""

from __future__ import annotations

import numpy as np
import panel as pn

from engine.learning.estimates import find_predictive, reason_against_predictive
from engine.learning.parameters import Simplex
from engine.learning.snapshot import Snapshot
from engine.model.network import BayesianNetwork
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import show_decimals
from pgmgui.state.session import Session

NOTHING = "Learn, and the mode and the posterior predictive estimate stand here side by side."


class Estimates(pn.viewable.Viewer):
    """What the counts and the exponents make of a table, in two ways; nothing for a Markov network."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._text = PlainText(margin=(10, 0, 0, 0))
        self._grid = Grid(shown=8, sizing_mode="stretch_width", margin=(4, 0, 2, 0))
        self._view = pn.Column(self._text, self._grid, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["selected", "scene", "learned", "moment"])
        self._update()

    def _update(self) -> None:
        session, reached = self._session, self._session.reached
        name = session.selected[0] if len(session.selected) == 1 else ""
        network = session.network
        self._view.visible = bool(name) and isinstance(network, BayesianNetwork)
        self._grid.source, self._grid.visible = None, False
        if not name or not isinstance(network, BayesianNetwork):
            return
        reason = reason_against_predictive(network, session.scene.whole_prior)
        if reached is None or reason:
            self._text.write(f"The predictive estimate {reason}." if reason else NOTHING)
            return
        child = network.index[name]
        self._text.write(*describe_estimates(reached, child))
        self._grid.visible = True
        self._grid.source = estimates_source(reached, network, child)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def describe_estimates(reached: Snapshot, child: int) -> list[str]:
    """What the two are made of, in sentences."""
    decomposition = reached.task.decomposition
    component = decomposition.component_of[child]
    lines = [
        "The mode, (n + ψ − 1) / (N + Σψ − the number of states), is what learning climbs to. The posterior "
        "predictive, (n + ψ) / (N + Σψ), is how probable each state is in the next row: never 0."
    ]
    if component < 0 or not decomposition.components[component].is_complete:
        lines.append("Values are missing: n are the counts that are expected at the learned parameters.")
    return lines


def estimates_source(reached: Snapshot, network: BayesianNetwork, child: int) -> Source:
    """A row for each cell of a table: its count, its mode and its predictive."""
    task, geometry = reached.task, reached.task.geometry
    assert isinstance(geometry, Simplex)
    theta, counts = reached.theta[reached.best], reached.counts[reached.best]
    numbers = [
        task.layout.tables(values)[child].reshape(-1)
        for values in (counts, geometry.maximise(counts, theta), find_predictive(reached))
    ]
    variables = [network.variables[v] for v in network.scopes[child]]
    shape = tuple(variable.cardinality for variable in variables)
    columns = (
        *(Column(variable.name, "head") for variable in variables),
        Column("Count n", "number", "rows with it, those with missing values by their probability"),
        Column("Mode", "number", "(n + ψ − 1) / (N + Σψ − the number of states)"),
        Column("Predictive", "number", "(n + ψ) / (N + Σψ)"),
    )

    def cells(first: int, last: int) -> list[list[Cell]]:
        rows: list[list[Cell]] = []
        for row in range(first, last + 1):
            at = np.unravel_index(row, shape)
            count, *shares = (float(values[row]) for values in numbers)
            states: list[Cell] = [variable.states[k] for variable, k in zip(variables, at, strict=True)]
            rows.append([*states, show_decimals(count, 2), *(show_decimals(share) for share in shares)])
        return rows

    return Source(columns, numbers[0].size, cells, f"Estimates of {variables[-1].name}")
