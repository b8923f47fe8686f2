"""Rows held out on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine.formats import read_dataset, read_network
from engine.insight.held_out import score_held_out
from engine.insight.prediction import predict
from engine.learning.hold_out import HoldOut, split_rows
from pgmgui.project.links import parse_link
from pgmgui.project.session_file import Saved, write_session
from pgmgui.project.settings import Settings
from pgmgui.tabs.share.reproduce import as_command
from tests.command_line import EXAMPLES, assert_refused, run

SPRINKLER = EXAMPLES / "sprinkler.bif", EXAMPLES / "sprinkler.csv"


def test_what_was_learned_is_scored_on_the_rows_held_out(tmp_path):
    out = tmp_path / "learned.json"
    words = ["learn", *SPRINKLER, "--hold-out", 0.3, "--hold-out-seed", 5, "--target", "Rain", "--out", out]
    found = run(*words, "--json").result["held_out"]
    network = read_network(out).network
    data = read_dataset(SPRINKLER[1], network.variables).dataset
    split = split_rows(data, HoldOut(0.3, 5))
    score = score_held_out(network, split.test)
    assert (found["rows"], found["train_rows"], found["impossible"]) == (60, 140, 0)
    assert found["log_likelihood"] == pytest.approx(score.log_likelihood, abs=1e-9)
    assert found["log_loss"] == pytest.approx(score.log_loss, abs=1e-9)
    assert found["train_log_loss"] == pytest.approx(score_held_out(network, split.train).log_loss, abs=1e-9)
    target, expected = found["target"], predict(network, split.test, network.index["Rain"])
    assert target["variable"] == "Rain"
    for name in ("accuracy", "majority", "log_loss", "constant_log_loss", "brier", "missing", "uncertain"):
        assert target[name] == pytest.approx(getattr(expected, name), abs=1e-9)
    assert target["confusion"] == expected.confusion.tolist()
    state = target["states"][0]
    assert target["roc"][state]["area"] == pytest.approx(expected.roc(0).area)
    assert target["calibration"][state]["rows"] == expected.calibration(0).weights.tolist()
    said = run(*words).out
    assert "Held out: 60 of 200 rows. Learning sees the other 140." in said
    assert f"held out {score.log_loss:.4f} nats" in said
    assert f"Accuracy {100 * expected.accuracy:.1f}%" in said


def test_without_the_option_nothing_is_held_out():
    assert "held_out" not in run("learn", *SPRINKLER, "--json").result
    assert "eld out" not in run("learn", *SPRINKLER).out


def test_an_infinite_loss_is_null_and_told():
    cancer = EXAMPLES / "cancer.bif", EXAMPLES / "cancer.csv"
    found = run("learn", *cancer, "--hold-out", 0.8, "--json").result["held_out"]
    assert (found["log_loss"], found["log_likelihood"]) == (None, None)
    assert found["impossible"] > 0
    assert "a prior above 1" in run("learn", *cancer, "--hold-out", 0.8).out


@pytest.fixture
def session(tmp_path):
    link = parse_link({"example": "sprinkler", "hold-out": "0.25", "hold-out-seed": "3"})
    path = tmp_path / "session.json"
    write_session(path, Saved(link.scene))
    return path, link.scene


def test_a_session_says_which_rows_it_holds_out(session):
    path, scene = session
    own = run("learn", path, "--json").result
    assert (own["held_out"]["rows"], own["held_out"]["train_rows"]) == (50, 150)
    assert run("decompose", path, "--json").result["rows"] == 150
    assert "Held out: 50 of 200 rows." in run("bound", path).out
    assert run("learn", path, "--hold-out", 0.5, "--json").result["held_out"]["rows"] == 100
    assert "held_out" not in run("learn", path, "--hold-out", 0, "--json").result
    command = as_command(path, scene, Settings())
    assert "--hold-out 0.25 --hold-out-seed 3" in command
    words = command.split()[1:]
    spelled_out, by_the_session = run(*words, "--json").result, run(*words[:-4], "--json").result
    assert words[-4] == "--hold-out"
    assert spelled_out["held_out"] == by_the_session["held_out"]
    assert "--hold-out" not in as_command(path, replace(scene, hold_out=None), Settings())
    assert json.loads(path.read_text())["hold_out"] == {"share": 0.25, "seed": 3}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--hold-out", 0.95], "share of rows held out is 0.95; expected more than 0"),
        (["--hold-out", "nan"], "share of rows held out is nan"),
        (["--hold-out", -0.1], "share of rows held out is -0.1"),
        (["--hold-out", 0.001], "leaves 0 held out and 200 to learn from; hold out another share"),
        (["--hold-out", 0.5, "--hold-out-seed", -1], "seed of the rows held out is -1"),
        (["--target", "Rain"], "--target needs rows to foretell it in; give --hold-out 0.2 too"),
        (["--hold-out", 0.2, "--target", "Snow"], "no variable 'Snow' in this network"),
    ],
)
def test_what_cannot_be_held_out_is_refused_with_what_to_do(words, why):
    assert_refused(run("learn", *SPRINKLER, *words), why)


def test_what_is_given_is_no_target():
    grid = EXAMPLES / "thesis-grid.json", EXAMPLES / "grid-corners.csv"
    outcome = run("learn", *grid, "--given", "2", "--hold-out", 0.2, "--target", "2")
    assert_refused(outcome, "--target 2 is given, and so not foretold; choose another")
