"""Undirected graphs as bit sets: moralisation and components.

A graph maps each node to its neighbours as a Python integer whose bit j says that j is one of them:
whole neighbourhoods are compared in one operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Graph = dict[int, int]


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
        nodes, mask = sorted(scope), 0
        for node in nodes:
            mask |= 1 << node
        for node in nodes:
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
