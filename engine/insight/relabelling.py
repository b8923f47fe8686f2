"""Restarts that found the same thing: solutions equal up to the names of hidden states.

Swapping the states of a hidden variable, in all tables that hold it, changes no probability of what is observed. Two
restarts that differ only by that are one solution. Of a Markov network expected counts are compared instead of
parameters: factors that overlap can share out the same distribution in many ways.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.dataset import Role
from engine.model.network import MarkovNetwork

SAME_PARAMETERS = 0.02
"""Restarts whose parameters differ by no more than this are one solution; learning stops a little short."""
SAME_OBJECTIVE = 0.05
"""Nats: components whose objectives differ by more are not compared."""
MOST_RELABELLINGS = 2_000
"""Ways to rename hidden states that are tried; a component with more is compared as it is."""


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
        variants = [way[inside] for way in ways]
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


def _relabellings(task: LearningTask, k: int) -> Iterator[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Where each parameter comes from when the hidden states of a component are renamed, in every way."""
    network, roles = task.network, task.decomposition.dataset.roles
    component = task.decomposition.components[k]
    hidden = [v for v in component.variables if roles[v] is Role.HIDDEN and network.variables[v].cardinality > 1]
    sizes = [network.variables[v].cardinality for v in hidden]
    every = np.arange(task.objective.n_parameters)
    if math.prod(math.factorial(size) for size in sizes) > MOST_RELABELLINGS:
        yield every
        return
    touched = [f for f in component.factors if any(v in network.scopes[f] for v in hidden)]
    for orders in product(*(permutations(range(size)) for size in sizes)):
        source = every.copy()
        for f in touched:
            start, end = task.layout.starts[f], task.layout.starts[f + 1]
            table = every[start:end].reshape(network.tables[f].shape)
            for v, chosen in zip(hidden, orders, strict=True):
                if v in network.scopes[f]:
                    table = table.take(chosen, axis=network.scopes[f].index(v))
            source[start:end] = table.reshape(-1)
        yield source


def relabel(task: LearningTask, theta: Floats, like: Floats) -> Floats:
    """Parameters with hidden states renamed so that they are as close as can be to others, component by component."""
    result = theta.copy()
    for k in range(len(task.decomposition.components)):
        inside = np.flatnonzero(task.objective.component == k)
        if inside.size:
            best = min(_relabellings(task, k), key=lambda way: float(np.abs(theta[way[inside]] - like[inside]).sum()))
            result[inside] = theta[best[inside]]
    return result
