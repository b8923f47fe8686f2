"""Relatives of variables against their definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.model.relatives import Tie, explain_blanket, find_ancestors, find_blanket, find_descendants
from tests.oracles import are_separated
from tests.strategies import bayesian_networks, markov_networks


@given(bayesian_networks(), st.data())
def test_ancestors_and_descendants_are_those_at_the_ends_of_paths(network, data):
    size = len(network.variables)
    chosen = data.draw(st.sets(st.integers(0, size - 1)))
    arrows = np.zeros((size, size), dtype=int)
    for parent, child in network.edges:
        arrows[parent, child] = 1
    paths = sum(np.linalg.matrix_power(arrows, length) for length in range(1, size + 1))
    assert find_ancestors(network, chosen) == {v for v in range(size) if any(paths[v, w] for w in chosen)}
    assert find_descendants(network, chosen) == {v for v in range(size) if any(paths[w, v] for w in chosen)}


@given(bayesian_networks())
def test_a_blanket_separates_from_all_others_and_none_of_it_can_be_spared(network):
    for v in range(len(network.variables)):
        blanket = find_blanket(network, [v])
        for other in set(range(len(network.variables))) - {v}:
            assert are_separated(network.parents, v, other, blanket - {other}) == (other not in blanket)


@given(markov_networks(), st.data())
def test_the_blanket_in_a_markov_network_are_the_neighbours(network, data):
    chosen = data.draw(st.sets(st.integers(0, len(network.variables) - 1)))
    around = {v for edge in network.edges for v in edge if not chosen.isdisjoint(edge)}
    assert find_blanket(network, chosen) == around - chosen
    assert find_ancestors(network, chosen) == find_descendants(network, chosen) == set()


@given(bayesian_networks())
def test_each_of_a_blanket_is_there_as_parent_child_or_parent_of_a_child(network):
    edges = set(network.edges)
    for v in range(len(network.variables)):
        ties = explain_blanket(network, v)
        assert set(ties) == find_blanket(network, [v])
        for other, tie in ties.items():
            shared = [c for c in range(len(network.variables)) if {(v, c), (other, c)} <= edges]
            assert tie == Tie((other, v) in edges, (v, other) in edges, tuple(shared))


@given(markov_networks())
def test_each_of_a_blanket_in_a_markov_network_shares_a_factor(network):
    for v in range(len(network.variables)):
        ties = explain_blanket(network, v)
        assert set(ties) == find_blanket(network, [v])
        for other, tie in ties.items():
            assert tie.shared == tuple(k for k, scope in enumerate(network.scopes) if {v, other} <= set(scope))
            assert tie.shared
