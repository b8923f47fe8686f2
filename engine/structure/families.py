"""The scores of families, each found once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from engine.model.arrays import Floats, Ints, frozen
from engine.model.distinct import distinct_rows
from engine.structure.counts import Configurations, Counts
from engine.structure.scores import Score, Tables, sum_likelihoods

Parents = tuple[tuple[int, ...], ...]
"""Per variable its parents, in ascending order."""
MOST_KEPT, MOST_SINGLE = 1 << 22, 1 << 19
"""Scores of extended families, and of single ones, that are remembered at most: 32 MB, and about 100 MB."""


class Families:
    """The scores of families under one score and one dataset.

    Attributes
    ----------
    counts : Counts
    scored : Score
    counted : int
        How many families have been scored.
    """

    def __init__(self, counts: Counts, score: Score) -> None:
        self.counts, self.scored, self.counted = counts, score, 0
        self._single: dict[tuple[int, tuple[int, ...]], float] = {}
        self._extended: dict[tuple[int, tuple[int, ...]], Floats] = {}
        self._last: tuple[tuple[int, ...], Configurations] | None = None

    def score(self, child: int, parents: Iterable[int]) -> float:
        """The score of a family."""
        family = tuple(sorted(parents))
        found = self._find(child, family)
        if found is None:
            configurations = self._configurations(family)
            found = self._score_table(child, family, configurations.codes, self.counts.count(child, configurations))
        return found

    def extend(self, child: int, parents: Iterable[int]) -> Floats:
        """Per variable, the score of the family with it as a further parent; NaN for the family's own."""
        key = child, tuple(sorted(parents))
        found = self._extended.get(key)
        if found is None:
            found = frozen(self._extend(*key))
            if len(self._extended) * len(found) >= MOST_KEPT:
                self._extended.clear()
            self._extended[key] = found
        return found

    @property
    def pair_steps(self) -> int:
        """How many families :meth:`extend_pairs` counts; 0 if there would be too many to remember."""
        n = self.counts.n_variables
        return sum(half * (half - 1) // 2 for half in (n // 2, n - n // 2)) if n**3 <= MOST_KEPT else 0

    def extend_pairs(self) -> None:
        """Find all scores of families of two parents, as ``extend(child, (parent,))``, with a quarter of the counting.

        A score is that of the family's variables less that of its parents, or I-equivalent structures would not score
        alike. So three variables that are counted once tell three families, and of any three, two are in the same half.
        """
        n = self.counts.n_variables
        one = np.array([self.extend(child, ()) for child in range(n)])  # per child and parent
        two = np.full((n, n, n), np.nan)  # per child and both parents
        for half in (range(n // 2), range(n // 2, n)):
            for b, a in combinations(half, 2):
                found = self._extend(a, (b,))  # per c, of a given b and c
                two[a, b] = two[a, :, b] = found
                two[b, a] = two[b, :, a] = found + one[b] - one[a]
                two[:, a, b] = two[:, b, a] = found + one[:, b] - one[a, b]
        for child in range(n):
            self._extended |= {(child, (p,)): frozen(two[child, p]) for p in range(n) if p != child}

    def shrink(self, child: int, parents: Iterable[int]) -> Floats:
        """Per parent, in ascending order, the score of the family without it."""
        family = tuple(sorted(parents))
        rests = [family[:k] + family[k + 1 :] for k in range(len(family))]
        scores = [self._find(child, rest) for rest in rests]
        if None in scores:  # from the counts of the whole family: no row is read again
            configurations = self._configurations(family)
            counts = self.counts.count(child, configurations)
            for k, rest in enumerate(rests):
                if scores[k] is None:
                    codes = np.delete(configurations.codes, k, axis=0)
                    first, number = distinct_rows(codes, configurations.size)
                    merged = np.zeros((len(first), counts.shape[1]))
                    np.add.at(merged, number, counts)
                    scores[k] = self._score_table(child, rest, codes[:, first], merged)
        return np.array(scores, dtype=np.float64)

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
        configurations = self.counts.configurations(parents)
        counts = self.counts.count(child, configurations)
        return float(sum_likelihoods(_make_tables(child, parents, configurations.codes, counts))[0])

    def count_configurations(self, parents: tuple[int, ...]) -> int:
        """How many configurations of some variables occur."""
        return self._configurations(tuple(sorted(parents))).size

    def _find(self, child: int, family: tuple[int, ...]) -> float | None:
        """The score of a family if it is known: it may have been found with others."""
        found = self._single.get((child, family))
        if found is None:
            for k, parent in enumerate(family):
                extended = self._extended.get((child, family[:k] + family[k + 1 :]))
                if extended is not None:
                    return float(extended[parent])
        return found

    def _score_table(self, child: int, family: tuple[int, ...], codes: Ints, counts: Floats) -> float:
        """The score of a family with some counts, from now on known."""
        found = float(self.scored.score(_make_tables(child, family, codes, counts))[0])
        if len(self._single) >= MOST_SINGLE:
            self._single.clear()
        self._single[child, family] = found
        self.counted += 1
        return found

    def _configurations(self, family: tuple[int, ...]) -> Configurations:
        """The configurations of a family; those that were last asked for are often asked for again."""
        if self._last is None or self._last[0] != family:
            self._last = family, self.counts.configurations(family)
        return self._last[1]

    def _extend(self, child: int, parents: tuple[int, ...]) -> Floats:
        counts = self.counts
        configurations = self._configurations(parents)
        others = np.ones(counts.n_variables, dtype=bool)
        others[[child, *parents]] = False
        if counts.fits(child, configurations):
            columns = others[counts.owner]
            number = np.cumsum(others) - 1
            tables = Tables(
                child,
                parents,
                configurations.codes,
                counts.count_extended(child, configurations)[:, :, columns],
                number[counts.owner[columns]],
                np.flatnonzero(columns),
                counts.sizes[others],
            )
            scores = self.scored.score(tables)
            self.counted += len(scores)
        else:
            scores = np.array([self.score(child, (*parents, int(v))) for v in np.flatnonzero(others)])
        found = np.full(counts.n_variables, np.nan)
        found[others] = scores
        return found


def _make_tables(child: int, parents: Sequence[int], codes: Ints, counts: Floats) -> Tables:
    """The counts of one family, of shape (configurations, states)."""
    none = np.zeros(1, dtype=np.int64)
    return Tables(child, tuple(parents), codes, counts[:, :, None], none, none - 1, none + 1)
