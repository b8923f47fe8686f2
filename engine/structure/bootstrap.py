"""How sure arrows are: searches on data drawn anew from the rows (Friedman, Goldszmidt & Wyner, 1999)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.model.arrays import Floats, frozen
from engine.model.errors import ModelError
from engine.model.randomness import RandomState, make_generator
from engine.structure.constraints import Constraints
from engine.structure.counts import Counts
from engine.structure.equivalence import find_pattern
from engine.structure.families import Parents


@dataclass(frozen=True, eq=False)
class Confidence:
    """What searches on resampled data have found.

    Attributes
    ----------
    resamples : int
    arrows : array (variables, variables)
        Per parent and child, the share of the searches that have found the arrow; one that could as well point the
        other way counts half each way.
    """

    resamples: int
    arrows: Floats

    @property
    def edges(self) -> Floats:
        """Per pair, the share of the searches that have found an edge, whichever way it points."""
        return np.asarray(self.arrows + self.arrows.T)


def bootstrap(
    counts: Counts,
    search: Callable[[Counts], Parents | None],
    resamples: int,
    random_state: RandomState = 0,
    constraints: Constraints | None = None,
) -> Iterator[Confidence]:
    """Search in resampled data again and again, yielding what is known after every time.

    Parameters
    ----------
    search : callable
        The structure that is found in some data; None if the search was cancelled, which ends this too.
    constraints : Constraints, optional
        Those of the search: an arrow that they hold could not point the other way.
    """
    if resamples < 1:
        raise ModelError(f"resamples must be 1 or more; got {resamples}")
    generator = make_generator(random_state)
    shares = counts.weights / counts.total
    found = np.zeros((counts.n_variables, counts.n_variables))
    for k in range(1, resamples + 1):
        drawn = generator.multinomial(max(1, round(counts.total)), shares)
        parents = search(counts.take(np.flatnonzero(drawn), drawn[drawn > 0].astype(np.float64)))
        if parents is None:
            return
        pattern = find_pattern(parents, () if constraints is None else constraints.list_fixed(parents))
        for arrow in pattern.compelled:
            found[arrow] += 1.0
        for a, b in pattern.reversible:
            found[a, b] += 0.5
            found[b, a] += 0.5
        yield Confidence(k, frozen(found / k))
