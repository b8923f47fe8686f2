"""Figure 26 [bound]: how far EM ends below the bound from different starts, on a 3 × 3 grid, half observed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.learning.bounding import bound_task
from engine.model.network import Network
from engine.simulation.generators import grid_markov
from engine.studies.bound_figures import MARKOV, TOLERANCE, climb_em, list_bounds
from engine.studies.chart import Chart, make_series
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import draw_problem
from engine.studies.study import Cell, Networks, Row, Settings, Study, Table, Verdict, describe_range

NEAR = 1.0
"""Nats below the bound."""
COLUMNS = ("least gap", "median gap", "largest gap", "% within 1 nat")


@dataclass(frozen=True)
class Start:
    """EM from one start.

    Attributes
    ----------
    bound : float
        The lowest of all.
    paper_bound : float or None
        The paper's: the best network of the auxiliary graph's cliques.
    """

    network: str
    hidden: float
    start: int
    objective: float
    bound: float
    paper_bound: float | None
    iterations: int

    @property
    def gap(self) -> float:
        """Nats below the bound."""
        return self.bound - self.objective


def list_cells(networks: Networks, settings: Settings) -> list[Cell[Start]]:
    """A cell a start; there are as many as datasets are asked for, all from one."""
    return [
        Cell(
            f"{name}, {hidden:.0%} hidden, start {start}",
            partial(pose, name, network, hidden, start, settings),
            partial(solve, settings),
        )
        for name, network in networks.items()
        for hidden in settings.hidden
        for start in range(1, settings.datasets + 1)
    ]


def pose(name: str, network: Network, hidden: float, start: int, settings: Settings) -> LearningProblem:
    """The data of all starts, with one of them."""
    return replace(draw_problem(name, network, settings.rows, hidden, 1, settings), start=start)


def solve(settings: Settings, problem: LearningProblem, cancelled: Callable[[], bool]) -> Start:
    """Run EM from one start on the data of all."""
    run = climb_em(problem, settings, cancelled)
    found = bound_task(run.last.task, cancelled=cancelled)
    paper = list_bounds(found)[MARKOV.index("cliques")]
    reached = float(run.objective[-1])
    return Start(problem.name, problem.hidden, problem.start, reached, found.total, paper, run.iterations)


def tabulate(outcomes: Sequence[Start], notes: Sequence[str]) -> Table[Start]:
    """How the gaps are spread."""
    gaps = [each.gap for each in outcomes]
    near = 100 * sum(gap <= NEAR for gap in gaps) / max(1, len(gaps))
    ours = (min(gaps), float(np.median(gaps)), max(gaps), near) if gaps else (None,) * len(COLUMNS)
    row = Row("all starts", len(gaps), dict(zip(COLUMNS, ours, strict=True)), dict.fromkeys(COLUMNS))
    title = "Bound figure 26: nats that EM is below the bound from different starts"
    return Table(title, "", COLUMNS, (row,), tuple(outcomes), tuple(notes))


def chart(table: Table[Start]) -> list[Chart]:
    """The gap by start, to the lowest bound and to the paper's."""
    series = [make_series("our lowest bound − EM", [(each.start, each.gap) for each in table.outcomes])]
    paper = [(each.start, each.paper_bound - each.objective) for each in table.outcomes if each.paper_bound is not None]
    series += [make_series("the cliques' bound (Def. 2) − EM", paper)] if paper else []
    return [Chart("Bound figure 26: grid-3x3, half observed", "start", "nats", tuple(series))]


def judge(table: Table[Start]) -> Verdict:
    """Whether a quarter of the starts come within a nat."""
    near = table.rows[0].ours["% within 1 nat"] or 0.0
    gaps = describe_range([each.gap for each in table.outcomes], " nats")
    return Verdict(near >= 25, f"{near:.0f}% of the starts end within 1 nat of the bound; gaps {gaps}")


STUDY = Study(
    "Figure 26 [bound]: EM from different starts often comes near the bound of a 3 × 3 grid, half observed",
    Start,
    list_cells,
    tabulate,
    chart,
    judge=judge,
    live=Live(
        ("d-em",),
        "How far below the bound do the ten starts end? The Runs tab lists them.",
        tol=TOLERANCE,
        restarts=10,
        fit="bounds",
    ),
    drawn={"grid-3x3": partial(grid_markov, 3, 3)},
    quick_networks=("grid-3x3",),
    settings=Settings(datasets=50, hidden=(0.5,), prior=1.0),
    quick=Settings(datasets=10, hidden=(0.5,), max_iter=300, max_seconds=5, prior=1.0),
    stand_ins=("the paper's random grid is not to be had: ours is drawn anew",),
)
