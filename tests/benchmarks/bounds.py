"""How far the best parameters found are below each bound, by network, what is hidden or missing, and rows."""

from __future__ import annotations

from collections.abc import Iterator

from engine.learning.bounds import CERTIFIED, find_bounds
from engine.learning.imap.budget import Budget
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from tests.benchmarks.cases import Case, hidden_case, partial_case
from tests.benchmarks.clock import measure
from tests.benchmarks.report import Report, seconds

COLUMNS = ("problem", "reached", "naive", "Thm. 2", "patterns", "one order", "searched", "closed", "0.2 s takes")
NOTE = (
    "Nats between the best of some runs (d-em, restarts) and each bound: naive, by components (Thm. 2 [bound]), with "
    "patterns of what rows observe, the I-map bound in a topological order, and in the order found with a budget of "
    "0.2 s. Closed: how much of the gap under Theorem 2 is gone then."
)
NETWORKS = ("asia", "alarm", "win95pts", "hepar2", "insurance", "andes")


def run(quick: bool, report: Report) -> None:
    """Print the gaps."""
    report.note(NOTE)
    with report.table(COLUMNS) as table:
        for case in _cases(quick):
            table.row(case.title, *_measure(case, restarts=2 if quick else 8, iterations=20 if quick else 300))


def _cases(quick: bool) -> Iterator[Case]:
    if quick:
        yield hidden_case("alarm", 2**8, 0.2)
        yield partial_case("asia", 2**8, 1.0, 0.2)
        return
    for name in NETWORKS:
        for fraction in (0.2, 0.5):
            for rows in (2**10, 2**12):
                yield hidden_case(name, rows, fraction)
    for rate in (0.05, 0.2):
        yield partial_case("alarm", 2000, 1.0, rate)
    yield partial_case("alarm", 2**12, 0.2, 0.3)
    yield hidden_case("andes", 2**14, 0.2)


def _measure(case: Case, restarts: int, iterations: int) -> list[str]:
    stopping = Stopping(max_iter=iterations, max_seconds=60)
    *_, last = learn(case.network, case.dataset, "d-em", n_init=restarts, stopping=stopping)
    # Components are learned apart: the best of each, of whichever restart, are reached together.
    reached = float(last.objective.max(axis=0).sum())
    start, found = find_bounds(last.task, Budget(0.0)), find_bounds(last.task)
    cost = measure(lambda: find_bounds(last.task), 3)
    whole = float(found.decomposition.sum())
    heights = [found.naive, whole, float(found.patterns.sum()), start.total, found.total]
    gap = whole - reached
    closed = f"{(whole - found.total) / gap:.0%}" if gap > CERTIFIED else "—"
    return [f"{reached:,.1f}", *(f"{height - reached:,.1f}" for height in heights), closed, seconds(cost)]
