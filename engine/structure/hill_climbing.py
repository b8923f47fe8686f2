"""Hill climbing: the arrow that is added, deleted or reversed is the one that gains most (§3.2.2 [notes]).

Only the families of variables whose parents have changed are scored again. With a tabu list the search goes on
from an optimum by the step that costs least, without undoing the last ones; restarts begin from the best structure
with some of its arrows turned or left out, and what they find is put together with what was found before.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.model.arrays import Floats
from engine.model.errors import ModelError
from engine.model.randomness import RandomState, make_generator
from engine.structure.constraints import Arrow, Constraints
from engine.structure.families import Families, Parents
from engine.structure.graphs import Graph, sort_parents
from engine.structure.recombination import Pool
from engine.structure.snapshot import Operation, Snapshot

KINDS = ("add", "delete", "reverse")
SMALLEST_GAIN = 1e-11
"""Less than this, relative to the score, is rounding: I-equivalent structures have the same score."""

CELLS_PER_RESTART, MOST_RESTARTS = 9_000, 12
"""A restart is worth it for so many cells of data, up to so many restarts, and half as many as there are variables."""
NEAR, NEAR_TURNED = 0.3, 0.8
"""A neighbourhood that is shaken has this share of the arrows that are shaken elsewhere; of them so many are turned."""
MOST_KNOWN = 1 << 21
"""Gains of single steps that are remembered at most: 32 MB."""


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
    restarts : int, optional
        By default, as many as the data is worth by its size, and none from a given structure.
    shake : float
        The share of the best structure's arrows that are turned or left out, at random, before each restart.
    max_steps : int, optional
    max_seconds : float
    """

    tabu: int = 10
    patience: int = 4
    restarts: int | None = None
    shake: float = 0.5
    max_steps: int | None = None
    max_seconds: float = np.inf

    def __post_init__(self) -> None:
        for name in ("tabu", "patience", "restarts"):
            number = getattr(self, name)
            if number is not None and number < 0:
                raise ModelError(f"{name} must be 0 or more; got {number}")
        if not 0 <= self.shake <= 1:
            raise ModelError(f"shake must be between 0 and 1; got {self.shake}")
        if not self.max_seconds >= 0:
            raise ModelError(f"the most seconds must be 0 or more; got {self.max_seconds}")


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
    for restart in range(_count_restarts(families, climbing, start) + 1):
        for now in walk.climb(restart) if not restart else walk.climb_again(restart, cancelled):
            yield now
            stop = _find_stop(now, climbing, cancelled)
            if stop:
                yield replace(now, stop=stop)
                return
    yield replace(walk.now, stop="optimum", operation=None, seconds=time.perf_counter() - walk.began)


