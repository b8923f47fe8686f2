"""The scores of families, each found once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.model.arrays import Floats, frozen
from engine.structure.counts import Configurations, Counts
from engine.structure.scores import Score, Tables, sum_likelihoods

Parents = tuple[tuple[int, ...], ...]
"""Per variable its parents, in ascending order."""
MOST_KEPT = 1 << 22
"""Scores of extended families that are remembered at most: 32 MB."""


class Families:
    """The scores of families under one score and one dataset.

    Attributes
    ----------
    counted : int
        How many families have been scored.
    """

    def __init__(self, counts: Counts, score: Score) -> None:
        self.counts, self._score, self.counted = counts, score, 0
        self._single: dict[tuple[int, tuple[int, ...]], float] = {}
        self._extended: dict[tuple[int, tuple[int, ...]], Floats] = {}

    @property
    def limit(self) -> Score:
        return self._score

    def score(self, child: int, parents: Iterable[int]) -> float:
        """The score of a family."""
        key = child, tuple(sorted(parents))
        if key not in self._single:
            configurations = self.counts.configurations(key[1])
            tables = self._table(child, key[1], configurations, self.counts.count(child, configurations))
            self._single[key] = float(self._score.score(tables)[0])
            self.counted += 1
        return self._single[key]

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

    def total(self, parents: Parents) -> float:
        """The score of a network."""
        return sum(self.score(child, family) for child, family in enumerate(parents))

    def find_worths(self, parents: Parents) -> dict[tuple[int, int], float]:
        """Per arrow (parent, child), how much lower the score is without it."""
        return {
            (p, child): self.score(child, family) - self.score(child, [q for q in family if q != p])
            for child, family in enumerate(parents)
            for p in family
        }

    def _extend(self, child: int, parents: tuple[int, ...]) -> Floats:
        counts = self.counts
        configurations = counts.configurations(parents)
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
            scores = self._score.score(tables)
            self.counted += len(scores)
        else:
            scores = np.array([self.score(child, (*parents, int(v))) for v in np.flatnonzero(others)])
        found = np.full(counts.n_variables, np.nan)
        found[others] = scores
        return found

    def _table(self, child: int, parents: Sequence[int], configurations: Configurations, counts: Floats) -> Tables:
        none = np.zeros(1, dtype=np.int64)
        return Tables(child, tuple(parents), configurations.codes, counts[:, :, None], none, none - 1, none + 1)

    def likelihood(self, child: int, parents: Sequence[int]) -> float:
        """The highest log-likelihood of a child given parents, whatever is scored."""
        configurations = self.counts.configurations(parents)
        tables = self._table(child, parents, configurations, self.counts.count(child, configurations))
        return float(sum_likelihoods(tables)[0])
