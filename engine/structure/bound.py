"""How high the score of a structure can be at most.

No structure scores more than the best families of all variables together, cycles ignored. The best families are
searched for by branch and bound, and as long as some are not known, what they can be at most stands for them: the bound
is valid at every moment, and falls. It is lower where cycles are not ignored among variables of a group
(:mod:`engine.structure.groups`). Nor does any structure make the rows more likely than their own frequencies do, which
is the lower bound of the two where there are many variables and many parents are allowed.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.learning.imap.budget import WORK_PER_SECOND, Budget, Meter
from engine.structure.constraints import Constraints
from engine.structure.families import Families
from engine.structure.groups import Groups
from engine.structure.hill_climbing import never
from engine.structure.limits import Limits

WORK_PER_STEP, WORK_PER_FAMILY, WORK_PER_COUNT, WORK_PER_CELL = 3_000, 600, 20_000, 0.4
"""What a step takes, each family that it keeps for later, counting, and a cell of that: as reads of cells; measured."""
EXACT, UPPER = "exact", "upper"
CLOSE = 1e-6
"""Nats within which a score is at its bound."""
TELLING = 0.3
"""Seconds between two bounds that are told: to add one up takes time too."""


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


_Family = tuple[float, tuple[int, ...], int, float]
"""Minus what it and more parents score at most, the parents, the place of the last of the others, the best score of
some of the parents."""


class Bounding:
    """A bound that is lowered step by step.

    Attributes
    ----------
    best : array (variables,)
        The best score of a family that is known.
    """

    def __init__(self, families: Families, constraints: Constraints) -> None:
        self._families, self._groups = families, Groups(families)
        self._limits = [Limits(families, constraints, child) for child in range(len(constraints.variables))]
        self.best = np.array([families.score(limits.child, limits.required) for limits in self._limits])
        # Per variable, families to be extended that may lead to its best, the most promising first.
        self._open: list[list[_Family]] = [[] for _ in self._limits]
        # Of all variables, those that lead to less, but perhaps to the best of some set of parents.
        self._aside: list[tuple[float, int, _Family]] = []
        for limits, score in zip(self._limits, self.best.tolist(), strict=True):
            self._groups.note(limits.child, limits.required, score)
            self._wait(limits, limits.required, -1, score, score, 1)
        self._saturated = families.counts.likelihood - sum(
            families.scored.discount(limits.child, limits.required) for limits in self._limits
        )

    @property
    def value(self) -> float:
        """The bound as it is now: no structure has a higher score."""
        waiting = [[(parents, -limit) for limit, parents, *_ in known] for known in self._open]
        for _, child, (limit, parents, *_) in self._aside:
            waiting[child].append((parents, -limit))
        return min(self._groups.bound(waiting), self._saturated)

    @property
    def is_closed(self) -> bool:
        """Whether there is nothing left that would lower it."""
        return not (any(self._open) or self._aside)

    @property
    def kind(self) -> str:
        """Exact where no cycle is ignored and nothing is left to be known: a structure reaches the bound."""
        return EXACT if self.is_closed and len(self._groups.members) == 1 else UPPER

    def step(self) -> int:
        """Extend the most promising family of the variable that is known least about.

        Returns
        -------
        int
            How many families may be extended later, as far as the cap goes.
        """
        slack = [-known[0][0] - best if known else 0.0 for known, best in zip(self._open, self.best, strict=True)]
        if any(self._open):
            child = int(np.argmax(slack))
            _, parents, last, fewer = heapq.heappop(self._open[child])
        else:
            _, child, (_, parents, last, fewer) = heapq.heappop(self._aside)
        limits = self._limits[child]
        extended = self._families.extend(child, parents)
        later = limits.others[last + 1 :]
        self.best[child] = max(self.best[child], float(extended[later].max()))
        self._groups.note_all(child, parents, later, extended)
        is_full = limits.is_full((*parents, later[0]))
        if not is_full:
            configurations = self._families.count_configurations(parents)
            for k, other in enumerate(later, last + 1):
                score = float(extended[other])
                self._wait(limits, (*parents, other), k, score, max(score, fewer), configurations)
        waiting = self._open[child]
        while waiting and -waiting[0][0] <= self.best[child]:
            self._put_aside(child, heapq.heappop(waiting))
        return 0 if is_full else len(later)

    def _wait(
        self, limits: Limits, parents: tuple[int, ...], last: int, score: float, fewer: float, configurations: int
    ) -> None:
        """Extend a family later, if something may come of it that is better than with fewer of the parents."""
        if limits.is_last(parents, last):
            return
        limit = limits.find(parents, last, score, configurations)
        if limit > fewer:
            family = (-limit, parents, last, fewer)
            if limit > self.best[limits.child]:
                heapq.heappush(self._open[limits.child], family)
            else:
                self._put_aside(limits.child, family)

    def _put_aside(self, child: int, family: _Family) -> None:
        heapq.heappush(self._aside, (family[0] + family[3], child, family))


def lower_bound(
    families: Families, constraints: Constraints, budget: Budget, cancelled: Callable[[], bool] = never
) -> Iterator[StructureBound]:
    """The bounds that some seconds' work finds, each no higher than the one before; the last one is that of all of it.

    Asked for ``cancelled`` between steps, it ends with what it has.
    """
    bounding, meter = Bounding(families, constraints), Meter(budget.seconds)
    count = families.counts.work * WORK_PER_CELL + WORK_PER_COUNT
    work = families.pair_steps * count
    told = time.monotonic()
    if constraints.cap > 1 and work <= meter.seconds * WORK_PER_SECOND:
        families.extend_pairs()
        meter.count(work)
    while not (meter.is_over or bounding.is_closed or cancelled()):
        before = families.counted
        found = bounding.step()
        meter.count(WORK_PER_STEP + WORK_PER_FAMILY * found + (count if families.counted > before else 0))
        if time.monotonic() >= told + TELLING:
            told = time.monotonic()
            yield StructureBound(bounding.value, UPPER)
    yield StructureBound(bounding.value, bounding.kind)


def bound_score(families: Families, constraints: Constraints, budget: Budget) -> StructureBound:
    """The lowest bound that some seconds' work finds."""
    *_, last = lower_bound(families, constraints, budget)
    return last
