"""Verdicts follow the numbers: made-up outcomes that bear a paper out, and others that do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.studies import bound_figure_26, compression_peers, figure_6_4, table_4_1, table_4_2, table_6_1, table_7_1
from engine.studies.bound_figure_26 import Start
from engine.studies.bound_figures import STUDIES as BOUNDS
from engine.studies.bound_figures import Bounded
from engine.studies.compression_figures import BY_ROWS, BY_SHARE
from engine.studies.compression_peers import Sprint
from engine.studies.figure_6_4 import Timed
from engine.studies.gradients import Climb

LED = table_4_1.Comparison("alarm", 0.1, 9, 1, 5.0, 0.5, 10, 10, -1.0, -1.0, False)
WON = table_4_2.Race("alarm", 0.1, 4.0, 1.0, 9, 9, -1.0, True)
FASTER = table_6_1.Timing("alarm", 0.05, 3.0, 1.0, 30.0, 9, 9, "converged", "converged")
TIMED = Timed("chain", 0.5, 64, 8.0, 4.0, 1.0, 100, 10, -1.0, -1.0, "converged")
CLIMB = Climb("alarm", 0.2, 64, 9, 10.0, 64, 100, 1000, 1.0, 80.0, -5.0, "converged")
START = Start("grid-3x3", 0.5, 1, -10.0, -9.5, None, 9)
NEAR = Bounded("asia", 0.2, 100, False, -100.0, (-50.0, -99.9, -99.9, -99.9), 9, "converged")
FAR = replace(NEAR, hidden=0.5, bounds=(-50.0, -60.0, -60.0, -60.0))
SPRINTS = [Sprint("alarm", 0.2, 64, name, 2, seconds, -1.0, "") for name, seconds in (("d-lbfgs", 1.0), ("d-em", 2.0))]
SLOW, QUICK = (Sprint("alarm", 0.2, 64, "whole EM", 2, seconds, -2.0, "") for seconds in (9.0, 1.5))


@pytest.mark.parametrize(
    ("study", "borne_out", "not_so"),
    [
        (table_4_1.STUDY, [LED], [replace(LED, edml_better=1, em_better=9)]),
        (table_4_2.STUDY, [WON], [replace(WON, reached=False)]),
        (table_6_1.STUDY, [FASTER], [FASTER, replace(FASTER, hidden=0.5, textbook_seconds=0.5)]),
        (table_6_1.STUDY, [FASTER], [replace(FASTER, textbook_seconds=None)]),
        (
            figure_6_4.STUDY,
            [TIMED, replace(TIMED, rows=128, textbook_calls=200, textbook_seconds=16.0)],
            [TIMED, replace(TIMED, rows=128, textbook_calls=200)],
        ),
        (table_7_1.STUDY, [CLIMB], [CLIMB, replace(CLIMB, network="smokers", whole_seconds=5.0)]),
        (BY_ROWS, [CLIMB, replace(CLIMB, rows=128, whole_cells=2000)], [CLIMB, replace(CLIMB, rows=128)]),
        (BY_SHARE, [CLIMB, replace(CLIMB, hidden=0.5, whole_cells=500)], [CLIMB, replace(CLIMB, hidden=0.1)]),
        (compression_peers.BY_METHOD, [*SPRINTS, SLOW], [*SPRINTS, QUICK]),
        (bound_figure_26.STUDY, [START], [replace(START, objective=-20.0)]),
        (BOUNDS["bound-figure-10"], [NEAR, FAR], [replace(NEAR, hidden=0.5), replace(FAR, hidden=0.2)]),
        (BOUNDS["bound-figure-11"], [NEAR], [NEAR, FAR]),
        (BOUNDS["bound-figure-12"], [NEAR, FAR], [NEAR, replace(FAR, bounds=(-70.0, -60.0, -60.0, -60.0))]),
    ],
)
def test_a_verdict_follows_the_numbers(study, borne_out, not_so):
    assert study.judge(study.tabulate(borne_out, [])).is_confirmed
    assert not study.judge(study.tabulate(not_so, [])).is_confirmed
