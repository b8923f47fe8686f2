"""Components, boundaries and projected data against the definitions of chapter 6 [thesis]."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.decomposition import decompose
from engine.learning.task import make_task
from engine.model.dataset import Role, make_dataset
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.examples import load_gallery
from tests import oracles, strategies
from tests.engine.learning.models import evaluate
from tests.plain import plain_data, plain_model, plain_rows

pytestmark = pytest.mark.filterwarnings("error")

COIN = ("a", "b")


def thesis_chain():
    """V → X → Y → Z and its three rows."""
    (example,) = [e for e in load_gallery() if e.id == "thesis-chain"]
    network = example.read()[0].network
    rows = [("¬v", "x", None, "¬z"), ("v", "¬x", None, "z"), ("v", "x", None, "¬z")]
    return network, make_dataset(network.variables, rows)


def by_names(network, component):
    def names(variables):
        return {network.variables[v].name for v in variables}

    return names(component.variables), names(component.boundary), names(component.observed)


def named_counts(dataset):
    """The rows of a dataset with their counts, cells by name; ? is missing."""
    found = {}
    for codes, weight in zip(dataset.codes.T, dataset.weights, strict=True):
        cells = [v.states[c] if c >= 0 else "?" for v, c in zip(dataset.variables, codes, strict=True)]
        found[tuple(cells)] = float(weight)
    return [v.name for v in dataset.variables], found


def test_thesis_example_has_three_components():
    """Figure 6.1: O = {V, X, Z}."""
    network, dataset = thesis_chain()
    decomposition = decompose(network, dataset)
    assert decomposition.pruned == ()
    assert [by_names(network, c) for c in decomposition.components] == [
        ({"V"}, set(), {"V"}),
        ({"X"}, {"V"}, {"X"}),
        ({"Y", "Z"}, {"X"}, {"Z"}),
    ]
    assert [c.is_complete for c in decomposition.components] == [True, True, False]
    assert decomposition.component_of == (0, 1, 2, 2)


def test_thesis_example_projects_to_the_three_tables():
    """§6.2, after Definition 4."""
    network, dataset = thesis_chain()
    decomposition = decompose(network, dataset)
    projected = [named_counts(decomposition.subnetwork(c)[1]) for c in decomposition.components]
    assert projected == [
        (["V"], {("¬v",): 1, ("v",): 2}),
        (["V", "X"], {("¬v", "x"): 1, ("v", "¬x"): 1, ("v", "x"): 1}),
        (["X", "Y", "Z"], {("x", "?", "¬z"): 2, ("¬x", "?", "z"): 1}),
    ]
    for condition in (True, False):
        assert make_task(network, dataset, condition=condition).distinct_rows == (2, 3, 2)


def test_thesis_example_has_the_sub_networks_of_its_figure():
    """Figure 6.2: boundary variables lose their parents, the others keep parents and tables."""
    network, dataset = thesis_chain()
    decomposition = decompose(network, dataset)
    sub, _ = decomposition.subnetwork(decomposition.components[2])
    assert [v.name for v in sub.variables] == ["X", "Y", "Z"]
    assert sub.parents == ((), (0,), (1,))
    np.testing.assert_allclose(sub.tables[0], [2 / 3, 1 / 3])
    np.testing.assert_array_equal(sub.tables[1], network.tables[2])
    np.testing.assert_array_equal(sub.tables[2], network.tables[3])


def test_thesis_example_with_nothing_hidden_has_four_components():
    network, dataset = thesis_chain()
    codes = dataset.codes.copy()
    codes[2] = 0
    complete = make_dataset(
        network.variables,
        [[v.states[c] for v, c in zip(network.variables, column, strict=True)] for column in codes.T],
    )
    components = decompose(network, complete).components
    assert [by_names(network, c)[:2] for c in components] == [
        ({"V"}, set()),
        ({"X"}, {"V"}),
        ({"Y"}, {"X"}),
        ({"Z"}, {"Y"}),
    ]
    assert all(c.is_complete for c in components)


def test_component_likelihoods_of_the_thesis_example():
    """§6.3, after Definition 6."""
    network, dataset = thesis_chain()
    task = make_task(network, dataset)
    state = evaluate(task, task.layout.flatten(network.tables))
    v, x, y, z = network.tables
    z_given_x = y @ z
    np.testing.assert_allclose(
        state.log_likelihood,
        [
            np.log(v[1]) + 2 * np.log(v[0]),
            np.log(x[1, 0]) + np.log(x[0, 1]) + np.log(x[0, 0]),
            2 * np.log(z_given_x[0, 1]) + np.log(z_given_x[1, 0]),
            0.0,
        ],
        atol=1e-12,
    )


def is_constant(network, dataset, v):
    """Whether a variable has one state and no likelihood cell: as good as observed in every row."""
    return network.variables[v].cardinality == 1 and dataset.roles[v] is not Role.SOFT


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_components_equal_the_definition(data):
    network, dataset = data.draw(strategies.learning_problems(most=8, most_rows=3))
    decomposition = decompose(network, dataset)
    hidden = {v for v, role in enumerate(dataset.roles) if role is Role.HIDDEN}
    pruned, _ = oracles.find_components(network.parents, set(), hidden)
    observed = {v for v, role in enumerate(dataset.roles) if role is Role.OBSERVED or is_constant(network, dataset, v)}
    assert set(decomposition.pruned) == pruned
    _, expected = oracles.find_components(network.parents, observed - pruned, hidden)
    expected = [(s, b) for s, b in expected if not s <= pruned]
    found = [(set(c.variables), set(c.boundary)) for c in decomposition.components]
    assert sorted(map(str, found)) == sorted(map(str, expected))
    for k, component in enumerate(decomposition.components):
        assert set(component.boundary) <= observed
        assert set(component.observed) == set(component.variables) & observed
        assert all(decomposition.component_of[v] == k for v in component.variables)


@settings(max_examples=60, deadline=None)
@given(strategies.markov_problems(most_rows=4))
def test_components_of_a_markov_network_equal_the_definition(problem):
    """§4 [compression]: factors that share what is not observed in every row; and their distinct projected rows."""
    network, dataset = problem
    decomposition = decompose(network, dataset)
    observed = {v for v, role in enumerate(dataset.roles) if role is Role.OBSERVED or is_constant(network, dataset, v)}
    graph = nx.Graph()
    graph.add_nodes_from(range(len(network.scopes)))
    for (f, one), (g, other) in itertools.combinations(enumerate(network.scopes), 2):
        if (set(one) & set(other)) - observed:
            graph.add_edge(f, g)
    found = decomposition.components
    assert {frozenset(c.factors) for c in found} == set(map(frozenset, nx.connected_components(graph)))
    rows, weights = plain_data(dataset)
    sizes = [variable.cardinality for variable in network.variables]  # whether an only state is seen tells nothing
    filled = [[0 if cell is None and size == 1 else cell for cell, size in zip(r, sizes, strict=True)] for r in rows]
    for component, distinct in zip(found, make_task(network, dataset).distinct_rows, strict=True):
        inside = {v for f in component.factors for v in network.scopes[f]}
        assert (set(component.variables), set(component.boundary)) == (inside - observed, inside & observed)
        expected = oracles.projected_counts(rows, weights, sorted(inside))
        projected = decomposition.project(component)
        assert {tuple(row): w for row, w in zip(*plain_data(projected), strict=True)} == pytest.approx(expected)
        assert distinct == len(oracles.projected_counts(filled, weights, sorted(inside)))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_projected_data_equal_counting(data):
    network, dataset = data.draw(strategies.learning_problems())
    decomposition = decompose(network, dataset)
    rows, weights = plain_data(dataset)
    for component in decomposition.components:
        kept = sorted((*component.variables, *component.boundary))
        sub, projected = decomposition.subnetwork(component)
        expected = oracles.projected_counts(rows, weights, kept)
        found = {tuple(row): w for row, w in zip(*plain_data(projected), strict=True)}
        assert found == pytest.approx(expected)
        assert len(plain_rows(projected)) == len(expected)
        assert sub.variables == tuple(network.variables[v] for v in kept)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_likelihood_is_the_sum_of_component_likelihoods(data):
    """Corollary 1 [thesis]: each component's share equals that of its sub-network by enumeration, less what
    the boundary costs there."""
    network, dataset = data.draw(strategies.learning_problems())
    task = make_task(network, dataset)
    state = evaluate(task, task.layout.flatten(network.tables))
    total = oracles.log_likelihood(*plain_model(network), *plain_data(dataset))
    assert state.log_likelihood.sum() == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert state.log_likelihood[-1] == 0.0
    for component, found in zip(task.decomposition.components, state.log_likelihood, strict=False):
        sub, projected = task.decomposition.subnetwork(component)
        cells, weights = plain_data(projected)
        whole = oracles.log_likelihood(*plain_model(sub), cells, weights)
        kept = sorted((*component.variables, *component.boundary))
        for place, v in enumerate(kept):
            if v in component.boundary:
                table = sub.tables[place]
                whole -= sum(w * oracles.log(table[c[place] or 0]) for c, w in zip(cells, weights, strict=True) if w)
        assert found == pytest.approx(whole, rel=1e-9, abs=1e-9)


def test_a_pruned_leaf_does_not_join_its_parents():
    """H1 → A and H2 → B have a hidden leaf in common: two components, each with its own likelihood."""
    nodes = tuple(Variable(name, COIN) for name in ("H1", "H2", "A", "B", "L"))
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    other = np.array([[0.6, 0.4], [0.1, 0.9]])
    network = BayesianNetwork(
        nodes, ((), (), (0,), (1,), (0, 1)), ([0.4, 0.6], [0.8, 0.2], table, other, np.full((2, 2, 2), 0.5))
    )
    dataset = make_dataset(nodes, [[None, None, "a", "b", None], [None, None, "b", "b", None]])
    task = make_task(network, dataset)
    assert task.decomposition.pruned == (4,)
    assert [c.variables for c in task.decomposition.components] == [(0, 2), (1, 3)]
    state = evaluate(task, task.layout.flatten(network.tables))
    a, b = np.array([0.4, 0.6]) @ table, np.array([0.8, 0.2]) @ other
    np.testing.assert_allclose(state.log_likelihood, [np.log(a[0] * a[1]), 2 * np.log(b[1]), 0.0], atol=1e-12)
    assert task.distinct_rows == (2, 1)


def test_a_hidden_variable_of_one_state_joins_nothing():
    """It is as good as observed: its children are components of their own."""
    nodes = (Variable("C", ("only",)), *(Variable(name, COIN) for name in ("H", "A", "B")))
    table = [[0.9, 0.1], [0.3, 0.7]]
    network = BayesianNetwork(nodes, ((), (0,), (0, 1), (0,)), ([1.0], [[0.4, 0.6]], [table], [[0.5, 0.5]]))
    dataset = make_dataset(nodes, [[None, None, "a", "b"], ["only", None, "b", "b"]])
    decomposition = decompose(network, dataset)
    assert [c.variables for c in decomposition.components] == [(0,), (1, 2), (3,)]
    assert [c.boundary for c in decomposition.components] == [(), (0,), (0,)]
    assert [c.is_complete for c in decomposition.components] == [True, False, True]
    sub, projected = decomposition.subnetwork(decomposition.components[1])
    assert sub.tables[0].tolist() == [1.0]
    assert projected.total_weight == 2.0
    assert make_task(network, dataset).distinct_rows[1:] == (2, 1)


def test_a_dataset_over_other_variables_is_refused():
    network, dataset = thesis_chain()
    with pytest.raises(ModelError, match="align"):
        decompose(network, dataset.project([0, 1]))
