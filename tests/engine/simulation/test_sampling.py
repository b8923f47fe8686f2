"""Simulated data against exact distributions by enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.errors import MemoryLimitError, ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from engine.simulation import sampling
from engine.simulation.generators import binary_tree, grid, grid_markov, random_dag
from engine.simulation.sampling import direct, simulate
from tests.oracles import joint_weights
from tests.strategies import bayesian_networks, markov_networks


def enumerate_joint(network):
    cards = [v.cardinality for v in network.variables]
    joint = joint_weights(cards, network.scopes, network.tables, {})
    return joint / joint.sum()


@pytest.mark.parametrize(
    "network",
    [
        random_dag(5, 3, 0.7, cardinality=3, random_state=1),
        binary_tree(7, random_state=2),
        grid(2, 3, random_state=3),
        grid_markov(2, 3, random_state=4),
        grid_markov(2, 2, cardinality=3, unary=False, random_state=5),
    ],
    ids=["random", "tree", "grid", "Markov grid", "Markov loop"],
)
def test_frequencies_of_whole_rows_agree_with_the_joint(network):
    rows = 200_000
    joint = enumerate_joint(network)
    data = simulate(network, rows, random_state=11)
    assert data.weights.sum() == rows
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(data.codes.astype(int)), 1)
    error = np.sqrt(joint * (1 - joint) / rows)
    assert (abs(counts / rows - joint) <= 5 * error + 1e-12).all()
    for v in range(len(network.variables)):
        others = tuple(u for u in range(len(network.variables)) if u != v)
        p = joint.sum(axis=others)
        share = np.bincount(data.codes[v], minlength=len(p)) / rows
        assert (abs(share - p) <= 5 * np.sqrt(p * (1 - p) / rows)).all()


@settings(deadline=None, max_examples=60)
@given(network=st.one_of(bayesian_networks(), markov_networks()), seed=st.integers(0, 2**32))
def test_no_row_is_impossible(network, seed):
    data = simulate(network, 300, seed)
    for scope, table in zip(network.scopes, network.tables, strict=True):
        assert (table[tuple(data.codes[list(scope)].astype(int))] > 0).all()


@settings(deadline=None, max_examples=100)
@given(network=markov_networks())
def test_directing_a_markov_network_keeps_its_distribution(network):
    np.testing.assert_allclose(enumerate_joint(direct(network)), enumerate_joint(network), rtol=1e-9, atol=1e-15)


class _Largest(np.random.Generator):
    """Draws the largest number below 1, where rounded cumulative sums would fail."""

    def random(self, size):
        return np.full(size, np.nextafter(1.0, 0.0))


def test_rounding_of_cumulative_sums_draws_no_impossible_state():
    # Ten times 0.1 adds up to less than 1; the states behind are impossible.
    row = np.array([0.1] * 10 + [0.0] * 5)
    assert np.cumsum(row)[-1] < 1
    network = BayesianNetwork((Variable("A", tuple(map(str, range(15)))),), ((),), (row,))
    data = simulate(network, 3, _Largest(np.random.PCG64(0)))
    assert data.codes.tolist() == [[9, 9, 9]]


class _Zero(np.random.Generator):
    def random(self, size):
        return np.zeros(size)


def test_a_draw_of_zero_draws_the_first_possible_state():
    network = BayesianNetwork((Variable("A", ("a", "b", "c", "d")),), ((),), (np.array([0.0, 0.0, 0.5, 0.5]),))
    assert simulate(network, 2, _Zero(np.random.PCG64(0))).codes.tolist() == [[2, 2]]


def test_a_seed_decides_the_rows_across_chunks(monkeypatch):
    monkeypatch.setattr(sampling, "_CHUNK", 64)
    network = random_dag(8, random_state=1)
    first, again, other = (simulate(network, 500, seed) for seed in (3, np.random.default_rng(3), 4))
    np.testing.assert_array_equal(first.codes, again.codes)
    assert not np.array_equal(first.codes, other.codes)
    assert not np.array_equal(first.codes[:, :64], first.codes[:, 64:128])


def test_edges_of_size():
    network = random_dag(3, random_state=1)
    assert simulate(network, 0).codes.shape == (3, 0)
    single = MarkovNetwork((Variable("A", ("a",)),), (), ())
    assert simulate(single, 4).codes.tolist() == [[0, 0, 0, 0]]
    empty = BayesianNetwork((), (), ())
    assert simulate(empty, 2).n_rows == 2


def test_impossible_requests_are_refused():
    network = random_dag(3, random_state=1)
    with pytest.raises(ModelError, match="-1 rows"):
        simulate(network, -1)
    with pytest.raises(MemoryLimitError, match="fewer rows"):
        simulate(network, 10**12)
    with pytest.raises(MemoryLimitError, match="Markov network"):
        simulate(grid_markov(40, 40), 1)
    nothing = MarkovNetwork((Variable("A", ("a", "b")),), ((0,), (0,)), (np.array([0.0, 1.0]), np.array([1.0, 0.0])))
    with pytest.raises(ModelError, match="weight zero"):
        simulate(nothing, 1)
