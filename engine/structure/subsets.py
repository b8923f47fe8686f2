"""The best of all sets of variables, by dynamic programming. A set is a number: bit v is 1 if it has variable v."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.model.arrays import Floats, Ints

ROUNDING = 1e-13
"""Scores that differ by no more than this share of them are equal: the sums of equivalent structures differ so."""


def spread(scores: Floats) -> Floats:
    """Per set, the highest of the scores of its subsets; sets are numbered by their bits."""
    found = scores.copy()
    for bit in range(len(scores).bit_length() - 1):
        pairs = found.reshape(-1, 2, 1 << bit)
        np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    return found


def sum_best(best: Sequence[Floats]) -> tuple[Floats, Ints]:
    """Per set of variables, the highest score of an acyclic structure over it, and a sink of that.

    value(S) = max over X in S of value(S − X) + best(X | S − X). Of sinks that are as good the last is taken: where no
    data tells the direction of an arrow, it leads from the earlier variable to the later.

    Parameters
    ----------
    best : per variable an array (sets,)
        Its best score with parents in a set; where the set has the variable itself, as without it.
    """
    n = len(best)
    sets = np.arange(1 << n, dtype=np.int64)
    sizes = np.bitwise_count(sets)
    order, ends = np.argsort(sizes, kind="stable"), np.cumsum(np.bincount(sizes, minlength=n + 1))
    value, sink = np.full(1 << n, -np.inf), np.full(1 << n, -1, dtype=np.int64)
    value[0] = 0.0
    for size in range(1, n + 1):
        layer = sets[order[ends[size - 1] : ends[size]]]
        for child in range(n):
            having = layer[(layer >> child) & 1 == 1]
            rest = having ^ (1 << child)
            found = value[rest] + best[child][rest]
            known = value[having]
            is_best = np.isfinite(found) & (found >= known - ROUNDING * np.abs(found))
            sink[having[is_best]] = child
            value[having] = np.maximum(known, found)
    return value, sink
