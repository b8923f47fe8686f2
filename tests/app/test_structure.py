"""The command ``structure``: arrows from data, from the command line."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.formats import read_dataset, read_network, write_dataset
from engine.inference.posterior import infer
from engine.learning.learn import learn
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.simulation.missingness import remove_mcar
from engine.simulation.sampling import simulate
from engine.structure import hill_climbing
from engine.structure.bound import Bounding
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("structure") / "asia.csv"
    write_dataset(path, simulate(read_network(ASIA).network, 5_000, 1))
    return path


def test_finds_asia_and_writes_it_with_its_parameters(data, tmp_path):
    out = tmp_path / "learned.net"
    result = run("structure", data, "--truth", ASIA, "--out", out, "--restarts", "5", "--json").result
    document = read_network(out)
    assert document.name == "asia"  # as the file of the data
    network = document.network
    assert isinstance(network, BayesianNetwork)
    names = [v.name for v in network.variables]
    assert sorted([names[p], names[c]] for p, c in network.edges) == sorted(result["edges"])
    assert result["kind"] == "exact"
    assert result["score"] == pytest.approx(result["bound"])
    assert (result["search"], result["scored_by"], result["stop"]) == ("hill-climbing", "bic", "optimum")
    assert result["truth"]["class_distance"] == 1  # asia → tub, of which 5,000 rows tell too little
    assert result["truth"]["missing"] == [["asia", "tub"]]
    assert len(result["compelled"]) + len(result["reversible"]) == len(result["edges"]) == len(result["worths"])
    assert min(result["worths"]) > 0
    assert result["trace"][0] < max(result["trace"]) == pytest.approx(result["score"])
    dataset = read_dataset(data, network.variables).dataset
    *_, counted = learn(network, dataset, "counting")
    likelihood = sum(counted.log_likelihood[0])
    size = sum(t.size // t.shape[-1] * (t.shape[-1] - 1) for t in network.tables)
    assert result["score"] == pytest.approx(likelihood - math.log(5_000) / 2 * size)
    for ours, theirs in zip(network.tables, counted.network().tables, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_tells_people_what_it_found(data):
    out = run("structure", data, "--truth", ASIA, "--resamples", "3", "--restarts", "5").out.splitlines()
    assert out[0].startswith("hill climbing by BIC: 7 arrows among 8 variables after ")
    assert out[1] == "no structure scores more: it is at its upper bound"
    assert any("→" in line and "either way" in line and "worth" in line for line in out)
    assert sum("found in 100% of the resamples" in line for line in out) >= 5
    assert out[-1].startswith("beside the true network: ")
    assert out[-1].endswith("1 between the classes of equivalent ones")


@pytest.mark.parametrize("score", ["bde", "bdeu", "aic", "likelihood"])
def test_other_scores(data, score):
    result = run("structure", data, "--score", score, "--max-parents", "2", "--restarts", "0", "--json").result
    assert result["scored_by"] == score
    assert result["score"] <= result["bound"]
    parents = [child for _, child in result["edges"]]
    assert max(map(parents.count, parents)) <= 2


@pytest.mark.parametrize(
    ("words", "most"),
    [(["chow-liu"], 1), (["tan", "--root", "lung"], 2), (["exact"], 8), (["k2"], 8)],
)
def test_other_searches(data, words, most):
    result = run("structure", data, "--search", *words, "--json").result
    assert result["search"] == words[0]
    children = [child for _, child in result["edges"]]
    assert 0 < max(map(children.count, children)) <= most
    assert result["score"] <= result["bound"] + 1e-9
    if words[0] == "exact":
        assert (result["kind"], result["bound"]) == ("exact", result["score"])
    if words[0] == "tan":
        assert sum(parent == "lung" for parent, _ in result["edges"]) == 7


def test_a_prior_network_of_many_rows_is_believed(data):
    """Its structure scores what the rows are worth under it, as parameters are hardly open any more."""
    network = read_network(ASIA).network
    arrows = [f"{network.variables[p].name}->{network.variables[c].name}" for p, c in network.edges]
    words = [word for arrow in arrows for word in ("--require", arrow)]
    words += ["--equivalent-sample-size", "1e9", "--restarts", "0", "--json"]
    result = run("structure", data, "--score", "bde", "--prior-network", ASIA, *words).result
    likelihood = infer(network, read_dataset(data, network.variables).dataset).log_evidence.sum()
    assert result["trace"][0] == pytest.approx(likelihood, abs=0.1)
    assert result["score"] <= result["bound"]


def test_constraints_hold(data):
    words = ["--require", "asia->smoke", "--forbid", "bronc -> dysp", "--forbid", "dysp→bronc"]
    words += ["--tiers", "dysp,xray", "--tiers", "smoke,lung", "--restarts", "1", "--bound-seconds", "0"]
    result = run("structure", data, *words, "--json").result
    edges = result["edges"]
    assert ["asia", "smoke"] in edges
    assert ["bronc", "dysp"] not in edges
    assert ["dysp", "bronc"] not in edges
    assert not any(parent in ("smoke", "lung") and child in ("dysp", "xray") for parent, child in edges)
    assert result["kind"] == "upper"
    assert result["score"] <= result["bound"]


def test_a_required_arrow_is_not_said_to_point_either_way(data):
    words = ["--max-parents", "2", "--restarts", "0", "--bound-seconds", "0"]
    free = run("structure", data, *words, "--json").result
    assert ["smoke", "bronc"] in free["reversible"]
    lines = run("structure", data, *words, "--require", "smoke->bronc").out.splitlines()
    told = next(line for line in lines if line.startswith("smoke → bronc"))
    assert "required" in told
    assert "either way" not in told
    held = run("structure", data, *words, "--require", "smoke->bronc", "--json").result
    assert ["smoke", "bronc"] in held["compelled"]


def test_a_column_with_one_value_is_told_and_gets_no_arrow(tmp_path):
    table = tmp_path / "table.csv"
    rows = [f"{'ab'[k % 2]},x,{'cd'[(k // 2 + k) % 2]}" for k in range(40)]
    table.write_text("\n".join(["A,B,C", *rows, "a,,d"]))
    found = run("structure", table, "--hidden", "H=2", "--json")
    assert not any("B" in arrow for arrow in found.result["edges"])
    assert "'B': the column has the same value in every row" in found.err


def test_same_seed_same_result(data):
    words = ["structure", data, "--json", "--restarts", "2", "--random-state", "3", "--resamples", "2"]
    first, second = run(*words).result, run(*words).result
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert first["confidence"]["resamples"] == 2


def test_incomplete_data_takes_structural_em(tmp_path):
    network = read_network(ASIA).network
    path, out = tmp_path / "holes.csv", tmp_path / "learned.json"
    write_dataset(path, remove_mcar(simulate(network, 500, 1), 0.1, 1))
    outcome = run("structure", path, "--out", out, "--hidden", "H=2", "--max-parents", "3", "--json")
    result = outcome.result
    assert (result["search"], result["bound"], result["kind"]) == ("structural-em", None, None)
    assert "structural EM" in outcome.err
    assert all(b >= a - 1e-6 for a, b in itertools.pairwise(result["trace"]))
    learned = read_network(out).network
    assert [v.name for v in learned.variables][-1] == "H"
    assert len(learned.edges) == len(result["edges"]) > 0


def test_an_interrupted_search_keeps_the_best_so_far(data, monkeypatch):
    """Ctrl+C in the middle of a step."""
    record, calls = hill_climbing._Walk._record, itertools.count()

    def interrupt(*words):
        if next(calls) == 4:
            raise KeyboardInterrupt
        return record(*words)

    monkeypatch.setattr(hill_climbing._Walk, "_record", interrupt)
    result = run("structure", data, "--json").result
    assert (result["stop"], result["steps"]) == ("cancelled", 4)
    assert len(result["edges"]) > 0
    assert result["score"] == pytest.approx(max(result["trace"]))


def test_a_search_that_ends_early_says_why_and_what_to_do(data):
    words = ["structure", data, "--bound-seconds", "0"]
    assert "(" not in run(*words, "--restarts", "0").out.splitlines()[0]
    first = run(*words, "--max-seconds", "0").out.splitlines()[0]
    assert first.endswith(" (out of time; raise --max-seconds)")


def test_ctrl_c_while_the_bound_is_looked_for_keeps_the_first(data, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Bounding, "step", interrupt)
    result = run("structure", data, "--json").result
    assert (result["stop"], result["kind"]) == ("optimum", "upper")
    assert result["score"] <= result["bound"] < 0


def test_a_column_that_tells_every_row_apart_is_named(tmp_path):
    path = tmp_path / "identifiers.csv"
    path.write_text("id,b\n" + "".join(f"u{k},{k % 2}\n" for k in range(5001)))
    assert_refused(run("structure", path), "column 'id' has 5,001 values", "leave columns out")


def test_edges_without_arrows(data, tmp_path):
    out = tmp_path / "edges.json"
    result = run("structure", data, "--search", "l1", "--out", out, "--json").result
    network = read_network(out).network
    assert isinstance(network, MarkovNetwork)
    assert [[network.variables[v].name for v in edge] for edge in network.edges] == result["edges"]
    assert ["bronc", "dysp"] in result["edges"]
    assert len(result["edges"]) < 28
    lines = run("structure", data, "--search", "l1", "--l1", "0.001").out.splitlines()
    assert lines[0].startswith("L1 of width 0.001: ")
    tree = tmp_path / "tree.json"
    run("structure", data, "--search", "chow-liu", "--markov", "--out", tree)
    found = read_network(tree).network
    assert isinstance(found, MarkovNetwork)
    assert max(map(len, found.scopes)) == 2
    assert len(found.edges) >= 6


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--search", "l1", "--require", "asia->tub"], ["--require is for arrows"]),
        (["--l1", "1"], ["--l1 is for --search l1"]),
        (["--require", "asia->nobody"], ["the data has no column 'nobody'; it has 'asia'"]),
        (["--tiers", "asia,nobody"], ["the data has no column 'nobody'"]),
        (["--search", "tan", "--root", "nobody"], ["the data has no column 'nobody'"]),
        (["--require", "asia->asia"], ["'asia' → 'asia' leads to itself; leave it out"]),
        (["--require", "asia"], ["--require asia: expected an arrow such as A->B"]),
        (["--forbid", "asia->tub", "--require", "asia->tub"], ["'asia' → 'tub' is also forbidden"]),
        (["--max-parents", "-1"], ["0 or more"]),
        (["--search", "tan"], ["--root X"]),
        (["--root", "asia"], ["--root is for --search chow-liu and tan"]),
        (["--order", "asia,tub"], ["--order is for --search k2"]),
        (["--search", "k2", "--tabu", "3"], ["--tabu is for --search hill-climbing; leave it out"]),
        (["--search", "exact", "--restarts", "0"], ["--restarts is for --search hill-climbing; leave it out"]),
        (["--search", "chow-liu", "--max-seconds", "1"], ["--max-seconds is for --search hill-climbing"]),
        (["--equivalent-sample-size", "1"], ["--equivalent-sample-size is for --score bde and bdeu; leave it out"]),
        (["--markov", "--out", "edges.bif"], ["cannot hold a Markov network; write a .json or .uai file"]),
        (["--search", "k2", "--order", "asia,tub"], ["each of the 8 variables once"]),
        (["--restarts", "-1"], ["restarts must be 0 or more"]),
        (["--resamples", "-2"], ["--resamples must be 0 or more; got -2"]),
        (["--require", "asia->tub", "--max-parents", "0"], ["'tub' needs 1 parent by the required arrows"]),
        (["--random-state", "-1"], ["--random-state must be 0 or more"]),
        (["--score", "bdeu", "--equivalent-sample-size", "0"], ["equivalent sample size"]),
        (["--truth", EXAMPLES / "nothing.bif"], ["nothing.bif", "cannot read"]),
        (["--hidden", "asia=2"], ["column 'asia' already"]),
        (["--hidden", "H=1"], ["--hidden H=1: expected a name and 2 to 100 states"]),
        (["--hidden", "H=2", "--search", "chow-liu"], ["needs complete data", "'H'"]),
        (["--hidden", "H=2", "--resamples", "3"], ["--resamples is for complete data"]),
        (["--tiers", "asia", "--tiers", "asia"], ["'asia' is in two tiers"]),
        (["--bound-seconds", "-1"], ["0 or more"]),
        (["--prior", "x"], ["--prior x: "]),
        (["--prior-network", ASIA], ["--prior-network is for --score bde"]),
        (["--score", "bde", "--prior-network", ASIA, "--hidden", "H=2"], ["--hidden adds variables"]),
        (["--prior", "logistic-normal:1.5"], ["takes Dirichlet exponents here"]),
    ],
)
def test_bad_input_is_refused_in_words(data, words, parts):
    assert_refused(run("structure", data, *words), *parts)


def test_a_prior_network_with_other_variables_is_refused(data, tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("\n".join(line.rpartition(",")[0] for line in data.read_text().splitlines()))
    words = ["--score", "bde", "--prior-network", ASIA]
    assert_refused(run("structure", path, *words), "asia.bif: the data has no column for 'dysp'", "columns alone")


def test_data_without_rows_is_refused(tmp_path):
    path = tmp_path / "empty.arff"
    path.write_text("@relation r\n@attribute a {x,y}\n@data\n")
    assert_refused(run("structure", path), "no rows that count")
