"""EM against pyAgrum's and pgmpy's: an iteration, and ten with all set-up."""

from __future__ import annotations

from collections import deque

from engine.learning.learn import learn
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from tests.benchmarks import agrum, pgm_py
from tests.benchmarks.cases import Case, first_rows, hidden_case, partial_case
from tests.benchmarks.clock import measure, measure_together, time_once
from tests.benchmarks.report import Report, ratio, seconds

ITERATIONS = 10
MOST_ITERATIONS = 3_000
MOST_COMBINATIONS = 5_000
"""Beyond so many configurations of the hidden variables pgmpy takes minutes for a few rows."""
COLUMNS = (
    "problem",
    "EM, an iteration",
    "ten EM",
    "ten D-EM",
    "pyAgrum's EM, ten",
    "faster",
    "its E-step by hand, ten",
    "faster",
    "pgmpy's EM, ten",
    "faster",
)
NOTE = (
    "From network and data in memory to the network after ten iterations, set-up included; the iteration without it. "
    "pyAgrum's EM (BNLearner, useEMWithDiffCriterion, one thread) is timed for two iterations and pgmpy's (DiscreteEM) "
    "for one, on the first rows of the data, and scaled: both do the same work for every row and iteration. By hand: "
    "ten times the family marginals of all distinct rows from LazyPropagation (missing variables only), no M-step. "
    "pgmpy enumerates the hidden variables' configurations in each row, and drops rows with partly missing cells."
)


WHOLE_COLUMNS = ("whole runs of D-EM", "by parameters", "iterations", "by likelihood", "iterations", "an iteration")
WHOLE_NOTE = (
    "From a random start until no parameter, or until a component's log-likelihood, changes by more than 1e-5, or "
    f"{MOST_ITERATIONS:,} iterations; set-up included. Three datasets each."
)


def run(quick: bool, report: Report) -> None:
    """Print EM's times and how many times as fast it is."""
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
    cells = [seconds((forty - ten) / (3 * ITERATIONS)), seconds(ten), seconds(decomposed)]
    for theirs in (_time_agrum(case, quick), _time_by_hand(case, quick), _time_pgmpy(case, quick)):
        cells += [theirs, "—"] if isinstance(theirs, str) else [seconds(theirs), ratio(theirs / ten)]
    return [case.title, *cells]


def _time_agrum(case: Case, quick: bool) -> float:
    """Ten iterations of pyAgrum's EM, from two on some of the rows."""
    sample = first_rows(case, 8 if quick else 128)
    model = agrum.convert(case.network)
    two = measure(lambda: agrum.learn(model, agrum.make_frame(sample), 2), 1 if quick else 3, most_seconds=15)
    return two * (ITERATIONS / 2) * case.dataset.n_rows / sample.dataset.n_rows


def _time_by_hand(case: Case, quick: bool) -> float:
    """Ten E-steps with pyAgrum's inference, from one on some of the distinct rows."""
    distinct = case.dataset.project(range(len(case.network.variables)))
    merged = Case(case.title, case.network, distinct)
    sample = range(min(distinct.n_rows, 8 if quick else 64))
    model = agrum.convert(case.network)
    found = measure(lambda: agrum.Families(model, merged, whole=False).rows(sample), 1 if quick else 3, most_seconds=15)
    return found * ITERATIONS * distinct.n_rows / len(sample)


def _time_pgmpy(case: Case, quick: bool) -> float | str:
    """Ten iterations of pgmpy's EM, from one on a few rows."""
    if case.is_partial:
        return "drops the rows"
    combinations = pgm_py.count_combinations(case)
    if combinations > MOST_COMBINATIONS:
        return f"{combinations:.0e} configurations"
    sample = first_rows(case, 1 if quick else 8)
    if not quick:
        pgm_py.learn(first_rows(case, 1), 1)  # what is imported at the first call is not counted
    return time_once(lambda: pgm_py.learn(sample, 1)) * ITERATIONS * case.dataset.n_rows / sample.dataset.n_rows


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
