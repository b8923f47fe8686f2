"""The learning commands on Markov networks: what they print, write and refuse."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from engine.formats import read_network
from tests.app.test_learning import ASIA, CHAIN, log_likelihood
from tests.command_line import EXAMPLES, assert_refused, run

GRID = EXAMPLES / "thesis-grid.json", EXAMPLES / "thesis-grid.csv"
METHODS = ["lbfgs", "d-lbfgs", "cg", "d-cg", "em", "d-em", "em-textbook", "edml", "d-edml", "edml-in-turn", "d-hybrid"]
QUICK = ("--criterion", "likelihood", "--tol", "1e-7", "--json")


@pytest.fixture
def hidden_asia(tmp_path):
    """Asia's tables as factors, and data without two of its variables."""
    network, data = tmp_path / "asia.json", tmp_path / "asia.csv"
    run("convert", ASIA[0], network, "--markov")
    run("simulate", ASIA[0], "--rows", 200, "--hide", "tub,lung", "--out", data)
    return network, data


@pytest.mark.parametrize("method", METHODS)
def test_learn_reports_what_it_reached(method, hidden_asia, tmp_path):
    out = tmp_path / "learned.json"
    result = run("learn", *hidden_asia, "--method", method, "--max-iter", 40, "--out", out, *QUICK).result
    assert result["log_likelihood"] == pytest.approx(log_likelihood(out, hidden_asia[1]), abs=1e-6)
    assert result["trace"][-1] == pytest.approx(result["objective"], abs=1e-9)
    assert result["objective"] > result["trace"][0]
    assert result["objective"] <= result["bound"]["tightest"] + 1e-9
    assert result["gap"] == pytest.approx(result["bound"]["tightest"] - result["objective"])
    factors = [scope for component in result["components"] for scope in component["factors"]]
    assert len(factors) == 8
    data_term = sum(c["log_likelihood"] for c in result["components"])
    assert data_term + result["partition_term"] == pytest.approx(result["log_likelihood"])
    assert "gap" not in result["components"][0]


def test_decompose_lists_factors_by_what_they_share(hidden_asia):
    result = run("decompose", *hidden_asia, "--json").result
    [busy] = [c for c in result["components"] if c["variables"]]
    assert sorted(busy["variables"]) == ["lung", "tub"]
    assert sorted(map(sorted, busy["factors"])) == [["asia", "tub"], ["either", "lung", "tub"], ["lung", "smoke"]]
    assert sorted(busy["boundary"]) == ["asia", "either", "smoke"]
    assert len(result["components"]) == 6
    assert result["pruned"] == []
    lines = run("decompose", *hidden_asia).out
    assert "around tub, lung given asia, smoke, either" in lines
    assert "factor smoke given smoke: 2 distinct rows" in lines
    assert "log Z" in lines


def test_the_chordal_network_has_its_own_likelihood(tmp_path):
    """On complete data, the factors of a chain reach what counting its tables reaches, and that is the bound."""
    network, data = tmp_path / "chain.json", tmp_path / "chain.csv"
    run("convert", CHAIN, network, "--markov")
    run("simulate", CHAIN, "--rows", 300, "--out", data)
    counted = run("learn", CHAIN, data, "--method", "counting", "--json").result["log_likelihood"]
    fitted = run("learn", network, data, "--method", "lbfgs", *QUICK).result
    assert fitted["log_likelihood"] == pytest.approx(counted, abs=1e-3)
    assert fitted["bound"]["kind"] == "exact"
    assert fitted["bound"]["tightest"] == pytest.approx(counted, abs=1e-6)
    words = run("learn", network, data, "--method", "lbfgs", *QUICK[:-1]).out
    assert "Certified: the objective is at its upper bound" in words


def test_bound_tells_each_and_of_which_kind(hidden_asia):
    result = run("bound", *hidden_asia, "--json").result
    assert result["naive"] >= result["triangulated"] >= result["tightest"]
    assert result["scopes"]["kind"] in ("exact", "certified")
    assert result["cliques"]["kind"] in ("exact", "certified")
    assert result["tightest"] == pytest.approx(min(result["scopes"]["value"], result["cliques"]["value"]))
    assert "bound" not in result["components"][0]
    assert "bound by scopes" in run("bound", *hidden_asia).out


