"""How long our EM takes: an iteration, ten with all set-up, and whole runs."""

from __future__ import annotations

from collections import deque

from engine.learning.learn import learn
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from tests.benchmarks.cases import Case, hidden_case, partial_case
from tests.benchmarks.clock import measure, measure_together
from tests.benchmarks.report import Report, seconds

ITERATIONS = 10
MOST_ITERATIONS = 3_000
COLUMNS = ("problem", "EM, an iteration", "ten EM", "ten D-EM")
NOTE = (
    "From network and data in memory to the network after ten iterations, set-up included; the iteration without it. "
    "How long others take for the same: peers."
)
WHOLE_COLUMNS = ("whole runs of D-EM", "by parameters", "iterations", "by likelihood", "iterations", "an iteration")
WHOLE_NOTE = (
    "From a random start until no parameter, or until a component's log-likelihood, changes by more than 1e-5, or "
    f"{MOST_ITERATIONS:,} iterations; set-up included. Three datasets each."
)


def run(quick: bool, report: Report) -> None:
    """Print EM's times."""
    report.note(NOTE)
    with report.table(COLUMNS) as table:
        for case in make_cases(quick):
            table.row(*_measure(case, quick))
    if quick:
        return
    report.note(WHOLE_NOTE)
    with report.table(WHOLE_COLUMNS) as table:
        for name, rows, hidden in [("alarm", 2**12, 0.2), ("pigs", 2**10, 0.1)]:
            for seed in (1, 2, 3):
                table.row(*_measure_whole(hidden_case(name, rows, hidden, seed)))


def make_cases(quick: bool) -> list[Case]:
    """The learning problems of the study."""
    if quick:
        return [hidden_case("alarm", 2**8, 0.1)]
    return [
        hidden_case("alarm", 2**10, 0.2),
        hidden_case("alarm", 2**12, 0.2),
        partial_case("alarm", 2**10, 0.2, 0.3),
        partial_case("alarm", 2**12, 0.2, 0.3),
        hidden_case("win95pts", 2**10, 0.5),
        hidden_case("chain-180", 2**10, 0.5),
        hidden_case("tree-63", 2**10, 0.5),
    ]


def learn_ours(case: Case, method: str, stopping: Stopping) -> Snapshot:
    """A run from a random start to its end."""
    return deque(learn(case.network, case.dataset, method, stopping=stopping), maxlen=1).pop()


def _measure(case: Case, quick: bool) -> list[str]:
    few, many = Stopping(tol=0.0, max_iter=ITERATIONS), Stopping(tol=0.0, max_iter=4 * ITERATIONS)
    ten, forty, decomposed = measure_together(
        [
            lambda: learn_ours(case, "em", few),
            lambda: learn_ours(case, "em", many),
            lambda: learn_ours(case, "d-em", few),
        ],
        3 if quick else 15,
    )
    return [case.title, seconds((forty - ten) / (3 * ITERATIONS)), seconds(ten), seconds(decomposed)]


def _measure_whole(case: Case) -> list[str]:
    cells, per_iteration = [], []
    for criterion in ("parameters", "likelihood"):
        time, iterations = _time_whole(case, Stopping(tol=1e-5, criterion=criterion, max_iter=MOST_ITERATIONS))
        cells += [seconds(time), f"{iterations:,}"]
        per_iteration.append(time / iterations)
    return [case.title, *cells, seconds(min(per_iteration))]


def _time_whole(case: Case, stopping: Stopping) -> tuple[float, int]:
    runs: list[Snapshot] = []
    time = measure(lambda: runs.append(learn_ours(case, "d-em", stopping)), 3, most_seconds=5)
    return time, runs[0].iteration
