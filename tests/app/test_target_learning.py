"""Targets in the data of the commands that learn."""

from __future__ import annotations

import numpy as np
import pytest

from app import learning_input
from engine.formats import DataDocument
from engine.model.dataset import TargetCell, make_dataset
from tests.command_line import EXAMPLES, assert_refused, run

FILES = EXAMPLES / "sprinkler.bif", EXAMPLES / "sprinkler.csv"
COMMAND = ("learn", *FILES, "--max-iter", 8, "--bound-seconds", 0, "--json")


@pytest.fixture(autouse=True)
def targets(monkeypatch):
    """Targets in some rows of the file: of Rain in ten, of Sprinkler too in three of these."""
    read = learning_input.read_dataset

    def with_targets(path, variables, missing):
        found = read(path, variables, missing=missing)
        plain = found.dataset.take(np.arange(40))
        rows = [[v.states[c] if c >= 0 else None for v, c in zip(variables, row, strict=True)] for row in plain.codes.T]
        for k in range(10):
            rows[k][2] = TargetCell((0.2 + 0.05 * k, 0.8 - 0.05 * k))
        for k in range(3):
            rows[k][1] = TargetCell((0.3, 0.7))
        return DataDocument(make_dataset(variables, rows), found.notes)

    monkeypatch.setattr(learning_input, "read_dataset", with_targets)


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
