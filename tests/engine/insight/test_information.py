"""The value of information, against enumeration: observe every state of a variable, and see what entropy is left."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.inference.query import Evidence
from engine.insight.information import find_information
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, PgmError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests import oracles
from tests.engine.insight.test_sensitivity import questions


def entropy(weights):
    return -math.fsum(p * math.log(p) for p in weights / weights.sum() if p > 0)


def enumerate_joint(network, evidence):
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.likelihoods.items()}
    for name, state in evidence.states.items():
        known = network.variables[network.index[name]]
        vectors[network.index[name]] = np.eye(known.cardinality)[known.code(state)]
    sizes = [variable.cardinality for variable in network.variables]
    return oracles.joint_weights(sizes, network.scopes, network.tables, vectors)


@settings(max_examples=150, deadline=None)
@given(questions())
def test_gains_are_the_entropy_that_observing_takes_away_on_average(question):
    network, evidence, name, _ = question
    joint = enumerate_joint(network, evidence)
    assume(joint.sum() > 0)
    joint = joint / joint.sum()
    target = network.index[name]
    found = find_information(network, evidence, name)
    before = entropy(oracles.marginal(joint, (target,)))
    assert found.entropy == pytest.approx(before, abs=1e-9)
    others = [
        v for v in range(len(network.variables)) if v != target and network.variables[v].name not in evidence.states
    ]
    assert sorted(v for v, _ in found.gains) == others
    for v, gain in found.gains:
        pair = oracles.marginal(joint, (v, target))
        left = math.fsum(row.sum() * entropy(row) for row in pair if row.sum() > 0)
        assert gain == pytest.approx(before - left, abs=1e-9)
    gains = [gain for _, gain in found.gains]
    assert gains == sorted(gains, reverse=True)


def test_what_cannot_be_asked_is_said():
    pair = Variable("A", ("a", "b")), Variable("B", ("a", "b"))
    network = BayesianNetwork(pair, ((), (0,)), ([1.0, 0.0], np.eye(2)))
    with pytest.raises(PgmError, match="'A' is known"):
        find_information(network, Evidence({"A": "a"}, {}, {}), "A")
    with pytest.raises(ImpossibleEvidenceError, match="B=b"):
        find_information(network, Evidence({"B": "b"}, {}, {}), "A")
    many = Variable("M", tuple(f"s{k}" for k in range(30_000)))
    with pytest.raises(MemoryLimitError, match="30,000 states: a posterior given each of them"):
        find_information(BayesianNetwork((many,), ((),), (np.full(30_000, 1 / 30_000),)), Evidence({}, {}, {}), "M")
