"""Elimination orders: in which order to sum out variables, so that the tables on the way stay small.

Nobody knows the best order, and a greedy one can be ten times worse than another greedy one that breaks
its ties otherwise. So we try several, at random, as long as that is little against the work ahead. The
work is counted, not timed: the same graph has the same order on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Self

import numpy as np

from engine.inference.graphs import Graph, as_mask, bits

HOPELESS = 2**64
"""Cells of a clique beyond which it makes no difference how the rest is triangulated."""
SMALL = 2**12
"""Cells in all up to which we found nothing better than two greedy orders."""
OUT_OF_REACH = 2**36
"""Cells in all, over a terabyte, beyond which an order ten times better would still be no use."""
SECONDS_PER_USE = 2e-8
"""What a cell of a clique costs each time that the tree is used."""
SECONDS_PER_SCORE = 6e-6
"""What a score costs that changed because a node was eliminated, with all that led to it."""
SHARE = 1 / 8
"""The search may take this part of the work that is ahead."""
MOST_TRIES = 48
MOST_SCORED = 10**6
"""Scores after which a search ends, some seconds, whatever lies ahead."""
RECIPES = ((1.0, 1.0, 2.5), (1.0, 0.0, 1.0), (1.0, 0.0, 2.5), (0.0, 1.0, 1.0))
"""Ways to score a node: so much for each edge it would add, so much for the binary logarithm of the cells of
its clique, and up to so much of chance, drawn once for a node: scores nearer than that may change places."""

Score = Callable[["Elimination", int], object]


class Elimination:
    """A graph while its nodes are eliminated one by one, the neighbours of each being joined.

    Attributes
    ----------
    rest : int
        The nodes that are left, as a bit set.
    cells, missing : dict from node to int
        The cells of the clique that eliminating the node would make, and the edges it would add.
    buckets : list of (node, neighbours)
        What was eliminated; the neighbours are those left when the node went, as a bit set. A node
        and its neighbours are a clique of the triangulated graph.
    total : int
        The cells of the cliques so far, those inside others not counted.
    scored : int
        How many scores have changed, a measure of the time taken.
    """

    def __init__(self, graph: Graph, cardinalities: Mapping[int, int]) -> None:
        self.graph = dict(graph)
        self.cardinalities = cardinalities
        self.rest = as_mask(graph)
        self.cells: dict[int, int] = {}
        self.missing: dict[int, int] = {}
        for node, around in graph.items():
            cells, twice = cardinalities[node], 0
            for neighbour in bits(around):
                cells *= cardinalities[neighbour]
                twice += (around & ~graph[neighbour]).bit_count() - 1
            self.cells[node], self.missing[node] = cells, twice // 2
        self.buckets: list[tuple[int, int]] = []
        self.total = 0
        self.scored = 0
        self._separators: set[int] = set()

    def copy(self) -> Self:
        """The same state, to go on from in another way."""
        other = object.__new__(type(self))
        other.graph, other.cardinalities, other.rest = self.graph.copy(), self.cardinalities, self.rest
        other.cells, other.missing = self.cells.copy(), self.missing.copy()
        other.buckets, other.total, other.scored = self.buckets.copy(), self.total, 0
        other._separators = self._separators.copy()
        return other

    def eliminate(self, node: int) -> int:
        """Eliminate a node, and return those whose scores may have changed, as a bit set."""
        graph, cells, missing = self.graph, self.cells, self.missing
        around, cardinality = graph[node], self.cardinalities[node]
        self._add_bucket(node, around)
        neighbours = tuple(bits(around))
        for neighbour in neighbours:
            left = graph[neighbour] = graph[neighbour] ^ (1 << node)
            missing[neighbour] -= (left & ~around).bit_count()
            cells[neighbour] //= cardinality
        touched = around
        if missing[node]:
            for neighbour in neighbours:
                for other in bits((around & ~graph[neighbour]) >> neighbour + 1 << neighbour + 1):
                    touched |= self._join(neighbour, other)
        self.scored += touched.bit_count()
        return touched

    def eliminate_complete(self) -> None:
        """Eliminate all that is left, of which every two are neighbours."""
        for node in bits(self.rest):
            self._add_bucket(node, self.rest ^ (1 << node))

    def is_complete(self, node: int) -> bool:
        """Whether every two of the nodes that are left are neighbours; the node is one of them."""
        others = self.rest.bit_count() - 1
        return self.graph[node].bit_count() == others and all(
            self.graph[other].bit_count() == others for other in bits(self.rest)
        )

    def _add_bucket(self, node: int, around: int) -> None:
        self.buckets.append((node, around))
        # A clique inside another is what an earlier node left behind.
        if around | 1 << node not in self._separators:
            self.total += self.cells[node]
        self._separators.add(around)
        self.rest ^= 1 << node

    def _join(self, one: int, other: int) -> int:
        """Add an edge, and return the common neighbours, which miss one edge less."""
        graph, cells, missing, cardinalities = self.graph, self.cells, self.missing, self.cardinalities
        common = graph[one] & graph[other]
        shared = common.bit_count()
        missing[one] += graph[one].bit_count() - shared
        missing[other] += graph[other].bit_count() - shared
        for node in bits(common):
            missing[node] -= 1
        graph[one] |= 1 << other
        graph[other] |= 1 << one
        cells[one] *= cardinalities[other]
        cells[other] *= cardinalities[one]
        return common


def find_order(
    graph: Graph, cardinalities: Mapping[int, int], uses: float = 1.0, seed: int = 0
) -> tuple[list[tuple[int, int]], int]:
    """Eliminate all nodes in an order that makes cliques of few cells in all.

    Nodes whose neighbours are all joined go first, which no order can better. From what is left we go on
    by least cells, by fewest added edges, and then at random for as long as it pays.

    Parameters
    ----------
    uses : float
        How often the cliques' tables will be computed.
    seed : int
        Of the random orders.

    Returns
    -------
    list of (node, neighbours)
        The :attr:`Elimination.buckets`.
    rest : int
        The nodes that were not eliminated, as a bit set: 0 unless it is hopeless.
    """
    start = Elimination(graph, cardinalities)
    _eliminate_simplicial(start)
    if not start.rest:
        return start.buckets, 0
    best = start.copy()
    if not _run(best, lambda state, node: (state.cells[node], node), stop_at=HOPELESS):
        return best.buckets, best.rest
    other = start.copy()
    if _run(other, lambda state, node: (state.missing[node], state.cells[node], node), below=best.total):
        best = other
    return _search(start, best, uses, seed).buckets, 0


def find_order_in_two(graph: Graph, cardinalities: Mapping[int, int], first: int) -> tuple[list[tuple[int, int]], int]:
    """Eliminate the nodes below ``first``, and then all others; what is returned is as of :func:`find_order`.

    The better of the orders by least cells and by fewest added edges. Nodes that are all joined are eliminated in the
    order of their numbers, so that those below ``first`` come first there too.
    """
    best = Elimination(graph, cardinalities)
    if not _run(best, lambda state, node: (node >= first, state.cells[node], node), stop_at=HOPELESS):
        return best.buckets, best.rest
    other = Elimination(graph, cardinalities)
    if _run(other, lambda state, node: (node >= first, state.missing[node], node), below=best.total):
        best = other
    return best.buckets, 0


def _search(start: Elimination, best: Elimination, uses: float, seed: int) -> Elimination:
    """The best of random orders, and of one already found, that go on from a start."""
    nodes, spent = tuple(bits(start.rest)), best.scored
    tries = MOST_TRIES if SMALL < best.total <= OUT_OF_REACH else 0
    for number, recipe in enumerate(itertools.islice(itertools.cycle(RECIPES), tries)):
        spent += best.scored  # about what this one will take
        if spent > min(MOST_SCORED, SHARE * uses * best.total * SECONDS_PER_USE / SECONDS_PER_SCORE):
            break
        noise = np.random.default_rng([seed, number]).random(len(nodes)).tolist()
        other = start.copy()
        if _run(other, _mix(recipe, dict(zip(nodes, noise, strict=True))), below=best.total):
            best = other
    return best


def _mix(recipe: tuple[float, float, float], noise: Mapping[int, float]) -> Score:
    """A score of :data:`RECIPES`."""
    edges, size, spread = recipe
    if not size:
        return lambda state, node: edges * state.missing[node] + spread * noise[node]
    return lambda state, node: edges * state.missing[node] + size * math.log2(state.cells[node]) + spread * noise[node]


def _run(state: Elimination, score: Score, *, below: float = math.inf, stop_at: float = math.inf) -> bool:
    """Eliminate all nodes, each time one of least score; whether it came to an end.

    Parameters
    ----------
    below : float
        Give up when there are this many cells in all.
    stop_at : float
        Stop before a clique of more cells than this: beyond, a graph of thousands of nodes fills up,
        and every step takes long.
    """
    current = {node: score(state, node) for node in bits(state.rest)}
    queue = [(value, node) for node, value in current.items()]
    heapq.heapify(queue)
    while state.rest:
        value, node = heapq.heappop(queue)
        if current.get(node) != value:
            continue
        if state.cells[node] > stop_at:
            return False
        if state.is_complete(node):
            state.eliminate_complete()
        else:
            del current[node]
            for changed in bits(state.eliminate(node)):
                value = score(state, changed)
                if value != current[changed]:
                    current[changed] = value
                    heapq.heappush(queue, (value, changed))
        if state.total >= below:
            return False
    return True


def _eliminate_simplicial(state: Elimination) -> None:
    """Eliminate nodes whose neighbours are all joined, as long as there are any."""
    waiting = [node for node, missing in state.missing.items() if not missing]
    while waiting:
        node = waiting.pop()
        if state.rest >> node & 1:
            waiting += [other for other in bits(state.eliminate(node)) if not state.missing[other]]
