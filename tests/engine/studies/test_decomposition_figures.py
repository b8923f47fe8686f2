"""Figures 6.3 to 6.5: what decomposition saves EM, in calls of inference."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine.learning.decomposition import decompose
from engine.simulation.generators import chain
from engine.studies import figure_6_4, figure_6_4_iterations, figure_6_5
from engine.studies.figure_6_4 import Timed
from engine.studies.problems import make_problem
from tests.engine.studies.quick import ASIA, run_quick


def test_calls_of_em_grow_with_the_rows_and_those_of_d_em_do_not():
    table, (chart,) = run_quick("figure-6.4", rows=512)
    assert [each.rows for each in table.outcomes] == [64, 128, 256, 512]
    saved = [row.ours["calls: textbook EM / D-EM"] for row in table.rows]
    assert all(more > 1.3 * less for less, more in pairwise(saved))
    first, last = table.outcomes[0], table.outcomes[-1]
    assert last.textbook_calls == 8 * first.textbook_calls, "one a row and step: all rows differ, all steps are made"
    assert last.decomposed_calls < 2 * first.decomposed_calls
    assert (chart.across_base, chart.up_base) == (2, 10)


def test_d_em_calls_no_more_than_the_states_of_its_boundaries_allow():
    """§6.4: on an alternating chain a sub-network has as many rows as its two ends have states together."""
    settings = replace(figure_6_5.STUDY.quick, rows=4096, max_iter=5)
    problem = figure_6_5.make_alternating("chain", chain(9, cardinality=3), 0.5, 1, settings)
    found = figure_6_4.solve(problem, settings, lambda: False)
    assert problem.dataset.codes[1::2].max() < 0 <= problem.dataset.codes[::2].min()
    assert found.decomposed_calls <= 4 * 3 * 3 * (5 + 1), "four hidden variables between two neighbours"
    assert found.textbook_calls == 5 * len(np.unique(problem.dataset.codes, axis=1).T)


def test_em_and_d_em_reach_the_same():
    table, _ = run_quick("figure-6.4", max_iter=8, rows=64)
    for each in table.outcomes:
        assert each.decomposed_objective == pytest.approx(each.em_objective, rel=1e-6)


def test_times_are_means_and_ratios_of_them():
    one = Timed("chain", 0.5, 64, 8.0, 4.0, 1.0, 100, 10, -1.0, -1.0, "converged")
    other = replace(one, textbook_seconds=16.0, em_seconds=2.0, decomposed_seconds=2.0, stop="time")
    table = figure_6_4.tabulate([one, other, replace(one, rows=128, textbook_seconds=None)], [], "a title")
    assert list(table.rows[0].ours.values()) == [12, 3, 1.5, 8, 2, 10]
    assert list(table.rows[1].ours.values()) == [None, 4, 1, None, 4, 10]
    assert table.notes == ("in 1 of 3 problems a method ran out of time: its time is a lower bound",)


def test_iterations_of_sub_networks_are_sorted_and_complete_ones_take_one():
    settings = replace(figure_6_4_iterations.STUDY.quick, hidden=(0.25,), max_iter=40)
    problem = make_problem("pigs", ASIA, 0.25, 1, settings)
    parts = decompose(ASIA, problem.dataset).components
    for criterion in ("parameters", "likelihood"):
        found = figure_6_4_iterations.solve(criterion, settings, problem, lambda: False)
        assert len(found.iterations) == len(parts)
        assert list(found.iterations) == sorted(found.iterations, reverse=True)
        hidden = {v for v, codes in enumerate(problem.dataset.codes) if np.all(codes < 0)}
        assert sum(k > 1 for k in found.iterations) <= sum(bool(hidden & set(part.variables)) for part in parts)
        assert found.iterations[0] > 1
    table, charts = run_quick("figure-6.4-iterations", hidden=(0.25,))
    assert len(charts) == len(table.rows) == 2 * 1
    assert table.rows[0].ours["sub-networks"] == len(parts)


def test_chains_and_trees_have_charts_of_their_own():
    table, charts = run_quick("figure-6.3", rows=32, max_iter=3)
    assert len(table.outcomes) == 4
    assert [[series.name for series in chart.series] for chart in charts] == [["chain-180"], ["tree-63"]] * 2
