"""What the families of a variable can score at most, before they are counted."""

from __future__ import annotations

import numpy as np

from engine.structure.constraints import Constraints
from engine.structure.families import Families


class Limits:
    """The families of a variable, as sets of parents that are extended in an order, each in one way.

    Attributes
    ----------
    required : tuple of int
        What every family has.
    others : list of int
        The parents that may be added, each only after those before it.
    """

    def __init__(self, families: Families, constraints: Constraints, child: int) -> None:
        self.child, self._families, self._cap = child, families, constraints.cap
        self.required = constraints.required_parents[child]
        entropies = families.entropies
        allowed = np.flatnonzero(constraints.allowed[:, child]).tolist()
        self.others = sorted((p for p in allowed if p not in self.required), key=lambda p: -entropies[p])
        self._told = entropies[self.others]
        sizes = families.counts.sizes[self.others]
        self._smallest = [int(self.others[k + np.argmin(sizes[k:])]) for k in range(len(self.others))]
        self._highest = families.likelihood(child, sorted((*self.required, *self.others)))

    def is_last(self, parents: tuple[int, ...], last: int) -> bool:
        """Whether a family, with the place of the last of the others in it, is not to be extended."""
        return self.is_full(parents) or last >= len(self.others) - 1

    def is_full(self, parents: tuple[int, ...]) -> bool:
        """Whether a family can have no more parents."""
        return len(parents) >= self._cap

    def find(self, parents: tuple[int, ...], last: int, score: float, configurations: int) -> float:
        """No family with these and further parents, from those after the last, scores more than this.

        Further parents tell no more of the child than all together, nor more than their own entropies.

        Parameters
        ----------
        score : float
            That of the family with these parents alone.
        configurations : int
            How many configurations of some of the parents occur.
        """
        scored, child = self._families.scored, self.child
        likelihood = scored.find_likelihood(child, parents, score)
        best = -np.inf
        for added, told in enumerate(self._told[last + 1 : last + 1 + self._cap - len(parents)].tolist(), 1):
            likelihood = min(self._highest, likelihood + told)
            wider = (*parents, *[self._smallest[last + 1]] * added)
            best = max(best, scored.limit(child, wider, likelihood, configurations))
            if likelihood >= self._highest:
                break
        return best
