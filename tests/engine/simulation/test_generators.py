"""Generated networks: their shapes, their randomness, and what is refused."""

import networkx as nx
import numpy as np
import pytest

from engine.model.errors import ModelError, PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.simulation import generators

MAKERS = {
    "chain": lambda **options: generators.chain(7, **options),
    "binary_tree": lambda **options: generators.binary_tree(7, **options),
    "naive_bayes": lambda **options: generators.naive_bayes(6, **options),
    "grid": lambda **options: generators.grid(3, 4, **options),
    "chain_markov": lambda **options: generators.chain_markov(7, **options),
    "tree_markov": lambda **options: generators.tree_markov(7, **options),
    "grid_markov": lambda **options: generators.grid_markov(3, 4, **options),
    "random_dag": lambda **options: generators.random_dag(12, 2, 0.5, **options),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_seed_decides_the_network(make):
    same = make(cardinality=3, random_state=4), make(cardinality=3, random_state=np.random.default_rng(4))
    other = make(cardinality=3, random_state=5)
    assert same[0].scopes == same[1].scopes
    for left, right in zip(same[0].tables, same[1].tables, strict=True):
        np.testing.assert_array_equal(left, right)
    assert not np.array_equal(same[0].tables[0], other.tables[0])


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_names_and_cardinality(make):
    network = make(cardinality=4)
    assert [v.name for v in network.variables] == [f"X{i}" for i in range(len(network.variables))]
    assert {v.cardinality for v in network.variables} == {4}
    assert all((table > 0).all() for table in network.tables)


def test_a_generator_moves_on():
    generator = np.random.default_rng(1)
    first, second = generators.chain(3, random_state=generator), generators.chain(3, random_state=generator)
    assert not np.array_equal(first.tables[0], second.tables[0])


def test_shapes():
    tree = generators.binary_tree(15)
    assert [len([c for p, c in tree.edges if p == i]) for i in range(15)] == [2] * 7 + [0] * 8
    grid = generators.grid(3, 4)
    assert isinstance(grid, BayesianNetwork)
    assert len(grid.edges) == 3 * 3 + 2 * 4
    assert grid.parents[5] == (1, 4)
    markov = generators.grid_markov(3, 4, unary=False)
    assert isinstance(markov, MarkovNetwork)
    assert markov.edges == sorted(grid.edges)
    assert all(len(scope) == 2 for scope in markov.scopes)
    assert generators.chain_markov(4, unary=False).edges == generators.chain(4).edges
    assert generators.tree_markov(15, unary=False).edges == sorted(tree.edges)
    assert len(generators.chain_markov(4).scopes) == 4 + 3


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 2), (2, 5), (3, 3), (4, 5)])
def test_a_wrapped_grid_is_a_torus(rows, columns):
    found = generators.grid_markov(rows, columns, unary=False, wrap=True)
    torus = nx.grid_2d_graph(rows, columns, periodic=(rows > 2, columns > 2))
    torus = nx.convert_node_labels_to_integers(torus, ordering="sorted")
    assert len(found.scopes) == len(set(found.scopes))
    assert {frozenset(edge) for edge in found.edges} == {frozenset(edge) for edge in torus.edges}


@pytest.mark.parametrize("coupling", [0.0, 5.0])
def test_couplings_are_those_of_an_ising_model(coupling):
    network = generators.grid_markov(6, 6, coupling=coupling, random_state=1)
    logs = {n: np.array([np.log(t) for t in network.tables if t.ndim == n]) for n in (1, 2)}
    np.testing.assert_allclose(logs[1].sum(axis=1), 0, atol=1e-12)
    j = logs[2][:, 0, 0]
    np.testing.assert_allclose(logs[2], np.stack([[j, -j], [-j, j]]).transpose(2, 0, 1), atol=1e-12)
    for found, most in ((logs[1][:, 0], 1.0), (j, coupling)):
        assert np.abs(found).max() <= most
        # Uniform draws come near both ends.
        assert found.min() <= -0.8 * most
        assert found.max() >= 0.8 * most


def test_random_dag_keeps_to_its_limits():
    network = generators.random_dag(60, 3, 0.5, random_state=2)
    assert max(map(len, network.parents)) == 3
    assert all(parent < child for parent, child in network.edges)
    assert not generators.random_dag(20, 3, 0.0).edges
    assert len(generators.random_dag(5, 10, 1.0).edges) == 10


def test_density_is_the_fraction_of_arrows():
    n, density = 60, 0.1
    pairs = n * (n - 1) // 2
    # One state: tables of any number of parents have one cell.
    network = generators.random_dag(n, n, density, cardinality=1, random_state=3)
    assert abs(len(network.edges) / pairs - density) < 5 * np.sqrt(density * (1 - density) / pairs)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: generators.chain(0), "expected at least 1"),
        (lambda: generators.grid(3, 0), "3 × 0 variables"),
        (lambda: generators.chain(10**9), "at most 1,000,000"),
        (lambda: generators.chain(3, cardinality=0), "0 states"),
        (lambda: generators.chain(3, cardinality=100_000), "cells; at most"),
        (lambda: generators.chain(3, concentration=0.0), "concentration is 0.0"),
        (lambda: generators.random_dag(100, 90, 1.0), "at most 63"),
        (lambda: generators.random_dag(60, 50, 1.0), "cells; at most"),
        (lambda: generators.random_dag(5, -1), "expected a number ≥ 0"),
        (lambda: generators.random_dag(5, 2, 1.5), "density is 1.5"),
        (lambda: generators.grid_markov(2, 2, spread=-1.0), "spread is -1.0"),
        (lambda: generators.chain_markov(0), "expected at least 1"),
        (lambda: generators.tree_markov(10**7), "at most 1,000,000"),
        (lambda: generators.tree_markov(3, coupling=-1.0), "coupling of -1.0"),
        (lambda: generators.chain_markov(3, cardinality=3, coupling=5.0), "3 states; expected"),
    ],
)
def test_impossible_requests_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_negative_seed_is_refused():
    with pytest.raises(PgmError, match="random state is -1"):
        generators.chain(2, random_state=-1)
