"""Components of open variables: what is left to sum in a row once its observed variables are indices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine.inference.graphs import Graph, as_mask, bits
from engine.model.arrays import Bools, Ints, find_ranges
from engine.model.distinct import distinct_rows


class Patterns:
    """Which variables are open, in the rows of a block: rows with the same ones open share a pattern.

    Parameters
    ----------
    variables : sequence of int
    open_cells : array (variables, rows)
    """

    def __init__(self, variables: Sequence[int], open_cells: Bools) -> None:
        self._variables, self._open_cells = variables, open_cells
        ranges = [(0, 1)] * len(variables)
        self._representative, self._pattern = distinct_rows(open_cells.view(np.int8), open_cells.shape[1], ranges)

    def __len__(self) -> int:
        return len(self._representative)

    @cached_property
    def _rows(self) -> tuple[Ints, Ints]:
        """The rows by their patterns, and where those of each pattern begin; last, where they end."""
        return _sort_groups(self._pattern, len(self))

    def find_components(self, graph: Graph) -> dict[int, Ints]:
        """For each distinct component of open variables, as a bit set, the patterns it occurs in.

        All patterns are taken at once: they are one graph with a node for each open variable of each.
        """
        cells = np.ascontiguousarray(self._open_cells[:, self._representative].T)
        pattern, variable = np.nonzero(cells)
        first, component = _number_as_they_appear(_label_nodes(cells, self._find_edges(graph)))
        order, starts = _sort_groups(component, len(first))
        members, home = np.array(self._variables)[variable[order]], pattern[first]
        first, kind = _find_equal(members, starts)
        order, ends = _sort_groups(kind, len(first))
        return {
            as_mask(members[starts[one] : starts[one + 1]].tolist()): home[order[ends[k] : ends[k + 1]]]
            for k, one in enumerate(first)
        }

    def _find_edges(self, graph: Graph) -> list[tuple[int, int]]:
        """The graph's edges between the variables, by their places here."""
        place = {v: k for k, v in enumerate(self._variables)}
        return [(place[u], place[v]) for u in self._variables for v in bits(graph.get(u, 0)) if u < v and v in place]

    def rows(self, patterns: Ints) -> Ints:
        """The rows that have one of some patterns."""
        order, starts = self._rows
        return np.asarray(order[find_ranges(starts[patterns], starts[patterns + 1] - starts[patterns])])


def _label_nodes(cells: Bools, edges: Sequence[tuple[int, int]]) -> Ints:
    """For each open cell (pattern, variable), row by row, which component it is in."""
    number = np.cumsum(cells.reshape(-1)).reshape(cells.shape) - 1
    nodes = int(number[-1, -1]) + 1
    ends: list[Ints] = [np.empty((2, 0), dtype=np.int64)]
    for u, v in edges:
        both = np.flatnonzero(cells[:, u] & cells[:, v])
        ends.append(number[both[np.newaxis], [[u], [v]]])
    return _label_components(nodes, *np.concatenate(ends, axis=1))


def _label_components(nodes: int, one: Ints, other: Ints) -> Ints:
    """For each node of a graph with edges from one to other nodes, the first node of its component.

    Every node points to a node before it or to itself. The last nodes of such paths are joined along the edges
    until no edge joins two of them. (SciPy would do, but takes a third of a second to import.)
    """
    label: Ints = np.arange(nodes)
    while True:
        low, high = np.minimum(label[one], label[other]), np.maximum(label[one], label[other])
        apart = low < high
        if not apart.any():
            return label
        one, other = one[apart], other[apart]
        np.minimum.at(label, high[apart], low[apart])
        while not np.array_equal(label, further := label[label]):
            label = further


def _find_equal(members: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Of sets of variables, the first of each kind, and each one's kind; the k-th set begins at ``starts[k]``.

    They are told apart by their sizes, then by their first variables, then by their second ones, and so on:
    every variable is looked at once.
    """
    sizes = np.diff(starts)
    largest = int(sizes.max(initial=0))
    kind, kinds = sizes.copy(), largest + 1
    left: Ints = np.arange(len(sizes))
    for step in range(largest):
        left = left[sizes[left] > step]
        found, group = distinct_rows([kind[left], members[starts[left] + step]], len(left))
        kind[left] = kinds + group
        kinds += len(found)
    return _number_as_they_appear(kind)


def _number_as_they_appear(values: Ints) -> tuple[Ints, Ints]:
    """Where each distinct value stands first, in ascending order, and for each value which of these it is."""
    first, group = distinct_rows([values], len(values))
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[group]


def _sort_groups(group: Ints, groups: int) -> tuple[Ints, Ints]:
    """What is in each group, group by group, and where each group begins; last, where they end."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=groups))])
    return np.argsort(group, kind="stable"), starts
