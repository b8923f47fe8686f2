"""Bayesian networks of chordal Markov networks, against the joint distribution as one array."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.inference.chordal import as_bayesian, find_chordless_cycle, order_by_neighbours
from engine.inference.graphs import joined
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, as_markov
from engine.model.variable import Variable
from engine.simulation.generators import binary_tree, chain, grid_markov
from tests import strategies
from tests.oracles import joint_weights

pytestmark = pytest.mark.filterwarnings("error")


def joint(network):
    """The distribution of a network, by brute force."""
    weights = joint_weights([v.cardinality for v in network.variables], network.scopes, network.tables, {})
    return weights / weights.sum()


def graph_of(network):
    graph = nx.Graph(network.edges)
    graph.add_nodes_from(range(len(network.variables)))
    return graph


def coins(n):
    return tuple(Variable(f"V{k}", ("a", "b")) for k in range(n))


@given(strategies.markov_networks(6))
def test_a_chordal_network_has_arrows_of_the_same_meaning_and_others_a_cycle(network):
    graph = graph_of(network)
    if nx.is_chordal(graph):
        found = as_bayesian(network)
        np.testing.assert_allclose(joint(found), joint(network), atol=1e-12)
        assert {frozenset(edge) for edge in found.edges} == {frozenset(edge) for edge in network.edges}
        return
    with pytest.raises(ModelError, match="has no chord"):
        as_bayesian(network)
    cycle = find_chordless_cycle(joined(network.scopes), next(iter(joined(network.scopes))))
    assert len(cycle) >= 4
    assert nx.is_isomorphic(graph.subgraph(cycle), nx.cycle_graph(len(cycle)))
    assert all(graph.has_edge(a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@given(st.integers(1, 9), st.data())
def test_an_order_by_neighbours_finds_out_what_is_chordal(n, data):
    pairs = [(a, b) for b in range(n) for a in range(b)]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    bits = joined([*edges, *((v,) for v in range(n))])
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    order = order_by_neighbours(bits)
    assert sorted(order) == list(range(n))
    earlier = [[u for u in order[:k] if graph.has_edge(u, v)] for k, v in enumerate(order)]
    is_chordal = all(graph.has_edge(a, b) for found in earlier for a in found for b in found if a < b)
    assert is_chordal == nx.is_chordal(graph) == (not find_chordless_cycle(bits))


@given(strategies.bayesian_networks(5))
def test_there_and_back_is_the_same_distribution(network):
    assert as_bayesian(network) is network
    markov = as_markov(network)
    assume(nx.is_chordal(graph_of(markov)))
    np.testing.assert_allclose(joint(as_bayesian(markov)), joint(network), atol=1e-12)


def test_huge_and_tiny_values_neither_overflow_nor_vanish():
    tables = [np.array([[1e300, 1e-300], [1e-300, 1e300]])] * 3
    network = MarkovNetwork(coins(4), ((0, 1), (1, 2), (2, 3)), tuple(tables))
    found = as_bayesian(network)
    np.testing.assert_allclose(found.tables[0], [0.5, 0.5])
    np.testing.assert_allclose(found.tables[3], [[1, 0], [0, 1]], atol=1e-300)


def test_zeros_stay_impossible_and_rows_that_never_occur_are_uniform():
    forbids = np.array([[0.0, 0.0], [1.0, 3.0]])
    found = as_bayesian(MarkovNetwork(coins(2), ((0, 1),), (forbids,)))
    assert [table.tolist() for table in found.tables] == [[0, 1], [[0.5, 0.5], [0.25, 0.75]]]


@pytest.mark.parametrize("scopes", [((0,), (0, 1)), ((), (0, 1))])
def test_what_rules_out_everything_is_refused(scopes):
    tables = (np.zeros((2,) * len(scopes[0])), np.ones((2, 2)))
    with pytest.raises(ModelError, match="rule out everything"):
        as_bayesian(MarkovNetwork(coins(2), scopes, tables))


def test_the_cycle_of_a_grid_is_named_and_a_chord_opens_it():
    grid = grid_markov(2, 2, random_state=1)
    with pytest.raises(ModelError) as told:
        as_bayesian(grid)
    assert "the cycle 'X0' – 'X1' – 'X3' – 'X2' – 'X0' has no chord; connect two" in str(told.value)
    opened = MarkovNetwork(grid.variables, (*grid.scopes, (0, 3)), (*grid.tables, np.ones((2, 2))))
    np.testing.assert_allclose(joint(as_bayesian(opened)), joint(grid), atol=1e-12)


def test_tables_that_are_too_large_are_refused_before_they_are_made():
    pairs = tuple((a, b) for b in range(30) for a in range(b))
    network = MarkovNetwork(coins(30), pairs, (np.ones((2, 2)),) * len(pairs))
    with pytest.raises(ModelError, match="too large, one of them over 'V29' and 29 others"):
        as_bayesian(network)
    few = as_markov(chain(4))
    assert as_bayesian(few, 2 + 3 * 4).parents == ((), (0,), (1,), (2,))
    with pytest.raises(ModelError, match="at most 13 cells"):
        as_bayesian(few, 13)


@pytest.mark.parametrize("network", [chain(3000), binary_tree(3000)])
def test_large_networks_take_little(network):
    found = as_bayesian(as_markov(network))
    assert isinstance(found, BayesianNetwork)
    np.testing.assert_allclose(found.tables[0], network.tables[0], atol=1e-12)
