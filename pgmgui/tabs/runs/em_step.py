"""The EM microscope: what the E- and M-step do with one row of the data and one family."""

from __future__ import annotations

import asyncio
from functools import partial

import numpy as np
import panel as pn

from engine.insight.microscope import View, look_closely
from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.model.dataset import MISSING, Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.table_prior import TablePrior, describe_table_prior
from pgmgui.components.fields import make_button, make_field
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.counted_data import WHY
from pgmgui.project.numbers import show_decimals
from pgmgui.project.troubles import explain
from pgmgui.project.words import cut
from pgmgui.state.session import Session

MOST_VALUES = 12
"""Values of a row that are told."""
WATCHED = ["learned", "moment", "selected", "derived"]


class Microscope(pn.viewable.Viewer):
    """One EM step, from the parameters that are shown, for a row that is chosen and the selected variable's family."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._row, self._turn = 0, 0
        self._looked_at = False
        self._title = PlainText(margin=(10, 8, 0, 0))
        self._field = make_field("Row", "The row of the data that is completed; Enter shows it.", self._choose, 110)
        self._before = make_button("Row before", "the row above", lambda _: self._go(self._row - 1))
        self._after = make_button("Row after", "the row below", lambda _: self._go(self._row + 1))
        self._e_step, self._m_step = PlainText(margin=(4, 8, 0, 0)), PlainText(margin=(4, 8, 0, 0))
        self._completions = Grid(shown=5, sizing_mode="stretch_width", margin=(4, 8, 2, 0))
        self._family = Grid(shown=8, sizing_mode="stretch_width", margin=(4, 8, 8, 0))
        self._steps = pn.Column(
            pn.Row(self._field, self._before, self._after, margin=0, styles={"align-items": "center"}),
            self._e_step,
            self._completions,
            self._m_step,
            self._family,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._view = pn.Column(self._title, self._steps, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), WATCHED)

    def look(self, looked_at: bool) -> None:
        """Say whether the panel is in view: nothing is computed while it is not."""
        self._looked_at = looked_at
        self._update()

    # --- what the user does

    def _choose(self, text: str) -> None:
        shown = f"{self._row + 1}"
        if text == shown:
            return
        if text.strip().isdecimal() and len(text) < 16:
            self._go(int(text) - 1)
        else:
            self._session.say(f"{text!r} is no row; type a number from 1 on")
            self._field.value = shown

    def _go(self, row: int) -> None:
        seen = self._session.seen
        self._row = min(max(row, 0), 0 if seen is None else seen.n_rows - 1)
        self._update()

    # --- what is shown

    def _update(self) -> None:
        session, reached = self._session, self._session.reached
        self._view.visible = isinstance(session.network, BayesianNetwork)
        if not self._looked_at or reached is None or not isinstance(session.network, BayesianNetwork):
            return
        data = reached.task.dataset
        if not isinstance(data, Dataset):
            self._steps.visible = False
            self._title.write(f"EM under the microscope looks at one row, and {WHY}: open a few of them as a file.")
            return
        self._row = min(self._row, data.n_rows - 1)
        self._field.value = f"{self._row + 1}"
        self._before.disabled, self._after.disabled = self._row == 0, self._row == data.n_rows - 1
        name = session.selected[0] if len(session.selected) == 1 else ""
        self._steps.visible = bool(name)
        if not name:
            self._title.write("EM under the microscope: select one variable on the canvas to see its family.")
            return
        where = "the newest iteration" if session.moment is None else session.moment.title
        self._title.write(f"EM under the microscope: the family of {name}, one step on from {where}.")
        self._turn += 1
        pn.state.execute(partial(self._look, self._turn, reached, session.network.index[name]), schedule=True)

    async def _look(self, turn: int, reached: Snapshot, child: int) -> None:
        """Compute beside the page; what was asked for last is what is shown."""
        theta, row = reached.theta[reached.best], self._row
        try:
            view = await asyncio.to_thread(look_closely, reached.task, theta, row, child)
        except PgmError as error:
            if turn == self._turn:
                self._e_step.write(explain("Looking closely", error))
            return
        if turn == self._turn:
            pn.state.execute(partial(self._show, turn, reached, view, row, child), schedule=True)

    def _show(self, turn: int, reached: Snapshot, view: View, row: int, child: int) -> None:
        if turn != self._turn:
            return
        network, data = reached.task.bayesian, reached.task.dataset.rows()
        self._e_step.write(*describe_e_step(data, view, row, self._find_line(row)))
        self._completions.source = completions_source(network, view)
        self._m_step.write(*describe_m_step(reached.task, child))
        self._family.source = family_source(network, view, child)

    def _find_line(self, row: int) -> int | None:
        """Which row of the whole data it is, where some are held out."""
        parts = self._session.parts
        rows = None if parts is None or parts.split is None else parts.split.train_rows
        return None if rows is None or row >= len(rows) else int(rows[row])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


# --- in words and tables


def describe_e_step(data: Dataset, view: View, row: int, line: int | None = None) -> list[str]:
    """What a row knows and what it leaves open, in sentences; ``line`` is its number in the whole data."""
    codes = data.codes[:, row]
    known = [f"{v.name} = {v.states[k]}" for v, k in zip(data.variables, codes, strict=True) if k >= 0]
    wanted = [v.name for v, is_target in zip(data.variables, data.target_cells[:, row], strict=True) if is_target]
    soft = [v.name for v, k in zip(data.variables, codes, strict=True) if k < MISSING and v.name not in wanted]
    weight = data.weights[row]
    times = "" if weight == 1 else f", counted {weight:,.6g} times"
    of = f"{data.n_rows:,}" if line is None else f"{data.n_rows:,} learned from (row {line + 1:,} of the data)"
    lines = [f"E-step. Row {row + 1:,} of {of}{times}, knows {cut(known, MOST_VALUES) or 'nothing'}."]
    if soft:
        lines.append(f"Known only softly: {cut(soft, MOST_VALUES)}.")
    if wanted:
        lines.append(f"Weighed such that targets are met: {cut(wanted, MOST_VALUES)}.")
    if view.variables:
        names = [data.variables[v].name for v in view.variables]
        lines.append(f"It is completed in every way for {cut(names, MOST_VALUES)}, each weighed by its probability:")
    else:
        lines.append("It leaves nothing open here: it counts as it is.")
    return lines


def describe_m_step(task: LearningTask, child: int) -> list[str]:
    """How counts become a table, in a sentence."""
    network, prior = task.bayesian, task.geometry.prior
    name = network.variables[child].name
    given = [network.variables[v].name for v in network.parents[child]]
    per = f" for each configuration of {cut(given)}" if given else ""
    tied = [network.variables[v].name for group in task.ties if child in group for v in group if v != child]
    added = f", and those of {cut(tied)}, which share the table, are added to them" if tied else ""
    if isinstance(prior, TablePrior):
        return [
            f"M-step. The weights of all rows add up to expected counts{added}; with {describe_table_prior(prior)}, "
            f"Newton's method climbs to the best probabilities of the states of {name}{per}: the new table."
        ]
    return [
        f"M-step. The weights of all rows add up to expected counts{added}; these, with the prior's ψ − 1, are divided "
        f"by their sum over the states of {name}{per}: the new table."
    ]


def completions_source(network: BayesianNetwork, view: View) -> Source:
    """The completions of a row, the heaviest first."""
    variables = [network.variables[v] for v in view.variables]
    columns = (*(Column(v.name) for v in variables), Column("Weight", "number", "its probability given the row"))

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [
            [
                *(v.states[k] for v, k in zip(variables, completion.states, strict=True)),
                {"text": show_decimals(completion.weight), "bars": [completion.weight]},
            ]
            for completion in view.completions[first : last + 1]
        ]

    return Source(columns, len(view.completions) if variables else 0, cells, "Completions")


def family_source(network: BayesianNetwork, view: View, child: int) -> Source:
    """A family's configurations: this row's share, the expected count, and the table before and after."""
    variables = [network.variables[v] for v in network.scopes[child]]
    columns = (
        *(Column(v.name, "head") for v in variables),
        Column("This row", "number", "its probability given this row"),
        Column("Count", "number", "expected over all rows"),
        Column("Before", "number", "its conditional probability before the step"),
        Column("After", "number", "and after it"),
    )
    shape = view.counts.shape
    tables = (view.family, 6), (view.counts, 4), (view.before, 6), (view.after, 6)
    numbers = [(np.asarray(table).reshape(-1), places) for table, places in tables]

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [
            [
                *(v.states[k] for v, k in zip(variables, np.unravel_index(row, shape), strict=True)),
                *(show_decimals(float(values[row]), places) for values, places in numbers),
            ]
            for row in range(first, last + 1)
        ]

    return Source(columns, view.counts.size, cells, f"One EM step of {network.variables[child].name}")
