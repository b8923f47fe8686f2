"""Hypothesis strategies: random models and data, small enough for brute force.

A choice takes hypothesis longer than most tests their whole example: so many numbers are drawn in one, as bytes.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from hypothesis import strategies as st

from engine.model.dataset import Dataset, make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable

_ENTRIES = np.zeros(2**16)
"""Entries of tables and likelihoods: a third each 0, ordinary, and tiny."""
_ENTRIES[1::3] = np.linspace(0.01, 1.0, len(_ENTRIES[1::3]))
_ENTRIES[2::6] = 1e-12
_ENTRIES[5::6] = 1e-3


@cache
def _binary(size):
    return st.binary(min_size=size, max_size=size)


def draw_codes(draw, *shape):
    """Numbers below 2¹⁶ in a shape."""
    return np.frombuffer(draw(_binary(2 * math.prod(shape))), dtype=">u2").astype(int).reshape(shape)


def _draw_entries(draw, *shape):
    """Entries of a table or of likelihoods."""
    return _ENTRIES[draw_codes(draw, *shape)]


def draw_likelihoods(draw, count, cardinality):
    """Vectors of which none is all zero."""
    vectors = _draw_entries(draw, count, cardinality)
    vectors[~vectors.any(axis=1), 0] = 1.0
    return [tuple(vector) for vector in vectors.tolist()]


def draw_from(draw, values, *shape):
    """Some of a few values, in a shape."""
    return np.array(values)[draw_codes(draw, *shape) % len(values)]


def _draw_few(draw, items, most=3):
    """Some of the items, in any order."""
    size, *keys = draw_codes(draw, 1 + len(items))
    chosen = np.argsort(keys, kind="stable")[: size % (min(len(items), most) + 1)]
    return tuple(items[k] for k in chosen)


@st.composite
def variables(draw, most=6, states=3):
    cardinalities = draw_from(draw, range(1, states + 1), draw(st.integers(1, most)))
    return tuple(Variable(f"V{i}", tuple(f"s{k}" for k in range(c))) for i, c in enumerate(cardinalities))


@st.composite
def bayesian_networks(draw, most=6):
    nodes = draw(variables(most))
    order = np.argsort(draw_codes(draw, len(nodes)), kind="stable").tolist()
    parents, tables = [()] * len(nodes), [None] * len(nodes)
    for k, child in enumerate(order):
        parents[child] = _draw_few(draw, order[:k])
        table = _draw_entries(draw, *(nodes[i].cardinality for i in (*parents[child], child)))
        table[table.sum(axis=-1) == 0] = 1.0
        tables[child] = table / table.sum(axis=-1, keepdims=True)
    return BayesianNetwork(nodes, tuple(parents), tuple(tables))


@st.composite
def markov_networks(draw, most=6, widest=3, states=3):
    """Scopes of up to ``widest`` variables, also equal and nested ones, and tables with zeros."""
    nodes = draw(variables(most, states))
    scopes = tuple(_draw_few(draw, range(len(nodes)), widest) for _ in range(draw(st.integers(0, 6))))
    scale = draw(st.sampled_from([1.0, 1e-3, 1e40]))
    tables = [np.array(_draw_entries(draw, *(nodes[i].cardinality for i in scope)) * scale) for scope in scopes]
    for table in tables:
        table.reshape(-1)[0] = max(table.reshape(-1)[0], scale)  # (0, 0, …) stays possible
    return MarkovNetwork(nodes, scopes, tuple(tables))


@st.composite
def datasets(draw, nodes, most_rows=6) -> Dataset:
    n_rows = draw(st.integers(1, most_rows))
    columns = [_draw_cells(draw, variable, n_rows) for variable in nodes]
    weights = draw_from(draw, [0.5, 1.0, 3.0], n_rows)
    return make_dataset(nodes, list(zip(*columns, strict=True)), weights)


def _draw_cells(draw, variable, n_rows):
    """A column of cells: nothing, a state, or a likelihood of any one."""
    kinds = draw_codes(draw, n_rows) % 3
    states = draw_codes(draw, n_rows) % variable.cardinality
    vectors = draw_likelihoods(draw, n_rows, variable.cardinality)
    cells = [(None, variable.states[s], vector) for s, vector in zip(states, vectors, strict=True)]
    return [choice[kind] for choice, kind in zip(cells, kinds, strict=True)]


_ROLES = {"observed": "h", "hidden": "m", "partial": "hm", "soft": "s", "mixed": "hms"}
"""What a column has of each: hard, missing and soft cells."""


def _draw_role_cells(draw, variable, values):
    """A column of cells that a true value each could have given: the same kind in every row, or mixed."""
    role = draw(st.sampled_from(["observed", "observed", "hidden", "partial", "soft", "mixed"]))
    kinds = draw_from(draw, list(_ROLES[role]), len(values))
    # Likelihoods do not exclude the value; few different ones, so that equal rows occur.
    vectors = draw_from(draw, [0.0, 0.25, 1.0, 3.0], len(values), variable.cardinality)
    every = np.arange(len(values))
    vectors[every, values] = np.maximum(vectors[every, values], 0.5)
    return [
        {"h": variable.states[value], "m": None, "s": tuple(vector)}[kind]
        for kind, value, vector in zip(kinds, values, vectors.tolist(), strict=True)
    ]


@st.composite
def learning_problems(draw, most=5, most_rows=7) -> tuple[BayesianNetwork, Dataset]:
    """A network and incomplete data of which every row is possible under it, tables with zeros included."""
    network = draw(bayesian_networks(most))
    n_rows = draw(st.integers(1, most_rows))
    values = draw_codes(draw, len(network.variables), n_rows)
    for row in range(n_rows):
        for child in network.topological_order:
            given_parents = network.tables[child][tuple(values[p, row] for p in network.parents[child])]
            possible = np.flatnonzero(given_parents > 0)
            values[child, row] = possible[values[child, row] % len(possible)]
    columns = [_draw_role_cells(draw, v, values[i]) for i, v in enumerate(network.variables)]
    weights = draw_from(draw, [0.0, 0.5, 1.0, 1.0, 3.0], n_rows)
    return network, make_dataset(network.variables, list(zip(*columns, strict=True)), weights)


@st.composite
def markov_problems(draw, most=5, most_rows=7) -> tuple[MarkovNetwork, Dataset]:
    """A network of positive factors, above and below 1, and incomplete data: some of it observed in every row."""
    network = draw(markov_networks(most))
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    network = network.with_tables([generator.lognormal(0, 1.5, table.shape) for table in network.tables])
    n_rows = draw(st.integers(1, most_rows))
    values = draw_codes(draw, len(network.variables), n_rows) % [[v.cardinality] for v in network.variables]
    columns = [_draw_role_cells(draw, v, values[i]) for i, v in enumerate(network.variables)]
    weights = draw_from(draw, [0.5, 1.0, 1.0, 3.0], n_rows)
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
    tables = {network.variables[v].name: network.tables[v].shape for v in chosen}
    return {name: draw_from(draw, [1.0, 1.0, 1.25, 3.0], *shape) for name, shape in tables.items()}
