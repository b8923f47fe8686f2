"""Learning curves: what is told of them, and EDML's lead where theory gives it one."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.simulation.generators import naive_bayes
from engine.studies import curves, figure_3_6
from engine.studies.curves import Curve
from engine.studies.problems import make_problem
from tests.engine.studies.quick import run_quick


def curve(method, *objective, seconds=None):
    return Curve("asia", 0.25, 1, method, objective, seconds or tuple(map(float, range(len(objective)))), "iterations")


def test_curves_are_summed_up_by_where_and_when_they_arrive():
    em, edml = curve("em", -9.0, -5.0, -3.0, -0.5), curve("edml", None, -6.0, -0.9, 0.0)
    table = curves.tabulate([em, edml], [], "title", ("em", "edml"))
    (row,) = table.rows
    assert row.category == "asia, 25% hidden, dataset 1"
    assert row.ours == {
        "EM: nats below best": 0.5,
        "EM: iterations to 1 nat": 3,
        "EDML: nats below best": 0,
        "EDML: iterations to 1 nat": 2,
        "EDML: % above EM": pytest.approx(200 / 3),
    }
    alone = curves.tabulate([em], [], "title", ("em", "edml"))
    assert alone.rows[0].ours["EDML: nats below best"] is None


def test_charts_begin_after_the_first_iterations_and_are_measured_from_the_best():
    em = curve("em", *[-40.0 + k for k in range(30)])
    edml = curve("edml", *[-30.0 + k for k in range(31)])
    by_iteration = curves.chart_problem("asia", [em, edml])
    assert by_iteration.series[0].points[0] == (10, -30)
    assert by_iteration.series[1].points[-1] == (30, 0)
    by_time = curves.chart_problem("asia", [em, edml], by_time=True)
    assert by_time.series[0].points[0] == (10_000, -30)
    errors = curves.chart_problem("asia", [em, edml], as_error=True)
    assert errors.series[0].points[0] == (10, 30)
    assert errors.series[1].points[-1] == (30, curves.ARRIVED), "on a logarithmic axis"
    assert curves.chart_problem("asia", [curve("em", -1.0)]).series[0].points == ((0, 0),)


def test_em_climbs_and_methods_start_alike():
    table, charts = run_quick("figure-4.4", rows=64, max_iter=15)
    by_problem = curves.group(table.outcomes)
    assert [name.split(",")[:2] for name in by_problem] == [["alarm", " 25% hidden"], ["win95pts", " 35% hidden"]]
    for found in by_problem.values():
        assert [each.method for each in found] == ["em", "edml", "hybrid"]
        assert max(each.objective[0] for each in found) - min(each.objective[0] for each in found) < 1e-9
        em, _, hybrid = (each.objective for each in found)
        assert all(b >= a - 1e-9 for each in (em, hybrid) for a, b in pairwise(each))
        assert len(em) == 16
    assert [chart.across for chart in charts] == ["time (ms)"] * 2


def test_edml_leads_from_the_first_iteration_where_only_leaves_are_hidden():
    """Theorem 1: as in the thesis' plot of spect, it is there at once, while EM creeps."""
    network = naive_bayes(12, random_state=4)
    settings = figure_3_6.STUDY.quick
    some = (make_problem("spect", network, 0.25, k, settings) for k in range(1, 20))
    problem = next(each for each in some if each.dataset.codes[0, 0] >= 0)
    found = [curves.solve(method, settings, problem, lambda: False) for method in figure_3_6.METHODS]
    (row,) = curves.tabulate(found, [], "title", figure_3_6.METHODS).rows
    assert row.ours["EDML: % above EM"] == 100
    assert row.ours["EDML: iterations to 1 nat"] == 1
    assert row.ours["EM: nats below best"] > 0


def test_who_is_sooner_is_not_known_where_em_ended_before():
    """A method that is close after EM has made all its iterations has not beaten it: EM was not given the time."""
    slow = curve("hybrid", -9.0, -0.1, 0.0, seconds=(0.0, 5.0, 9.0))
    table = curves.tabulate([curve("em", -9.0, -5.0, seconds=(0.0, 1.0)), slow], [], "title", ("em", "hybrid"))
    verdict = curves.judge(table, "hybrid", by_time=True)
    assert not verdict.is_confirmed
    assert "in 0 of 1 problems; in 1 EM had made its iterations before" in verdict.why
    assert curves.judge(table, "hybrid").is_confirmed, "by iteration it is ahead"
    for seconds, is_sooner in (((0.0, 6.0), True), ((0.0, 4.0), False)):
        em = curve("em", -9.0, -0.5 if not is_sooner else -5.0, seconds=seconds)
        found = curves.tabulate([em, slow], [], "title", ("em", "hybrid"))
        assert curves.judge(found, "hybrid", by_time=True).is_confirmed is is_sooner
