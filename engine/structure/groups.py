"""Groups of variables among which no cycle is allowed, for a lower bound of the score.

The best families of all variables, cycles ignored, make each of two variables that depend on each other a parent of the
other, and count what one tells of the other twice. So the variables are parted into groups of a few that tell much of
each other, and the families of a group must have no cycle within it, whatever parents they have outside: the best of
these is found by dynamic programming over the sets of its variables, as in :mod:`engine.structure.exact`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.model.arrays import Floats
from engine.structure.families import Families
from engine.structure.subsets import spread, sum_best

MOST_MEMBERS = 12
"""Of a group: each more doubles the work, which is some hundredths of a second for as many."""


class Groups:
    """What is known of the families of all variables, by those of their parents that are in the same group."""

    def __init__(self, families: Families) -> None:
        self.members = _part(families)
        n = families.counts.n_variables
        self._bits = np.zeros((n, n), dtype=np.int64)  # per child and parent, the parent's bit if both are in a group
        self._known: list[Floats] = [np.empty(0)] * n  # per child and set of parents in its group, the highest score
        for members in self.members:
            for k, v in enumerate(members):
                self._bits[list(members), v] = 1 << k
                self._known[v] = np.full(1 << len(members), -np.inf)
        np.fill_diagonal(self._bits, 0)

    def note(self, child: int, parents: Iterable[int], score: float) -> None:
        """A family, or any with further parents, has this score at most."""
        known, place = self._known[child], int(self._bits[child, list(parents)].sum())
        known[place] = max(known[place], score)

    def note_all(self, child: int, parents: Sequence[int], further: Sequence[int], scores: Floats) -> None:
        """A family with each of some further parents has its score at most."""
        places = self._bits[child, list(parents)].sum() + self._bits[child, list(further)]
        np.maximum.at(self._known[child], places, scores[list(further)])

    def bound(self, waiting: Sequence[Iterable[tuple[tuple[int, ...], float]]]) -> float:
        """What all families together score at most, no group having a cycle.

        Parameters
        ----------
        waiting : per variable, (parents, limit) of families
            No family with these and further parents has a score above the limit.
        """
        total = 0.0
        for members in self.members:
            best = []
            for child in members:
                known = self._known[child].copy()
                for parents, limit in waiting[child]:
                    place = int(self._bits[child, list(parents)].sum())
                    known[place] = max(known[place], limit)
                best.append(spread(known))
            total += float(sum_best(best)[0][-1])
        return total


def _part(families: Families) -> list[tuple[int, ...]]:
    """Groups of variables: those that tell most of each other are joined first, as long as there is room."""
    n = families.counts.n_variables
    if n <= MOST_MEMBERS:
        return [tuple(range(n))]
    worth = np.array([families.extend(child, ()) - families.score(child, ()) for child in range(n)])
    group = list(range(n))
    members = {v: [v] for v in range(n)}
    for pair in np.argsort(-worth.reshape(-1), kind="stable").tolist():
        a, b = group[pair // n], group[pair % n]
        if not worth[pair // n, pair % n] > 0:
            break
        if a != b and len(members[a]) + len(members[b]) <= MOST_MEMBERS:
            for v in members[b]:
                group[v] = a
            members[a] += members.pop(b)
    return [tuple(sorted(those)) for those in members.values()]
