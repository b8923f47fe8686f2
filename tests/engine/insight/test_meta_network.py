"""The meta-network against the thesis' figures, and an example island against the numbers of Eq. 3.1 [thesis]."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.insight.meta_network import MetaNetwork, Node, count_sets, make_meta_network
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests import oracles

S, H, E = 0, 1, 2


@pytest.fixture
def network():
    """S ← H → E, the base network of Fig. 3.2."""
    rng = np.random.default_rng(3)
    variables = tuple(Variable(name, ("yes", "no")) for name in "SHE")
    tables = rng.dirichlet((1, 1), 2), rng.dirichlet((1, 1)), rng.dirichlet((1, 1), 2)
    return BayesianNetwork(variables, ((H,), (), (H,)), tables)


def make(network, *rows):
    return make_meta_network(network, make_dataset(network.variables, list(rows)), 3)


@pytest.fixture
def meta(network):
    return make(network, ["yes", None, "yes"], ["no", None, None], [None, None, "no"])


def test_the_meta_network_is_that_of_the_figure(meta):
    assert meta.sets == ((S, (0,)), (S, (1,)), (H, ()), (E, (0,)), (E, (1,)))
    assert len(meta.whole.nodes) == 5 + 3 * 3
    assert len(meta.whole.edges) == 5 * 3 + 2 * 3
    assert len(meta.whole.islands) == 1
    assert len(meta.generated.nodes) == 5 + 5 * 3 + 3 * 3
    assert len(meta.generated.edges) == 2 * 5 * 3 + 2 * 3
    assert len(meta.generated.islands) == 1


def test_an_island_remains_for_each_set_and_each_row(meta):
    islands = meta.deleted.islands
    assert len(islands) == 5 + 3
    for s in range(5):  # a naive Bayes structure
        assert {Node("set", s), *(Node("generator", s, i) for i in range(3))} in islands
    for i in range(3):
        assert {*(Node("clone", s, i) for s in range(5)), *(Node("copy", v, i) for v in range(3))} in islands


def test_what_is_observed_prunes_as_in_the_figure(network):
    # H¹ = h̄, H² = h, H³ = h̄: each set is alone, with the copies that have its parents' states.
    meta = make(network, [None, "no", None], ["yes", "yes", None], ["yes", "no", None])
    islands = {frozenset(island) for island in meta.pruned.islands}
    number = {row: i for i, row in enumerate(meta.rows)}
    first, second, third = number[-1, 1, -1], number[0, 0, -1], number[0, 1, -1]
    assert islands == {
        frozenset({Node("set", 0), Node("copy", S, second)}),
        frozenset({Node("set", 1), Node("copy", S, first), Node("copy", S, third)}),
        frozenset({Node("set", 2), *(Node("copy", H, i) for i in range(3))}),
        frozenset({Node("set", 3), Node("copy", E, second)}),
        frozenset({Node("set", 4), Node("copy", E, first), Node("copy", E, third)}),
    }


def as_network(meta: MetaNetwork, island, row):
    """An example island as a Bayesian network: clones with the parameters as tables, copies that select one of them."""
    nodes = sorted(island, key=lambda node: (node.kind == "copy", node.number))
    above = {node: [a for a, b in meta.deleted.edges if b == node] for node in nodes}
    scopes, tables = [], []
    for node in nodes:
        scopes.append([nodes.index(a) for a in (*above[node], node)])
        if node.kind == "clone":
            variable, states = meta.sets[node.number]
            tables.append(meta.network.tables[variable][states])
            continue
        table = np.zeros((2,) * len(scopes[-1]))
        for cell in itertools.product((0, 1), repeat=table.ndim):
            value = dict(zip(above[node], cell, strict=False))
            states = tuple(value[Node("copy", p, row)] for p in meta.network.parents[node.number])
            chosen = meta.sets.index((node.number, states))
            table[cell] = value[Node("clone", chosen, row)] == cell[-1]
        tables.append(table)
    return nodes, scopes, tables


def test_an_example_island_gives_the_soft_evidence_of_edml(network, meta):
    joint = oracles.joint_weights([2] * 3, network.scopes, network.tables, {})
    for i, row in enumerate(meta.rows):
        island = next(one for one in meta.deleted.islands if Node("copy", H, i) in one)
        nodes, scopes, tables = as_network(meta, island, i)
        seen = {nodes.index(Node("copy", v, i)): np.eye(2)[code] for v, code in enumerate(row) if code >= 0}
        weights = oracles.joint_weights([2] * len(nodes), scopes, tables, seen)
        given = oracles.row_joint([2] * 3, joint, [None if code < 0 else code for code in row])
        assert weights.sum() == pytest.approx(given.sum(), rel=1e-12)
        posterior = given / given.sum()
        for s, (variable, states) in enumerate(meta.sets):
            # κ = Pr(d | x_u) / Pr(d | x̄_u) on the island (Eq. 3.3) is Eq. 3.1 on the network.
            clone = oracles.marginal(weights, (nodes.index(Node("clone", s, i)),)) / network.tables[variable][states]
            family = oracles.marginal(posterior, network.scopes[variable])[states]
            soft = family / network.tables[variable][states] - family.sum() + 1
            assert clone[0] * soft[1] == pytest.approx(clone[1] * soft[0], rel=1e-12)


def test_the_most_frequent_rows_are_taken(network):
    rows = [["yes", None, "yes"]] * 2 + [["no", None, "yes"]] * 5 + [["no", None, "no"], ["yes", None, "no"]]
    meta = make(network, *rows)
    assert (meta.rows[:2], meta.weights, meta.left_out) == (((1, -1, 0), (0, -1, 0)), (5, 2, 1), 1)
    assert count_sets(network) == len(meta.sets) == 5
