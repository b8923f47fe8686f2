"""Directed graphs as a search changes them: who reaches whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.model.arrays import Bools, Ints
from engine.model.network import Cycle, topological_order


def find_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Variables along a directed cycle, the first repeated at the end; empty where there is none."""
    order = topological_order(parents)
    return order if isinstance(order, Cycle) else []


def sort_parents(parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The same structure with the parents of each variable in ascending order."""
    return tuple(tuple(sorted(family)) for family in parents)


class Graph:
    """A directed acyclic graph that is changed arrow by arrow.

    Attributes
    ----------
    parents : tuple of tuple of int
        Per variable its parents, in ascending order.
    arrows : array (variables, variables) of bool
        Per child and parent, whether there is an arrow.
    reach : array (variables, variables) of bool
        Per pair, whether arrows lead from the first to the second; each reaches itself.
    """

    def __init__(self, parents: Sequence[Sequence[int]]) -> None:
        n = len(parents)
        self.parents = sort_parents(parents)
        self.arrows = np.zeros((n, n), dtype=bool)
        self.reach = np.eye(n, dtype=bool)
        for child in topological_order(parents):
            for parent in parents[child]:
                self.arrows[child, parent] = True
                self.reach[:, child] |= self.reach[:, parent]

    def add(self, parent: int, child: int) -> None:
        """Add an arrow that closes no cycle."""
        self._set(child, tuple(sorted((*self.parents[child], parent))))
        self.arrows[child, parent] = True
        self.reach |= self.reach[:, parent, None] & self.reach[child]

    def delete(self, parent: int, child: int) -> None:
        """Take an arrow away."""
        self._set(child, tuple(p for p in self.parents[child] if p != parent))
        self.arrows[child, parent] = False
        self._find_reach(self.reach[:, parent].nonzero()[0])

    def find_reversible(self, parent: Ints, child: Ints) -> Bools:
        """Which of some arrows can be turned: no other way leads from the parent to the child."""
        ways = (self.reach[parent] & self.arrows[child]).sum(axis=1)
        return np.asarray(ways == 1)  # through the parent itself

    def _set(self, child: int, family: tuple[int, ...]) -> None:
        self.parents = (*self.parents[:child], family, *self.parents[child + 1 :])

    def _find_reach(self, changed: Ints) -> None:
        """Find anew what some variables reach, after an arrow has gone."""
        # Who reaches another reaches more than it does: also before the arrow went.
        for v in changed[self.reach[changed].sum(axis=1).argsort()].tolist():
            row = np.asarray(self.reach[self.arrows[:, v]].any(axis=0))
            row[v] = True
            self.reach[v] = row
