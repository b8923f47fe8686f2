"""Hill climbing: the arrow that is added, deleted or reversed is the one that gains most (§3.2.2 [notes]).

Only the families of variables whose parents have changed are scored again. With a tabu list the search goes on
from an optimum by the step that costs least, without undoing the last ones; restarts begin from the best structure
with some steps at random.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from engine.model.arrays import Floats
from engine.model.errors import ModelError
from engine.model.randomness import RandomState, make_generator
from engine.structure.constraints import Constraints
from engine.structure.families import Families, Parents
from engine.structure.graphs import Graph, sort_parents
from engine.structure.snapshot import Operation, Snapshot

KINDS = ("add", "delete", "reverse")
SMALLEST_GAIN = 1e-11
"""Less than this, relative to the score, is rounding: I-equivalent structures have the same score."""


def never() -> bool:
    """Nobody asks the search to end."""
    return False


@dataclass(frozen=True)
class Climb:
    """How to climb.

    Attributes
    ----------
    tabu : int
        How many of the last steps may not be undone once an optimum is reached; 0 ends the climb there.
    patience : int
        Steps with a tabu list that find nothing better before it is given up.
    restarts : int
    shake : int
        Steps at random before each restart.
    max_steps : int, optional
    max_seconds : float
    """

    tabu: int = 10
    patience: int = 15
    restarts: int = 0
    shake: int = 10
    max_steps: int | None = None
    max_seconds: float = np.inf

    def __post_init__(self) -> None:
        for name in ("tabu", "patience", "restarts", "shake"):
            if getattr(self, name) < 0:
                raise ModelError(f"{name} must be 0 or more; got {getattr(self, name)}")
        if not self.max_seconds >= 0:
            raise ModelError(f"max_seconds must be 0 or more; got {self.max_seconds}")


def climb(
    families: Families,
    constraints: Constraints,
    climbing: Climb = Climb(),  # noqa: B008 - frozen
    *,
    start: Parents | None = None,
    random_state: RandomState = 0,
    cancelled: Callable[[], bool] = never,
) -> Iterator[Snapshot]:
    """Search by hill climbing, yielding a snapshot before the first step and after every one.

    Parameters
    ----------
    start : structure, optional
        One that meets the constraints; by default, the required arrows alone.
    cancelled : callable
        Asked before every step; the search ends with what it has when it says yes.
    """
    if start is not None and not constraints.is_met_by(start):
        raise ModelError("the structure to start from does not meet the constraints; mend it, or start from none")
    walk = _Walk(families, constraints, climbing, sort_parents(start or constraints.required_parents), random_state)
    yield walk.now
    for restart in range(climbing.restarts + 1):
        for now in walk.climb(restart) if not restart else chain(walk.shake(restart), walk.climb(restart)):
            yield now
            stop = _find_stop(now, climbing, cancelled)
            if stop:
                yield replace(now, stop=stop)
                return
    yield replace(walk.now, stop="optimum", operation=None, seconds=time.perf_counter() - walk.began)


def _find_stop(now: Snapshot, climbing: Climb, cancelled: Callable[[], bool]) -> str:
    if cancelled():
        return "cancelled"
    if now.seconds >= climbing.max_seconds:
        return "time"
    return "steps" if climbing.max_steps is not None and now.iteration >= climbing.max_steps else ""


class _Walk:
    """The steps of a search, one after the other."""

    def __init__(
        self,
        families: Families,
        constraints: Constraints,
        climbing: Climb,
        start: Parents,
        random_state: RandomState,
    ) -> None:
        self.began = time.perf_counter()
        self._families, self._constraints, self._climbing = families, constraints, climbing
        self._slope = _Slope(families, constraints, start)
        self._generator = make_generator(random_state)
        score = self._slope.score
        self.now = Snapshot(0, self._seconds, start, score, start, score, families=families.counted)

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self.began

    def climb(self, restart: int) -> Iterator[Snapshot]:
        """Steps up to an optimum, and beyond it as long as the tabu list finds better ones."""
        slope, climbing = self._slope, self._climbing
        undone: deque[Operation] = deque(maxlen=climbing.tabu)
        reached, idle = slope.score, 0
        while True:
            operation = slope.find_best(undone if idle else ())
            if operation is None or operation.gain <= slope.smallest_gain:
                if idle >= climbing.patience or not climbing.tabu:
                    return
                if not idle:
                    operation = slope.find_best(undone)
                if operation is None:
                    return
            slope.apply(operation)
            undone.append(operation)
            idle = 0 if slope.score > reached + slope.smallest_gain else idle + 1
            reached = max(reached, slope.score)
            yield self._record(operation, restart)

    def shake(self, restart: int) -> Iterator[Snapshot]:
        """Steps at random from the best structure."""
        self._slope = slope = _Slope(self._families, self._constraints, self.now.best)
        yield self._record(None, restart)
        for _ in range(self._climbing.shake):
            operation = slope.draw(self._generator)
            if operation is None:
                return
            slope.apply(operation)
            yield self._record(operation, restart)

    def _record(self, operation: Operation | None, restart: int) -> Snapshot:
        now, slope = self.now, self._slope
        parents, score = slope.graph.parents, slope.score
        is_better = score > now.best_score + slope.smallest_gain
        self.now = Snapshot(
            now.iteration + (operation is not None),
            self._seconds,
            parents,
            score,
            parents if is_better else now.best,
            score if is_better else now.best_score,
            operation,
            restart,
            self._families.counted,
        )
        return self.now


class _Slope:
    """A structure, and what each step from it would gain.

    Attributes
    ----------
    graph : Graph
    score : float
    """

    def __init__(self, families: Families, constraints: Constraints, start: Parents) -> None:
        self._families, self._constraints = families, constraints
        self.graph = Graph(start)
        n = len(start)
        self._own = np.zeros(n)
        self._gain = np.full((n, n), -np.inf)  # per parent and child, of an arrow more
        self._loss = np.full((n, n), -np.inf)  # of an arrow less
        self._required = np.zeros((n, n), dtype=bool)
        for arrow in constraints.required:
            self._required[arrow] = True
        for child in range(n):
            self._rescore(child)
        self.score = float(self._own.sum())

    @property
    def smallest_gain(self) -> float:
        return SMALLEST_GAIN * (1.0 + abs(self.score))

    def find_best(self, undone: Collection[Operation]) -> Operation | None:
        """The step that gains most and undoes none of some others; None if there is no step."""
        steps = self._list_steps()
        for last in undone:
            _forbid(steps, last)
        kind, parent, child = np.unravel_index(int(np.argmax(steps)), steps.shape)
        gain = float(steps[kind, parent, child])
        return None if gain == -np.inf else Operation(KINDS[kind], int(parent), int(child), gain)

    def draw(self, generator: np.random.Generator) -> Operation | None:
        """A step at random: of any kind, each as probable; None if there is no step."""
        steps = self._list_steps()
        possible = [k for k in range(len(KINDS)) if np.isfinite(steps[k]).any()]
        if not possible:
            return None
        kind = possible[int(generator.integers(len(possible)))]
        parent, child = map(int, generator.choice(np.argwhere(np.isfinite(steps[kind]))))
        return Operation(KINDS[kind], parent, child, float(steps[kind, parent, child]))

    def apply(self, operation: Operation) -> None:
        """Take a step."""
        parent, child = operation.parent, operation.child
        if operation.kind == "add":
            self.graph.add(parent, child)
        else:
            self.graph.delete(parent, child)
        if operation.kind == "reverse":
            self.graph.add(child, parent)
            self._rescore(parent)
        self._rescore(child)
        self.score = float(self._own.sum())

    def _rescore(self, child: int) -> None:
        """Find the gains of all steps at a variable whose parents have changed."""
        family = self.graph.family(child)
        own = self._families.score(child, family)
        self._own[child] = own
        self._gain[:, child] = self._loss[:, child] = -np.inf
        if len(family) < self._constraints.cap:
            extended = self._families.extend(child, family)
            self._gain[:, child] = np.where(np.isnan(extended), -np.inf, extended - own)
        if family:
            self._loss[family, child] = self._families.shrink(child, family) - own

    def _list_steps(self) -> Floats:
        """What every step gains, shape (kinds, parents, children); −∞ where it is not allowed."""
        graph, allowed = self.graph, self._constraints.allowed
        steps = np.full((len(KINDS), *self._gain.shape), -np.inf)
        np.copyto(steps[0], self._gain, where=allowed & ~graph.reach.T)
        removable = graph.arrows & ~self._required
        np.copyto(steps[1], self._loss, where=removable)
        turned = self._loss + self._gain.T
        parent, child = np.nonzero(removable & allowed.T & (turned > -np.inf))
        free = graph.find_reversible(parent, child)
        steps[2][parent[free], child[free]] = turned[parent[free], child[free]]
        return steps


def _forbid(steps: Floats, last: Operation) -> None:
    """Forbid the steps that would undo another."""
    parent, child = last.parent, last.child
    if last.kind == "delete":
        steps[0, parent, child] = -np.inf
    elif last.kind == "add":
        steps[1:, parent, child] = -np.inf
    else:
        steps[2, child, parent] = -np.inf
