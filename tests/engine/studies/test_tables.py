"""The studies: what they count, and that they run on small problems."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from engine.formats import read_network
from engine.learning.stopping import Stopping
from engine.model.errors import MemoryLimitError, ModelError
from engine.simulation.generators import naive_bayes, random_dag
from engine.studies import table_4_1, table_4_2, table_6_1
from engine.studies.problem import LearningProblem
from engine.studies.problems import Run, list_problems, make_problem, run_method
from engine.studies.study import Settings, categorise, run_cells
from tests.command_line import EXAMPLES

ASIA = read_network(EXAMPLES / "asia.bif").network
NETWORKS = {"asia": ASIA, "tiny": random_dag(6, random_state=1)}
QUICK = Settings(rows=64, datasets=2, hidden=(0.10, 0.50), max_iter=30, max_seconds=5, keep_leaves=True)
STUDIES = [table_4_1.STUDY, table_4_2.STUDY, table_6_1.STUDY]


def problem(name="asia", hidden=0.1):
    return LearningProblem(name, hidden, 1, ASIA, None, 0, None)


def finished(*objective, stop="converged"):
    return Run(np.array(objective), np.arange(len(objective), dtype=float), stop, last=None)


def make_problems(networks, settings):
    """Every problem, in the order of the cells."""
    cells = list_problems(networks, settings, lambda problem, *_: problem)
    return [finished.outcome for finished in run_cells(cells)]


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_solves_a_cell_for_every_problem(study):
    finished = list(run_cells(study.list_cells(NETWORKS, QUICK)))
    assert len({each.cell for each in finished}) == len(finished) == 2 * 2 * 2
    table = study.table(finished)
    assert len(table.outcomes) == len(finished)
    for row in table.rows:
        assert tuple(row.ours) == tuple(row.thesis) == table.columns
    json.dumps(dataclasses.asdict(table), allow_nan=False)
    json.dumps([dataclasses.asdict(chart) for chart in study.chart(table)], allow_nan=False)


@pytest.mark.parametrize("study", STUDIES)
def test_a_cancelled_study_ends_with_the_last_whole_problem(study):
    finished = []
    for each in run_cells(study.list_cells(NETWORKS, QUICK), cancelled=lambda: len(finished) == 2):
        finished.append(each)
    assert [each.cell for each in finished] == ["asia, 10% hidden, dataset 1", "asia, 50% hidden, dataset 1"]


def test_problems_are_the_same_whatever_else_is_studied():
    fewer = dataclasses.replace(QUICK, hidden=(0.50,), datasets=1)
    alone = make_problem("asia", ASIA, 0.50, 1, fewer)
    (same,) = (p for p in make_problems(NETWORKS, QUICK) if (p.name, p.hidden, p.number) == ("asia", 0.50, 1))
    np.testing.assert_array_equal(alone.dataset.codes, same.dataset.codes)
    assert alone.start == same.start
    starts = [p.start for p in make_problems(NETWORKS, QUICK)]
    assert len(set(starts)) == len(starts)


def test_the_same_variables_are_hidden_whatever_the_rows():
    few, many = (make_problem("asia", ASIA, 0.50, 1, dataclasses.replace(QUICK, rows=rows)) for rows in (4, 64))
    assert few.dataset.n_rows < many.dataset.n_rows
    assert few.dataset.roles == many.dataset.roles


def test_datasets_vary_slowest():
    assert [p.number for p in make_problems(NETWORKS, QUICK)] == [1] * 4 + [2] * 4


def test_methods_start_from_the_same_parameters():
    (first, *_) = make_problems(NETWORKS, QUICK)
    starts = {run_method(first, m, QUICK, Stopping(max_iter=1)).objective[0] for m in ("em", "edml", "hybrid", "d-em")}
    assert max(starts) - min(starts) < 1e-9


def test_kept_leaves_are_learned_as_the_textbook_does():
    """The thesis' EM does not prune hidden leaves; with a prior they creep to its mode."""
    some = list(make_problems({"naive": naive_bayes(6, random_state=2)}, QUICK))
    assert any(each.dataset.likelihoods for each in some)
    for each in some:
        few = Stopping(tol=0.0, max_iter=8)
        ours = run_method(each, "em", QUICK, few)
        np.testing.assert_allclose(ours.objective, run_method(each, "em-textbook", QUICK, few).objective, atol=1e-8)


