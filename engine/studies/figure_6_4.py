"""Figure 6.4, left [thesis]: how many times faster D-EM is than EM, by rows.

A chain of 180 variables, half of them observed. Beside the times stand the calls of inference, which the
thesis explains them by (§6.4): EM makes one per iteration and distinct row, D-EM one per iteration and distinct
row of each sub-network, while that has not converged. They are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from engine.learning.stopping import Stopping
from engine.model.network import BayesianNetwork
from engine.simulation.generators import chain
from engine.studies.chart import Chart, make_series
from engine.studies.problem import LearningProblem
from engine.studies.problems import make_problem, run_method
from engine.studies.study import Cell, Networks, Row, Settings, Study, Table, Verdict, describe_range, known_numbers
from engine.studies.table_6_1 import DECOMPOSED, DECOMPOSED_TOLERANCE, EM_TOLERANCE, STAND_IN, time_textbook

SMALLEST_POWER = 6
LINEAR = 0.5
"""What grows half as fast as the rows, at least, is taken to grow with them: distinct rows are fewer than rows."""
COLUMNS = ("textbook EM (s)", "EM (s)", "D-EM (s)", "textbook EM / D-EM", "EM / D-EM", "calls: textbook EM / D-EM")


@dataclass(frozen=True)
class Timed:
    """EM and D-EM on a problem with some rows.

    Attributes
    ----------
    textbook_seconds : float or None
        None where the whole network's tables do not fit into memory.
    textbook_calls, decomposed_calls : int
        Inferences: of the whole network, or of a sub-network.
    """

    network: str
    hidden: float
    rows: int
    textbook_seconds: float | None
    em_seconds: float
    decomposed_seconds: float
    textbook_calls: int
    decomposed_calls: int
    em_objective: float
    decomposed_objective: float
    stop: str


Make = Callable[[str, BayesianNetwork, float, int, Settings], LearningProblem]


def list_cells(networks: Networks, settings: Settings, make: Make = make_problem) -> list[Cell[Timed]]:
    """A cell for every power of two of rows, from 2^6 or a quarter of the most, and dataset."""
    last = settings.rows.bit_length() - 1
    powers = range(min(SMALLEST_POWER, max(0, last - 2)), last + 1)

    def solve_one(fewer: Settings, problem: LearningProblem, cancelled: Callable[[], bool]) -> Timed:
        return solve(problem, fewer, cancelled)

    return [
        Cell(
            f"{name}, {hidden:.0%} hidden, {2**power} rows, dataset {number}",
            partial(make, name, network, hidden, number, fewer),
            partial(solve_one, fewer),
        )
        for number in range(1, settings.datasets + 1)
        for name, network in networks.items()
        if isinstance(network, BayesianNetwork)
        for hidden in settings.hidden
        for power in powers
        for fewer in [replace(settings, rows=2**power)]
    ]


def solve(problem: LearningProblem, settings: Settings, cancelled: Callable[[], bool]) -> Timed:
    """Time all three on a problem."""
    until_still = Stopping(EM_TOLERANCE, "parameters", settings.max_iter, patience=1)
    closer = Stopping(DECOMPOSED_TOLERANCE, "parameters", settings.max_iter, patience=1)
    em = run_method(problem, "em", settings, until_still, cancelled=cancelled)
    decomposed = run_method(problem, "d-em", settings, closer, cancelled=cancelled)
    distinct = problem.dataset.project(range(len(problem.network.variables))).n_rows
    return Timed(
        problem.name,
        problem.hidden,
        settings.rows,
        time_textbook(problem, settings, em.iterations, cancelled),
        float(em.seconds[-1]),
        float(decomposed.seconds[-1]),
        distinct * em.iterations,
        decomposed.last.inferences,
        float(em.objective[-1]),
        float(decomposed.objective[-1]),
        "time" if "time" in (em.stop, decomposed.stop) else decomposed.stop,
    )


def tabulate(outcomes: Sequence[Timed], notes: Sequence[str], title: str) -> Table[Timed]:
    """Means over datasets, by rows."""
    rows = []
    for (network, hidden, size), group in _group(outcomes).items():
        em, decomposed = (_mean([getattr(t, f"{kind}_seconds") for t in group]) for kind in ("em", "decomposed"))
        textbook = _mean([t.textbook_seconds for t in group])
        calls = sum(t.textbook_calls for t in group), sum(t.decomposed_calls for t in group)
        ours = (textbook, em, decomposed, _ratio(textbook, decomposed), _ratio(em, decomposed), _ratio(*calls))
        paired = dict(zip(COLUMNS, ours, strict=True)), dict.fromkeys(COLUMNS)
        rows.append(Row(f"{network}, {1 - hidden:.0%} observed, {size:,} rows", len(group), *paired))
    cut = sum(t.stop == "time" for t in outcomes)
    more = [f"in {cut} of {len(outcomes)} problems a method ran out of time: its time is a lower bound"] if cut else []
    return Table(title, "", COLUMNS, tuple(rows), tuple(outcomes), (*notes, *more))


def _group(outcomes: Sequence[Timed]) -> dict[tuple[str, float, int], list[Timed]]:
    groups: dict[tuple[str, float, int], list[Timed]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.network, outcome.hidden, outcome.rows), []).append(outcome)
    return groups


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _ratio(more: float | None, less: float | None) -> float | None:
    return more / less if more is not None and less else None


def chart(table: Table[Timed], columns: Sequence[str], up: str) -> Chart:
    """Some columns by rows."""
    sizes = [size for _, _, size in _group(table.outcomes)]
    series = [
        make_series(column, [(size, row.ours[column]) for size, row in zip(sizes, table.rows, strict=True)])
        for column in columns
    ]
    return Chart(table.title, "rows", up, tuple(series), across_base=2, up_base=10)


def judge(table: Table[Timed]) -> Verdict:
    """Whether calls saved grow about as the rows do, and time with them."""
    calls, times = (known_numbers(table, column) for column in (COLUMNS[5], COLUMNS[3]))
    rows = [each.rows for each in table.outcomes]
    grows = len(calls) > 1 and all(less < more for less, more in pairwise(calls))
    as_rows = grows and calls[-1] / calls[0] >= LINEAR * max(rows) / min(rows)
    told = f"the textbook's EM has {describe_range(calls, '×')} the calls and {describe_range(times, '×')} the time"
    if grows:
        told += f" of D-EM; calls grew {calls[-1] / calls[0]:.1f}× while the rows grew {max(rows) / min(rows):.0f}×"
    return Verdict(bool(as_rows and times and times[-1] > times[0]), f"from the fewest rows to the most, {told}")


STUDY = Study(
    "Figure 6.4, left [thesis]: what D-EM saves grows linearly with the rows; a chain of 180, half observed",
    Timed,
    list_cells,
    partial(tabulate, title="Figure 6.4: D-EM against EM by rows"),
    lambda table: [chart(table, COLUMNS[3:], "times")],
    judge=judge,
    live=DECOMPOSED,
    drawn={"chain-180": partial(chain, 180)},
    quick_networks=("chain-180",),
    settings=Settings(rows=2**14, hidden=(0.5,)),
    quick=Settings(rows=256, datasets=1, hidden=(0.5,), max_iter=30, max_seconds=5),
    stand_ins=("the thesis' random chain is not to be had: ours is drawn anew", STAND_IN),
)
