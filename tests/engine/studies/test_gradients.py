"""Data decomposition of Markov networks: what it saves, in work that is the same on every machine."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.simulation.generators import chain_markov, grid_markov
from engine.simulation.missingness import hide_fraction
from engine.simulation.sampling import simulate
from engine.studies import table_7_1
from engine.studies.gradients import SLOPE, Climb, climb, measure_whole
from engine.studies.study import Settings
from tests.engine.studies.quick import run_quick

QUICK = Settings(hidden=(0.2,), max_iter=200, prior=1.0)


def test_the_climb_ends_at_an_optimum_of_the_whole_objective():
    """Value and slope are those of one inference per row, without any decomposition."""
    network = grid_markov(2, 3, random_state=3)
    data = hide_fraction(simulate(network, 100, 4), 0.3, 4)
    last, passes, _ = climb(network, data, QUICK)
    whole = make_task(network, data, condition=False).objective
    found = Workspace(whole).evaluate(last.theta[0])
    assert last.objective.sum() == pytest.approx(found.log_likelihood.sum(), abs=1e-9)
    assert np.abs(found.counts - found.model_counts).max() <= SLOPE * 100
    assert not last.stop
    assert passes >= last.iteration > 3


def test_the_whole_gradient_visits_the_whole_tree_for_every_distinct_row():
    """A chain of three: two cliques of two variables, 4 cells each, once per distinct row and once for log Z."""
    network = chain_markov(3, unary=False)
    data = hide_fraction(simulate(network, 64, 1), 0.4, 1)
    distinct = data.project(range(3))
    _, cells = measure_whole(network, distinct)
    assert distinct.n_rows == 4
    assert cells % 4 == 0
    per_row = cells // (distinct.n_rows + 1)
    assert per_row * (distinct.n_rows + 1) == cells
    assert per_row >= 8


def test_the_more_is_observed_and_the_more_rows_the_more_is_saved():
    table, _ = run_quick("compression-figure-2", rows=256, max_iter=3)
    saved = {(each.network, each.hidden): each.work_saved for each in table.outcomes}
    assert all(saved[name, 0.1] > saved[name, 0.5] > 1 for name in ("chain-50", "tree-63"))
    table, _ = run_quick("compression-figure-3", rows=1024, max_iter=3)
    for name in ("chain-50", "tree-63"):
        found = [each for each in table.outcomes if each.network == name]
        assert [each.rows for each in found] == [256, 512, 1024]
        assert all(more.work_saved > 1.5 * less.work_saved for less, more in pairwise(found)), "nearly linear"


def test_table_7_1_has_the_papers_numbers():
    table, _ = run_quick("table-7.1", rows=64, max_iter=3)
    assert [row.category for row in table.rows] == ["chain-50, 64 rows", "tree-63, 64 rows", "alarm, 64 rows"]
    first = table.rows[0]
    assert first.thesis == {"D-gradient (s)": 1.7, "gradient (s)": 282, "speed-up": 165, "work saved": None}
    assert first.ours["speed-up"] == pytest.approx(first.ours["gradient (s)"] / first.ours["D-gradient (s)"])
    for decomposed, whole, ratio in table_7_1.THESIS.values():
        if ratio is not None:  # the thesis rounds
            assert whole / decomposed == pytest.approx(ratio, rel=0.04)
    assert table_7_1.THESIS.keys() == table_7_1.ROWS.keys()


def test_a_climb_cut_short_has_no_speed_up():
    whole = Climb("chain", 0.2, 64, 9, 10.0, 64, 100, 1000, 2.0, 8.0, -5.0, "converged")
    assert (whole.speed_up, whole.work_saved) == (4, 10)
    assert dataclasses.replace(whole, stop="time").speed_up is None
    large = dataclasses.replace(whole, whole_seconds=None, whole_cells=None)
    assert (large.speed_up, large.work_saved) == (None, None)
    notes = table_7_1.tabulate([dataclasses.replace(whole, network="alarm", stop="time")], []).notes
    assert notes[-1] == "in 1 of 1 problems the climb ran out of time: there is no speed-up"
    assert np.isfinite(whole.objective)