def test_a_run_stops_at_its_target_or_its_time():
    (first, *_) = make_problems({"asia": ASIA}, dataclasses.replace(QUICK, hidden=(0.50,)))
    whole = run_method(first, "em", QUICK, Stopping(tol=0.0, max_iter=20))
    assert (whole.stop, whole.iterations) == ("iterations", 20)
    to_target = run_method(first, "em", QUICK, Stopping(tol=0.0, max_iter=20), target=whole.objective[5])
    assert (to_target.stop, to_target.iterations) == ("target", 5)
    np.testing.assert_allclose(to_target.objective, whole.objective[:6])
    in_time = run_method(first, "em", dataclasses.replace(QUICK, max_seconds=1e-9), Stopping(tol=0.0))
    assert (in_time.stop, in_time.iterations) == ("time", 1)


def test_the_best_of_a_run_is_a_number():
    assert finished(-9, float("nan"), -3, float("-inf")).best == -3


@pytest.mark.parametrize(
    ("em", "edml", "edml_better", "em_better", "edml_improvement", "em_improvement"),
    [
        # Errors after each step: EM 8, 4, 2, 0 and EDML 4, 0, the best from then on.
        (finished(-9, -8, -4, -2, 0), finished(-9, -4, 0), 3, 0, 0.5 + 1 + 1, 0),
        # EDML ends below what EM reached: its error stays.
        (finished(-9, -3, -1, 0), finished(-9, -2, -2), 1, 2, 1 / 3, 0.5 + 1),
        # Both arrive with the first step, or are never apart.
        (finished(-9, 0), finished(-9, -1e-5, 0), 0, 0, 0, 0),
        (finished(-9, -2, 0), finished(-9, -2, 0), 0, 0, 0, 0),
        # Having arrived, EDML may leave again: that is followed no further.
        (finished(-9, -2, -1, -1), finished(-9, 0, -5, -5), 3, 0, 3, 0),
        # EDML was cut short after one step.
        (finished(-9, -3, -1, 0), finished(-9, -6, stop="time"), 0, 1, 0, 0.5),
        # A step to impossible rows has an infinite error.
        (finished(-9, -1, 0), finished(-9, -np.inf, 0), 0, 1, 0, 1),
    ],
)
def test_less_error_is_counted_by_iterations(em, edml, edml_better, em_better, edml_improvement, em_improvement):
    found = table_4_1.compare(problem(), em, edml)
    assert (found.edml_better, found.em_better) == (edml_better, em_better)
    assert found.edml_improvement == pytest.approx(edml_improvement)
    assert found.em_improvement == pytest.approx(em_improvement)


def test_table_4_1_counts_iterations_over_problems():
    long = table_4_1.compare(problem("alarm", 0.1), finished(-9, -8, -4, -2, 0), finished(-9, -4, 0))
    short = table_4_1.compare(problem("asia", 0.7), finished(-9, 0), finished(-9, -2, 0))
    rows = {row.category: row for row in table_4_1.tabulate([long, short], []).rows}
    assert list(rows) == ["alarm", "asia", "hiding 10%", "hiding 70%", "average"]
    assert rows["alarm"].ours == {"% EDML": 100, "% EM": 0, "r": pytest.approx(250 / 3), "r'": None}
    assert rows["average"].ours == {"% EDML": 75, "% EM": 25, "r": pytest.approx(250 / 3), "r'": 100}
    assert rows["alarm"].thesis["% EDML"] == 89.25
    assert rows["average"].thesis["r'"] == 76.96


def test_table_4_2_means_are_over_problems():
    races = [
        table_4_2.Race("alarm", 0.1, 4.0, 1.0, 9, 9, -1.0, True),
        table_4_2.Race("alarm", 0.7, 2.0, 1.0, 9, 9, -1.0, True),
        table_4_2.Race("alarm", 0.7, 1.0, 5.0, 9, 9, -1.0, True),
        table_4_2.Race("asia", 0.7, 9.0, 3.0, 9, 9, -1.0, False),  # ended early, but below EM
    ]
    table = table_4_2.tabulate(races, [])
    rows = {row.category: row.ours for row in table.rows}
    assert rows["alarm"] == {"% Hybrid": pytest.approx(200 / 3), "% EM": pytest.approx(100 / 3), "s": 62.5, "s'": 80}
    assert rows["asia"] == {"% Hybrid": 0, "% EM": 100, "s": None, "s'": 0}
    assert rows["average"]["s'"] == 40
    assert [note[:66] for note in table.notes] == ["in 1 of 4 problems the hybrid ended before it got as far as EM: EM"]