def _count_restarts(families: Families, climbing: Climb, start: Parents | None) -> int:
    if climbing.restarts is not None:
        return climbing.restarts
    if start is not None:
        return 0
    n = families.counts.n_variables
    return min(MOST_RESTARTS, n // 2, int(families.counts.total * n / CELLS_PER_RESTART))


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
        self.now = Snapshot(0, self._seconds, start, score, start, score, counted=families.counted)

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

    def climb_again(self, restart: int, cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
        """Climb from the best structure shaken, and from what known families make together if that is better."""
        slope = self._slope
        yield self.shake(restart)
        yield from self.climb(restart)
        found, score = slope.pool.improve(slope.graph.parents, slope.smallest_gain, cancelled)
        if score > self.now.best_score + slope.smallest_gain:
            slope.jump(Graph(found))
            yield self._record(None, restart)
            yield from self.climb(restart)

    def shake(self, restart: int) -> Snapshot:
        """Go to the best structure, with some of its arrows at random turned or left out.

        Of three restarts one shakes all of the structure, the others a neighbourhood, and turn most of its arrows: what
        points the wrong way there may do so all together.
        """
        constraints, generator = self._constraints, self._generator
        arrows = [arrow for arrow in self.now.edges if arrow not in constraints.required]
        is_wide = restart % 3 == 1
        many = math.ceil(self._climbing.shake * (1.0 if is_wide else NEAR) * len(arrows))
        near = arrows if is_wide else _find_near(arrows, len(self.now.best), many, generator)
        chosen = [near[k] for k in generator.permutation(len(near))[:many].tolist()]
        gone = set(chosen)
        graph = Graph([[p for p in family if (p, child) not in gone] for child, family in enumerate(self.now.best)])
        turned = generator.random(len(chosen)) < (0.5 if is_wide else NEAR_TURNED)
        for (parent, child), is_turned in zip(chosen, turned, strict=True):
            is_free = constraints.allowed[child, parent] and not graph.reach[parent, child]
            if is_turned and is_free and len(graph.parents[parent]) < constraints.cap:
                graph.add(child, parent)
        self._slope.jump(graph)
        return self._record(None, restart)

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


def _find_near(arrows: Sequence[Arrow], n_variables: int, many: int, generator: np.random.Generator) -> list[Arrow]:
    """Arrows between variables near a random one: of a region that grows along arrows until there are so many."""
    beside: list[list[int]] = [[] for _ in range(n_variables)]
    for a, b in arrows:
        beside[a].append(b)
        beside[b].append(a)
    inside: set[int] = set()
    border, found = [int(generator.integers(n_variables))], 0
    while border and found < many:
        v = border.pop(int(generator.integers(len(border))))
        if v not in inside:
            found += sum(other in inside for other in beside[v])
            inside.add(v)
            border += [other for other in beside[v] if other not in inside]
    return [arrow for arrow in arrows if inside.issuperset(arrow)]


class _Slope:
    """A structure, and what each step from it would gain.

    Attributes
    ----------
    graph : Graph
    score : float
    pool : Pool
        The families that it has been at.
    """

    def __init__(self, families: Families, constraints: Constraints, start: Parents) -> None:
        self._families, self._constraints = families, constraints
        self.graph = Graph(start)
        n = len(start)
        self.pool = Pool(n)
        self._own = np.zeros(n)
        self._gain = np.full((n, n), -np.inf)  # per child and parent, of an arrow more; −∞ where it is not allowed
        self._loss = np.full((n, n), -np.inf)  # of an arrow less
        self._steps = np.empty((len(KINDS), n, n))
        varies = ~families.counts.constant
        self._allowed = constraints.allowed.T & varies[:, None] & varies
        self._known: dict[tuple[int, tuple[int, ...]], tuple[float, Floats, Floats]] = {}
        self.score = 0.0
        self._rescore(*range(n))

    @property
    def smallest_gain(self) -> float:
        return SMALLEST_GAIN * (1.0 + abs(self.score))

    def find_best(self, undone: Collection[Operation]) -> Operation | None:
        """The step that gains most and undoes none of some others; None if there is no step."""
        steps = self._list_steps()
        for last in undone:
            _forbid(steps, last)
        best = self._read(int(steps.argmax()))
        if best is not None and best.kind == "add" and best.parent > best.child:
            other = self._read(best.parent * len(self._own) + best.child)
            # No data tells them apart: causes are often the earlier columns, and rounding is no reason.
            return other if other is not None and other.gain > best.gain - self.smallest_gain else best
        return best

    def apply(self, operation: Operation) -> None:
        """Take a step."""
        parent, child = operation.parent, operation.child
        if operation.kind == "add":
            self.graph.add(parent, child)
        else:
            self.graph.delete(parent, child)
        if operation.kind == "reverse":
            self.graph.add(child, parent)
            self._rescore(parent, child)
        else:
            self._rescore(child)

    def jump(self, graph: Graph) -> None:
        """Go to another structure at once."""
        before, self.graph = self.graph.parents, graph
        self._rescore(*(v for v, family in enumerate(graph.parents) if family != before[v]))

    def _rescore(self, *children: int) -> None:
        """Find the gains of all steps at variables whose parents have changed."""
        for child in children:
            key = child, self.graph.parents[child]
            found = self._known.get(key)
            if found is None:
                if len(self._known) * len(self._own) >= MOST_KNOWN:
                    self._known.clear()
                found = self._known[key] = self._find_gains(*key)
                self.pool.add(*key, *found[:2])
            self._own[child], self._gain[child], self._loss[child] = found
        self.score = float(self._own.sum())

    def _find_gains(self, child: int, family: tuple[int, ...]) -> tuple[float, Floats, Floats]:
        """The score of a family, and what one more parent and one less would gain."""
        own, constraints = self._families.score(child, family), self._constraints
        gain, loss = np.full((2, len(self._own)), -np.inf)
        if len(family) < constraints.cap and self._families.may_rise(child, family, own):
            # Else to delete an arrow gains more than to turn it towards this family.
            np.subtract(self._families.extend(child, family), own, out=gain, where=self._allowed[child])
        for parent, without in zip(family, self._families.shrink(child, family), strict=True):
            if (parent, child) not in constraints.required:
                loss[parent] = without - own
        return own, gain, loss

    def _list_steps(self) -> Floats:
        """What every step gains, shape (kinds, children, parents); −∞ where it is not allowed."""
        graph, (added, deleted, turned) = self.graph, self._steps
        np.copyto(added, self._gain)
        added[graph.reach] = -np.inf
        np.copyto(deleted, self._loss)
        np.add(self._loss, self._gain.T, out=turned)
        child, parent = np.nonzero(graph.arrows)
        closed = ~graph.find_reversible(parent, child)
        turned[child[closed], parent[closed]] = -np.inf
        return self._steps

    def _read(self, place: int) -> Operation | None:
        """The step at a place among all steps."""
        gain, n = float(self._steps.reshape(-1)[place]), len(self._own)
        kind, child, parent = place // (n * n), place // n % n, place % n
        return None if gain == -np.inf else Operation(KINDS[kind], parent, child, gain)


def _forbid(steps: Floats, last: Operation) -> None:
    """Forbid the steps that would undo another."""
    parent, child = last.parent, last.child
    if last.kind == "delete":
        steps[0, child, parent] = -np.inf
    elif last.kind == "add":
        steps[1:, child, parent] = -np.inf
    else:
        steps[2, parent, child] = -np.inf
