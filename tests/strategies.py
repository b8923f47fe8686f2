"""Hypothesis strategies: random models and data, small enough for brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from engine.dataset import Dataset, make_dataset
from engine.network import BayesianNetwork, MarkovNetwork
from engine.variable import Variable

ENTRIES = st.one_of(st.just(0.0), st.floats(0.01, 1.0), st.sampled_from([1e-12, 1e-3]))


@st.composite
def variables(draw, most=6):
    cardinalities = draw(st.lists(st.integers(1, 3), min_size=1, max_size=most))
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
def markov_networks(draw, most=6):
    nodes = draw(variables(most))
    indices = st.lists(st.sampled_from(range(len(nodes))), unique=True, max_size=3)
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
