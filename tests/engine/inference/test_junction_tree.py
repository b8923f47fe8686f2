"""Junction trees: every scope in a clique, running intersection, and an end in sight for wide graphs."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference import orders
from engine.inference.junction_tree import MOST_COUNTED, compile_tree, share_tree
from engine.inference.posterior import infer
from engine.model.dataset import make_dataset
from engine.model.errors import MemoryLimitError
from engine.simulation.generators import grid_markov
from tests import strategies
from tests.engine.inference.test_posterior import check_against_enumeration


def check_tree(tree, scopes):
    cliques = [set(clique) for clique in tree.cliques]
    for k, (clique, separator, parent) in enumerate(zip(tree.cliques, tree.separators, tree.parents, strict=True)):
        assert parent == -1 or parent > k  # children first
        assert set(separator) == (cliques[k] & cliques[parent] if parent >= 0 else set())
        assert clique[len(clique) - len(separator) :] == separator
        assert k in tree.children[parent] or parent == -1
    for scope in scopes:
        first = min(scope, key=tree.position.__getitem__)
        assert set(scope) <= cliques[tree.eliminated_in[first]]
    for variable in {v for scope in scopes for v in scope}:  # the cliques with a variable are connected
        holding = [k for k, clique in enumerate(cliques) if variable in clique]
        tops = [k for k in holding if tree.parents[k] < 0 or variable not in cliques[tree.parents[k]]]
        assert tops == [holding[-1]]


SCOPES = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True), max_size=12)


@settings(max_examples=200, deadline=None)
@given(SCOPES, st.lists(st.integers(1, 4), min_size=10, max_size=10))
def test_trees_of_random_scopes(scopes, cardinalities):
    check_tree(compile_tree(cardinalities, scopes), scopes)


@settings(max_examples=100, deadline=None)
@given(SCOPES, st.lists(st.integers(1, 4), min_size=10, max_size=10), st.integers(0, 5))
def test_trees_in_which_the_rest_is_one_clique(scopes, cardinalities, bits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "HOPELESS", 2**bits)
        check_tree(compile_tree(cardinalities, scopes), scopes)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_inference_is_right_where_the_rest_is_one_clique(data):
    network = data.draw(strategies.bayesian_networks())
    dataset = data.draw(strategies.datasets(network.variables))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "HOPELESS", 3)
        check_against_enumeration(network, dataset)


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 9)])
def test_a_grid_has_the_width_of_its_shorter_side(rows, columns):
    network = grid_markov(rows, columns)
    tree = compile_tree([2] * rows * columns, network.scopes)
    assert rows <= tree.width <= rows + 1


def random_graph(nodes, edges):
    chance = random.Random(0)
    return [tuple(chance.sample(range(nodes), 2)) for _ in range(edges)]


def test_a_hopeless_graph_is_given_up_soon():
    """3,000 variables at random: the cliques of a full triangulation, of a thousand variables, take minutes."""
    scopes = random_graph(3000, 9000)
    start = time.process_time()
    tree = compile_tree([2] * 3000, scopes)
    assert time.process_time() - start < 15
    assert tree.width > 500
    assert tree.largest == MOST_COUNTED


def test_the_message_for_a_hopeless_network_is_readable():
    network = grid_markov(30, 30)
    with pytest.raises(MemoryLimitError, match=r"unobserved variables \(.*\) in .* cells.*memory limit") as caught:
        infer(network, make_dataset(network.variables, [[None] * 900]))
    assert len(str(caught.value)) < 500


def test_long_chains_take_linear_time():
    """Half a second of work; a step that looks through all cliques for each one would take half a minute."""
    network = grid_markov(1, 5000)
    data = make_dataset(network.variables, [[None] * 5000])
    start = time.process_time()
    posterior = infer(network, data)
    assert posterior.marginal(2500).sum() == pytest.approx(1)
    for v in range(5000):
        posterior.marginal(v)
    assert time.process_time() - start < 15


def test_what_no_order_can_better_is_compiled_once():
    """A chain needs no further edge: there is nothing to look for, however often its tree will be used."""
    chain, ring = tuple((k, k + 1) for k in range(1_500)), tuple((k, (k + 1) % 1_500) for k in range(1_500))
    sizes = (2,) * 1_501
    assert share_tree(sizes, chain, 1e9) is share_tree(sizes, chain, 0.0)
    assert not share_tree(sizes, chain, 0.0).adds_edges
    assert share_tree(sizes, ring, 0.0).adds_edges
