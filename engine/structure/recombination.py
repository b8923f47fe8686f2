"""The best structure that families scored so far make together: no row is counted for it.

Each climb ends with some good families and some poor ones. What fits together is found by orders of the variables
(Teyssier & Koller, 2005): in an order, each variable takes the best known family of variables before it. From an order,
the move of one variable to another place that gains most is made, until none gains.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np

from engine.model.arrays import Floats, Ints
from engine.model.network import topological_order
from engine.structure.families import Parents

MOST_FAMILIES = 1 << 16
"""Families with one more parent than those that a search was at are kept up to so many: a move looks at each."""


class Pool:
    """The families that a search has scored.

    Parameters
    ----------
    n_variables : int
    """

    def __init__(self, n_variables: int) -> None:
        self._n = n_variables
        self._scores: dict[tuple[int, tuple[int, ...]], float] = {}
        self._placed = 0  # so many of them are in the arrays
        self._children = np.empty(0, dtype=np.int64)
        self._values = np.empty(0)
        self._parents = np.empty((0, 1), dtype=np.int64)  # filled up with the number of variables, which is none

    def add(self, child: int, family: tuple[int, ...], score: float, gains: Floats) -> None:
        """Note a family, and those with one more parent that gain by it: others are worse than the family itself."""
        self._scores[child, family] = score
        if len(self._scores) < MOST_FAMILIES:
            for v in np.flatnonzero(gains > 0).tolist():
                self._scores[child, tuple(sorted((*family, v)))] = score + float(gains[v])

    def improve(self, start: Parents, smallest_gain: float, cancelled: Callable[[], bool]) -> tuple[Parents, float]:
        """A structure of known families with its score, at least as good as one whose families are known."""
        self._place()
        order = np.array(topological_order(start))
        while True:
            moves = _Moves(self._children, self._parents, self._values, order)
            gain, v, place = moves.find_best()
            if gain <= smallest_gain or cancelled():
                return moves.list_parents(), float(moves.scores.sum())
            order = np.insert(order[order != v], place, v)

    def _place(self) -> None:
        """Put the families that are new into the arrays."""
        new = list(islice(self._scores.items(), self._placed, None))
        if not new:
            return
        width = max(self._parents.shape[1], max(len(family) for (_, family), _ in new))
        parents = np.full((len(self._scores), width), self._n, dtype=np.int64)
        parents[: self._placed, : self._parents.shape[1]] = self._parents
        for row, ((_, family), _) in zip(parents[self._placed :], new, strict=True):
            row[: len(family)] = family
        self._parents, self._placed = parents, len(self._scores)
        self._children = np.append(self._children, [child for (child, _), _ in new])
        self._values = np.append(self._values, [score for _, score in new])


class _Moves:
    """What it gains to move a variable in an order to another place.

    Attributes
    ----------
    scores : array (variables,)
        Of the best family of each variable, with all parents before it.
    """

    def __init__(self, children: Ints, parents: Ints, values: Floats, order: Ints) -> None:
        self._children, self._parents, self._values, self._order = children, parents, values, order
        n = len(order)
        self._place = np.full(n + 1, -1)
        self._place[order] = np.arange(n)
        places = self._place[parents]
        every = np.arange(len(places))
        self._last = places.argmax(axis=1)  # which of a family's parents comes last in the order
        self._highest = places[every, self._last]
        places[every, self._last] = -1
        self._second = places.max(axis=1)
        self._own = self._place[children]
        self._fits = np.where(self._highest < self._own, values, -np.inf)
        self.scores = self._find_highest(self._fits)
        best = np.flatnonzero(self._fits == self.scores[children])
        self._best = np.zeros(n, dtype=np.int64)
        self._best[children[best[::-1]]] = best[::-1]  # the first that was known, of equal ones

    def list_parents(self) -> Parents:
        """The best family of each variable."""
        n = len(self._order)
        return tuple(tuple(sorted(p for p in family if p < n)) for family in self._parents[self._best].tolist())

    def find_best(self) -> tuple[float, int, int]:
        """The move that gains most: what it gains, the variable and its new place."""
        n, place = len(self._order), self._place[:-1]
        others = np.arange(n)[:, None]  # places, each of another variable
        # Moved up, it may become a parent of those that it passes; moved down, it is none any more.
        passed = np.where(others < place, self._find_added()[self._order], 0.0)
        gains = np.cumsum(passed[::-1], axis=0)[::-1]
        passed = np.where(others > place, self._find_lost()[self._order], 0.0)
        gains = gains + np.cumsum(passed, axis=0) + self._find_moved().T
        where = int(gains.argmax())
        return float(gains.reshape(-1)[where]), where % n, where // n

    def _find_highest(self, values: Floats) -> Floats:
        """Per variable, the highest of some values of its families."""
        found = np.full(len(self._order), -np.inf)
        np.maximum.at(found, self._children, values)
        return found

    def _find_moved(self) -> Floats:
        """Per variable and place, what its own family gains there."""
        n = len(self._order)
        found = np.full((n, n), -np.inf)
        # Whoever is after it comes one place earlier once it is away.
        first = self._highest + 1 - (self._highest > self._own)
        np.maximum.at(found, (self._children, first), self._values)
        return np.maximum.accumulate(found, axis=1) - self.scores[:, None]

    def _find_added(self) -> Floats:
        """Per variable and one after it, what its family gains if that one were before it."""
        n = len(self._order)
        found = np.repeat(self.scores[:, None], n, axis=1)
        one = np.flatnonzero((self._highest > self._own) & (self._second < self._own))
        missing = self._parents[one, self._last[one]]
        np.maximum.at(found, (self._children[one], missing), self._values[one])
        return found - self.scores[:, None]

    def _find_lost(self) -> Floats:
        """Per variable and one before it, what its family gains, never above 0, if that one were not."""
        n = len(self._order)
        found = np.zeros((n, n + 1))
        for gone in self._parents[self._best].T:
            has = (self._parents == gone[self._children, None]).any(axis=1)
            without = self._find_highest(np.where(has, -np.inf, self._fits))
            found[np.arange(n), gone] = without - self.scores
        return found[:, :-1]
