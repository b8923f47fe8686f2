"""Figure 4.4 [thesis]: the log posterior by time, of the hybrid, EM and EDML.

alarm with 25% hidden, win95pts with 35%, water with 50%.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engine.studies.curves import Curve, chart_problem, group, judge, list_cells, tabulate
from engine.studies.live import Live
from engine.studies.study import QUICK, Settings, Study

METHODS = ("em", "edml", "hybrid")
SHARES = {"alarm": 0.25, "win95pts": 0.35, "water": 0.50}
STUDY = Study(
    "Figure 4.4 [thesis]: hybrid EDML/EM finds better estimates sooner than EM and EDML",
    Curve,
    partial(list_cells, methods=METHODS, shares=SHARES),
    partial(tabulate, title="Figure 4.4: MAP over time", methods=METHODS),
    lambda table: [chart_problem(name, curves, by_time=True) for name, curves in group(table.outcomes).items()],
    judge=partial(judge, method="hybrid", by_time=True),
    live=Live(METHODS, "Which curve is highest after the same time of computing?", tol=0.0, across="seconds"),
    networks=tuple(SHARES),
    settings=Settings(datasets=1, hidden=tuple(SHARES.values()), max_seconds=300, keep_leaves=True),
    quick=replace(QUICK, hidden=tuple(SHARES.values()), keep_leaves=True),
)
