"""The meta-network of EDML (§3.5 [thesis]): parameter sets as nodes, and a copy of the network for each row of data.

Four pictures of it: as it is (Fig. 3.2), with generators between sets and copies (Fig. 3.3), with the edges from
generators to copies deleted and clones in their place (Fig. 3.4), and as what is observed prunes it (Fig. 3.5).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from engine.model.dataset import Dataset
from engine.model.network import BayesianNetwork


@dataclass(frozen=True)
class Node:
    """A node of the meta-network.

    Attributes
    ----------
    kind : {"set", "copy", "generator", "clone"}
    number : int
        Of a copy, its variable; else the parameter set.
    row : int
        Which copy of the network it has to do with; −1 for a set.
    """

    kind: str
    number: int
    row: int = -1


Edge = tuple[Node, Node]


@dataclass(frozen=True, eq=False)
class Picture:
    """Nodes and arrows between them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def islands(self) -> list[set[Node]]:
        """What hangs together."""
        around: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for one, other in self.edges:
            around[one].append(other)
            around[other].append(one)
        found: list[set[Node]] = []
        seen: set[Node] = set()
        for first in self.nodes:
            if first in seen:
                continue
            island, waiting = {first}, [first]
            while waiting:
                new = set(around[waiting.pop()]) - island
                island |= new
                waiting.extend(new)
            seen |= island
            found.append(island)
        return found


@dataclass(frozen=True, eq=False)
class MetaNetwork:
    """A network's parameter sets and some rows of data.

    Attributes
    ----------
    sets : tuple of (variable, states of its parents)
    rows : tuple of tuple of int
        Per row, the state of each variable; negative where it is not known.
    weights : tuple of float
        How often each row is in the data.
    left_out : int
        Distinct rows that are not among these.
    """

    network: BayesianNetwork
    sets: tuple[tuple[int, tuple[int, ...]], ...]
    rows: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...]
    left_out: int

    @property
    def whole(self) -> Picture:
        """The meta-network: each set points to its variable in every copy."""
        sets = [(Node("set", s), Node("copy", self.sets[s][0], i)) for s, i in self._pairs()]
        return Picture((*self._set_nodes, *self._copies), (*sets, *self._arrows))

    @property
    def generated(self) -> Picture:
        """With a generator between each set and its variable in each copy."""
        generators = tuple(Node("generator", s, i) for s, i in self._pairs())
        above = [(Node("set", node.number), node) for node in generators]
        below = [(node, Node("copy", self.sets[node.number][0], node.row)) for node in generators]
        return Picture((*self._set_nodes, *generators, *self._copies), (*above, *below, *self._arrows))

    @property
    def deleted(self) -> Picture:
        """With the edges from generators to copies deleted, and clones of the generators in the copies."""
        generators = [Node("generator", s, i) for s, i in self._pairs()]
        clones = [Node("clone", s, i) for s, i in self._pairs()]
        above = [(Node("set", node.number), node) for node in generators]
        below = [(node, Node("copy", self.sets[node.number][0], node.row)) for node in clones]
        return Picture((*self._set_nodes, *generators, *clones, *self._copies), (*above, *below, *self._arrows))

    @property
    def pruned(self) -> Picture:
        """Without arrows that leave what is observed, and sets that the states of observed parents rule out."""
        edges = []
        for one, other in self.whole.edges:
            row = self.rows[other.row]
            if one.kind == "copy" and row[one.number] >= 0:
                continue
            if one.kind == "set":
                variable, states = self.sets[one.number]
                parents = self.network.parents[variable]
                if any(row[p] >= 0 and row[p] != state for p, state in zip(parents, states, strict=True)):
                    continue
            edges.append((one, other))
        return Picture(self.whole.nodes, tuple(edges))

    @cached_property
    def _set_nodes(self) -> tuple[Node, ...]:
        return tuple(Node("set", s) for s in range(len(self.sets)))

    @cached_property
    def _copies(self) -> tuple[Node, ...]:
        return tuple(Node("copy", v, i) for i in range(len(self.rows)) for v in range(len(self.network.variables)))

    @cached_property
    def _arrows(self) -> tuple[Edge, ...]:
        rows, edges = range(len(self.rows)), self.network.edges
        return tuple((Node("copy", parent, i), Node("copy", child, i)) for i in rows for parent, child in edges)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Sets and rows."""
        return itertools.product(range(len(self.sets)), range(len(self.rows)))


def count_sets(network: BayesianNetwork) -> int:
    """How many parameter sets a network has."""
    return sum(table.size // table.shape[-1] for table in network.tables)


def make_meta_network(network: BayesianNetwork, dataset: Dataset, most_rows: int) -> MetaNetwork:
    """The meta-network of the most frequent distinct rows."""
    merged = dataset.project(range(len(network.variables)))
    order = sorted(range(merged.n_rows), key=lambda i: (-merged.weights[i], i))[:most_rows]
    sets = [
        (v, states)
        for v, parents in enumerate(network.parents)
        for states in itertools.product(*(range(network.variables[p].cardinality) for p in parents))
    ]
    rows = tuple(tuple(int(column[i]) for column in merged.codes) for i in order)
    weights = tuple(float(merged.weights[i]) for i in order)
    return MetaNetwork(network, tuple(sets), rows, weights, merged.n_rows - len(order))
