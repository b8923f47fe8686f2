"""Figure 3.6 [thesis]: the log posterior by iteration and by time, EDML against EM.

2^10 rows, a quarter of the variables hidden, exponents of 2, 1024 iterations of each.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engine.studies.chart import Chart
from engine.studies.curves import Curve, chart_problem, group, judge, list_cells, tabulate
from engine.studies.live import Live
from engine.studies.study import QUICK, Settings, Study, Table

METHODS = ("em", "edml")


def chart(table: Table[Curve]) -> list[Chart]:
    """Two columns: by iteration, and by time."""
    problems = group(table.outcomes).items()
    return [chart_problem(name, curves, by_time) for name, curves in problems for by_time in (False, True)]


STUDY = Study(
    "Figure 3.6 [thesis]: EDML is above EM from iteration to iteration, and mostly in time",
    Curve,
    partial(list_cells, methods=METHODS),
    partial(tabulate, title="Figure 3.6: the quality of estimates over iterations and time", methods=METHODS),
    chart,
    judge=partial(judge, method="edml"),
    live=Live(METHODS, "Which curve is higher at the same iteration, EDML's or EM's?", tol=0.0),
    networks=("spect", "win95pts", "emdec6g", "tcc4e"),
    settings=Settings(datasets=1, hidden=(0.25,), max_iter=1024, max_seconds=300, keep_leaves=True),
    quick=replace(QUICK, hidden=(0.25,), keep_leaves=True),
    stand_ins=("the networks of haplotype data (Figures 3.7 and 3.8) are not to be had, and not run",),
)
