"""Markov boundaries by d-separation, of all kinds of rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from engine.inference.graphs import bits
from engine.model.arrays import Bools, Ints


class _Ball(NamedTuple):
    """Where Bayes ball stands, for rows that have been alike so far.

    Attributes
    ----------
    patterns : array
        The kinds of rows.
    known, unsure : int
        The predecessors that they observe, and those not asked about yet. They do not observe the others.
    up, down : int
        Nodes still to visit, from a child and from a parent.
    top, bottom : int
        Nodes that have passed it on to their parents, and to their children.
    met : int
        The known predecessors that it has visited.
    """

    patterns: Ints
    known: int
    unsure: int
    up: int
    down: int = 0
    top: int = 0
    bottom: int = 0
    met: int = 0


class Separation:
    """Which of the predecessors that a row observes a variable depends on, given all of them.

    Sets of nodes are bit sets. Rows come as *patterns*: those that observe the same nodes have one together.

    Parameters
    ----------
    parents : sequence of int
        Per node, the bit set of its parents; parents have no higher number than their children.
    always : int
        The nodes that all rows observe.
    seen : mapping from node to array (patterns,) of bool
        Of the nodes that some rows observe: which.
    patterns : int
        How many there are.
    """

    def __init__(self, parents: Sequence[int], always: int, seen: Mapping[int, Bools], patterns: int) -> None:
        self._parents, self._always, self._seen = parents, always, seen
        self.patterns = patterns
        self._children = [0] * len(parents)
        self._ancestors: list[int] = []
        for child, mask in enumerate(parents):
            above = 1 << child
            for parent in bits(mask):
                self._children[parent] |= 1 << child
                above |= self._ancestors[parent]
            self._ancestors.append(above)

    def find_boundaries(self, nodes: int, before: int, supposed: int = 0) -> dict[int, Ints]:
        """The Markov boundaries of nodes among the nodes before them, each with the patterns that have it.

        For a row that observes E of the nodes before them, it is the smallest M ⊆ E that d-separates the nodes from the
        rest of E. This is what Bayes ball (Shachter 1998) meets of E on its way from the nodes, which takes time linear
        in what it visits. Here one ball runs for all rows, and becomes two where it comes to a node that some of them
        observe and some do not: there are as many balls in the end as kinds of rows that differ where it matters.

        Parameters
        ----------
        nodes, before : int
        supposed : int
            Nodes that are taken to be observed in every row, whether they are or not.
        """
        relevant = 0
        for known in bits(before | supposed):
            relevant |= self._ancestors[known]
        is_seen = np.ones(self.patterns, dtype=bool)
        for node in bits(nodes):
            if node in self._seen:
                is_seen &= self._seen[node]
        every = np.flatnonzero(is_seen)
        known = (before & self._always) | supposed
        balls = [_Ball(every, known, before & ~known, up=nodes)] if every.size else []
        found: dict[int, list[Ints]] = {}
        while balls:
            patterns, boundary = self._run(balls.pop(), relevant, balls)
            found.setdefault(boundary, []).append(patterns)
        return {
            boundary: np.sort(np.concatenate(parts)) if len(parts) > 1 else parts[0]
            for boundary, parts in found.items()
        }

    def _run(self, ball: _Ball, relevant: int, others: list[_Ball]) -> tuple[Ints, int]:
        """Let a ball run to its end: which patterns it was for then, and what it has met."""
        patterns, known, unsure, up, down, top, bottom, met = ball
        parents, children = self._parents, self._children
        while up | down:
            if here := up & ~unsure:
                met |= here & known  # which stops what comes from below
                up &= ~known
                if here := here & ~known:
                    bit = here & -here
                    up ^= bit
                    node = bit.bit_length() - 1
                    if not top & bit:
                        top |= bit
                        up |= parents[node]
                    if not bottom & bit:
                        bottom |= bit
                        down |= children[node] & relevant
            elif here := down & ~unsure:
                bit = here & -here
                down ^= bit
                node = bit.bit_length() - 1
                if known & bit:
                    met |= bit
                    if not top & bit:
                        top |= bit
                        up |= parents[node]
                elif not bottom & bit:
                    bottom |= bit
                    down |= children[node] & relevant
            else:
                bit = (up | down) & -(up | down)
                unsure ^= bit
                seen = self._seen[bit.bit_length() - 1][patterns]
                if not seen.all():
                    if seen.any():
                        others.append(_Ball(patterns[~seen], known, unsure, up, down, top, bottom, met))
                        patterns = patterns[seen]
                        known |= bit
                else:
                    known |= bit
        return patterns, met
