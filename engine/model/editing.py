"""Changing a network by hand: every edit is a new network, and the data over it can follow.

An edit keeps what the tables say as far as it can: an arrow that is added changes no probability, one
that is removed leaves the average over the parent that is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_letters

import numpy as np

from engine.model.arrays import Bools, Codes, Floats, Ints
from engine.model.dataset import MISSING, Dataset, code_dtype
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, find_variable, table_shape
from engine.model.soft_cells import find_targets, merge_equal, scale
from engine.model.variable import Variable, list_names

States = Sequence[tuple[int | None, str]]
"""The states a variable is to have: each with the code of the state it was, None for a new one."""
MOST_CELLS = 1_000_000
"""The largest table that can be made by hand."""


def add_variable(network: Network, variable: Variable) -> Network:
    """The network with one more variable, uniform and connected to nothing."""
    variables = (*network.variables, variable)
    if isinstance(network, BayesianNetwork):
        uniform = np.full(variable.cardinality, 1 / variable.cardinality)
        return BayesianNetwork(variables, (*network.parents, ()), (*network.tables, uniform))
    scopes = (*network.scopes, (len(variables) - 1,))
    return MarkovNetwork(variables, scopes, (*network.tables, np.ones(variable.cardinality)))


def remove_variables(network: Network, names: Sequence[str]) -> Network:
    """The network without some variables. Tables that held them lose their axes: see :func:`disconnect`."""
    gone = {find_variable(network, name) for name in names}
    kept = [v for v in range(len(network.variables)) if v not in gone]
    new = {old: k for k, old in enumerate(kept)}
    variables = tuple(network.variables[v] for v in kept)
    if isinstance(network, BayesianNetwork):
        parents = tuple(tuple(new[p] for p in network.parents[v] if p not in gone) for v in kept)
        return BayesianNetwork(variables, parents, tuple(_average(network, v, gone) for v in kept))
    scopes, tables = [], []
    for f, scope in enumerate(network.scopes):
        rest = tuple(new[v] for v in scope if v not in gone)
        if rest or not scope:
            scopes.append(rest)
            tables.append(_average(network, f, gone))
    return MarkovNetwork(variables, tuple(scopes), tuple(tables))


def rename_variable(network: Network, name: str, to: str) -> Network:
    """The network with another name for a variable."""
    v = find_variable(network, name)
    if to != name and to in network.index:
        raise ModelError(f"there is a variable {to!r} already; names must differ")
    return _with_variable(network, v, Variable(to, network.variables[v].states))


def connect(network: Network, a: str, b: str) -> Network:
    """The network with an arrow from a to b, or an edge between them.

    An arrow changes no probability: b does not depend on its new parent yet. An edge is a factor of ones, in place of
    those that its ends have had alone since they were drawn: it holds all that these could say.
    """
    first, second = find_variable(network, a), find_variable(network, b)
    if first == second:
        raise ModelError(f"{a!r} cannot be connected with itself; choose another variable")
    if isinstance(network, MarkovNetwork):
        if (min(first, second), max(first, second)) in network.edges:
            raise ModelError(f"{a!r} and {b!r} are connected already")
        shape = table_shape(network.variables, (first, second))
        _check_size(network, (first, second))
        drawn = {(first,), (second,)}
        factors = zip(network.scopes, network.tables, strict=True)
        kept = [(scope, table) for scope, table in factors if scope not in drawn or (table != 1).any()]
        return _make_markov(network.variables, [*kept, ((first, second), np.ones(shape))])
    if first in network.parents[second]:
        raise ModelError(f"there is an arrow from {a!r} to {b!r} already")
    if second in network.parents[first]:
        raise ModelError(f"there is an arrow from {b!r} to {a!r} already; remove it first to turn it round")
    path = _find_path(network, second, first)
    if path:
        names = " → ".join(network.variables[v].name for v in [*path, second])
        raise ModelError(f"an arrow from {a!r} to {b!r} would close a cycle: {names}; a Bayesian network has none")
    parents, tables = list(network.parents), list(network.tables)
    parents[second] = (*parents[second], first)
    _check_size(network, (*parents[second], second))
    table = np.expand_dims(tables[second], -2)
    tables[second] = np.repeat(table, network.variables[first].cardinality, axis=-2)
    return BayesianNetwork(network.variables, tuple(parents), tuple(tables))


def connect_all(network: Network, names: Sequence[str], to: str) -> Network:
    """The network with an arrow from each of some variables to one, or edges; those that are there stay."""
    end = find_variable(network, to)
    there = {pair for a, b in network.edges for pair in ((a, b), (b, a))[: 1 + isinstance(network, MarkovNetwork)]}
    new = [name for name in names if name != to and (find_variable(network, name), end) not in there]
    if not new:
        raise ModelError(f"all that is selected is connected with {to!r} already; choose another variable")
    for name in new:
        network = connect(network, name, to)
    return network


def disconnect(network: Network, a: str, b: str) -> Network:
    """The network without the arrow from a to b (or between a and b, in either direction; or their edge).

    A Bayesian table is averaged over the parent it loses. A Markov factor over both and more variables is
    replaced by two, which average one of them out each; one over just the two is removed.
    """
    first, second = find_variable(network, a), find_variable(network, b)
    if first == second:
        raise ModelError(f"{a!r} is not connected with itself")
    if isinstance(network, MarkovNetwork):
        return _split_factors(network, first, second)
    if second in network.parents[first]:
        first, second = second, first
    if first not in network.parents[second]:
        raise ModelError(f"{a!r} and {b!r} are not connected")
    parents, tables = list(network.parents), list(network.tables)
    parents[second] = tuple(p for p in parents[second] if p != first)
    tables[second] = _average(network, second, {first})
    return BayesianNetwork(network.variables, tuple(parents), tuple(tables))


def reverse(network: Network, a: str, b: str) -> Network:
    """The network with the arrow from a to b turned round.

    The distribution stays where both have the same other parents, by Bayes' rule: Pr(a | b) ∝ Pr(a) Pr(b | a). Else, b
    is averaged over a, and a does not depend on b yet, as if the arrow had been removed and drawn anew.
    """
    first, second = find_variable(network, a), find_variable(network, b)
    if isinstance(network, MarkovNetwork):
        raise ModelError("edges of a Markov network have no direction; there is nothing to turn round")
    if first not in network.parents[second]:
        raise ModelError(f"there is no arrow from {a!r} to {b!r} to turn round")
    turned = connect(disconnect(network, a, b), b, a)
    if set(network.parents[second]) - {first} != set(network.parents[first]):
        return turned
    letters = dict(zip(network.scopes[second], ascii_letters, strict=False))

    def spell(scope: Sequence[int]) -> str:
        return "".join(letters[v] for v in scope)

    tables, together = list(turned.tables), f"{spell(network.scopes[first])},{spell(network.scopes[second])}"
    for v in (first, second):
        table = np.einsum(f"{together}->{spell(turned.scopes[v])}", network.tables[first], network.tables[second])
        total = table.sum(axis=-1, keepdims=True)
        # Given a state of b that never happens, a may be anything.
        tables[v] = np.divide(table, total, out=np.full_like(table, 1 / table.shape[-1]), where=total > 0)
    return turned.with_tables(tables)


def remove_factor(network: Network, number: int) -> Network:
    """The Markov network without one of its factors; its variables stay."""
    if not isinstance(network, MarkovNetwork) or not 0 <= number < len(network.scopes):
        raise ModelError(f"there is no factor {number + 1} to remove; choose another")
    scopes, tables = list(network.scopes), list(network.tables)
    del scopes[number], tables[number]
    return MarkovNetwork(network.variables, tuple(scopes), tuple(tables))


def set_states(network: Network, name: str, states: States) -> Network:
    """The network with other states of a variable: renamed, reordered, added or removed.

    In the variable's own rows a new state gets an equal share, and removed ones are normalised away; where
    the variable is a parent, a new state's row is the average of the others.
    """
    v = find_variable(network, name)
    variable = Variable(name, tuple(state for _, state in states))
    if "" in variable.states:
        raise ModelError(f"a state of {name!r} has an empty name; type one")
    origin = [old for old, _ in states]
    _check_origin(network.variables[v], origin)
    tables = []
    for scope, table in zip(network.scopes, network.tables, strict=True):
        if v in scope:
            own = isinstance(network, BayesianNetwork) and scope[-1] == v
            axis = scope.index(v)
            _check_size(network, scope, {v: len(origin)})
            table = _share(table, origin) if own else _spread(table, origin, axis)
        tables.append(table)
    return _with_variable(network, v, variable, tables)


def set_table(network: Network, number: int, table: Floats) -> Network:
    """The network with another table: that of a variable, or of a factor."""
    tables = list(network.tables)
    tables[number] = table
    return network.with_tables(tables)


def normalise(table: Floats) -> Floats:
    """Rows divided by their sums; rows of zeros become uniform."""
    # By the largest first, for the sum of huge numbers is infinite.
    largest = table.max(axis=-1, keepdims=True)
    scaled = np.where(largest > 0, table / np.where(largest > 0, largest, 1), 1.0)
    return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True), dtype=np.float64)


def follow_table(
    table: Floats,
    before: Sequence[str],
    after: Mapping[str, int],
    states: Mapping[str, Sequence[int | None]] | None = None,
) -> Floats:
    """A table of numbers that are no probabilities (exponents, say), carried over to other axes.

    Axes that are gone are averaged out, and along new ones the numbers repeat.

    Parameters
    ----------
    before : names of the table's axes
    after : names of the axes it shall have, each with its size
    states : for variables whose states have changed, per new state the old code; None for a new one.
    """
    gone = tuple(k for k, name in enumerate(before) if name not in after)
    kept = [name for name in before if name in after]
    moved = np.asarray(table.mean(axis=gone) if gone else table, dtype=np.float64)
    for axis, name in enumerate(kept):
        if states and name in states:
            moved = _spread(moved, states[name], axis)
    moved = moved.transpose([kept.index(name) for name in after if name in kept])
    moved = moved[tuple(slice(None) if name in kept else None for name in after)]
    return np.broadcast_to(moved, tuple(after.values())).copy()


def recode(
    dataset: Dataset,
    variables: Sequence[Variable],
    columns: Sequence[int | None],
    states: Mapping[int, Sequence[int | None]] | None = None,
) -> Dataset:
    """The data over other variables.

    Parameters
    ----------
    columns : per new variable, its column in the data; None makes it hidden.
    states : for new variables whose states have changed, per new state the old code; None for a new one.
        Cells with a state that is gone become missing, and a likelihood or target is 0 for a new state.
    """
    if not states and list(columns) == list(range(len(dataset.variables))):
        return replace(dataset, variables=tuple(variables))
    most = max((len(vectors) for vectors in dataset.likelihoods.values()), default=0)
    codes = np.full((len(variables), dataset.n_rows), MISSING, dtype=code_dtype(variables, most))
    likelihoods: dict[int, Floats] = {}
    targets: dict[int, Bools] = {}
    for i, column in enumerate(columns):
        if column is None:
            continue
        codes[i], vectors, marks = dataset.codes[column], dataset.likelihoods.get(column), dataset.targets.get(column)
        origin = (states or {}).get(i)
        if origin is not None:
            codes[i] = _recode_states(dataset.codes[column], origin)
            if vectors is not None:
                moved = _move_vectors(vectors, find_targets(dataset, column), origin)
                codes[i], vectors, marks = merge_equal(codes[i], moved, find_targets(dataset, column))
        if vectors is not None and len(vectors):
            likelihoods[i] = vectors
            if marks is not None and marks.any():
                targets[i] = marks
    return Dataset(tuple(variables), codes, dataset.weights, likelihoods, targets)


def _recode_states(codes: Codes, origin: Sequence[int | None]) -> Ints:
    """A column with the codes of other states; vectors keep theirs."""
    meaning = {old: new for new, old in enumerate(origin) if old is not None}
    highest = int(codes.max(initial=MISSING))
    of_state = np.array([meaning.get(old, MISSING) for old in range(highest + 1)], dtype=np.int64)
    recoded = codes.astype(np.int64)
    hard = codes >= 0
    recoded[hard] = of_state[codes[hard]]
    return recoded


def _move_vectors(vectors: Floats, targets: Bools, origin: Sequence[int | None]) -> Floats:
    """Vectors over other states: 0 for a new one. A target whose share is lost with a state has the others scaled."""
    moved = np.zeros((len(vectors), len(origin)))
    for new, old in enumerate(origin):
        if old is not None:
            moved[:, new] = vectors[:, old]
    kept = [old for old in origin if old is not None]
    # Without a loss the numbers stay as they are, to the last bit.
    poorer = targets & (np.delete(vectors, kept, axis=1) > 0).any(axis=1)
    moved[poorer] = scale(moved[poorer])
    return moved


def _with_variable(network: Network, v: int, variable: Variable, tables: Sequence[Floats] | None = None) -> Network:
    variables = (*network.variables[:v], variable, *network.variables[v + 1 :])
    tables = network.tables if tables is None else tuple(tables)
    if isinstance(network, BayesianNetwork):
        return BayesianNetwork(variables, network.parents, tuple(tables))
    return MarkovNetwork(variables, network.scopes, tuple(tables))


def _average(network: Network, number: int, gone: set[int]) -> Floats:
    """A table averaged over the axes of some variables."""
    axes = tuple(k for k, v in enumerate(network.scopes[number]) if v in gone)
    table = network.tables[number]
    return np.asarray(table.mean(axis=axes), dtype=np.float64) if axes else table


def _split_factors(network: MarkovNetwork, first: int, second: int) -> MarkovNetwork:
    scopes, tables = [], []
    for f, scope in enumerate(network.scopes):
        if not {first, second} <= set(scope):
            scopes.append(scope)
            tables.append(network.tables[f])
        elif len(scope) > 2:
            for lost in (first, second):
                scopes.append(tuple(v for v in scope if v != lost))
                tables.append(_average(network, f, {lost}))
    if tuple(scopes) == network.scopes:
        names = list_names([network.variables[first].name, network.variables[second].name])
        raise ModelError(f"{names} are not connected")
    alone = [v for v in (first, second) if not any(v in scope for scope in scopes)]
    ones = [((v,), np.ones(network.variables[v].cardinality)) for v in alone]
    return _make_markov(network.variables, [*zip(scopes, tables, strict=True), *ones])


def _make_markov(variables: Sequence[Variable], factors: Sequence[tuple[tuple[int, ...], Floats]]) -> MarkovNetwork:
    """A Markov network of scopes with their tables."""
    return MarkovNetwork(tuple(variables), tuple(scope for scope, _ in factors), tuple(table for _, table in factors))


def _share(table: Floats, origin: Sequence[int | None]) -> Floats:
    """A variable's own rows with other states: an equal share for new ones."""
    n = len(origin)
    kept = [old for old in origin if old is not None]
    rest = table[..., kept]
    # Without a loss the numbers stay as they are, to the last bit.
    if len(kept) < table.shape[-1] and kept:
        rest = normalise(rest)
    moved = np.full((*table.shape[:-1], n), 1 / n)
    moved[..., [k for k, old in enumerate(origin) if old is not None]] = rest * (len(kept) / n)
    return moved


