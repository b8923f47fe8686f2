"""Tied tables from the command line."""

from __future__ import annotations

import numpy as np
import pytest

from engine.formats import read_dataset, read_network
from pgmgui.project.examples import find_example
from pgmgui.project.session_file import Saved, write_session
from pgmgui.state.session import Session
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif", EXAMPLES / "asia.csv"
TIED = "--tie", "bronc,lung,xray", "--tie", "asia,smoke"


@pytest.mark.parametrize("method", ["d-em", "em-textbook", "d-hybrid"])
def test_learn_writes_one_table_for_all_that_are_tied(method, tmp_path):
    out = tmp_path / "learned.bif"
    result = run("learn", *ASIA, "--method", method, *TIED, "--prior", 2, "--out", out, "--json").result
    assert result["ties"] == [["bronc", "lung", "xray"], ["asia", "smoke"]]
    network = read_network(out).network
    tables = {v.name: table for v, table in zip(network.variables, network.tables, strict=True)}
    np.testing.assert_allclose(tables["lung"], tables["bronc"], atol=1e-12)
    np.testing.assert_allclose(tables["xray"], tables["bronc"], atol=1e-12)
    np.testing.assert_allclose(tables["smoke"], tables["asia"], atol=1e-12)
    assert result["objective"] <= result["bound"]["tightest"] + 1e-9
    assert sum(c["log_likelihood"] for c in result["components"]) == pytest.approx(result["log_likelihood"], abs=1e-6)


def test_observed_variables_that_are_tied_have_the_share_of_all_their_rows():
    data = read_dataset(ASIA[1], read_network(ASIA[0]).network.variables).dataset
    names = [v.name for v in data.variables]
    shares = [np.average(data.codes[names.index(name)] == 0, weights=data.weights) for name in ("asia", "smoke")]
    result = run("learn", *ASIA, "--tie", "asia,smoke", "--json").result
    [asia] = [c for c in result["components"] if c["variables"] == ["asia"]]
    share, rows = np.mean(shares), data.total_weight
    expected = rows * (shares[0] * np.log(share) + (1 - shares[0]) * np.log(1 - share))
    assert asia["log_likelihood"] == pytest.approx(expected, abs=1e-6)
    assert asia["certified"]


def test_decompose_says_what_stops_together():
    result = run("decompose", *ASIA, *TIED, "--json").result
    assert result["ties"] == [["bronc", "lung", "xray"], ["asia", "smoke"]]
    assert result["components"] == run("decompose", *ASIA, "--json").result["components"]
    lines = run("decompose", *ASIA, *TIED).out.splitlines()
    [said] = [line for line in lines if line.startswith("Tied: asia, smoke share one table")]
    number = {line.split(".")[0] for line in lines if line.split(". ")[-1].startswith(("asia:", "smoke:"))}
    assert said.endswith(f"; components {', '.join(sorted(number))} stop together.")


def test_the_bound_of_tied_tables_is_not_above_that_of_all_apart():
    tied, apart = (run("bound", *ASIA, *options, "--json").result["tightest"] for options in (TIED, ()))
    assert tied <= apart + 1e-9


def test_a_session_keeps_its_ties(tmp_path):
    session, path = Session(), tmp_path / "session.json"
    session.open_example(find_example("asia"))
    assert session.tie(["asia", "smoke"])
    write_session(path, Saved(session.scene))
    assert run("learn", path, "--json").result["ties"] == [["asia", "smoke"]]
    assert run("learn", path, "--tie", "lung,bronc", "--json").result["ties"] == [["lung", "bronc"]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tie", "smoke,lung"], "'smoke' and 'lung' cannot share a table: 'smoke' has 0 parents, 'lung' has 1"),
        (["--tie", "lung,nobody"], "no variable 'nobody'"),
        (["--tie", "lung,bronc", "--tie", "xray,lung"], "'lung' is tied twice"),
        (["--tie", "lung"], "a table is shared by two variables or more; got 'lung'"),
        (["--tie", "lung,bronc", "--prior", "lung=2"], "share a table, but their Dirichlet exponents differ"),
    ],
)
def test_wrong_ties_are_refused(options, said):
    assert_refused(run("learn", *ASIA, *options), said)


def test_ties_of_a_markov_network_are_refused(tmp_path):
    markov = tmp_path / "asia.uai"
    assert run("convert", ASIA[0], markov, "--markov").code == 0
    names = [v.name for v in read_network(markov).network.variables]
    data = tmp_path / "rows.csv"
    data.write_text(",".join(names) + "\n" + ",".join("0" for _ in names) + "\n")
    assert_refused(run("learn", markov, data, "--tie", ",".join(names[:2])), "tied tables are for Bayesian networks")
