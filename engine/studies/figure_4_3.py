"""Figure 4.3 [thesis]: the error of EM and EDML by iteration; andes, asia, diagnose and alarm, two datasets each.

The thesis does not say how much is hidden in these; we hide a quarter. The error is how far a method is below
the best that either found; below 10⁻⁴ it is followed no further.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engine.studies.curves import Curve, chart_problem, group, judge, list_cells, tabulate
from engine.studies.live import Live
from engine.studies.study import QUICK, Settings, Study

METHODS = ("em", "edml")
STUDY = Study(
    "Figure 4.3 [thesis]: the error of EDML goes to zero much faster than EM's in most cases",
    Curve,
    partial(list_cells, methods=METHODS),
    partial(tabulate, title="Figure 4.3: MAP error over iterations", methods=METHODS),
    lambda table: [chart_problem(name, curves, as_error=True) for name, curves in group(table.outcomes).items()],
    judge=partial(judge, method="edml"),
    live=Live(METHODS, "How soon is nothing left between a curve and the higher of both ends?", tol=0.0),
    networks=("andes", "asia", "diagnose", "alarm"),
    settings=Settings(datasets=2, hidden=(0.25,), max_seconds=300, keep_leaves=True),
    quick=replace(QUICK, hidden=(0.25,), keep_leaves=True),
)
