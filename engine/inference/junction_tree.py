"""Junction trees: cliques of a triangulated graph, arranged so that messages can pass between them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from engine.inference.graphs import bits, joined
from engine.inference.orders import SMALL, find_order
from engine.inference.text_tables import format_count, format_table

MOST_COUNTED = 10**30
"""Cells of a table that no memory will ever hold: larger ones count as this."""


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """A tree (or forest) of cliques, children before parents.

    Every tuple of variables is in elimination order, so that the variables a clique does not share
    with its parent come first: summing them out is a sum over the leading axis.

    Attributes
    ----------
    cardinalities : mapping from variable to int
    cliques, separators : tuple of tuple of int
        A clique's separator is what it shares with its parent; empty at a root.
    parents : tuple of int
        The parent of each clique, −1 at a root.
    adds_edges : bool
        Whether the triangulation joined what no scope does; where it does not, no other order is better.
    """

    cardinalities: Mapping[int, int]
    cliques: tuple[tuple[int, ...], ...]
    separators: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]
    adds_edges: bool

    @cached_property
    def eliminated_in(self) -> dict[int, int]:
        """For each variable, in elimination order, the clique that it is summed out of.

        A scope lies in the clique that eliminates its first variable.
        """
        return {
            variable: k
            for k, (clique, separator) in enumerate(zip(self.cliques, self.separators, strict=True))
            for variable in clique[: len(clique) - len(separator)]
        }

    @cached_property
    def position(self) -> dict[int, int]:
        """For each variable, its place in the elimination order."""
        return {variable: k for k, variable in enumerate(self.eliminated_in)}

    def shape(self, scope: Sequence[int]) -> tuple[int, ...]:
        """How many states each variable of a scope has."""
        return tuple(self.cardinalities[v] for v in scope)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each clique's table, at most :data:`MOST_COUNTED`."""
        return tuple(min(MOST_COUNTED, math.prod(self.shape(clique))) for clique in self.cliques)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each clique."""
        found: list[list[int]] = [[] for _ in self.cliques]
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(child)
        return tuple(map(tuple, found))

    @property
    def cells(self) -> int:
        """The number of cells of all cliques."""
        return sum(self.sizes)

    @property
    def largest(self) -> int:
        """The number of cells of the largest clique."""
        return max(self.sizes, default=0)

    @property
    def width(self) -> int:
        """The width of the triangulation, an upper bound of the treewidth: largest clique − 1."""
        return max((len(clique) for clique in self.cliques), default=1) - 1

    def __str__(self) -> str:
        """What the tree costs, and its cliques by the states of their variables, largest first.

        >>> print(compile_tree([2, 2, 3, 2], [(0, 1), (1, 2), (2, 3)]))
        4 variables in 3 cliques: width 1, largest table 6 cells, 16 cells in all
        cliques  cells of each  states
              2              6     2·3
              1              4     2^2
        """
        kinds = Counter(tuple(sorted(self.cardinalities[v] for v in clique)) for clique in self.cliques)
        cells = {states: math.prod(states) for states in kinds}
        lines = [
            [f"{kinds[states]:,}", format_count(cells[states]), _show_powers(states)]
            for states in sorted(kinds, key=lambda states: (-cells[states], states))
        ]
        about = (
            f"{len(self.position):,} variables in {len(self.cliques):,} cliques: width {self.width}, "
            f"largest table {format_count(self.largest)} cells, {format_count(self.cells)} cells in all"
        )
        return "\n".join([about, format_table(["cliques", "cells of each", "states"], lines)])


def _show_powers(states: tuple[int, ...]) -> str:
    """A product of numbers in order, equal ones as a power."""
    return "·".join(f"{n}^{k}" if k > 1 else str(n) for n, k in Counter(states).items())


def compile_tree(cardinalities: Sequence[int], scopes: Sequence[Sequence[int]], uses: float = 1.0) -> JunctionTree:
    """A junction tree in which every scope lies in a clique, with few cells in all.

    Parameters
    ----------
    cardinalities : sequence of int
        Of all variables, by index; variables in no scope are not in the tree.
    scopes : sequence of sequences of int
        None may be empty.
    uses : float
        How often its tables will be computed: the more often, the longer we look for a good tree.
    """
    graph = joined(scopes)
    sizes = {node: cardinalities[node] for node in graph}
    others = len(graph) - 1
    if others >= 0 and all(around.bit_count() == others for around in graph.values()):  # one clique, in any order
        return JunctionTree(sizes, (tuple(sorted(graph, reverse=True)),), ((),), (-1,), adds_edges=False)
    buckets, rest = find_order(graph, sizes, uses)
    # A bucket's neighbours are edges of the triangulation, each of them counted once; the graph's are so twice.
    before = sum(around.bit_count() for around in graph.values()) // 2
    adds_edges = rest > 0 or sum(around.bit_count() for _, around in buckets) > before
    return _build(sizes, buckets, rest, adds_edges)


def share_tree(cardinalities: tuple[int, ...], scopes: tuple[tuple[int, ...], ...], uses: float) -> JunctionTree:
    """A tree as :func:`compile_tree` finds it: the same object each time, for a few different numbers of uses."""
    tree = _compile_once(cardinalities, scopes, 0.0)
    if not uses or tree.cells <= SMALL or not tree.adds_edges:
        return tree
    return _compile_once(cardinalities, scopes, uses if uses == math.inf else 4.0 ** math.floor(math.log(uses, 4)))


_compile_once = lru_cache(maxsize=4096)(compile_tree)


def _build(
    cardinalities: Mapping[int, int], buckets: Sequence[tuple[int, int]], rest: int, adds_edges: bool
) -> JunctionTree:
    """The tree of the buckets of an elimination, with what was not eliminated as one clique."""
    core = tuple(bits(rest))
    position = {node: k for k, node in enumerate([*(node for node, _ in buckets), *core])}
    around = dict(buckets) | dict.fromkeys(core, 0)
    first = {node: min(bits(around[node]), key=position.__getitem__, default=-1) for node in around}
    clique_of = dict.fromkeys(core, core[0]) if core else {}
    _merge_buckets(buckets, around, first, clique_of)
    members: dict[int, int] = {core[0]: rest} if core else {}  # clique → its variables
    last: dict[int, int] = {core[0]: core[0]} if core else {}  # clique → the last variable that is eliminated in it
    for node, neighbours in buckets:
        clique = clique_of[node]
        members[clique] = members.get(clique, 0) | neighbours | 1 << node
        last[clique] = node
    above = {clique: clique_of[first[node]] if first[node] >= 0 else -1 for clique, node in last.items()}
    order = _children_first(above)
    number = {clique: k for k, clique in enumerate(order)}

    def ordered(mask: int) -> tuple[int, ...]:
        return tuple(sorted(bits(mask), key=rank.__getitem__))

    # Number the variables again by the clique that eliminates them, so that children-first holds for both.
    rank = {node: k for k, node in enumerate(sorted(around, key=lambda v: (number[clique_of[v]], position[v])))}
    return JunctionTree(
        cardinalities,
        tuple(ordered(members[clique]) for clique in order),
        tuple(ordered(around[last[clique]]) for clique in order),
        tuple(number.get(above[clique], -1) for clique in order),
        adds_edges,
    )


def _merge_buckets(
    buckets: Sequence[tuple[int, int]], around: dict[int, int], first: dict[int, int], clique_of: dict[int, int]
) -> None:
    """Find for each node the clique (named by a node) that holds its bucket: buckets inside another are merged."""
    for node, neighbours in buckets:
        clique = clique_of.setdefault(node, node)
        parent = first[node]
        # The parent's bucket always contains the other neighbours; equal size means it adds nothing.
        if parent >= 0 and parent not in clique_of and around[parent].bit_count() == neighbours.bit_count() - 1:
            clique_of[parent] = clique


def _children_first(above: dict[int, int]) -> list[int]:
    """Cliques ordered so that each comes before its parent, −1 standing for none."""
    children: dict[int, list[int]] = {}
    for clique, parent in above.items():
        children.setdefault(parent, []).append(clique)
    order, stack = [], list(children.get(-1, []))
    while stack:
        clique = stack.pop()
        order.append(clique)
        stack.extend(children.get(clique, []))
    return order[::-1]
