"""The junction tree of a network, or of what is left of it when some variables are known; and what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.inference.graphs import Graph, as_mask, bits, joined
from engine.inference.junction_tree import JunctionTree, compile_tree
from engine.inference.plan import BYTES_PER_CELL, estimate_seconds
from engine.model.network import Network

MOST_LISTED = 200
"""Fill-in edges that are listed."""


@dataclass(frozen=True, eq=False)
class CliqueTree:
    """A junction tree over the variables that are not known.

    Attributes
    ----------
    rows : int
        How many rows it is to be computed for.
    fill_in : tuple of (int, int)
        The edges that elimination adds, the first of them.
    added : int
        How many there are.
    seconds : float
        A rough estimate of one pass over the rows.
    """

    tree: JunctionTree
    rows: int
    fill_in: tuple[tuple[int, int], ...]
    added: int
    seconds: float

    @property
    def order(self) -> tuple[int, ...]:
        """The variables as they are summed out."""
        return tuple(self.tree.eliminated_in)

    @property
    def memory(self) -> int:
        """About how many bytes its tables take, for one row."""
        return BYTES_PER_CELL * self.tree.cells


def find_clique_tree(
    network: Network, known: Iterable[int] = (), factors: Iterable[int] | None = None, rows: int = 1
) -> CliqueTree:
    """The junction tree that remains when some variables are known: these are indices into tables, not axes.

    Parameters
    ----------
    known : iterable of int
        A variable of one state is known anyway.
    factors : iterable of int, optional
        The tables that are looked at; all, if not given.
    """
    closed = {*known, *(v for v, variable in enumerate(network.variables) if variable.cardinality == 1)}
    taken = list(range(len(network.scopes)) if factors is None else factors)
    scopes = [scope for f in taken if (scope := tuple(v for v in network.scopes[f] if v not in closed))]
    sizes = [variable.cardinality for variable in network.variables]
    tree = compile_tree(sizes, scopes)
    fill_in, added = _find_fill_in(joined(scopes), tree)
    gathered = sum(network.tables[f].size for f in taken)
    return CliqueTree(tree, rows, fill_in, added, estimate_seconds(tree, len(scopes), gathered, rows))


def _find_fill_in(graph: Graph, tree: JunctionTree) -> tuple[tuple[tuple[int, int], ...], int]:
    """The edges between variables of a clique that the graph does not have: the first, and how many."""
    filled = dict.fromkeys(graph, 0)
    for clique in tree.cliques:
        mask = as_mask(clique)
        for variable in clique:
            filled[variable] |= mask
    # Each edge once, at its smaller end.
    new = {v: (around & ~graph[v]) >> v + 1 << v + 1 for v, around in filled.items()}
    first: list[tuple[int, int]] = []
    for v in sorted(new):
        if len(first) < MOST_LISTED:
            first += [(v, other) for other in bits(new[v])]
    return tuple(first[:MOST_LISTED]), sum(around.bit_count() for around in new.values())
