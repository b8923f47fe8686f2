"""Trails of a network: ways between two variables, the shortest first, found without listing all."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.inference.graphs import bits, joined
from engine.model.network import BayesianNetwork, Network

Passes = Callable[[int, bool, bool], bool]
"""Whether a trail may pass a variable, given whether the edge it comes by points to it, and the one it leaves by."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A network's variables and what joins them: arrows, or edges."""

    network: Network

    @cached_property
    def neighbours(self) -> Sequence[Sequence[int]]:
        """Per variable, those it is joined with."""
        if not isinstance(self.network, BayesianNetwork):
            around = joined(self.network.scopes)
            return [list(bits(around.get(v, 0))) for v in range(len(self.network.variables))]
        found = [list(parents) for parents in self.network.parents]
        for parent, child in self.network.edges:
            found[parent].append(child)
        return found

    @cached_property
    def _parents(self) -> Sequence[frozenset[int]]:
        return [frozenset(p) for p in self.network.parents] if isinstance(self.network, BayesianNetwork) else []

    def points(self, one: int, other: int) -> bool:
        """Whether an arrow leads from one variable to the other; edges of a Markov network do not point."""
        return bool(self._parents) and one in self._parents[other]


def list_trails(graph: Graph, passes: Passes, start: int, goal: int) -> Iterator[tuple[int, ...]]:
    """The trails from one variable to another that may pass all in between, the shortest first.

    A trail visits no variable twice. Those that begin as a trail that was found and then leave it are looked for when
    that one has been taken (Yen 1971, with Lawler's partition): each is found once, and no more are than are asked for.
    """
    waiting: list[tuple[int, tuple[int, ...], int, frozenset[int]]] = []

    def offer(root: tuple[int, ...], banned: frozenset[int]) -> None:
        trail = _extend(graph, passes, root, banned, goal)
        if trail is not None:
            heapq.heappush(waiting, (len(trail), trail, len(root) - 1, banned))

    offer((start,), frozenset())
    while waiting:
        _, trail, left_at, banned = heapq.heappop(waiting)
        yield trail
        for k in range(left_at, len(trail) - 1):
            offer(trail[: k + 1], frozenset([trail[k + 1]]) | (banned if k == left_at else frozenset()))


def _extend(
    graph: Graph, passes: Passes, root: tuple[int, ...], banned: frozenset[int], goal: int
) -> tuple[int, ...] | None:
    """The shortest trail that begins with a root and goes on with none of the banned variables; None without any.

    Breadth first over variables and how they are come by. The shortest such walk is a trail: were a variable on it
    twice, leaving out what is between would leave a shorter walk that passes too. A collider that this makes is one
    that the walk came down from, to another collider that is open, or it would not have come back; so it has what opens
    that one below it. And what is known can only have been passed as a collider both times.
    """
    closed = set(root)
    here, into = root[-1], len(root) > 1 and graph.points(root[-2], root[-1])
    came_by: dict[tuple[int, bool], tuple[int, bool] | None] = {}
    waiting: deque[tuple[int, bool]] = deque()

    def visit(node: int, into: bool, by: tuple[int, bool] | None, is_end: bool) -> None:
        for after in graph.neighbours[node]:
            if after in closed or (by is None and after in banned):
                continue
            state = after, graph.points(node, after)
            if state not in came_by and (is_end or passes(node, into, graph.points(after, node))):
                came_by[state] = by
                waiting.append(state)

    visit(here, into, None, len(root) == 1)
    while waiting:
        state = waiting.popleft()
        if state[0] == goal:
            way: list[int] = []
            step: tuple[int, bool] | None = state
            while step is not None:
                way.append(step[0])
                step = came_by[step]
            return (*root, *reversed(way))
        visit(*state, state, False)
    return None
