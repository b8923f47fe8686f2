"""The best structure of all, by dynamic programming over sets of variables.

Silander & Myllymäki (2006). The best network over a set has a sink, whose parents are the best among the others, which
form the best network over the rest: value(S) = max over X in S of value(S − X) + best(X | S − X).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from engine.model.arrays import Floats, Ints
from engine.model.errors import ModelError
from engine.model.network import topological_order
from engine.structure.constraints import Constraints
from engine.structure.families import Families, Parents
from engine.structure.hill_climbing import never
from engine.structure.limits import Limits
from engine.structure.snapshot import Snapshot, Trail
from engine.structure.subsets import spread, sum_best

MOST_VARIABLES = 20
"""Sets of more need too much memory: 168 MB for 20, twice as much for one more."""


def search_all(
    families: Families, constraints: Constraints, *, cancelled: Callable[[], bool] = never
) -> Iterator[Snapshot]:
    """Find the best structure that meets the constraints: a snapshot for each variable whose families are scored."""
    n = len(constraints.variables)
    if n > MOST_VARIABLES:
        raise ModelError(
            f"exact search is for up to {MOST_VARIABLES} variables; the data has {n}: "
            "use hill-climbing, or leave columns out"
        )
    trail = Trail(families, constraints.required_parents)
    yield trail.record()
    scored: dict[int, tuple[Ints, Floats]] = {}
    before = 0
    for child in topological_order(constraints.required_parents):
        found = _score_families(families, constraints, child, cancelled)
        if found is None:
            yield trail.record("cancelled")
            return
        # Until all are scored, each has the best parents among those before it.
        scored[child], trail.parents[child] = found, set(_choose(*found, before))
        before |= 1 << child
        trail.jump(trail.parents)
        yield trail.record(fraction=len(scored) / (n + 1))
    trail.jump(_find_best([scored[child] for child in range(n)], n))
    yield trail.record("optimum", fraction=1.0)


def _score_families(
    families: Families, constraints: Constraints, child: int, cancelled: Callable[[], bool]
) -> tuple[Ints, Floats] | None:
    """The families of a variable that may be the best of some set: masks of parents, and scores. None if cancelled.

    Left out are families of which every one with these parents scores no more than one with fewer of them.
    """
    limits = Limits(families, constraints, child)
    start = families.score(child, limits.required)
    masks, scores = [_make_mask(limits.required)], [start]
    waiting = [(limits.required, -1, start, start)]  # parents, the last of the others, the score, the best of fewer
    while waiting:
        parents, last, score, best = waiting.pop()
        if limits.is_last(parents, last):
            continue
        if cancelled():
            return None
        if limits.find(parents, last, score, families.count_configurations(parents)) <= best:
            continue
        extended = families.extend(child, parents)
        for k, other in enumerate(limits.others[last + 1 :], last + 1):
            wider, score = (*parents, other), float(extended[other])
            masks.append(_make_mask(wider))
            scores.append(score)
            waiting.append((wider, k, score, max(best, score)))
    return np.array(masks, dtype=np.int64), np.array(scores)


def _make_mask(variables: tuple[int, ...]) -> int:
    return sum(1 << v for v in variables)


def _find_best(scored: list[tuple[Ints, Floats]], n: int) -> Parents:
    """The structure of the highest score."""
    best = []
    for masks, scores in scored:
        known = np.full(1 << n, -np.inf)
        known[masks] = scores
        best.append(spread(known))
    _, sink = sum_best(best)
    parents: list[tuple[int, ...]] = [()] * n
    left = (1 << n) - 1
    while left:
        child = int(sink[left])
        left ^= 1 << child
        parents[child] = _choose(*scored[child], left)
    return tuple(parents)


def _choose(masks: Ints, scores: Floats, among: int) -> tuple[int, ...]:
    """The best parents from a set of variables."""
    inside = (masks & ~among) == 0
    mask = int(masks[inside][np.argmax(scores[inside])])
    return tuple(v for v in range(mask.bit_length()) if mask >> v & 1)
