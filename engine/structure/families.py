"""The scores of families, from the values of sets of variables, each of which is found once.

Networks that no data tells apart score alike, so a family's score is the value of its variables together less that of
its parents, less what its parameters cost. A set that was counted for one family serves all others that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from engine.model.arrays import Floats, xlogy
from engine.model.distinct import distinct_rows
from engine.model.errors import Cancelled
from engine.structure.counts import MOST_COUNTED, Cells, Configurations, Counts
from engine.structure.scores import Score

Parents = tuple[tuple[int, ...], ...]
"""Per variable its parents, in ascending order."""
Set = tuple[int, ...]
"""Variables in ascending order."""
MOST_EMPTY = 16
"""Tables with so many cells for each row are not counted whole: nearly all of them would be 0."""
MOST_KEPT, MOST_SINGLE = 1 << 22, 1 << 19
"""Values of sets with a further variable, and of single sets, that are remembered at most: 32 MB, and about 100 MB.
Numbers of rows' configurations: as many as of the former."""


class Families:
    """The scores of families under one score and one dataset.

    Attributes
    ----------
    counts : Counts
    scored : Score
    counted : int
        How many sets of variables have been counted.

    Parameters
    ----------
    cancelled : callable, optional
        Asked before anything is counted: if it says yes, Cancelled is raised. With many variables there are seconds of
        counting before the first step of a search.
    """

    def __init__(self, counts: Counts, score: Score, cancelled: Callable[[], bool] | None = None) -> None:
        self.counts, self.scored, self.counted = counts, score, 0
        self._cancelled = cancelled
        self._values: dict[Set, float] = {}
        self._wider: dict[Set, Floats] = {}  # per set, its values with each further variable; NaN for its own
        self._occurring: dict[Set, Configurations] = {}

    def score(self, child: int, parents: Iterable[int]) -> float:
        """The score of a family."""
        family = tuple(sorted(parents))
        return self._value(_join(family, child)) - self._value(family) - self.scored.discount(child, family)

    def extend(self, child: int, parents: Iterable[int]) -> Floats:
        """Per variable, the score of the family with it as a further parent; −∞ for the family's own."""
        family = tuple(sorted(parents))
        whole = _join(family, child)
        found = self._widen(whole, child) - self._widen(family, family[-1] if family else None)
        found -= self.scored.discount(child, family) * self.counts.sizes
        found[list(whole)] = -np.inf
        return found

    def may_rise(self, child: int, parents: Sequence[int], score: float) -> bool:
        """Whether a further parent, of two states at least, may raise the score, if it tells all of the child.

        No row is read for this: that some configuration of the parents occurs is all that is taken as known.
        """
        return self.scored.limit(child, parents, 0.0, 1) - self.scored.discount(child, parents) > score

    @property
    def pair_steps(self) -> int:
        """How often :meth:`extend_pairs` counts; 0 if there would be too much to remember."""
        n = self.counts.n_variables
        return sum(half * (half - 1) // 2 for half in (n // 2, n - n // 2)) if n**3 <= MOST_KEPT else 0

    def extend_pairs(self) -> None:
        """Find the values of any three variables, with a quarter of the counting: two of them are in the same half."""
        n = self.counts.n_variables
        three = np.full((n, n, n), np.nan)
        for v in range(n):
            self._widen((v,), v)
        halves = np.arange(n // 2), np.arange(n // 2, n)
        for half in halves:
            for a, b in combinations(half.tolist(), 2):
                three[a, b] = three[b, a] = self._widen((a, b), b)
        for half, other in (halves, halves[::-1]):
            known = three[np.ix_(half, half, other)]
            three[np.ix_(half, other, half)] = known.transpose(0, 2, 1)
            three[np.ix_(other, half, half)] = known.transpose(2, 0, 1)
        self._wider |= {(a, b): three[a, b] for a, b in combinations(range(n), 2)}

    def shrink(self, child: int, parents: Iterable[int]) -> list[float]:
        """Per parent, in ascending order, the score of the family without it."""
        family = tuple(sorted(parents))
        whole = _join(family, child)
        if len(family) > 1:  # pairs are known, or will be
            self._count_margins(child, family, whole)
        return [self.score(child, _leave(family, p)) for p in family]

    def total(self, parents: Parents) -> float:
        """The score of a network."""
        return sum(self.score(child, family) for child, family in enumerate(parents))

    def find_worths(self, parents: Parents) -> dict[tuple[int, int], float]:
        """Per arrow (parent, child), how much lower the score is without it."""
        return {
            (p, child): self.score(child, family) - without
            for child, family in enumerate(parents)
            for p, without in zip(sorted(family), self.shrink(child, family), strict=True)
        }

    def likelihood(self, child: int, parents: Sequence[int]) -> float:
        """The highest log-likelihood of a child given parents, whatever is scored."""
        both = (self.counts.configurations(those).occurs for those in ((*parents, child), parents))
        whole, without = (float(xlogy(counts, counts).sum()) for counts in both)
        return whole - without

    @cached_property
    def entropies(self) -> Floats:
        """Per variable, N times its entropy in nats."""
        occurs = [self.counts.configurations((v,)).occurs for v in range(self.counts.n_variables)]
        return np.array([float(xlogy(each, self.counts.total / each).sum()) for each in occurs])

    def count_configurations(self, parents: tuple[int, ...]) -> int:
        """How many configurations of some variables occur."""
        return self._configurations(tuple(sorted(parents))).size

    def _value(self, those: Set) -> float:
        """The value of a set of variables."""
        found = self._find(those)
        if found is None:
            configurations = self._configurations(those)
            found = self._keep(those, Cells(those, configurations.codes, None, configurations.occurs[None, :, None]))
            self.counted += 1
        return found

    def _find(self, those: Set) -> float | None:
        """The value of a set if it is known: it may have been found with others."""
        found = self._values.get(those)
        if found is None:
            for k, v in enumerate(those):
                wider = self._wider.get(those[:k] + those[k + 1 :])
                if wider is not None:
                    return float(wider[v])
        return found

    def _keep(self, those: Set, cells: Cells) -> float:
        """Find the value of a set from its counts, and remember it."""
        if len(self._values) >= MOST_SINGLE:
            self._values.clear()
        found = float(self.scored.weigh(cells)[0])
        self._values[those] = found
        return found

    def _configurations(self, those: Set) -> Configurations:
        """The configurations of some variables; those that were asked for are often asked for again."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
        found = self._occurring.get(those)
        if found is None:
            if len(self._occurring) * self.counts.n_rows >= MOST_KEPT:
                self._occurring.clear()
            found = self._occurring[those] = self.counts.configurations(those)
        return found

    def _widen(self, whole: Set, child: int | None) -> Floats:
        """The values of a set with each further variable; if it is counted for this, one of its variables apart."""
        found = self._wider.get(whole)
        if found is not None:
            return found
        rest = whole if child is None else _leave(whole, child)
        configurations = self._configurations(rest)
        if len(self._wider) * self.counts.n_variables >= MOST_KEPT:
            self._wider.clear()
        self.counted += self.counts.n_variables - len(whole)
        if not self.counts.fits(child, configurations):
            each = [np.nan if v in whole else self._add(whole, v) for v in range(self.counts.n_variables)]
            return self._wider.setdefault(whole, np.array(each))
        counts = self.counts.count_extended(child, configurations)
        if child is not None and rest not in self._wider:
            self._weigh_wider(Cells(rest, configurations.codes, None, counts.sum(axis=2, keepdims=True)), rest)
        return self._weigh_wider(Cells(rest, configurations.codes, child, counts), whole)

    def _add(self, whole: Set, v: int) -> float:
        """The value of a set with a further variable."""
        configurations = self._configurations(whole)
        if configurations.size * self.counts.sizes[v] > MOST_EMPTY * self.counts.n_rows:
            return self._value(_join(whole, v))
        counts = self.counts.count(v, configurations)
        return float(self.scored.weigh(Cells(whole, configurations.codes, v, counts[None]))[0])

    def _weigh_wider(self, cells: Cells, those: Set) -> Floats:
        """Find and remember the values of a set with each further variable."""
        found = np.add.reduceat(self.scored.weigh(cells), self.counts.starts)
        found[list(those)] = np.nan
        self._wider[those] = found
        return found

    def _count_margins(self, child: int, family: Set, whole: Set) -> None:
        """Find the values of a family and of its parents without each of these, reading no row again."""
        unknown = [
            k
            for k, p in enumerate(family)
            if self._find(_leave(whole, p)) is None or self._find(_leave(family, p)) is None
        ]
        if not unknown:
            return
        configurations = self._configurations(family)
        if configurations.size * self.counts.sizes[child] > MOST_COUNTED:
            return  # each is counted from the rows
        counts = self.counts.count(child, configurations)
        for k in unknown:
            codes, rest = np.delete(configurations.codes, k, axis=0), _leave(family, family[k])
            first, number = distinct_rows(codes, configurations.size)
            merged = np.zeros((len(first), counts.shape[1]))
            np.add.at(merged, number, counts)
            cells = Cells(rest, codes[:, first], child, merged[None])
            self._keep(_leave(whole, family[k]), cells)
            self._keep(rest, Cells(rest, cells.codes, None, cells.counts.sum(axis=2, keepdims=True)))


def _join(those: Set, v: int) -> Set:
    return tuple(sorted((*those, v)))


def _leave(those: Set, v: int) -> Set:
    return tuple(other for other in those if other != v)