def _spread(table: Floats, origin: Sequence[int | None], axis: int) -> Floats:
    """A table along an axis with other states: the average for new ones."""
    average = table.mean(axis=axis)
    return np.stack([average if old is None else table.take(old, axis=axis) for old in origin], axis=axis)


def _find_path(network: BayesianNetwork, start: int, end: int) -> list[int]:
    """Variables along arrows from one to another, by a shortest way; empty if there is none."""
    children: dict[int, list[int]] = {}
    for parent, child in network.edges:
        children.setdefault(parent, []).append(child)
    came_from, open_ones = {start: start}, deque([start])
    while open_ones:
        here = open_ones.popleft()
        if here == end:
            path = [end]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        for child in children.get(here, ()):
            if child not in came_from:
                came_from[child] = here
                open_ones.append(child)
    return []


def _check_origin(variable: Variable, origin: Sequence[int | None]) -> None:
    known = [old for old in origin if old is not None]
    if len(set(known)) < len(known) or not all(0 <= old < variable.cardinality for old in known):
        raise ModelError(
            f"the new states of {variable.name!r} come from the codes {known}; "
            f"expected each at most once, from 0 to {variable.cardinality - 1}"
        )


def _check_size(network: Network, scope: Sequence[int], sizes: Mapping[int, int] | None = None) -> None:
    cells = 1
    for v in scope:
        cells *= (sizes or {}).get(v, network.variables[v].cardinality)
    if cells > MOST_CELLS:
        name = network.variables[scope[-1]].name
        raise ModelError(
            f"the table of {name!r} would have {cells:,} cells; at most {MOST_CELLS:,} can be made by hand: "
            "use fewer parents or states"
        )
