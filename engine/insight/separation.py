"""Which variables of a network are independent by its graph alone, given what is known; and why.

Bayesian networks: d-separation (Pearl 1988). A trail is blocked at a variable in it that is known, unless two arrows
meet there; at such a *collider* it is blocked unless that or a descendant is known. Likelihood evidence on a variable
is a child of it that is observed: it opens colliders above it, but does not block. Markov networks: a trail is blocked
by what is known; likelihoods do nothing.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.inference.graphs import bits, joined
from engine.insight.trails import Graph, list_trails
from engine.model.network import BayesianNetwork, Network
from engine.model.relatives import find_ancestors

MOST_LISTED = 8
"""Trails of each kind that are listed."""
MOST_LOOKED_AT = 60
"""The shortest trails, among which blocked ones are looked for."""


@dataclass(frozen=True)
class Step:
    """A variable between the ends of a trail.

    Attributes
    ----------
    kind : {"chain", "fork", "collider", "link"}
        How the arrows lead: through it, from it to both sides, from both sides to it; or it has edges without arrows.
    is_open : bool
        Whether the trail may pass.
    by : int or None
        What is known and decides that: the variable itself, or a descendant of a collider.
    """

    variable: int
    kind: str
    is_open: bool
    by: int | None


@dataclass(frozen=True)
class Trail:
    """Variables along a trail, and what happens at those between its ends."""

    variables: tuple[int, ...]
    steps: tuple[Step, ...]

    @property
    def is_active(self) -> bool:
        """Whether what is known at one end may tell something about the other."""
        return all(step.is_open for step in self.steps)


@dataclass(frozen=True)
class Separation:
    """Whether two variables, or sets of them, are independent by the graph, and what joins them.

    Attributes
    ----------
    is_separated : bool
    active, blocked : tuple of Trail
        Some of each, the shortest first.
    separators : tuple of tuple of int
        What would separate them if it were known too: all single variables that do; if there are none, one smallest
        set. Empty if nothing would, or they are separated.
    """

    is_separated: bool
    active: tuple[Trail, ...]
    blocked: tuple[Trail, ...]
    separators: tuple[tuple[int, ...], ...]


def separate_sets(
    network: Network,
    ones: Iterable[int],
    others: Iterable[int],
    known: Iterable[int] = (),
    likely: Iterable[int] = (),
) -> Separation:
    """Find out whether two sets of variables, with none in common, are separated.

    They are if each of the one is separated from each of the other: by a graph there are no dependences of more than
    two at once. Trails that pass a further one of them are left out, for what is left of them is a trail too.

    Parameters
    ----------
    known, likely : iterable of int
        The variables whose state is known, and those with a likelihood.
    """
    view = _View(network, known, likely)
    sides = tuple(frozenset(side) - view.known for side in (ones, others))
    if not all(sides):
        return Separation(True, (), (), ())
    ends = [(one, other) for one in sorted(sides[0]) for other in sorted(sides[1])]
    inside = sides[0] | sides[1]
    active = _merge((view.list_active(*pair) for pair in ends), inside, MOST_LISTED)
    every = _merge((view.list_every(*pair) for pair in ends), inside, MOST_LOOKED_AT)
    blocked = tuple(trail for trail in every if not trail.is_active)[:MOST_LISTED]
    separators = _find_separators(view, active[0], ends) if active else ()
    return Separation(not active, active, blocked, separators)


def _merge(trails: Iterable[Iterator[Trail]], inside: Collection[int], most: int) -> tuple[Trail, ...]:
    """The shortest of several lists of trails, each the shortest first, that pass none of some variables on the way."""
    plain = (
        islice((trail for trail in own if not any(step.variable in inside for step in trail.steps)), most)
        for own in trails
    )
    return tuple(islice(heapq.merge(*plain, key=lambda trail: len(trail.variables)), most))


class _View:
    """A network seen with what is known."""

    def __init__(
        self, network: Network, known: Iterable[int], likely: Iterable[int], graph: Graph | None = None
    ) -> None:
        self.network = network
        self.graph = graph or Graph(network)
        self.known, self.likely = frozenset(known), frozenset(likely)
        self.opened_by = _find_openers(network, self.known | self.likely)

    def knowing(self, variable: int) -> _View:
        """The same network where one more is known."""
        return _View(self.network, self.known | {variable}, self.likely, self.graph)

    def list_active(self, one: int, other: int) -> Iterator[Trail]:
        """The active trails, the shortest first."""
        return map(self.explain, list_trails(self.graph, self._passes, one, other))

    def list_every(self, one: int, other: int) -> Iterator[Trail]:
        """All trails, the shortest first."""
        return map(self.explain, list_trails(self.graph, lambda *_: True, one, other))

    def _passes(self, variable: int, into: bool, back: bool) -> bool:
        return variable in self.opened_by if into and back else variable not in self.known

    def explain(self, variables: tuple[int, ...]) -> Trail:
        """Say what happens along a trail."""
        triples = zip(variables, variables[1:], variables[2:], strict=False)
        return Trail(variables, tuple(self._look_at(*triple) for triple in triples))

    def _look_at(self, before: int, variable: int, after: int) -> Step:
        into, back = self.graph.points(before, variable), self.graph.points(after, variable)
        if into and back:
            by = self.opened_by.get(variable)
            return Step(variable, "collider", by is not None, by)
        kind = "link"
        if isinstance(self.network, BayesianNetwork):
            kind = "chain" if into or back else "fork"
        is_known = variable in self.known
        return Step(variable, kind, not is_known, variable if is_known else None)


def _find_openers(network: Network, known: Iterable[int]) -> dict[int, int]:
    """For each variable that is known, or has a descendant that is, the nearest of these."""
    found = {variable: variable for variable in sorted(known)}
    if not isinstance(network, BayesianNetwork):
        return found
    waiting = deque(found)
    while waiting:
        variable = waiting.popleft()
        for parent in network.parents[variable]:
            if parent not in found:
                found[parent] = found[variable]
                waiting.append(parent)
    return found


def _find_separators(view: _View, trail: Trail, ends: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """What would separate all pairs of ends. A single variable that does is on every active trail, so on this one."""

    def separates(variable: int) -> bool:
        more = view.knowing(variable)
        return all(next(more.list_active(*pair), None) is None for pair in ends)

    singles = [(step.variable,) for step in trail.steps if step.kind != "collider" and separates(step.variable)]
    if singles:
        return tuple(singles)
    smallest = _find_smallest(view, *(frozenset(side) for side in zip(*ends, strict=True)))
    return (smallest,) if smallest else ()


def _find_smallest(view: _View, ones: frozenset[int], others: frozenset[int]) -> tuple[int, ...]:
    """A smallest set that separates two others together with what is known; empty if none does.

    It cuts the moral graph of what is above the two and what is known, where that is taken out (Tian, Paz and
    Pearl 1998).
    """
    import networkx as nx  # takes a while to import

    network = view.network
    scopes = list(network.scopes)
    if isinstance(network, BayesianNetwork):
        ends = {*ones, *others, *view.known, *view.likely}
        scopes = [network.scopes[v] for v in ends | find_ancestors(network, ends)]
    around = joined(scopes)
    if any(around[one] >> other & 1 for one in ones for other in others):
        return ()
    one, other = min(ones), min(others)
    stands_for = {**dict.fromkeys(ones, one), **dict.fromkeys(others, other)}  # a set is cut off as one
    graph = nx.Graph()
    for variable, neighbours in around.items():
        if variable not in view.known:
            here = stands_for.get(variable, variable)
            there = (stands_for.get(v, v) for v in bits(neighbours) if v not in view.known)
            graph.add_edges_from((here, v) for v in there if v != here)
    return tuple(sorted(nx.minimum_node_cut(graph, one, other)))
