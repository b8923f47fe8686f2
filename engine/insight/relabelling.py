"""Solutions equal up to the names of hidden states: restarts that found the same thing, and tables to be compared.

Swapping the states of a hidden variable, in all tables that hold it, changes no probability of what is observed. Two
restarts that differ only by that are one solution. Of a Markov network expected counts are compared instead of
parameters: factors that overlap can share out the same distribution in many ways.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import TypeVar

import numpy as np

from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.model.arrays import Floats, Ints
from engine.model.dataset import Role
from engine.model.network import MarkovNetwork

SAME_PARAMETERS = 0.02
"""Restarts whose parameters differ by no more than this are one solution; learning stops a little short."""
SAME_OBJECTIVE = 0.05
"""Nats: components whose objectives differ by more are not compared."""
MOST_RELABELLINGS = 2_000
"""Ways to rename hidden states that are tried; a component with more is compared as it is."""


_Table = TypeVar("_Table", Floats, Ints)


@dataclass(frozen=True, eq=False)
class Relabelling:
    """A way to rename the states of hidden variables.

    Attributes
    ----------
    orders : dict from variable to tuple of int
        Per variable whose states may be renamed, the states that take the places of the first, the second, …
    source : array (parameters,)
        Where each parameter comes from.
    """

    orders: dict[int, tuple[int, ...]]
    source: Ints


def group_restarts(snapshot: Snapshot) -> tuple[int, ...]:
    """Per restart the number of its solution, from 0, by falling objective."""
    task = snapshot.task
    order = np.argsort(-snapshot.objective.sum(axis=1), kind="stable").tolist()
    components = range(len(task.decomposition.components) if task.is_decomposed else 0)
    label = np.zeros((len(order), len(components)), dtype=np.int64)
    for k in components:
        label[:, k] = _group_component(snapshot, k, order)
    numbers: dict[tuple[int, ...], int] = {}
    groups = [0] * len(order)
    for r in order:
        groups[r] = numbers.setdefault(tuple(label[r].tolist()), len(numbers))
    return tuple(groups)


def _group_component(snapshot: Snapshot, k: int, order: Sequence[int]) -> list[int]:
    """Per restart, the first restart (in the order) with the same solution of a component."""
    task = snapshot.task
    values, heights = snapshot.theta, snapshot.objective[:, k]
    if isinstance(task.network, MarkovNetwork):
        values, heights = snapshot.counts / task.decomposition.dataset.total_weight, snapshot.objective.sum(axis=1)
    inside = np.flatnonzero(task.objective.component == k)
    ways = list(_relabellings(task, k))
    found: list[int] = []
    groups = [-1] * len(order)
    for r in order:
        variants = [way.source[inside] for way in ways]
        for other in found:
            if abs(heights[r] - heights[other]) > SAME_OBJECTIVE:
                continue
            same = any(np.abs(values[r, way] - values[other, inside]).max() <= SAME_PARAMETERS for way in variants)
            if same:
                groups[r] = other
                break
        else:
            found.append(r)
            groups[r] = r
    return groups


def _relabellings(task: LearningTask, k: int) -> Iterator[Relabelling]:
    """Every way to rename the hidden states of a component; only the one that changes nothing, where there are many."""
    network, roles = task.network, task.decomposition.dataset.roles
    component = task.decomposition.components[k]
    hidden = [v for v in component.variables if roles[v] is Role.HIDDEN and network.variables[v].cardinality > 1]
    sizes = [network.variables[v].cardinality for v in hidden]
    if math.prod(math.factorial(size) for size in sizes) > MOST_RELABELLINGS:
        hidden, sizes = [], []
    touched = [f for f in component.factors if any(v in network.scopes[f] for v in hidden)]
    every = np.arange(task.layout.size)
    for orders in product(*(permutations(range(size)) for size in sizes)):
        chosen = dict(zip(hidden, orders, strict=True))
        source = every.copy()
        for f in touched:
            start, end = task.layout.starts[f], task.layout.starts[f + 1]
            table = every[start:end].reshape(network.tables[f].shape)
            source[start:end] = relabel_table(table, network.scopes[f], chosen).reshape(-1)
        yield Relabelling(chosen, source)


def find_relabelling(
    task: LearningTask, factor: int, values: Floats, like: Floats, weights: Floats | None = None
) -> Relabelling:
    """The renaming of hidden states in the component of a factor that brings parameters closest to others.

    Parameters
    ----------
    factor : int
    values, like : array (parameters,)
        What is renamed, and what it shall be close to, by the sum of the differences of the component's parameters.
    weights : array (parameters,), optional
        How much the difference of each value counts; as much as any other, unless told.
    """
    k = task.decomposition.component_of[factor]
    if k < 0:  # a hidden leaf, of which the data says nothing
        return Relabelling({}, np.arange(task.layout.size))
    weights = np.ones(task.layout.size) if weights is None else weights
    starts = task.layout.starts
    inside = np.concatenate([np.arange(starts[f], starts[f + 1]) for f in task.decomposition.components[k].factors])

    def distance(way: Relabelling) -> float:
        source = way.source[inside]
        # Rounded, so that of ways that are equally close the first is taken: nothing is renamed.
        return round(float((weights[source] * np.abs(values[source] - like[inside])).sum()), 9)

    return min(_relabellings(task, k), key=distance)


def relabel_table(table: _Table, scope: Sequence[int], orders: Mapping[int, Sequence[int]]) -> _Table:
    """A table over a scope with states renamed: those of variable v now stand in ``orders[v]``."""
    for axis, v in enumerate(scope):
        if v in orders:
            table = table.take(orders[v], axis=axis)
    return table
