"""Networks made at random, from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.formats import read_network
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.simulation import generators
from tests.command_line import run


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["chain", "5"], generators.chain(5)),
        (
            ["tree", "7", "--states", "3", "--random-state", "2"],
            generators.binary_tree(7, cardinality=3, random_state=2),
        ),
        (["grid", "2x3"], generators.grid(2, 3)),
        (["chain", "5", "--markov"], generators.chain_markov(5)),
        (["tree", "7", "--markov", "--spread", "0.5"], generators.tree_markov(7, spread=0.5)),
        (
            ["grid", "3x3", "--markov", "--coupling", "5", "--wrap"],
            generators.grid_markov(3, 3, coupling=5.0, wrap=True),
        ),
    ],
)
def test_the_generators_are_at_hand(tmp_path, words, expected):
    path = tmp_path / "made.json"
    found = json.loads(run("generate", *words, "--out", path, "--json").out)
    assert (found["variables"], found["edges"]) == (len(expected.variables), len(expected.edges))
    network = read_network(path).network
    assert isinstance(network, MarkovNetwork if "--markov" in words else BayesianNetwork)
    assert network.scopes == expected.scopes
    for ours, theirs in zip(network.tables, expected.tables, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["chain", "5x5"], "expected one such as 50"),
        (["grid", "9"], "expected one such as 9x9"),
        (["grid", "9x-1"], "expected one such as 9x9"),
        (["chain", "0"], "expected at least 1"),
        (["chain", "9999999999"], "expected one such as 50"),
        (["ring", "5"], "invalid choice"),
        (["chain", "5", "--coupling", "5"], "--coupling is for Markov networks"),
        (["chain", "5", "--markov", "--wrap"], "--wrap is for grids"),
        (["chain", "5", "--markov", "--coupling", "5", "--spread", "1"], "give one of them"),
        (["chain", "5", "--markov", "--coupling", "-5"], "expected from 0 to 100"),
        (["chain", "5", "--random-state", "-1"], "--random-state must be 0 or more"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_reason(tmp_path, words, part):
    found = run("generate", *words, "--out", tmp_path / "made.json")
    assert (found.code, found.out) == (2, "")
    assert part in found.err
    assert not (tmp_path / "made.json").exists()
