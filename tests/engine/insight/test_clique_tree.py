"""The junction tree of what is not known, against its definition."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from engine.insight.clique_tree import find_clique_tree
from engine.model.network import MarkovNetwork
from engine.model.variable import Variable
from engine.simulation.generators import chain
from pgmgui.project.examples import find_example
from tests.engine.insight.test_separation import random_network


@pytest.mark.parametrize("seed", range(40))
def test_fill_in_makes_the_moral_graph_chordal_and_cliques_are_its_own(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 9)
    known = {v for v in range(9) if rng.random() < 0.2}
    found = find_clique_tree(network, known)
    moral = nx.Graph()
    moral.add_nodes_from(set(range(9)) - known)
    for scope in network.scopes:
        moral.add_edges_from(itertools.combinations([v for v in scope if v not in known], 2))
    assert not any(moral.has_edge(*edge) for edge in found.fill_in)
    assert len(set(map(frozenset, found.fill_in))) == found.added
    moral.add_edges_from(found.fill_in)
    assert nx.is_chordal(moral)
    assert {frozenset(clique) for clique in found.tree.cliques} == set(map(frozenset, nx.find_cliques(moral)))
    assert sorted(found.order) == sorted(moral)
    assert found.tree.cells == sum(2 ** len(clique) for clique in nx.find_cliques(moral))
    assert found.memory == 24 * found.tree.cells


def test_a_component_given_what_is_observed_is_cheap():
    network = find_example("asia").read()[0].network
    tub, lung, either = (network.index[name] for name in ("tub", "lung", "either"))
    known = set(range(8)) - {tub, lung}
    found = find_clique_tree(network, known, [tub, lung, either], rows=12)
    assert [set(clique) for clique in found.tree.cliques] == [{tub, lung}]
    assert (found.tree.cells, found.rows, found.added) == (4, 12, 0)
    assert find_clique_tree(network).seconds > find_clique_tree(network, known).seconds


def test_nothing_is_left_when_all_is_known():
    found = find_clique_tree(chain(3), {0, 1, 2})
    assert (found.tree.cliques, found.added, found.order) == ((), 0, ())


def test_what_has_one_state_is_no_axis():
    variables = (Variable("A", ("only",)), Variable("B", ("a", "b")))
    network = MarkovNetwork(variables, ((0, 1),), (np.ones((1, 2)),))
    assert find_clique_tree(network).tree.cliques == ((1,),)


def test_a_network_that_is_hopelessly_wide_says_so_by_its_numbers():
    side = 30
    place = {(i, j): side * i + j for i in range(side) for j in range(side)}
    scopes = tuple((place[i, j], place[near]) for i, j in place for near in ((i + 1, j), (i, j + 1)) if near in place)
    variables = tuple(Variable(f"V{k}", ("a", "b")) for k in range(side**2))
    network = MarkovNetwork(variables, scopes, (np.ones((2, 2)),) * len(scopes))
    found = find_clique_tree(network)
    assert found.tree.width >= side  # the treewidth of the grid
    assert found.tree.cells > 2**side
    assert len(found.fill_in) == 200
