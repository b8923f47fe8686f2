"""Rows that zeros exclude: the first one, and factors that do it together, against enumeration."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.learning.learn import learn
from engine.learning.zeros import _find_guilty, describe_zeros
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import MarkovNetwork
from engine.model.variable import Variable
from tests import oracles, strategies
from tests.plain import plain_data, plain_model


def is_possible(network, row) -> bool:
    cardinalities, scopes, tables = plain_model(network)
    return oracles.row_joint(cardinalities, oracles.joint_weights(cardinalities, scopes, tables, {}), row).sum() > 0


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_first_excluded_row_and_factors_none_of_which_is_to_spare(data):
    network = data.draw(strategies.markov_networks(5))
    network = network.with_tables([(table > 0).astype(float) for table in network.tables])
    dataset = data.draw(strategies.datasets(network.variables))
    rows, _ = plain_data(dataset)
    excluded = [k for k, row in enumerate(rows) if not is_possible(network, row)]
    said = describe_zeros(network, dataset)
    if not excluded:
        assert "start from other ones" in said
        return
    assert said.startswith(f"row {excluded[0] + 1} ")
    guilty = _find_guilty(network, dataset.take(np.array(excluded[:1])), 2**30)
    assume(all(isinstance(cell, int | None) for cell in rows[excluded[0]]))  # a likelihood may have zeros of its own

    def without(factors):
        tables = enumerate(network.tables)
        return network.with_tables([np.ones_like(table) if f in factors else table for f, table in tables])

    assert guilty
    assert is_possible(without(guilty), rows[excluded[0]])
    for factor in guilty:
        assert not is_possible(without([other for other in guilty if other != factor]), rows[excluded[0]])
    named = re.findall(r"'(V\d)'", said.partition("excluded by")[2])
    expected = [network.variables[v].name for factor in guilty[:4] for v in network.scopes[factor]]
    assert named == expected


@pytest.mark.parametrize("method", ["d-em", "lbfgs", "edml-in-turn", "em-textbook"])
def test_no_learner_begins_with_an_excluded_row(method):
    nodes = tuple(Variable(name, ("a", "b")) for name in "ABC")
    same = np.eye(2)
    network = MarkovNetwork(nodes, ((0, 1), (1, 2)), (same, same))
    data = make_dataset(nodes, [["a", None, "a"], ["b", None, "a"]])
    said = "row 2 has 'C' = 'a', and is excluded by zeros of the factor over 'B' and 'C'"
    with pytest.raises(ImpossibleEvidenceError, match=re.escape(said)):
        next(learn(network, data, method))
    data = make_dataset(nodes, [["a", None, "a"], ["b", None, "a"]], [2.0, 0.0])  # which does not count
    assert math.isfinite(next(learn(network, data, method)).objective.sum())
