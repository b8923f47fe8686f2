"""How high the score of a structure can be at most: the best family of every variable, cycles ignored.

Σ over variables of the best score of a family with as many parents as are allowed. The best families are searched for
by branch and bound, and as long as some are not known, what they can be at most stands for them: the bound is valid at
every moment, and falls.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from engine.learning.imap.budget import WORK_PER_SECOND, Budget, Meter
from engine.model.arrays import Floats
from engine.structure.constraints import Constraints
from engine.structure.exact import search_all
from engine.structure.families import Families
from engine.structure.limits import Limits

MOST_AT_ONCE = 10
"""Variables up to which the best structure itself is found, where the budget allows."""
WORK_PER_STEP = 20_000
"""What a step takes beside reading cells of data, in cells; measured."""
EXACT, UPPER = "exact", "upper"


@dataclass(frozen=True)
class StructureBound:
    """No structure that meets the constraints has a higher score.

    Attributes
    ----------
    value : float
    kind : {"exact", "upper"}
        Whether a structure is known to reach it.
    """

    value: float
    kind: str


class Bounding:
    """A bound that is lowered step by step.

    Attributes
    ----------
    best : array (variables,)
        The best score of a family that is known.
    """

    def __init__(self, families: Families, constraints: Constraints) -> None:
        self._families = families
        self._limits = [Limits(families, constraints, child) for child in range(len(constraints.variables))]
        self.best = np.array([families.score(limits.child, limits.required) for limits in self._limits])
        # Per variable the families that are to be extended, the most promising first:
        # (−limit, parents, the place of the last of the others).
        self._open: list[list[tuple[float, tuple[int, ...], int]]] = [[] for _ in self._limits]
        for limits, score in zip(self._limits, self.best.tolist(), strict=True):
            self._wait(limits, limits.required, -1, score, 1)

    @property
    def limits(self) -> Floats:
        """Per variable, what no family scores more than."""
        waiting = [-known[0][0] if known else -np.inf for known in self._open]
        return np.asarray(np.maximum(self.best, waiting))

    @property
    def value(self) -> float:
        return float(self.limits.sum())

    @property
    def is_closed(self) -> bool:
        """Whether the best family of every variable is known."""
        return not any(self._open)

    def step(self) -> None:
        """Extend the most promising family of the variable that is known least about."""
        child = int(np.argmax(self.limits - self.best))
        limits, waiting = self._limits[child], self._open[child]
        _, parents, last = heapq.heappop(waiting)
        extended = self._families.extend(child, parents)
        configurations = self._families.count_configurations(parents)
        later = limits.others[last + 1 :]
        self.best[child] = max(self.best[child], float(extended[later].max()))
        for k, other in enumerate(later, last + 1):
            self._wait(limits, (*parents, other), k, float(extended[other]), configurations)
        while waiting and -waiting[0][0] <= self.best[child]:
            heapq.heappop(waiting)

    def _wait(self, limits: Limits, parents: tuple[int, ...], last: int, score: float, configurations: int) -> None:
        """Extend a family later, if something may come of it."""
        if not limits.is_last(parents, last):
            limit = limits.find(parents, last, score, configurations)
            if limit > self.best[limits.child]:
                heapq.heappush(self._open[limits.child], (-limit, parents, last))


def bound_score(families: Families, constraints: Constraints, budget: Budget) -> StructureBound:
    """The lowest bound that some seconds' work finds; of few variables, the best score itself."""
    n, step = len(constraints.variables), families.counts.work + WORK_PER_STEP
    if n <= MOST_AT_ONCE and n * 2 ** (n - 1) * step <= budget.seconds * WORK_PER_SECOND:
        *_, last = search_all(families, constraints)
        return StructureBound(last.score, EXACT)
    bounding, meter = Bounding(families, constraints), Meter(budget.seconds)
    while not (meter.is_over or bounding.is_closed):
        bounding.step()
        meter.count(step)
    return StructureBound(bounding.value, UPPER)
