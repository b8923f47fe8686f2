"""Hypothesis strategies: random models and data, small enough for brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from engine.model.dataset import Dataset, make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable

ENTRIES = st.one_of(st.just(0.0), st.floats(0.01, 1.0), st.sampled_from([1e-12, 1e-3]))


@st.composite
def variables(draw, most=6, states=3):
    cardinalities = draw(st.lists(st.integers(1, states), min_size=1, max_size=most))
    return tuple(Variable(f"V{i}", tuple(f"s{k}" for k in range(c))) for i, c in enumerate(cardinalities))


@st.composite
def bayesian_networks(draw, most=6):
    nodes = draw(variables(most))
    order = draw(st.permutations(range(len(nodes))))
    parents, tables = [()] * len(nodes), [None] * len(nodes)
    for k, child in enumerate(order):
        parents[child] = tuple(draw(st.lists(st.sampled_from(order[:k]), unique=True, max_size=3)) if k else [])
        shape = tuple(nodes[i].cardinality for i in (*parents[child], child))
        table = draw(_table(shape))
        table[table.sum(axis=-1) == 0] = 1.0
        tables[child] = table / table.sum(axis=-1, keepdims=True)
    return BayesianNetwork(nodes, tuple(parents), tuple(tables))


@st.composite
def markov_networks(draw, most=6, widest=3, states=3):
    """Scopes of up to ``widest`` variables, also equal and nested ones, and tables with zeros."""
    nodes = draw(variables(most, states))
    indices = st.lists(st.sampled_from(range(len(nodes))), unique=True, max_size=widest)
    scopes = tuple(tuple(scope) for scope in draw(st.lists(indices, max_size=6)))
    scale = draw(st.sampled_from([1.0, 1e-3, 1e40]))
    tables = [np.array(draw(_table(tuple(nodes[i].cardinality for i in scope))) * scale) for scope in scopes]
    for table in tables:
        table.reshape(-1)[0] = max(table.reshape(-1)[0], scale)  # (0, 0, …) stays possible
    return MarkovNetwork(nodes, scopes, tuple(tables))


@st.composite
def _table(draw, shape):
    size = int(np.prod(shape))
    return np.array(draw(st.lists(ENTRIES, min_size=size, max_size=size)), dtype=float).reshape(shape)


@st.composite
def datasets(draw, nodes, most_rows=6) -> Dataset:
    def cells(variable):
        vector = st.lists(ENTRIES, min_size=variable.cardinality, max_size=variable.cardinality)
        return st.one_of(st.none(), st.sampled_from(variable.states), vector.filter(any).map(tuple))

    rows = draw(st.lists(st.tuples(*(cells(v) for v in nodes)), min_size=1, max_size=most_rows))
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(rows), max_size=len(rows)))
    return make_dataset(nodes, rows, weights)


@st.composite
def _role_cells(draw, variable, values) -> list:
    """A column of cells that a true value each could have given: the same kind in every row, or mixed."""
    role = draw(st.sampled_from(["observed", "observed", "hidden", "partial", "soft", "mixed"]))
    return [draw(_cell(variable, value, role)) for value in values]


def _cell(variable, value, role):
    hard, missing, soft = st.just(variable.states[value]), st.none(), _likelihood(variable.cardinality, value)
    return {
        "observed": hard,
        "hidden": missing,
        "partial": st.one_of(hard, missing),
        "soft": soft,
        "mixed": st.one_of(hard, missing, soft),
    }[role]


@st.composite
def _likelihood(draw, cardinality, value) -> tuple[float, ...]:
    """A vector that does not exclude the value; few different ones, so that equal rows occur."""
    vector = [draw(st.sampled_from([0.0, 0.25, 1.0, 3.0])) for _ in range(cardinality)]
    return tuple(max(x, 0.5) if state == value else x for state, x in enumerate(vector))


@st.composite
def learning_problems(draw, most=5, most_rows=7) -> tuple[BayesianNetwork, Dataset]:
    """A network and incomplete data of which every row is possible under it, tables with zeros included."""
    network = draw(bayesian_networks(most))
    n_rows = draw(st.integers(1, most_rows))
    values = np.zeros((len(network.variables), n_rows), dtype=int)
    for row in range(n_rows):
        for child in network.topological_order:
            given_parents = network.tables[child][tuple(values[p, row] for p in network.parents[child])]
            values[child, row] = draw(st.sampled_from(np.flatnonzero(given_parents > 0).tolist()))
    columns = [draw(_role_cells(v, values[i].tolist())) for i, v in enumerate(network.variables)]
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0]), min_size=n_rows, max_size=n_rows))
    return network, make_dataset(network.variables, list(zip(*columns, strict=True)), weights)


@st.composite
def priors(draw, network):
    """No prior, one number, numbers for some variables, or whole tables for some."""
    kind = draw(st.sampled_from(["none", "number", "variables", "tables"]))
    if kind == "none":
        return 1.0
    exponents = st.sampled_from([1.0, 1.5, 2.0, 4.0])
    if kind == "number":
        return draw(exponents)
    chosen = draw(st.lists(st.sampled_from(range(len(network.variables))), unique=True))
    if kind == "variables":
        return {network.variables[v].name: draw(exponents) for v in chosen}
    return {network.variables[v].name: draw(_exponents(network.tables[v].shape)) for v in chosen}


@st.composite
def _exponents(draw, shape):
    size = int(np.prod(shape))
    values = draw(st.lists(st.sampled_from([1.0, 1.0, 1.25, 3.0]), min_size=size, max_size=size))
    return np.array(values).reshape(shape)
