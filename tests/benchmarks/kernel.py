"""The inner loop: nanoseconds per table operation, and microseconds per component shape."""

from __future__ import annotations

import numpy as np

from engine.inference.plan import MEMORY_LIMIT, Part
from engine.inference.tape import Tape, chunk_rows
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from tests.benchmarks.cases import Case, hidden_case
from tests.benchmarks.clock import measure
from tests.benchmarks.report import Report, seconds, three_digits

TAPE_COLUMNS = ("widest tree of", "rows a chunk", "largest clique", "operations", "a pass", "ns an operation")
SHAPE_COLUMNS = ("problem", "shapes", "components", "rows", "a pass", "a shape", "ns a cell")
TAPE_NOTE = (
    "One upward and downward pass over a chunk of rows. An operation is one cell of one array operation: a product, a "
    "term of a sum, a parameter fetched, a division."
)
SHAPE_NOTE = (
    "One E-step with expected counts, over all components; components of one shape run as one batch. Cells: those of "
    "all cliques, times rows."
)


def run(quick: bool, report: Report) -> None:
    """Print the costs of the inner loop."""
    report.note(TAPE_NOTE)
    wide = [("alarm", 50)] if quick else [("alarm", 50), ("win95pts", 50), ("andes", 60), ("water", 50), ("pigs", 60)]
    with report.table(TAPE_COLUMNS) as table:
        for name, hidden in wide:
            table.row(*_measure_tape(hidden_case(name, 2**10, hidden / 100), quick))
    report.note(SHAPE_NOTE)
    narrow = [("alarm", 20), ("chain-180", 50), ("tree-63", 50), ("pigs", 10), ("pigs", 5), ("andes", 10)]
    with report.table(SHAPE_COLUMNS) as table:
        for name, hidden in narrow[:1] if quick else narrow:
            table.row(*_measure_shapes(hidden_case(name, 2**10, hidden / 100), quick))


def _measure_tape(case: Case, quick: bool) -> list[str]:
    task = make_task(case.network, case.dataset)
    part = max((job.part for job in task.objective.jobs), key=_work)
    pool, _ = task.plan.pool.fill(case.network.tables)
    tape = Tape(part, chunk_rows(part, MEMORY_LIMIT), pool)
    tape.run(0)
    time = measure(lambda: tape.run(0), 5 if quick else 51, most_seconds=5)
    operations = count_operations(tape)
    return [
        case.title,
        f"{tape.rows:,}",
        f"{part.tree.largest:,}",
        f"{operations:,}",
        seconds(time),
        three_digits(time / operations * 1e9),
    ]


def _work(part: Part) -> int:
    return part.tree.cells * part.rows


def count_operations(tape: Tape) -> int:
    """The cells that the tape's operations work through: the largest array of each."""
    return sum(_largest_array(given) for _, given in tape._operations._list)


def _largest_array(given: tuple[object, ...]) -> int:
    return max(value.size for value in given if isinstance(value, np.ndarray))


def _measure_shapes(case: Case, quick: bool) -> list[str]:
    task = make_task(case.network, case.dataset)
    theta = task.layout.flatten(case.network.tables)
    work = Workspace(task.objective)
    work.evaluate(theta)
    time = measure(lambda: work.evaluate(theta), 5 if quick else 101, most_seconds=5)
    jobs = task.objective.jobs
    return [
        case.title,
        f"{len(jobs)}",
        f"{len({component for job in jobs for component in job.component.tolist()})}",
        f"{sum(job.part.rows for job in jobs):,}",
        seconds(time),
        seconds(time / len(jobs)),
        three_digits(time / sum(map(_work, (job.part for job in jobs))) * 1e9),
    ]
