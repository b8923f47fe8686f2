"""Commands on data that is counted where it lies, beside the same data in memory."""

from __future__ import annotations

import numpy as np
import pytest

import app.simulating
from app.data_input import show_asking
from engine.formats import read_dataset, read_network
from engine.sources.engine import Asking
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif"
NETWORK = read_network(ASIA).network


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows with hidden and missing cells as Parquet in two parts, and all as CSV."""
    folder = tmp_path_factory.mktemp("rows")
    words = ("--hide", "tub,lung", "--missing", "bronc=0.2")
    for seed, name in enumerate(["a.parquet", "b.parquet"]):
        run("simulate", ASIA, "--rows", 400, *words, "--random-state", seed, "--out", folder / name, "--json")
    rows = [read_dataset(folder / name, NETWORK.variables).dataset for name in ("a.parquet", "b.parquet")]
    codes = np.concatenate([each.codes for each in rows], axis=1)
    names = [variable.name for variable in NETWORK.variables]
    lines = [",".join(names)] + [",".join("?" if c < 0 else ("yes", "no")[c] for c in row) for row in codes.T]
    (folder / "all.csv").write_text("\n".join(lines) + "\n")
    return folder


def both(command, folder, *words):
    """The results of a command for the parts, and for all in memory; what only one has is apart."""
    here = run(command, ASIA, folder / "*.parquet", "--json", *words).result
    there = run(command, ASIA, folder / "all.csv", "--json", *words).result
    assert here.pop("source")["questions"] >= 1
    return here, there


def test_decompose_and_bound_say_the_same(folder):
    here, there = both("decompose", folder)
    assert here == there
    here, there = both("bound", folder)
    assert here["tightest"] == pytest.approx(there["tightest"], rel=1e-12)
    assert here["naive"] == pytest.approx(there["naive"], rel=1e-12)


def test_learn_ends_at_the_same_parameters(folder, tmp_path):
    words = ("--method", "d-em", "--sensor", "xray=0.9", "--out")
    run("learn", ASIA, folder / "*.parquet", *words, tmp_path / "here.bif", "--json")
    run("learn", ASIA, folder / "all.csv", *words, tmp_path / "there.bif", "--json")
    here, there = (read_network(tmp_path / f"{name}.bif").network for name in ("here", "there"))
    for table, other in zip(here.tables, there.tables, strict=True):
        np.testing.assert_allclose(table, other, rtol=1e-9)


def test_info_tells_what_there_is(folder):
    here = run("info", folder / "*.parquet", "--json").result
    there = run("info", folder / "all.csv", "--json").result
    for key in ("rows", "total_weight", "likelihood_cells", "observed", "partial"):
        assert here[key] == there[key]
    assert "800 rows" in run("info", folder / "*.parquet").out


def test_structure_finds_the_best_score(tmp_path):
    """By exact search: states are in another order here, and with it which of two equally good steps is taken."""
    run("simulate", ASIA, "--rows", 500, "--out", tmp_path / "rows.csv")
    words = ("--search", "exact", "--json")
    here = run("structure", tmp_path / "rows.csv", *words, "--engine", "duckdb").result
    there = run("structure", tmp_path / "rows.csv", *words).result
    assert here["score"] == pytest.approx(there["score"])
    assert here["rows"] == there["rows"] == 500


def test_what_is_refused(folder):
    rows = folder / "*.parquet"
    assert_refused(run("learn", ASIA, rows, "--hold-out", 0.2), "held out one by one", "--engine memory")
    assert_refused(run("learn", ASIA, rows, "--max-rows", 3), "are learned together, from", "--max-rows")
    assert_refused(run("learn", ASIA, rows, "--max-rows", 0), "--max-rows must be 1 or more")
    assert_refused(run("structure", rows, "--max-rows", 3), "whole rows are needed", "--max-rows")
    assert_refused(run("learn", ASIA, rows, "--table", "cases"), "--table cases is for databases")
    assert_refused(run("learn", ASIA, folder / "all.csv", "--table", "cases"), "--table cases is for databases")
    assert_refused(run("learn", ASIA, folder / "*.pq"), "no file is there, or matches")
    assert_refused(run("learn", ASIA, "postgres://me:hush@127.0.0.1:1/db?table=x"), "postgres://127.0.0.1:1/db: cannot")


def test_no_password_is_told():
    outcome = run("learn", ASIA, "postgres://me:hush@127.0.0.1:1/db?table=x&password=hush")
    assert "hush" not in outcome.err


def test_bounds_that_need_whole_rows_are_left_out_in_words(folder):
    words = (ASIA, folder / "*.parquet", "--max-rows", 30)
    assert "naive bound left out" in run("bound", *words).out
    assert run("bound", *words, "--json").result["naive"] is None
    told = run("decompose", *words).out
    assert "distinct ones not counted" in told
    assert "as many inferences" in told
    assert run("learn", *words, "--json").result["bound"]["naive"] is None


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_rows_are_written_in_chunks(tmp_path, monkeypatch, name):
    """The same rows however many are drawn at a time, where nothing is drawn between; and a whole file."""
    words = ("simulate", ASIA, "--rows", 20_000, "--random-state", 3, "--out")
    whole, parts = tmp_path / f"whole-{name}", tmp_path / f"parts-{name}"
    run(*words, whole)
    monkeypatch.setattr(app.simulating, "CHUNK", 2**13)
    run(*words, parts)
    one, other = (read_dataset(path, NETWORK.variables).dataset for path in (whole, parts))
    np.testing.assert_array_equal(one.codes, other.codes)
    result = run(*words, parts, "--hide-fraction", 0.25, "--missing", "asia=0.5", "--json").result
    assert len(result["hidden"]) == 2
    assert [v.value for v in read_dataset(parts, NETWORK.variables).dataset.roles].count("hidden") == 2
    assert result["rows"] == 20_000


def test_progress_is_told_in_words(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    show_asking(Asking(done=1, questions=4, share=0.5, seconds=3.0, rows=1000))
    assert "counting: 375 of 1,000 rows, 2 of 4 questions, 38%, 5 s left" in capsys.readouterr().err
