"""The best values of limited sum and size, for some counts."""

from __future__ import annotations

import numpy as np

from engine.model.arrays import Floats, Ints


def fill(counts: Floats, given: Ints, most: int) -> float:
    """Σ n log R at its maximum, where every R ≤ 1, and Σ R ≤ ``most`` over the counts with the same given.

    R is proportional to n, but for the largest counts, which would come to more than 1 and are 1.

    Parameters
    ----------
    counts : array (cells,)
        Above 0.
    given : array (cells,)
        Numbers from 0 on, all of which occur.
    """
    order = np.lexsort((-counts, given))
    n, group = counts[order], given[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    last = np.append(first[1:], len(n))
    place = np.arange(len(n)) - first[group]
    after = np.append(np.cumsum(n[::-1])[::-1], 0.0)
    rest = after[:-1] - after[last][group]  # of this count and the smaller ones
    is_full = (most - place) * n >= rest
    full = np.add.reduceat(is_full, first, dtype=np.int64) if len(n) else first
    n, group = n[~is_full], group[~is_full]
    left = np.maximum(most - full, 1)[group]  # where rounding has hidden that something is left, 1 is safely too much
    return float((n * np.log(n * left / (after[first + full] - after[last])[group])).sum())
