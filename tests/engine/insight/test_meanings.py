"""One list of numbers, three meanings: against enumeration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.formats import read_network
from engine.inference.query import Evidence
from engine.insight.meanings import MEANINGS, forget, read_in_three_ways
from engine.model.network import as_markov
from tests import oracles

ASIA = Path(__file__).parents[3] / "assets" / "examples" / "asia.bif"


@pytest.fixture
def asia():
    return read_network(ASIA).network


def joint_of(network, evidence):
    sizes = [v.cardinality for v in network.variables]
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.items()}
    return oracles.joint_weights(sizes, network.scopes, network.tables, vectors)


@pytest.mark.parametrize("kind", [lambda network: network, as_markov])
def test_each_meaning_is_what_enumeration_says(asia, kind):
    network, dysp = kind(asia), asia.index["dysp"]
    known = {"smoke": (1, 0), "xray": (0.9, 0.3)}
    evidence = Evidence({"smoke": "yes"}, {"xray": (0.9, 0.3), "dysp": (1, 0.1)}, {})
    found = read_in_three_ways(network, evidence, "dysp", (0.8, 0.2))
    assert tuple(found) == MEANINGS
    prior, joint = joint_of(asia, {}), joint_of(asia, known)
    before = oracles.project_on_marginals(prior, {dysp: (0.8, 0.2)}, 3)
    expected = {
        "likelihood": joint_of(asia, {**known, "dysp": (0.8, 0.2)}),
        "fixed": oracles.project_on_marginals(joint, {dysp: (0.8, 0.2)}, 3),
        "non-fixed": before * np.divide(joint, prior, out=np.zeros_like(prior), where=prior > 0),
    }
    for meaning, weights in expected.items():
        for v in range(len(network.variables)):
            wanted = oracles.marginal(weights, (v,)) / weights.sum()
            np.testing.assert_allclose(found[meaning].marginals[v], wanted, atol=1e-9)
    lung = [round(float(found[meaning].marginals[asia.index["lung"]][0]), 4) for meaning in MEANINGS]
    assert len(set(lung)) == 3


def test_what_cannot_be_says_why(asia):
    found = read_in_three_ways(asia, Evidence({"tub": "yes"}, {}, {}), "either", (0.0, 1.0))
    assert [reading.marginals for reading in found.values()] == [None] * 3
    assert all("probability 0" in found[meaning].trouble for meaning in ("likelihood", "non-fixed"))
    assert "'either' gives probability to either=no" in found["fixed"].trouble
    found = read_in_three_ways(asia, Evidence({}, {}, {}), "either", (0.8, 0.1))
    assert found["likelihood"].marginals is not None
    assert "sums to 0.9" in found["fixed"].trouble


def test_what_is_said_of_a_variable_is_forgotten_alone_and_with_others():
    evidence = Evidence({"a": "x"}, {"b": (1, 2)}, {"c": (0.5, 0.5), ("d", "e"): np.ones((2, 2)) / 4})
    assert forget(evidence, "a").states == {}
    assert forget(evidence, "b").likelihoods == {}
    assert list(forget(evidence, "c").marginals) == [("d", "e")]
    assert list(forget(evidence, "e").marginals) == ["c"]
