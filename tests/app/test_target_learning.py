"""Targets in the data of the commands that learn."""

from __future__ import annotations

import numpy as np
import pytest

from app import data_input, learning
from engine.formats import DataDocument, read_network
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.dataset import TargetCell, make_dataset
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved, dump
from tests.command_line import EXAMPLES, assert_refused, run
from tests.engine.learning.test_targets import falling_problem

FILES = EXAMPLES / "sprinkler.bif", EXAMPLES / "sprinkler.csv"
COMMAND = ("learn", *FILES, "--max-iter", 8, "--bound-seconds", 0, "--json")


@pytest.fixture(autouse=True)
def targets(monkeypatch):
    """Targets in some rows of the file: of Rain in ten, of Sprinkler too in three of these."""
    read = data_input.read_dataset

    def with_targets(path, variables, missing):
        found = read(path, variables, missing=missing)
        plain = found.dataset.take(np.arange(40))
        rows = [[v.states[c] if c >= 0 else None for v, c in zip(variables, row, strict=True)] for row in plain.codes.T]
        for k in range(10):
            rows[k][2] = TargetCell((0.2 + 0.05 * k, 0.8 - 0.05 * k))
        for k in range(3):
            rows[k][1] = TargetCell((0.3, 0.7))
        return DataDocument(make_dataset(variables, rows), found.notes)

    monkeypatch.setattr(data_input, "read_dataset", with_targets)


def test_fixed_targets_are_learned_and_bounded():
    result = run(*COMMAND, "--method", "d-em").result
    assert result["targets"] == "fixed"
    assert np.diff(result["trace"]).min() >= -1e-9
    assert result["objective"] <= result["bound"]["tightest"] + 1e-9
    bound = run("bound", *FILES, "--bound-seconds", 0, "--json").result
    assert bound["tightest"] == pytest.approx(result["bound"]["tightest"])
    assert run("decompose", *FILES, "--json").result["rows"] == 40
    assert "(those with one target are split)" in run("decompose", *FILES).out


def test_targets_are_told_of():
    lines = run("learn", *FILES, "--max-iter", 3, "--bound-seconds", 0)
    assert "Targets are fixed" in lines.err + lines.out
    moving = run("learn", *FILES, "--max-iter", 3, "--method", "em", "--non-fixed")
    assert "need not get better at every step" in moving.err + moving.out
    assert "Upper bound" in moving.out


def test_targets_that_are_not_fixed_are_for_em():
    result = run(*COMMAND, "--method", "em", "--non-fixed").result
    assert result["targets"] == "non-fixed"
    assert result["objective"] == pytest.approx(max(result["trace"]))
    assert result["objective"] <= result["bound"]["tightest"]
    fixed = run(*COMMAND, "--method", "em").result
    assert abs(result["objective"] - fixed["objective"]) > 1e-3
    textbook = run(*COMMAND, "--method", "em-textbook", "--non-fixed").result
    assert textbook["objective"] == pytest.approx(result["objective"], abs=1e-6)
    assert_refused(run(*COMMAND, "--method", "d-em", "--non-fixed"), "non-fixed targets", "use em")


def test_rows_with_targets_can_be_held_out():
    for words in ((), ("--non-fixed",)):
        result = run(*COMMAND, "--method", "em", "--hold-out", 0.3, *words).result
        assert result["held_out"]["log_loss"] > 0


def test_targets_that_are_not_fixed_are_learned_by_em_if_no_method_is_named():
    found = run(*COMMAND, "--non-fixed")
    assert found.result["method"] == "em"
    assert found.result["objective"] == run(*COMMAND, "--method", "em", "--non-fixed").result["objective"]
    told = run("learn", *FILES, "--max-iter", 3, "--bound-seconds", 0, "--non-fixed")
    assert "Learned with em, as d-em does not take non-fixed targets" in told.err + told.out


def test_a_prior_without_a_formula_is_learned_with_numerically_if_no_method_is_named():
    words = ("learn", *FILES, "--max-iter", 3, "--bound-seconds", 0, "--prior", "logistic-normal:1.0")
    assert run(*words, "--json").result["method"] == "d-numerical-em"
    told = run(*words)
    assert "Learned with d-numerical-em, as d-em does not take this prior" in told.err + told.out
    assert run(*COMMAND).result["method"] == "d-em"


def test_targets_that_are_not_fixed_are_bounded():
    learned = run(*COMMAND, "--method", "em", "--non-fixed").result
    bound = run("bound", *FILES, "--bound-seconds", 0, "--non-fixed", "--json").result
    assert bound["tightest"] == pytest.approx(learned["bound"]["tightest"])
    assert bound["tightest"] != pytest.approx(run("bound", *FILES, "--bound-seconds", 0, "--json").result["tightest"])
    assert "among those with the same targets" in run("bound", *FILES, "--non-fixed").out


def test_a_session_says_whether_its_targets_are_fixed(tmp_path):
    """To every command: not only to learn."""
    network = read_network(FILES[0]).network
    data = data_input.read_dataset(FILES[1], network.variables, missing=())
    found = {}
    for fixed in (True, False):
        scene = Scene("", "", read_network(FILES[0]), data=data, fixed_targets=fixed)
        path = tmp_path / f"{fixed}.json"
        path.write_text(dump(Saved(scene)))
        found[fixed] = run("bound", path, "--bound-seconds", 0, "--json").result["tightest"]
        assert ("(those with one target are split)" in run("decompose", path).out) is fixed
    assert found[False] == pytest.approx(run("bound", *FILES, "--non-fixed", "--json").result["tightest"])
    assert found[True] == pytest.approx(run("bound", *FILES, "--bound-seconds", 0, "--json").result["tightest"])


def test_an_interrupted_run_ends_with_the_best_iterate():
    """Where it can fall."""
    network, dataset = falling_problem(11)
    *before, _ = learn(network, dataset, "em", start="current", fixed=False, stopping=Stopping(tol=0, max_iter=20))
    heights = [snapshot.objective.sum() for snapshot in before]
    assert heights[-1] < max(heights) - 1e-6

    def interrupt():
        yield from before
        raise KeyboardInterrupt

    _, last, trace = learning._follow(interrupt())
    assert last.objective.sum() == max(heights)
    assert (last.stop, last.iteration, len(trace)) == ("cancelled", 19, 20)
    best = before[int(np.argmax(heights))]
    np.testing.assert_array_equal(last.theta, best.theta)
