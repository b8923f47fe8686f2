"""Elimination orders: scores that are kept up to date, cliques that are counted right, and a search that pays."""

from __future__ import annotations

import math
import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference import orders
from engine.inference.graphs import bits, joined
from engine.inference.junction_tree import compile_tree
from engine.inference.orders import Elimination, find_order
from tests.engine.inference.test_junction_tree import SCOPES, check_tree

CARDINALITIES = st.lists(st.integers(1, 4), min_size=10, max_size=10)


def wrapped_grid(side):
    """Every node of a torus is joined to four others."""
    at = {(row, column): side * row + column for row in range(side) for column in range(side)}
    down = [(at[row, column], at[(row + 1) % side, column]) for row, column in at]
    return down + [(at[row, column], at[row, (column + 1) % side]) for row, column in at]


def total_of(scopes, cardinalities, uses):
    """The cells of the cliques of an order, those inside others not counted, by looking at them all."""
    graph = joined(scopes)
    buckets, rest = find_order(graph, dict(enumerate(cardinalities)), uses)
    assert not rest
    assert sorted(node for node, _ in buckets) == sorted(graph)
    cliques = {around | 1 << node for node, around in buckets}
    largest = [
        clique for clique in cliques if not any(clique != other and clique & other == clique for other in cliques)
    ]
    return sum(math.prod(cardinalities[node] for node in bits(clique)) for clique in largest)


@settings(max_examples=100, deadline=None)
@given(SCOPES, CARDINALITIES, st.randoms(use_true_random=False))
def test_scores_are_those_counted_afresh(scopes, cardinalities, chance):
    """In any order: the edges a node would add and the cells of its clique, against a graph of networkx."""
    expected = nx.Graph([(u, v) for scope in scopes for u in scope for v in scope if u != v])
    expected.add_nodes_from(v for scope in scopes for v in scope)
    state = Elimination(joined(scopes), dict(enumerate(cardinalities)))
    order = sorted(expected)
    chance.shuffle(order)
    for node in order:
        for other in expected:
            around = list(expected[other])
            absent = [1 for k, u in enumerate(around) for v in around[:k] if not expected.has_edge(u, v)]
            assert set(bits(state.graph[other])) == set(around)
            assert state.missing[other] == len(absent)
            assert state.cells[other] == math.prod(cardinalities[v] for v in (other, *around))
        before = {v: (state.missing[v], state.cells[v]) for v in expected if v != node}
        touched = set(bits(state.eliminate(node)))
        expected.add_edges_from((u, v) for u in expected[node] for v in expected[node] if u != v)
        expected.remove_node(node)
        assert set(bits(state.rest)) == set(expected)
        assert {v for v in before if before[v] != (state.missing[v], state.cells[v])} <= touched <= set(expected)


@settings(max_examples=150, deadline=None)
@given(SCOPES, CARDINALITIES, st.sampled_from([0.0, 1.0, math.inf]))
def test_a_search_ends_in_a_valid_tree_whose_cells_it_counted(scopes, cardinalities, uses):
    tree = compile_tree(cardinalities, scopes, uses)
    check_tree(tree, scopes)
    assert tree.cells == total_of(scopes, cardinalities, uses)


@settings(max_examples=150, deadline=None)
@given(SCOPES, CARDINALITIES)
def test_a_search_is_never_worse_than_the_first_greedy_order(scopes, cardinalities):
    assert compile_tree(cardinalities, scopes, math.inf).cells <= compile_tree(cardinalities, scopes, 0.0).cells


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_a_graph_that_needs_no_edge_gets_none(size, chance):
    """A chordal graph, made by joining each node to a part of a clique: its cliques are the tree's."""
    cliques = [[0]]
    for node in range(1, size):
        clique = chance.choice(cliques)
        cliques.append([*chance.sample(clique, chance.randint(0, len(clique))), node])
    cardinalities = [chance.randint(1, 4) for _ in range(size)]
    graph = nx.Graph([(u, v) for clique in cliques for u in clique for v in clique if u != v])
    graph.add_nodes_from(range(size))
    expected = sum(math.prod(cardinalities[v] for v in clique) for clique in nx.find_cliques(graph))
    assert compile_tree(cardinalities, cliques).cells == expected


def test_a_search_halves_the_tables_of_a_wrapped_grid():
    scopes = wrapped_grid(10)
    greedy, searched = (compile_tree([2] * 100, scopes, uses) for uses in (0.0, math.inf))
    check_tree(searched, scopes)
    assert searched.cells < greedy.cells / 2
    assert searched.largest < greedy.largest


def test_an_order_depends_on_the_seed_alone():
    graph, cardinalities = joined(wrapped_grid(7)), dict.fromkeys(range(49), 2)
    chance = random.Random(1)
    shuffled = dict(chance.sample(list(graph.items()), len(graph)))
    first, again, other = (
        find_order(g, cardinalities, math.inf, seed) for g, seed in ((graph, 0), (shuffled, 0), (graph, 1))
    )
    assert first == again
    assert first != other


@pytest.fixture
def runs(monkeypatch):
    """How many orders were tried."""
    found = []
    monkeypatch.setattr(orders, "_run", lambda *args, run=orders._run, **how: found.append(1) or run(*args, **how))
    return found


@pytest.mark.parametrize(
    ("side", "uses", "expected"),
    [
        (7, 1.0, 2),  # tables of a few thousand cells, used once: two greedy orders must do
        (7, math.inf, 2 + orders.MOST_TRIES),
        (20, math.inf, 2),  # no better order will make it fit
    ],
)
def test_the_search_is_as_long_as_the_work_ahead_is_worth(runs, side, uses, expected):
    find_order(joined(wrapped_grid(side)), dict.fromkeys(range(side**2), 2), uses)
    assert len(runs) == expected


def test_a_search_ends_after_so_many_scores(runs, monkeypatch):
    monkeypatch.setattr(orders, "MOST_SCORED", 10_000)
    find_order(joined(wrapped_grid(10)), dict.fromkeys(range(100), 2), math.inf)
    assert 5 < len(runs) < 20