def test_table_6_1_sums_times_over_datasets():
    timings = [
        table_6_1.Timing("alarm", 0.05, 3.0, 1.0, 30.0, 9, 9, "converged", "converged"),
        table_6_1.Timing("alarm", 0.05, 1.0, 1.0, 10.0, 9, 9, "time", "converged"),
        table_6_1.Timing("alarm", 0.50, 1.0, 1.0, None, 9, 9, "iterations", "converged"),
        table_6_1.Timing("water", 0.50, 1.0, 1.0, 5.0, 9, 9, "time", "time"),
    ]
    table = table_6_1.tabulate(timings, [])
    first, second, third = table.rows
    assert (first.category, second.category) == ("alarm, 95% observed", "alarm, 50% observed")
    assert first.ours == {"textbook EM / D-EM": 20, "EM / D-EM": 2}
    assert first.thesis == {"textbook EM / D-EM": 267.67, "EM / D-EM": None}
    assert second.ours == {"textbook EM / D-EM": None, "EM / D-EM": 1}
    assert third.ours == {"textbook EM / D-EM": None, "EM / D-EM": None}
    assert [note[:18] for note in table.notes] == ["in 1 of 4 problems"] * 4


def test_the_thesis_averages_are_those_of_its_rows_by_our_definitions():
    """Table 4.2: means over problems, of which every network has 15, and water 14."""
    wins = {name: row[0] * (14 if name == "water" else 15) / 100 for name, row in table_4_2.THESIS.items()}
    del wins["average"]
    assert 100 * sum(wins.values()) / 119 == pytest.approx(table_4_2.THESIS["average"][0], abs=0.01)
    saved = sum(count * table_4_2.THESIS[name][2] for name, count in wins.items()) / sum(wins.values())
    assert saved == pytest.approx(table_4_2.THESIS["average"][2], abs=0.01)
    for row in table_4_1.THESIS.values():
        assert row[0] + row[1] == pytest.approx(100)


def test_a_problem_too_large_is_left_out():
    def solve(each):
        if each.name == "tiny":
            raise MemoryLimitError("too large; take a smaller one", 2, 1)
        return table_4_2.Race(each.name, each.hidden, 2.0, 1.0, 9, 9, -1.0, True)

    study = table_4_2.STUDY
    last = study.table(run_cells(list_problems(NETWORKS, QUICK, lambda problem, *_: solve(problem))))
    assert {outcome.network for outcome in last.outcomes} == {"asia"}
    assert len(last.notes) == 4
    assert last.notes[0] == "tiny, 10% hidden, dataset 1 is left out: too large; take a smaller one"
    assert [row.category for row in last.rows] == list(categorise(last.outcomes))


@pytest.mark.parametrize("wrong", [{"rows": 0}, {"datasets": 0}, {"max_seconds": 0}, {"random_state": -1}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ModelError):
        Settings(**wrong)


def test_edml_and_the_hybrid_beat_em_where_only_leaves_are_hidden():
    """Theorem 1: one step, while EM creeps. The shape of the thesis' rows for spect."""
    settings = Settings(rows=256, datasets=3, hidden=(0.25,), max_iter=200, max_seconds=10, keep_leaves=True)
    networks = {"spect": naive_bayes(12, random_state=4)}
    only_leaves = [
        p for p in make_problems(networks, settings) if 0 not in p.dataset.likelihoods and p.dataset.codes[0, 0] >= 0
    ]
    assert only_leaves
    stopping = Stopping(table_4_1.STILL, "likelihood", 200)
    for each in only_leaves:
        em, edml = (run_method(each, method, settings, stopping) for method in ("em", "edml"))
        found = table_4_1.compare(each, em, edml)
        assert (found.em_better, found.edml_better) == (0, 200)
        assert edml.objective[1] == pytest.approx(edml.objective[-1], abs=1e-9)
