"""Undirected graphs as bit sets: moralisation, components, elimination orders.

A graph maps each node to its neighbours as a Python integer whose bit j says that j is one of them:
whole neighbourhoods are compared in one operation.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping

Graph = dict[int, int]
Score = tuple[float, ...]


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def as_mask(nodes: Iterable[int]) -> int:
    """The bit set of some nodes."""
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask


def joined(scopes: Iterable[Iterable[int]]) -> Graph:
    """The graph in which the variables of every scope are joined: the moral graph of a BN.

    >>> {node: list(bits(around)) for node, around in joined([(0, 1), (1, 2)]).items()}
    {0: [1], 1: [0, 2], 2: [1]}
    """
    graph: Graph = {}
    for scope in scopes:
        mask = as_mask(scope)
        for node in bits(mask):
            graph[node] = graph.get(node, 0) | mask
    return {node: around & ~(1 << node) for node, around in graph.items()}


def components(graph: Graph, within: int) -> list[int]:
    """The connected components of the nodes in ``within``, as bit sets, by their first node."""
    found = []
    while within:
        component = frontier = within & -within
        while frontier:
            reached = 0
            for node in bits(frontier):
                reached |= graph.get(node, 0)
            frontier = reached & within & ~component
            component |= frontier
        found.append(component)
        within &= ~component
    return found


def eliminate(
    graph: Graph, score: Callable[[Graph, int], Score], most: float = math.inf, is_local: bool = False
) -> tuple[list[tuple[int, int]], int]:
    """Eliminate all nodes one by one, each time one of least score, joining its neighbours.

    Parameters
    ----------
    most : float
        Stop before a node whose score ends in more than this: beyond, a graph of thousands of nodes
        fills up, and every step takes long.
    is_local : bool
        Whether a node's score only depends on who its neighbours are, not on the edges between them.

    Returns
    -------
    list of (node, neighbours)
        In order of elimination; the neighbours are those left when the node went, as a bit set. A
        node and its neighbours are a clique of the triangulated graph.
    rest : int
        The nodes that were not eliminated, as a bit set: 0 unless we stopped.
    """
    graph = dict(graph)
    current = {node: score(graph, node) for node in sorted(graph)}
    queue = [(value, node) for node, value in current.items()]
    heapq.heapify(queue)
    buckets: list[tuple[int, int]] = []
    while queue:
        value, node = heapq.heappop(queue)
        if current.get(node) != value:
            continue
        if value[-1] > most:
            return buckets, as_mask(current)
        del current[node]
        around = graph[node]
        buckets.append((node, around))
        touched = around
        for neighbour in bits(around):
            before = graph[neighbour]
            graph[neighbour] = (before | around) & ~(1 << neighbour) & ~(1 << node)
            if not is_local and graph[neighbour] & ~before:
                touched |= graph[neighbour]
        for neighbour in bits(touched):
            if neighbour in current:
                value = score(graph, neighbour)
                if value != current[neighbour]:
                    current[neighbour] = value
                    heapq.heappush(queue, (value, neighbour))
    return buckets, 0


def fill_in(graph: Graph, node: int) -> int:
    """How many edges eliminating the node would add."""
    around = graph[node]
    return sum((around & ~graph[neighbour]).bit_count() - 1 for neighbour in bits(around)) // 2


def min_fill(cardinalities: Mapping[int, int]) -> Callable[[Graph, int], Score]:
    """Score by added edges, then by the size of the clique's table."""
    weight = min_weight(cardinalities)
    return lambda graph, node: (fill_in(graph, node), *weight(graph, node))


def min_weight(cardinalities: Mapping[int, int]) -> Callable[[Graph, int], Score]:
    """Score by the logarithm of the clique's table size."""
    logs = {node: math.log(cardinality) for node, cardinality in cardinalities.items()}
    return lambda graph, node: (logs[node] + sum(logs[neighbour] for neighbour in bits(graph[node])),)
