"""Where a search for a structure stands, for whoever looks on."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.structure.families import Families, Parents

STOPS = ("optimum", "steps", "time", "cancelled")
"""Why a search ends: it has found what it looks for, made its steps, used its time, or was told to."""


@dataclass(frozen=True)
class Operation:
    """A step of a search.

    Attributes
    ----------
    kind : {"add", "delete", "reverse"}
    parent, child : int
        The arrow, before it is reversed.
    gain : float
        What the score rises by; below 0 it falls.
    """

    kind: str
    parent: int
    child: int
    gain: float


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Where a search stands.

    Attributes
    ----------
    iteration : int
        Steps made.
    seconds : float
        Since the data was in memory.
    parents : tuple of tuple of int
        The structure as it is now.
    score : float
        That of this structure.
    best, best_score :
        The best structure so far: a search may go down on its way.
    operation : Operation, optional
        The step that led here; None at a start, and where structures are found whole.
    restart : int
        0 before the first.
    counted : int
        Sets of variables counted so far.
    stop : str
        Why the search ended, one of :data:`STOPS`; empty while it goes on.
    fraction : float
        How much of the work is done, where that is known; 0 where it is not.
    """

    iteration: int
    seconds: float
    parents: Parents
    score: float
    best: Parents
    best_score: float
    operation: Operation | None = None
    restart: int = 0
    counted: int = 0
    stop: str = ""
    fraction: float = 0.0

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The arrows (parent, child) of the best structure."""
        return [(p, child) for child, family in enumerate(self.best) for p in family]


def list_changes(families: Families, before: Parents, after: Parents) -> tuple[Operation, ...]:
    """What makes one structure another: arrows deleted, turned and added, each with its gain after those before."""
    old, new = ({(p, child) for child, family in enumerate(each) for p in family} for each in (before, after))
    turned = sorted(arrow for arrow in old - new if arrow[::-1] in new)
    steps = [("delete", *arrow) for arrow in sorted(old - new - set(turned))]
    steps += [("reverse", *arrow) for arrow in turned]
    steps += [("add", *arrow) for arrow in sorted(new - old - {arrow[::-1] for arrow in turned})]
    now, changes = [set(family) for family in before], []
    for kind, parent, child in steps:
        ends = (parent, child) if kind == "reverse" else (child,)
        scored = sum(families.score(v, now[v]) for v in ends)
        now[child] ^= {parent}
        now[parent] |= {child} if kind == "reverse" else set()
        changes.append(Operation(kind, parent, child, sum(families.score(v, now[v]) for v in ends) - scored))
    return tuple(changes)


class Trail:
    """The snapshots of a search whose every step is up.

    Attributes
    ----------
    parents : list of set of int
        The structure as it is now.
    """

    def __init__(self, families: Families, start: Parents) -> None:
        self._began, self._families = time.perf_counter(), families
        self.parents = [set(family) for family in start]
        self._scores = [families.score(child, family) for child, family in enumerate(start)]
        self._iteration = 0

    def add(self, parent: int, child: int) -> Snapshot:
        """Add an arrow."""
        self.parents[child].add(parent)
        before, self._scores[child] = self._scores[child], self._families.score(child, self.parents[child])
        self._iteration += 1
        return self.record(operation=Operation("add", parent, child, self._scores[child] - before))

    def record(self, stop: str = "", operation: Operation | None = None, fraction: float = 0.0) -> Snapshot:
        """Where the search stands."""
        parents, score = tuple(tuple(sorted(family)) for family in self.parents), sum(self._scores)
        return Snapshot(
            self._iteration,
            time.perf_counter() - self._began,
            parents,
            score,
            parents,
            score,
            operation,
            counted=self._families.counted,
            stop=stop,
            fraction=fraction,
        )

    def jump(self, parents: Sequence[Collection[int]]) -> None:
        """Go to another structure at once."""
        self.parents = [set(family) for family in parents]
        self._scores = [self._families.score(child, family) for child, family in enumerate(parents)]
        self._iteration += 1
