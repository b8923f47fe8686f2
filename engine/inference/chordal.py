"""Markov networks with arrows: what a chordal graph allows, exactly.

A graph is chordal if each of its cycles of four or more variables has a chord. Its variables can then be ordered so
that the earlier neighbours of each are all joined with each other; these become its parents. Summed out in the other
direction, each variable leaves a table over its parents, which it can be divided by: what remains is its CPT.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from engine.inference.graphs import Graph, as_mask, bits, components, joined
from engine.model.arrays import Floats
from engine.model.errors import ModelError
from engine.model.messages import shorten
from engine.model.network import MOST_AXES, BayesianNetwork, MarkovNetwork, Network, table_shape

MOST_CELLS = 50_000_000
"""The most cells that all tables have together, unless told otherwise."""
MOST_NAMED = 8
"""Variables of a cycle that are named."""


def as_bayesian(network: Network, most_cells: int = MOST_CELLS) -> BayesianNetwork:
    """The Bayesian network of the same distribution and graph; one that is Bayesian as it is.

    Raises
    ------
    ModelError
        Naming a cycle without a chord, if the graph has one: it has no arrows of the same meaning then. Or if its
        tables would have more cells than these.
    """
    if isinstance(network, BayesianNetwork):
        return network
    graph = dict.fromkeys(range(len(network.variables)), 0) | joined(network.scopes)
    order = order_by_neighbours(graph)
    parents: list[tuple[int, ...]] = [()] * len(order)
    earlier = 0
    for v in order:
        parents[v] = tuple(bits(graph[v] & earlier))
        earlier |= 1 << v
        if not _is_clique(graph, parents[v]):
            _refuse(network, find_chordless_cycle(graph, v))
    _check_cells(network, [(*parents[v], v) for v in order], most_cells)
    return BayesianNetwork(network.variables, tuple(parents), tuple(_divide(network, parents, order)))


def order_by_neighbours(graph: Graph) -> list[int]:
    """The nodes 0, 1, …, next always one with the most neighbours before it (maximum cardinality search).

    If the graph is chordal, the earlier neighbours of each are all joined with each other.

    >>> order_by_neighbours(joined([(0, 2), (2, 1)]))
    [0, 2, 1]
    """
    known = [0] * len(graph)
    waiting: list[list[int]] = [sorted(graph, reverse=True)]  # by how many neighbours are known; some are out of date
    order: list[int] = []
    is_done = [False] * len(graph)
    while waiting:
        if not waiting[-1]:
            waiting.pop()
            continue
        v = waiting[-1].pop()
        if is_done[v] or known[v] != len(waiting) - 1:
            continue
        is_done[v] = True
        order.append(v)
        for u in reversed(list(bits(graph[v]))):
            if not is_done[u]:
                known[u] += 1
                if known[u] == len(waiting):
                    waiting.append([])
                waiting[known[u]].append(u)
    return order


def find_chordless_cycle(graph: Graph, first: int = 0) -> list[int]:
    """Nodes along a cycle of four or more, joined only with the next; the smallest first. Empty for a chordal graph.

    Parameters
    ----------
    first : int
        A node to look at first.

    >>> find_chordless_cycle(joined([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]))
    [0, 1, 2, 3]
    """
    every = as_mask(graph)
    for v in [first, *(u for u in graph if u != first)]:
        # Two neighbours that are not joined, and a way between them past all others.
        for part in components(graph, every & ~graph[v] & ~(1 << v)):
            touched = [u for u in bits(graph[v]) if graph[u] & part]
            for a in touched:
                for b in touched:
                    if a < b and not graph[a] >> b & 1:
                        cycle = [v, *_find_way(graph, a, b, part | 1 << a | 1 << b)]
                        start = cycle.index(min(cycle))
                        return cycle[start:] + cycle[:start]
    return []


def _find_way(graph: Graph, start: int, end: int, within: int) -> list[int]:
    """A shortest way, which has no chord."""
    came_from, open_ones = {start: start}, deque([start])
    while end not in came_from:
        here = open_ones.popleft()
        for u in bits(graph[here] & within):
            if u not in came_from:
                came_from[u] = here
                open_ones.append(u)
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def _is_clique(graph: Graph, nodes: Sequence[int]) -> bool:
    mask = as_mask(nodes)
    return all(mask & ~graph[v] == 1 << v for v in nodes)


def _divide(network: MarkovNetwork, parents: Sequence[tuple[int, ...]], order: Sequence[int]) -> list[Floats]:
    """Per variable, its CPT: variables are summed out, the last first, in logarithms."""
    place = {v: k for k, v in enumerate(order)}
    waiting: list[list[tuple[tuple[int, ...], Floats]]] = [[] for _ in order]  # by the variable that comes last
    for scope, table in zip(network.scopes, network.tables, strict=True):
        logs = np.log(table, out=np.full(table.shape, -np.inf), where=table > 0)
        if scope:
            waiting[max(scope, key=place.__getitem__)].append((scope, logs))
        elif not table:
            _refuse_nothing()
    tables: list[Floats] = [np.empty(0)] * len(order)
    for v in reversed(order):
        family = (*parents[v], v)
        total = np.zeros(table_shape(network.variables, family))
        for scope, logs in waiting[v]:
            total += _spread(logs, scope, family)
        tables[v], rest = _normalise(total)
        if parents[v]:
            waiting[max(parents[v], key=place.__getitem__)].append((parents[v], rest))
        elif rest == -np.inf:
            _refuse_nothing()
    return tables


def _spread(logs: Floats, scope: Sequence[int], family: Sequence[int]) -> Floats:
    """A table over some variables of a family, with an axis for each of them."""
    within = [v for v in family if v in scope]
    moved = logs.transpose([scope.index(v) for v in within])
    return moved[tuple(slice(None) if v in within else None for v in family)]


def _normalise(logs: Floats) -> tuple[Floats, Floats]:
    """Rows as distributions, uniform where all is impossible; and the logarithms of their sums."""
    largest = logs.max(axis=-1, keepdims=True)
    possible = largest > -np.inf
    scaled = np.exp(logs - np.where(possible, largest, 0.0))
    sums = np.where(possible, scaled.sum(axis=-1, keepdims=True), 1.0)
    rows = np.where(possible, scaled / sums, 1 / logs.shape[-1])
    return rows, np.asarray(largest + np.log(sums))[..., 0]


def _check_cells(network: Network, families: Sequence[Sequence[int]], most: int) -> None:
    cells = [math.prod(table_shape(network.variables, family)) for family in families]
    widest = max(families, key=len, default=())
    if sum(cells) > most or len(widest) > MOST_AXES:
        what = f"{shorten(network.variables[widest[-1]].name)} and {len(widest) - 1} others, which are all connected"
        raise ModelError(
            f"the tables would be too large, one of them over {what}; at most {most:,} cells in all, and {MOST_AXES} "
            "variables in one, are supported: remove edges between these"
        )


def _refuse(network: Network, cycle: Sequence[int]) -> None:
    names = [shorten(network.variables[v].name) for v in cycle]
    left_out = ["…"] if len(names) > MOST_NAMED else []
    shown = " – ".join([*names[:MOST_NAMED], *left_out, names[0]])
    raise ModelError(
        f"no arrows can say the same as these factors: the cycle {shown} has no chord; "
        f"connect two of its variables that are not next to each other, such as {names[0]} and {names[2]} "
        "(an edge of ones changes no probability), until no such cycle is left"
    )


def _refuse_nothing() -> None:
    raise ModelError("the factors rule out everything: no configuration is possible; change a table")
