"""Table 5.1 and the compression paper's Figures 4 and 5."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.simulation.generators import grid_markov
from engine.studies import compression_peers, table_5_1
from engine.studies.compression_peers import Sprint
from engine.studies.problems import draw_problem
from engine.studies.table_5_1 import Pursuit
from tests.engine.studies.quick import run_quick

FOUND = Pursuit("or-chain-42", 0.0, 1, "cg", 10, 4, 8.0, 2.0, -5.0, -5.0, True, "converged")


def test_edml_gets_as_far_as_the_gradient_methods_and_no_further_than_the_optimum():
    table, _ = run_quick("table-5.1", max_iter=100)
    grids = [each for each in table.outcomes if each.network == "grid-4x4"]
    assert [each.method for each in grids] == ["cg", "lbfgs"]
    network = grid_markov(4, 4, random_state=0)
    for each in grids:
        assert each.is_as_good
        assert each.edml_objective >= each.objective - 1e-6
        assert each.edml_iterations < each.iterations, "as in the thesis' chains: fewer iterations"
        assert each.stop == "converged"
    # Complete data: a convex problem, whose optimum all methods share.
    data = draw_problem("grid-4x4", network, 128, 0.0, 1, table_5_1.STUDY.quick).dataset
    assert data.codes.min() == 0, "nothing is hidden"
    *_, last = learn(network, data, "lbfgs", stopping=Stopping(1e-9, "likelihood", 2000))
    assert max(each.edml_objective for each in grids) <= last.objective.sum() + 1e-6


def test_table_5_1_takes_means_of_what_counts():
    other = replace(FOUND, number=2, iterations=20, seconds=9.0, edml_seconds=3.0)
    missed = replace(FOUND, number=3, is_as_good=False, iterations=1000)
    table = table_5_1.tabulate([FOUND, other, missed], [])
    (row,) = table.rows
    assert row.problems == 3
    assert list(row.ours.values()) == [15, 4, 8.5, 3.5, None, None, None, None]
    assert list(row.thesis.values()) == pytest.approx([120.3, 27, 6, 31.3, 110, 54.3, 6, 6.4])
    lost = table_5_1.tabulate([FOUND, replace(FOUND, method="lbfgs", is_as_good=False)], [])
    assert not table_5_1.judge(lost).is_confirmed, "where EDML does not arrive it has not won"
    assert table_5_1.judge(table_5_1.tabulate([FOUND, replace(FOUND, method="lbfgs")], [])).is_confirmed
    assert table.notes == ("in 1 of 3 runs EDML did not get as far: they do not count",)


def test_a_hundred_iterations_end_above_two_and_grow_cheaper_by_rows():
    """EM climbs, so that its hundredth iterate is not below the second of the same EM without decomposition."""
    table, (chart,) = run_quick("compression-figure-4", rows=256, max_iter=5)
    assert [each.rows for each in table.outcomes[::3]] == [64, 128, 256]
    assert all(row.ours["D-EM: nats above"] >= -1e-6 for row in table.rows)
    assert [series.name for series in chart.series] == ["D-gradient", "D-EM"]
    assert all(each.iterations == (2 if "whole" in each.method else 5) for each in table.outcomes)


def test_speed_ups_are_ratios_within_a_size():
    found = [
        Sprint("alarm", 0.2, rows, method, 2, seconds * rows, -seconds, "iterations")
        for rows in (64, 128)
        for method, seconds in (("d-lbfgs", 1.0), ("d-em", 2.0), ("whole EM", 10.0))
    ]
    table = compression_peers.tabulate(found, [], "title")
    for row in table.rows:
        assert row.ours == {"D-gradient": 10, "D-EM": 5, "D-gradient: nats above": 9, "D-EM: nats above": 8}
    (first, second) = compression_peers.chart_rows(table)[0].series
    assert first.points == ((64, 10), (128, 10))
    assert second.points == ((64, 5), (128, 5))
