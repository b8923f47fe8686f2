"""Figures 4 and 5 [compression], 7.4 and 7.5 [thesis]: D-gradient and D-EM for 100 iterations, others for 2.

alarm as a Markov network, 20% of the variables hidden. The papers compare with FastInf, which is not to be had and
infers approximately. In its place stand our own methods without any decomposition: EM (Figure 4), and also CG and
L-BFGS (Figure 5), with one exact inference on the whole network per distinct row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.methods import Method, find_method
from engine.learning.stopping import Stopping
from engine.model.network import as_markov
from engine.studies.chart import Chart, make_series
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import draw_problem, run_method
from engine.studies.study import (
    Cell,
    Networks,
    Row,
    Settings,
    Study,
    Table,
    Verdict,
    chart_column,
    describe_range,
    known_numbers,
)

OURS = ("d-lbfgs", "d-em")
ITERATIONS, WHOLE_ITERATIONS = 100, 2
SMALLEST_POWER = 8
WHOLE: Mapping[str, Method] = {
    "whole EM": Method("whole EM", EM(), conditioned=False),
    "whole CG": Method("whole CG", Gradient("cg"), conditioned=False),
    "whole L-BFGS": Method("whole L-BFGS", Gradient("lbfgs"), conditioned=False),
}
TITLES = {"d-lbfgs": "D-gradient", "d-em": "D-EM"}
COLUMNS = ("D-gradient", "D-EM", "D-gradient: nats above", "D-EM: nats above")
STAND_IN = (
    "FastInf is not to be had: our own methods stand in, with one exact inference on the whole network per "
    "distinct row; they have 2 iterations, ours 100"
)

LIVE = Live(
    (*OURS, "em-textbook"),
    "How far has textbook EM, without decomposition, come when the other two are at their ends? The plot counts "
    "seconds; stop it when you have seen enough.",
    tol=0.0,
    across="seconds",
)


@dataclass(frozen=True)
class Sprint:
    """One method for some iterations from the same start."""

    network: str
    hidden: float
    rows: int
    method: str
    iterations: int
    seconds: float
    objective: float
    stop: str


def list_cells(networks: Networks, settings: Settings, whole: Sequence[str], by_rows: bool) -> list[Cell[Sprint]]:
    """A cell for every number of rows and method."""
    last = settings.rows.bit_length() - 1
    first = min(SMALLEST_POWER, max(0, last - 2)) if by_rows else last
    return [
        Cell(
            f"{name}, {2**power} rows, {method}",
            partial(draw_problem, name, as_markov(network), 2**power, hidden, 1, settings),
            partial(solve, method, 2**power, settings),
        )
        for power in range(first, last + 1)
        for name, network in networks.items()
        for hidden in settings.hidden[:1]
        for method in (*OURS, *whole)
    ]


def solve(
    method: str, rows: int, settings: Settings, problem: LearningProblem, cancelled: Callable[[], bool]
) -> Sprint:
    """Run a method: ours for all iterations, the others for two."""
    steps = min(ITERATIONS, settings.max_iter) if method in OURS else WHOLE_ITERATIONS
    stopping = Stopping(0.0, "likelihood", steps, patience=steps + 1)
    chosen = WHOLE[method] if method in WHOLE else find_method(method)
    run = run_method(problem, chosen, settings, stopping, cancelled=cancelled)
    seconds, reached = float(run.seconds[-1]), float(run.objective[-1])
    return Sprint(problem.name, problem.hidden, rows, method, run.iterations, seconds, reached, run.stop)


def tabulate(outcomes: Sequence[Sprint], notes: Sequence[str], title: str) -> Table[Sprint]:
    """How many times faster ours are, and how much higher they end."""
    rows = []
    for each in outcomes:
        if each.method in OURS:
            continue
        ours: dict[str, float | None] = dict.fromkeys(COLUMNS)
        for other in outcomes:
            if other.method in OURS and (other.network, other.rows) == (each.network, each.rows):
                column = TITLES[other.method]
                ours[column] = each.seconds / other.seconds
                ours[f"{column}: nats above"] = other.objective - each.objective
        rows.append(Row(f"{each.network}, {each.rows:,} rows, {each.method}", 1, ours, dict.fromkeys(COLUMNS)))
    return Table(title, "", COLUMNS, tuple(rows), tuple(outcomes), tuple(notes))


def chart_rows(table: Table[Sprint]) -> list[Chart]:
    """Speed-ups by rows."""
    sizes = [each.rows for each in table.outcomes if each.method not in OURS]
    series = [
        make_series(column, [(size, row.ours[column]) for size, row in zip(sizes, table.rows, strict=True)])
        for column in COLUMNS[:2]
    ]
    return [Chart(table.title, "rows", "times faster", tuple(series), across_base=2, up_base=10)]


def judge(table: Table[Sprint]) -> Verdict:
    """Whether both of ours are faster with the most rows."""
    gradient, em = (known_numbers(table, column) for column in COLUMNS[:2])
    is_faster = bool(gradient and em) and min(gradient[-1], em[-1]) > 1
    told = f"D-gradient {describe_range(gradient, '×')}, D-EM {describe_range(em, '×')} as fast"
    each = ITERATIONS / WHOLE_ITERATIONS
    by_step = f"D-gradient {describe_range([each * value for value in gradient], '×')}"
    return Verdict(is_faster, f"100 iterations of ours against 2 without decomposition: {told}; by iteration {by_step}")


SETTINGS = Settings(rows=2**14, datasets=1, hidden=(0.2,), max_iter=ITERATIONS, max_seconds=600, prior=1.0)
QUICK = replace(SETTINGS, rows=2**12, max_seconds=20)
BY_ROWS = Study(
    "Figure 4 [compression], 7.4 [thesis]: D-gradient and D-EM are orders faster than FastInf, more so with more rows",
    Sprint,
    partial(list_cells, whole=("whole EM",), by_rows=True),
    partial(tabulate, title="Compression figure 4: ours in 100 iterations against whole EM in 2, by rows"),
    chart_rows,
    judge=judge,
    live=LIVE,
    networks=("alarm",),
    settings=SETTINGS,
    quick=QUICK,
    stand_ins=(STAND_IN,),
    takes_markov=True,
)
BY_METHOD = Study(
    "Figure 5 [compression], 7.5 [thesis]: D-gradient and D-EM are orders faster than FastInf with any of its options",
    Sprint,
    partial(list_cells, whole=tuple(WHOLE), by_rows=False),
    partial(tabulate, title="Compression figure 5: ours in 100 iterations against others in 2"),
    lambda table: [chart_column(table, column, up_base=10) for column in COLUMNS[:2]],
    judge=judge,
    live=LIVE,
    networks=("alarm",),
    settings=replace(SETTINGS, rows=2**12),
    quick=QUICK,
    stand_ins=(STAND_IN,),
    takes_markov=True,
)
