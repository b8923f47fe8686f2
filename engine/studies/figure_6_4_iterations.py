"""Figure 6.4, right pair [thesis]: the iterations that each sub-network takes; pigs, 90% observed.

Sub-networks whose data is complete are solved by counting, in one step. Convergence is told by the change of
parameters, or of the likelihood, both at 10⁻⁵.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from engine.learning.stopping import CRITERIA, Stopping
from engine.model.network import BayesianNetwork
from engine.studies.chart import Chart, make_series
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import make_problem, run_method
from engine.studies.study import (
    Cell,
    Networks,
    Row,
    Settings,
    Study,
    Table,
    Verdict,
    describe_range,
    known_numbers,
    percentage,
)

TOLERANCE = 1e-5
COLUMNS = ("sub-networks", "most iterations", "median", "% in one step")


@dataclass(frozen=True)
class Iterations:
    """How many iterations each sub-network takes, from the most to the least."""

    network: str
    hidden: float
    criterion: str
    iterations: tuple[int, ...]


def list_cells(networks: Networks, settings: Settings) -> list[Cell[Iterations]]:
    """A cell for each way to tell convergence."""
    return [
        Cell(
            f"{name}, {hidden:.0%} hidden, {criterion}",
            partial(make_problem, name, network, hidden, 1, settings),
            partial(solve, criterion, settings),
        )
        for name, network in networks.items()
        if isinstance(network, BayesianNetwork)
        for hidden in settings.hidden
        for criterion in CRITERIA
    ]


def solve(criterion: str, settings: Settings, problem: LearningProblem, cancelled: Callable[[], bool]) -> Iterations:
    """Run D-EM, and look how long each component took."""
    stopping = Stopping(TOLERANCE, criterion, settings.max_iter, patience=1)
    last = run_method(problem, "d-em", settings, stopping, cancelled=cancelled).last
    found = last.iterations[0, : len(last.task.decomposition.components)]  # the last entry is that of pruned variables
    made = tuple(sorted((max(1, int(k)) for k in found), reverse=True))
    return Iterations(problem.name, problem.hidden, criterion, made)


def tabulate(outcomes: Sequence[Iterations], notes: Sequence[str]) -> Table[Iterations]:
    """How iterations are spread."""
    rows = []
    for each in outcomes:
        size = len(each.iterations)
        in_one = percentage(sum(k == 1 for k in each.iterations), size)
        ours = (float(size), float(each.iterations[0]), float(statistics.median(each.iterations)), in_one)
        paired = dict(zip(COLUMNS, ours, strict=True)), dict.fromkeys(COLUMNS)
        rows.append(Row(f"{each.network}, {1 - each.hidden:.0%} observed, by {each.criterion}", 1, *paired))
    title = "Figure 6.4, right: iterations of each sub-network"
    return Table(title, "", COLUMNS, tuple(rows), tuple(outcomes), tuple(notes))


def chart(table: Table[Iterations]) -> list[Chart]:
    """Iterations, the most first; a chart for each way to tell convergence."""
    return [
        Chart(
            f"{table.title.split(':')[0]}: {each.network}, {1 - each.hidden:.0%} observed, by {each.criterion}",
            "sub-network, sorted",
            "iterations",
            (make_series("D-EM", [(k, float(number)) for k, number in enumerate(each.iterations, start=1)]),),
            up_base=10,
        )
        for each in table.outcomes
    ]


def judge(table: Table[Iterations]) -> Verdict:
    """Whether most sub-networks take one step."""
    shares = known_numbers(table, "% in one step")
    told = f"{describe_range(shares, '%')} of the sub-networks end in one step"
    return Verdict(bool(shares) and min(shares) > 50, f"most sub-networks converge at once: {told}")


STUDY = Study(
    "Figure 6.4, right [thesis]: most sub-networks of pigs, 90% observed, converge at once",
    Iterations,
    list_cells,
    tabulate,
    chart,
    judge=judge,
    live=Live(
        ("d-em",),
        "How many iterations did each component take? The Parts tab lists them.",
        tol=TOLERANCE,
        criterion="parameters",
    ),
    networks=("pigs",),
    settings=Settings(datasets=1, hidden=(0.1,)),
    quick=Settings(rows=128, datasets=1, hidden=(0.1,), max_iter=50, max_seconds=5),
)
