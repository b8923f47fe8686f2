"""Edges of a Markov network by an L1 prior."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork
from engine.simulation.generators import chain_markov
from engine.simulation.missingness import remove_mcar
from engine.simulation.sampling import simulate
from engine.structure.markov import drop_ones, learn_pairs, make_pairwise, suggest_scale
from tests import oracles
from tests.engine.structure.samples import draw_data, make_variables


def learn_edges(data, scale):
    *_, last = learn_pairs(data, scale)
    return last.network()


def test_finds_a_chain_and_drops_the_other_pairs():
    data = simulate(chain_markov(5, coupling=1.5, random_state=1), 2_000, 1)
    assert drop_ones(learn_edges(data, suggest_scale(data))).edges == [(0, 1), (1, 2), (2, 3), (3, 4)]
    holes = remove_mcar(data, 0.1, 1)
    assert drop_ones(learn_edges(holes, suggest_scale(data))).edges == [(0, 1), (1, 2), (2, 3)]


def test_factors_are_the_best_under_the_prior():
    """Of pairs, where a logarithm is 0 the slope is within 1/b, and ±1/b elsewhere; of single variables it is 0."""
    data, scale = draw_data(2, 2, 2, rows=300, seed=3), 0.05
    network = learn_edges(data, scale)
    joint = oracles.joint_weights([2, 2, 2], network.scopes, network.tables, {})
    seen = np.zeros((2, 2, 2))
    np.add.at(seen, tuple(data.codes), data.weights)
    zeros = 0
    for scope, table in zip(network.scopes, network.tables, strict=True):
        slope = oracles.marginal(seen, scope) - seen.sum() * oracles.marginal(joint / joint.sum(), scope)
        logs = np.log(table)
        if len(scope) == 1:  # has no prior
            assert np.abs(slope).max() <= 1e-2
            continue
        zeros += int((logs == 0).sum())
        assert np.abs(slope).max() <= 1 / scale + 1e-2
        np.testing.assert_allclose(slope[logs != 0], np.sign(logs[logs != 0]) / scale, atol=1e-2)
    assert zeros


def test_a_narrower_prior_leaves_fewer_edges():
    data = draw_data(2, 3, 2, 2, rows=300, seed=2)
    edges = [len(drop_ones(learn_edges(data, scale)).edges) for scale in (10.0, 0.1, 0.03, 0.001)]
    assert edges == sorted(edges, reverse=True)
    assert (edges[0], edges[-1]) == (6, 0)


def test_factors_of_ones_are_dropped_and_nothing_else_changes():
    a, b = make_variables(2, 2)
    network = MarkovNetwork((a, b), ((0,), (1,), (0, 1), (0, 1)), ([1, 1], [1, 2], np.ones((2, 2)), [[1, 2], [1, 1]]))
    assert drop_ones(network).scopes == ((0,), (1,), (0, 1))
    assert make_pairwise((a, b)).scopes == ((0,), (1,), (0, 1))


def test_too_many_variables_are_refused_in_words():
    data = draw_data(*itertools.repeat(2, 21), rows=5)
    with pytest.raises(ModelError, match="at most 1,048,576 are allowed: leave columns out"):
        learn_pairs(data, 1.0)
