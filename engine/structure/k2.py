"""K2: with the variables in an order, each takes the predecessors as parents that gain most, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.model.errors import ModelError
from engine.structure.constraints import Constraints
from engine.structure.families import Families
from engine.structure.hill_climbing import SMALLEST_GAIN, never
from engine.structure.snapshot import Snapshot, Trail


def search_in_order(
    families: Families,
    constraints: Constraints,
    *,
    order: Sequence[int] | None = None,
    cancelled: Callable[[], bool] = never,
) -> Iterator[Snapshot]:
    """Search by K2, an arrow a step.

    Parameters
    ----------
    order : sequence of int, optional
        All variables, parents before their children; by default that of the data.
    """
    n = len(constraints.variables)
    order = range(n) if order is None else order
    if sorted(order) != list(range(n)):
        raise ModelError(f"an order for K2 names each of the {n} variables once; got {len(order)} names")
    place = np.empty(n, dtype=np.int64)
    place[list(order)] = np.arange(n)
    for p, c in sorted(constraints.required):
        if place[p] > place[c]:
            names = [repr(constraints.variables[v].name) for v in (p, c)]
            raise ModelError(f"{names[0]} is required as a parent of {names[1]}, but comes after it in the order")
    trail = Trail(families, constraints.required_parents)
    yield trail.record()
    for child in order:
        possible = constraints.allowed[:, child] & (place < place[child])
        while len(trail.parents[child]) < constraints.cap:
            if cancelled():
                yield trail.record("cancelled")
                return
            scores = families.extend(child, trail.parents[child])
            scores = np.where(possible, scores, -np.inf)
            best, own = int(np.argmax(scores)), families.score(child, trail.parents[child])
            if not scores[best] > own + SMALLEST_GAIN * (1.0 + abs(own)):
                break
            yield trail.add(best, child)
    yield trail.record("optimum")
