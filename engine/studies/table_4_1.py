"""Table 4.1 [thesis]: which of EM and EDML has less error, iteration by iteration.

The error of a method after an iteration is how far its log posterior is below the best that either
method found. It is followed until it falls below 10⁻⁴; from then on the method has arrived. Iterations
are compared until both have arrived, or either was cut short.

The thesis leaves open how problems are averaged. Its own average (83.05%) is not the mean of its rows by
network (84.33%), which have equally many problems, so that it must count iterations; so do we. Where an
algorithm has less error, the relative improvement is 1 − its error / the other's. The thesis' text gives
r to EM and r' to EDML; we read its columns in the order of the others, as in Table 4.2 (s and s'), with r
for EDML's iterations and r' for EM's, and the table says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.learning.stopping import Stopping
from engine.model.arrays import Floats
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import Run, list_problems, run_method
from engine.studies.study import QUICK, Row, Settings, Study, Table, Verdict, categorise, chart_column, percentage

ARRIVED = 1e-4
"""An error below this is followed no further."""
STILL = 1e-8
"""With gains this small, a thousand iterations change nothing that counts."""
PATIENCE = 5
COLUMNS = ("% EDML", "% EM", "r", "r'")
READING = (
    "r is EDML's relative improvement on EM's error in the iterations where EDML has less, r' is EM's on EDML's in the "
    "others: the order of the columns before them; the thesis' text names them the other way round"
)
THESIS = {
    "alarm": (89.25, 10.75, 76.21, 76.44),
    "andes": (75.89, 24.11, 88.95, 79.29),
    "asia": (99.01, 0.99, 92.05, 76.91),
    "diagnose": (78.99, 21.01, 77.99, 80.18),
    "pigs": (83.34, 16.66, 83.51, 60.57),
    "spect": (86.65, 13.35, 82.70, 79.96),
    "water": (82.77, 17.23, 91.55, 83.78),
    "win95pts": (78.73, 21.27, 91.75, 79.89),
    "hiding 10%": (93.82, 6.18, 84.59, 87.13),
    "hiding 25%": (90.95, 9.05, 83.83, 75.70),
    "hiding 35%": (82.24, 17.76, 86.26, 75.09),
    "hiding 50%": (77.61, 22.39, 87.80, 80.21),
    "hiding 70%": (75.65, 24.35, 84.48, 74.21),
    "average": (83.05, 16.95, 85.41, 76.96),
}
NETWORKS = ("alarm", "andes", "asia", "diagnose", "pigs", "spect", "water", "win95pts")


@dataclass(frozen=True)
class Comparison:
    """EM and EDML on one problem.

    Attributes
    ----------
    edml_better, em_better : int
        Iterations in which one has less error than the other.
    edml_improvement, em_improvement : float
        The relative improvements in those iterations, summed.
    em_iterations, edml_iterations : int
    em_objective, edml_objective : float
        The best of each.
    cut_short : bool
        Whether either ran out of time.
    """

    network: str
    hidden: float
    edml_better: int
    em_better: int
    edml_improvement: float
    em_improvement: float
    em_iterations: int
    edml_iterations: int
    em_objective: float
    edml_objective: float
    cut_short: bool


def solve(problem: LearningProblem, settings: Settings, cancelled: Callable[[], bool]) -> Comparison:
    """Run both on a problem."""
    stopping = Stopping(STILL, "likelihood", settings.max_iter, patience=PATIENCE)
    em = run_method(problem, "em", settings, stopping, cancelled=cancelled)
    edml = run_method(problem, "edml", settings, stopping, cancelled=cancelled)
    return compare(problem, em, edml)


def compare(problem: LearningProblem, em: Run, edml: Run) -> Comparison:
    """Count the iterations in which each has less error."""
    best = max(em.objective.max(), edml.objective.max())
    ends = [run.iterations for run in (em, edml) if run.stop == "time"]
    length = min(ends, default=max(em.iterations, edml.iterations))
    em_error, edml_error = (_follow(best - run.objective[1:], length) for run in (em, edml))
    under_way = np.maximum(em_error, edml_error) >= ARRIVED
    edml_wins, em_wins = under_way & (edml_error < em_error), under_way & (em_error < edml_error)
    return Comparison(
        problem.name,
        problem.hidden,
        int(edml_wins.sum()),
        int(em_wins.sum()),
        float((1 - edml_error[edml_wins] / em_error[edml_wins]).sum()),
        float((1 - em_error[em_wins] / edml_error[em_wins]).sum()),
        em.iterations,
        edml.iterations,
        float(em.objective.max()),
        float(edml.objective.max()),
        bool(ends),
    )


def _follow(error: Floats, length: int) -> Floats:
    """The error of as many iterations; it stays as it is where the method has arrived or ended."""
    arrived = np.flatnonzero(error < ARRIVED)
    last = int(arrived[0]) if arrived.size else len(error) - 1
    return error[np.minimum(np.arange(length), last)]


def tabulate(outcomes: Sequence[Comparison], notes: Sequence[str]) -> Table[Comparison]:
    """The table of some comparisons."""
    rows = []
    for category, group in categorise(outcomes).items():
        edml, em = sum(c.edml_better for c in group), sum(c.em_better for c in group)
        ours = (
            percentage(edml, edml + em),
            percentage(em, edml + em),
            percentage(sum(c.edml_improvement for c in group), edml),
            percentage(sum(c.em_improvement for c in group), em),
        )
        thesis = THESIS.get(category, (None,) * len(COLUMNS))
        paired = dict(zip(COLUMNS, ours, strict=True)), dict(zip(COLUMNS, thesis, strict=True))
        rows.append(Row(category, len(group), *paired))
    cut = sum(c.cut_short for c in outcomes)
    more = [f"{cut} of {len(outcomes)} problems ran out of time; only the iterations made count"] if cut else []
    title = "Table 4.1: share of iterations in which EDML or EM has less error, and by how much"
    return Table(title, "%", COLUMNS, tuple(rows), tuple(outcomes), (*notes, READING, *more))


def judge(table: Table[Comparison]) -> Verdict:
    """Whether EDML has less error in most iterations."""
    ours = table.rows[-1].ours["% EDML"]
    told = "they were never apart" if ours is None else f"it has less error in {ours:.0f}% of them (thesis: 83%)"
    return Verdict(ours is not None and ours > 50, f"EDML beats EM in most iterations: {told}")


STUDY = Study(
    "Table 4.1 [thesis]: EDML has less error than EM in 83% of the iterations",
    Comparison,
    partial(list_problems, solve=solve),
    tabulate,
    lambda table: [chart_column(table, column) for column in COLUMNS],
    judge=judge,
    live=Live(
        ("em", "edml"), "Which curve is higher at the same iteration? The table counts such iterations.", tol=STILL
    ),
    networks=NETWORKS,
    settings=Settings(keep_leaves=True),
    quick=replace(QUICK, keep_leaves=True),
)
