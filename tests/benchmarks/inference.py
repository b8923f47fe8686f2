"""Family marginals of 1,024 distinct rows of alarm, in rows per second."""

from __future__ import annotations

import numpy as np

from engine.inference.posterior import infer
from engine.model.arrays import Floats
from tests.benchmarks import agrum, pgm_py
from tests.benchmarks.cases import Case, distinct, hidden_case, partial_case
from tests.benchmarks.clock import measure, measure_together
from tests.benchmarks.report import Report, ratio, three_digits

COLUMNS = (
    "rows",
    "ours, rows/s",
    "pyAgrum, rows/s",
    "faster",
    "open only, rows/s",
    "faster",
    "pgmpy, rows/s",
    "faster",
    "difference",
)
NOTE = (
    "All family marginals, from network and data in memory to arrays of (rows × table), set-up included (ours: "
    "planning; theirs: making the engine). pyAgrum: LazyPropagation, one thread, jointPosterior of every family, "
    "and beside it only of the missing variables of families that have some, which is all that need be computed; "
    "pgmpy: VariableElimination, only those too. Both on a sample of the rows. Difference: the largest, from pyAgrum's."
)


def run(quick: bool, report: Report) -> None:
    """Print rows per second beside pyAgrum's and pgmpy's."""
    report.note(NOTE)
    rows = 256 if quick else 1024
    cases = [
        distinct(hidden_case("alarm", 2 * rows, 0.2), rows),
        distinct(partial_case("alarm", 2 * rows, 1, 0.2), rows),
    ]
    with report.table(COLUMNS) as table:
        for case in cases:
            table.row(*_measure(case, quick))


def _measure(case: Case, quick: bool) -> list[str]:
    rows = case.dataset.n_rows
    sample, small = range(8 if quick else 128), range(1 if quick else 8)
    model = agrum.convert(case.network)
    ours, theirs, open_only = measure_together(
        [
            lambda: infer_families(case),
            lambda: agrum.Families(model, case, whole=True).rows(sample),
            lambda: agrum.Families(model, case, whole=False).rows(sample),
        ],
        3 if quick else 9,
    )
    converted = pgm_py.convert(case.network)
    slow = measure(lambda: pgm_py.query_families(converted, case, small), 1 if quick else 3)
    speed = rows / ours
    cells = [three_digits(speed)]
    for seconds, n in ((theirs, len(sample)), (open_only, len(sample)), (slow, len(small))):
        cells += [three_digits(n / seconds), ratio(speed * seconds / n)]
    title = case.title.split(" rows, ")[1]
    return [f"{rows:,} rows, {title}", *cells, f"{find_difference(case, sample):.0e}"]


def infer_families(case: Case) -> list[Floats]:
    """Per table, its family's marginals, shape (rows, *table)."""
    posterior = infer(case.network, case.dataset)
    return [posterior.family(factor) for factor in range(len(case.network.tables))]


def find_difference(case: Case, rows: range) -> float:
    """The largest difference of a family's marginal from pyAgrum's."""
    ours = infer_families(case)
    families = agrum.Families(agrum.convert(case.network), case, whole=True)
    names = [variable.name for variable in case.network.variables]
    largest = 0.0
    for row in rows:
        for scope, mine, other in zip(case.network.scopes, ours, families.row(row), strict=True):
            theirs = agrum.read_tensor(other, [names[v] for v in scope])
            largest = max(largest, float(np.abs(mine[row] - theirs).max()))
    return largest