def test_priors_and_given_variables(hidden_asia, tmp_path):
    out = tmp_path / "sparse.json"
    plain = run("learn", *hidden_asia, "--method", "lbfgs", *QUICK).result
    sparse = run("learn", *hidden_asia, "--method", "lbfgs", "--l1", 0.2, "--out", out, *QUICK).result
    smooth = run("learn", *hidden_asia, "--method", "lbfgs", "--l2", 1, *QUICK).result
    assert sparse["objective"] < sparse["log_likelihood"] < plain["log_likelihood"]
    assert smooth["objective"] < smooth["log_likelihood"] < plain["log_likelihood"]
    values = np.concatenate([table.reshape(-1) for table in read_network(out).network.tables])
    assert np.count_nonzero(values == 1.0) > 5
    given = run("learn", *hidden_asia, "--method", "lbfgs", "--l2", 1, "--given", "asia,smoke", *QUICK).result
    assert given["objective"] > smooth["objective"]
    assert given["objective"] <= given["bound"]["tightest"] + 1e-9


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--method", "ipf"], ["IPF needs complete data", "'tub'", "use em"]),
        (["--method", "counting"], ["counting is for Bayesian networks", "use ipf"]),
        (["--given", "tub"], ["'tub' is given, but not observed in every row"]),
        (["--given", "nobody"], ["nobody"]),
        (["--l1", "0"], ["width b of a prior"]),
        (["--l2", "-1"], ["width σ of a prior"]),
        (["--l1", "1", "--l2", "1"], ["exclude each other"]),
        (["--prior", "2"], ["Dirichlet exponents are for Bayesian networks", "L1 or L2"]),
        (["--method", "edml", "--l2", "1"], ["no place for a prior", "use em"]),
        (["--method", "edml", "--given", "asia"], ["needs one model for all rows"]),
        (["--start", ASIA[0]], ["the start is a network of the other kind"]),
        (["--memory-limit", "1e-8"], ["--memory-limit"]),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(words, parts, hidden_asia):
    assert_refused(run("learn", *hidden_asia, *words), *parts)


def test_bayesian_networks_refuse_what_is_for_markov_networks():
    assert_refused(run("learn", *ASIA, "--l1", 1), "L1 or L2 prior is for Markov networks")
    assert_refused(run("learn", *ASIA, "--given", "smoke"), "given variables are for Markov networks", "--markov")
    assert_refused(run("learn", *ASIA, "--method", "ipf"), "IPF is for Markov networks")


def test_the_grid_of_the_gallery_learns():
    result = run("learn", *GRID, "--method", "d-lbfgs", *QUICK).result
    assert result["objective"] <= result["bound"]["tightest"] + 1e-9
    assert len(result["components"]) > 1


def test_convert_keeps_the_distribution(tmp_path):
    out = tmp_path / "asia.uai"
    run("convert", ASIA[0], out, "--markov")
    before, after = run("query", ASIA[0], "--json").result, run("query", out, "--json").result
    assert after["log_partition"] == pytest.approx(0, abs=1e-12)
    for ours, theirs in zip(before["posteriors"].values(), after["posteriors"].values(), strict=True):
        assert list(theirs.values()) == pytest.approx(list(ours.values()))
    assert_refused(run("convert", ASIA[1], tmp_path / "x.csv", "--markov"), "--markov is for networks")


def test_a_row_that_needs_a_zero_is_named_with_the_factor(tmp_path):
    """Asia's "either" is tub or lung for certain: a row that says otherwise is impossible whatever is learned."""
    network, data = tmp_path / "asia.json", tmp_path / "wrong.csv"
    run("convert", ASIA[0], network, "--markov")
    data.write_text("tub,lung,either\nno,no,no\nyes,no,no\n", encoding="utf-8")
    said = "row 2 has 'lung' = 'no', 'tub' = 'yes', 'either' = 'no', and is excluded by zeros of the factor over"
    assert_refused(run("learn", network, data), said, "'lung' and 'tub' and 'either'; ", "make them positive")
    # Nobody has seen "either": it is "yes" for tub's sake, and then an x-ray of "yes" is excluded.
    data.write_text("tub,lung,xray\nno,no,yes\nyes,no,yes\n", encoding="utf-8")
    network.write_text(network.read_text(encoding="utf-8").replace("0.98", "0.0"), encoding="utf-8")
    said = "row 2 has 'xray' = 'yes', and is excluded by zeros of the factor over 'either' and 'xray'"
    assert_refused(run("learn", network, data), said, "leave out the row")


def test_what_needs_no_log_z_is_told_of_a_network_however_wide(tmp_path):
    """Seventy variables, all joined: 2^70 cells for log Z, but no more than a factor is open in any row."""
    names = [f"X{k}" for k in range(70)]
    pairs = [{"variables": [a, b], "values": [1, 2, 2, 1]} for a, b in itertools.combinations(names, 2)]
    network, data = tmp_path / "wide.json", tmp_path / "wide.csv"
    document = {"format": "pgmgui-network", "version": 1, "kind": "markov", "name": "wide", "properties": {}}
    variables = [{"name": name, "states": ["0", "1"]} for name in names]
    network.write_text(json.dumps({**document, "variables": variables, "tables": pairs}), encoding="utf-8")
    rows = ["?" + "".join(f",{(k * j) % 2}" for j in range(1, 70)) for k in range(4)]
    data.write_text("\n".join([",".join(names), *rows]), encoding="utf-8")
    found = run("decompose", network, data, "--json").result
    assert len(found["components"]) == 70 * 69 / 2 - 68
    bound = run("bound", network, data, "--json").result
    assert bound["tightest"] == pytest.approx(-4 * math.log(2))  # the four rows are two, each twice
    assert_refused(
        run("learn", network, data), "over the limit of 2.0 GB", "joins 70 unobserved variables", "--memory-limit"
    )
