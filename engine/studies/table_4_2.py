"""Table 4.2 [thesis]: the time in which hybrid EDML/EM reaches the quality of EM.

EM runs until no parameter changes by more than 10⁻⁴ (the test of §6.4; §4.6 names none) or for 1000
iterations; the hybrid then runs until it is as good, or for 1000 iterations. Of the problems where the
hybrid was faster, s is the mean of 1 − its time / EM's; of the others, s' is the mean of 1 − EM's time /
its. The thesis' averages are means over problems, not over its rows: 72 of 119 problems, and s weighted
accordingly, are its 60.50% and 67.45%.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.learning.stopping import Stopping
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import Run, list_problems, run_method
from engine.studies.study import QUICK, Row, Settings, Study, Table, Verdict, categorise, chart_column, percentage

EM_TOLERANCE = 1e-4
ROUNDING = 1e-6
"""How far, in nats, the hybrid may be below EM and still be as good."""
COLUMNS = ("% Hybrid", "% EM", "s", "s'")
THESIS: dict[str, tuple[float | None, ...]] = {
    "alarm": (46.67, 53.33, 75.80, 56.22),
    "andes": (53.33, 46.67, 42.27, 47.08),
    "asia": (66.67, 33.33, 70.37, 41.00),
    "diagnose": (26.67, 73.33, 52.71, 43.14),
    "pigs": (73.33, 26.67, 52.35, 31.32),
    "spect": (100.0, 0.0, 98.03, None),
    "water": (35.71, 64.29, 46.15, 43.55),
    "win95pts": (80.00, 20.00, 66.37, 54.95),
    "average": (60.50, 39.50, 67.45, 45.55),
}
NETWORKS = ("alarm", "andes", "asia", "diagnose", "pigs", "spect", "water", "win95pts")


@dataclass(frozen=True)
class Race:
    """EM and the hybrid on one problem.

    Attributes
    ----------
    em_seconds, hybrid_seconds : float
        Processor time, set-up included.
    objective : float
        What EM reached.
    reached : bool
        Whether the hybrid reached it too.
    """

    network: str
    hidden: float
    em_seconds: float
    hybrid_seconds: float
    em_iterations: int
    hybrid_iterations: int
    objective: float
    reached: bool

    @property
    def hybrid_won(self) -> bool:
        """Whether the hybrid was as good in less time."""
        return self.reached and self.hybrid_seconds < self.em_seconds

    @property
    def saved(self) -> float:
        """The share of the loser's time that the winner saved."""
        times = (self.em_seconds, self.hybrid_seconds)
        winner, loser = times[::-1] if self.hybrid_won else times
        return max(0.0, 1 - winner / loser)


def solve(problem: LearningProblem, settings: Settings, cancelled: Callable[[], bool]) -> Race:
    """Run EM, then the hybrid until it is as good."""
    until_still = Stopping(EM_TOLERANCE, "parameters", settings.max_iter, patience=1)
    to_the_end = Stopping(0.0, "parameters", settings.max_iter)
    em = run_method(problem, "em", settings, until_still, cancelled=cancelled)
    target = float(em.objective[-1]) - ROUNDING
    hybrid = run_method(problem, "hybrid", settings, to_the_end, target, cancelled=cancelled)
    return _race(problem, em, hybrid)


def _race(problem: LearningProblem, em: Run, hybrid: Run) -> Race:
    return Race(
        problem.name,
        problem.hidden,
        float(em.seconds[-1]),
        float(hybrid.seconds[-1]),
        em.iterations,
        hybrid.iterations,
        float(em.objective[-1]),
        hybrid.stop == "target",
    )


def tabulate(outcomes: Sequence[Race], notes: Sequence[str]) -> Table[Race]:
    """The table of some races."""
    rows = []
    for category, group in categorise(outcomes).items():
        won, lost = [r for r in group if r.hybrid_won], [r for r in group if not r.hybrid_won]
        ours = (
            percentage(len(won), len(group)),
            percentage(len(lost), len(group)),
            percentage(sum(r.saved for r in won), len(won)),
            percentage(sum(r.saved for r in lost), len(lost)),
        )
        thesis = THESIS.get(category, (None,) * len(COLUMNS))
        paired = dict(zip(COLUMNS, ours, strict=True)), dict(zip(COLUMNS, thesis, strict=True))
        rows.append(Row(category, len(group), *paired))
    missed = sum(not r.reached for r in outcomes)
    what = "problems the hybrid ended before it got as far as EM: EM was faster, by more than its s' tells"
    more = [f"in {missed} of {len(outcomes)} {what}"] if missed else []
    title = "Table 4.2: share of problems in which hybrid EDML/EM or EM is faster, and the time it saves"
    return Table(title, "%", COLUMNS, tuple(rows), tuple(outcomes), (*notes, *more))


def judge(table: Table[Race]) -> Verdict:
    """Whether the hybrid is sooner as good in most problems."""
    ours = table.rows[-1].ours["% Hybrid"] or 0.0
    fewer = sum(r.reached and r.hybrid_iterations < r.em_iterations for r in table.outcomes)
    told = f"sooner in {ours:.0f}% of the problems (thesis: 61%), in fewer steps in {fewer} of {len(table.outcomes)}"
    return Verdict(ours > 50, f"the hybrid is as good as EM {told}; our EM has cheap iterations")


STUDY = Study(
    "Table 4.2 [thesis]: hybrid EDML/EM is as good as EM sooner in 61% of the problems",
    Race,
    partial(list_problems, solve=solve),
    tabulate,
    lambda table: [chart_column(table, column) for column in COLUMNS],
    judge=judge,
    live=Live(
        ("em", "hybrid"),
        "Which curve is sooner as high as EM's end? The plot counts seconds of computing.",
        tol=EM_TOLERANCE,
        criterion="parameters",
        across="seconds",
    ),
    networks=NETWORKS,
    settings=Settings(keep_leaves=True),
    quick=replace(QUICK, keep_leaves=True),
)
