"""Where the numbers of many small cliques stand side by side, and which of them belong to which.

A *node* is a clique of a part's tree in one row of the part. Nodes of one height are propagated at a time and stand
together, those with the most children first, and the rows of a clique one after another.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.junction_tree import JunctionTree
from engine.inference.operations import Scope
from engine.inference.plan import Part
from engine.inference.pool import Piece, find_offsets
from engine.inference.tape import group_pieces
from engine.model.arrays import Ints, find_ranges

ROOT, OUTSIDE = -1, -2
"""Instead of a parent: there is none, or it is not in the forest."""
NOWHERE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a forest.

    Attributes
    ----------
    clique : array
        The clique of each node, all parts' cliques one after the other.
    row : array
        Its row, all parts' rows one after the other.
    parent : array
        The node above; ROOT or OUTSIDE where there is none.
    height : array
        How far it is from the leaves below it, at most.
    size, cell : array
        How many cells its table has, and where they begin.
    length, message : array
        How many cells its message to the parent has, and where they begin.
    first : array
        Per clique, its node in the first row of its part.
    """

    clique: Ints
    row: Ints
    parent: Ints
    height: Ints
    size: Ints
    cell: Ints
    length: Ints
    message: Ints
    first: Ints

    @property
    def n_cells(self) -> int:
        return int(self.size.sum())

    @property
    def n_messages(self) -> int:
        return int(self.length.sum())


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes of one height.

    Attributes
    ----------
    cells, messages, nodes : slice
        Where their tables, their messages and they themselves stand among all.
    products : array (cells,)
        Where the product of each cell's pieces stands.
    below : list of array
        The first child of each node that has one, the second child, …: per cell, where the child's message stands.
    message_of, node_of : array
        Per cell, that of the message which it is added to; per cell of a message, its node. Counted from the level's.
    starts : array
        Where the message of each node begins, counted likewise.
    above, above_of : array
        The cells of the parents, and that of the message which they are summed to, counted likewise.
    """

    cells: slice
    messages: slice
    nodes: slice
    products: Ints
    below: list[Ints]
    message_of: Ints
    node_of: Ints
    starts: Ints
    above: Ints
    above_of: Ints


@dataclass(frozen=True, eq=False)
class Pieces:
    """What is multiplied for each cell.

    Attributes
    ----------
    index : array
        Which cells of the pool are read: one for each cell of the nodes that have a piece, of those that have two, …
    slots : list of slice
        Where these stand in it.
    products : array (cells,)
        Where the product for each cell of the tables stands: those of the nodes with the most pieces first.
    counted, counted_cells : array
        What is read of factors, and the cells of the tables that are counted for it.
    """

    index: Ints
    slots: list[slice]
    products: Ints
    counted: Ints
    counted_cells: Ints


def find_heights(tree: JunctionTree) -> list[int]:
    """How far each clique is from the leaves below it, at most."""
    heights = [0] * len(tree.cliques)
    for clique, parent in enumerate(tree.parents):  # children first
        if parent >= 0:
            heights[parent] = max(heights[parent], heights[clique] + 1)
    return heights


def place_nodes(parts: Sequence[Part], fringes: Sequence[Sequence[int]]) -> Nodes:
    """The nodes of some cliques of some parts, in all of their rows."""
    counts, rows = np.array([len(fringe) for fringe in fringes]), np.array([part.rows for part in parts])
    tables = [_describe_cliques(part.tree, fringe) for part, fringe in zip(parts, fringes, strict=True)]
    size, length, parent, height, children = np.concatenate(tables, axis=1)
    parent = np.where(parent >= 0, parent + np.repeat(find_starts(counts), counts), parent)
    order, copies = np.lexsort((-children, height)), np.repeat(rows, counts)
    clique, first = np.repeat(order, copies[order]), np.empty(len(size), dtype=np.int64)
    first[order] = find_starts(copies[order])
    copy = np.arange(len(clique)) - first[clique]
    above, size, length = parent[clique], size[clique], length[clique]
    return Nodes(
        clique=clique,
        row=np.repeat(find_starts(rows), counts)[clique] + copy,
        parent=np.where(above >= 0, first[np.maximum(above, 0)] + copy, above),
        height=height[clique],
        size=size,
        cell=find_starts(size),
        length=length,
        message=find_starts(length),
        first=first,
    )


def _describe_cliques(tree: JunctionTree, fringe: Sequence[int]) -> Ints:
    """Of each clique the cells of its table and of its message, its parent among these, its height and children."""
    place, heights = {clique: k for k, clique in enumerate(fringe)} | {-1: ROOT}, find_heights(tree)
    columns = (
        [tree.sizes[clique] for clique in fringe],
        [math.prod(tree.shape(tree.separators[clique])) for clique in fringe],
        [place.get(tree.parents[clique], OUTSIDE) for clique in fringe],
        [heights[clique] for clique in fringe],
        [len(tree.children[clique]) for clique in fringe],
    )
    return np.array(columns)


def make_levels(
    nodes: Nodes, parts: Sequence[Part], fringes: Sequence[Sequence[int]], products: Ints, rows: int
) -> list[Level]:
    """The levels, leaves first.

    The tables are followed by a cell for each of the rows, which roots are summed to, and by one for each cell of all
    messages: what is known above of those that go outside.
    """
    located, widths = _locate_messages(nodes, parts, fringes)
    message_of_above = np.repeat(nodes.message, widths) + located
    source = np.where(nodes.parent == ROOT, nodes.n_cells + nodes.row, nodes.n_cells + rows + nodes.message)
    source = np.where(nodes.parent >= 0, nodes.cell[np.maximum(nodes.parent, 0)], source)
    above, starts = find_ranges(source, widths), find_starts(widths)
    below = _find_below(nodes, message_of_above, starts, widths)
    message_of = np.repeat(np.arange(nodes.n_messages), np.repeat(nodes.size // nodes.length, nodes.length))
    node_of = np.repeat(np.arange(len(nodes.size)), nodes.length)
    ends = np.flatnonzero(np.diff(nodes.height, append=-1)) + 1
    levels: list[Level] = []
    for first, last in itertools.pairwise([0, *ends.tolist()]):
        start = int(nodes.message[first])
        cells = slice(int(nodes.cell[first]), int(nodes.cell[last - 1] + nodes.size[last - 1]))
        messages = slice(start, int(nodes.message[last - 1] + nodes.length[last - 1]))
        read = slice(int(starts[first]), int(starts[last - 1] + widths[last - 1]))
        levels.append(
            Level(
                cells,
                messages,
                slice(first, last),
                products[cells],
                below[len(levels)],
                message_of[cells] - start,
                node_of[messages] - first,
                nodes.message[first:last] - start,
                above[read],
                message_of_above[read] - start,
            )
        )
    return levels


def _locate_messages(nodes: Nodes, parts: Sequence[Part], fringes: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Per node and cell of what is above it, the cell of its message which that is summed to; how many each has."""
    found = []
    for part, fringe in zip(parts, fringes, strict=True):
        tree, inside = part.tree, set(fringe)
        axes = {clique: _find_axes(tree, clique) for clique in fringe if tree.children[clique]}
        shapes = {clique: tree.shape(variables) for clique, variables in axes.items()}
        for clique in fringe:
            parent, scope = tree.parents[clique], tree.separators[clique]
            sizes = tree.shape(scope)
            if parent in inside:
                found.append(_spread_over(axes[parent], shapes[parent], scope, find_strides(sizes)))
            else:
                found.append(np.arange(math.prod(sizes)))  # of a root one
    counts = _count(found)
    widths = counts[nodes.clique]
    return np.concatenate(found)[find_ranges(find_starts(counts)[nodes.clique], widths)], widths


def _find_below(nodes: Nodes, message_of_above: Ints, starts: Ints, widths: Ints) -> list[list[Ints]]:
    """Per level and number of a child, where the messages of these children stand, for each cell of their parents."""
    inside = np.flatnonzero(nodes.parent >= 0)
    inside = inside[np.argsort(nodes.parent[inside], kind="stable")]
    parent = nodes.parent[inside]
    number = np.arange(len(parent)) - np.searchsorted(parent, parent)
    n_levels = int(nodes.height[-1]) + 1
    found: list[list[Ints]] = [[] for _ in range(n_levels)]
    for k in range(int(number.max(initial=-1)) + 1):
        some = inside[number == k]
        places = message_of_above[find_ranges(starts[some], widths[some])]
        ends = np.bincount(nodes.height[nodes.parent[some]], widths[some], n_levels).cumsum().astype(np.int64)
        for level, (first, last) in enumerate(itertools.pairwise([0, *ends.tolist()])):
            if last > first:
                found[level].append(places[first:last])
    return found


def place_pieces(nodes: Nodes, parts: Sequence[Part], fringes: Sequence[Sequence[int]]) -> Pieces:
    """Find what is multiplied for each cell, and the cells of the factors, which are counted in the end."""
    offsets, pieces, counts = _list_pieces(parts, fringes)
    offset_starts, base_starts = find_starts(_count(offsets)), find_starts(_count([piece.base for piece in pieces]))
    every_offset, every_base = np.concatenate(offsets), np.concatenate([piece.base for piece in pieces])
    is_factor = np.array([piece.factor >= 0 for piece in pieces])
    count, first = counts[nodes.clique], find_starts(counts)[nodes.clique]
    copy = np.arange(len(count)) - nodes.first[nodes.clique]
    order = np.argsort(-count, kind="stable")
    product = np.empty(len(order), dtype=np.int64)
    product[order] = find_starts(nodes.size[order])
    index, counted, counted_cells, ends = [NOWHERE], [NOWHERE], [NOWHERE], [0]
    for number in range(int(counts.max())):
        some = order[: np.count_nonzero(count > number)]
        piece, sizes = first[some] + number, nodes.size[some]
        places = every_offset[find_ranges(offset_starts[piece], sizes)]
        places += np.repeat(every_base[base_starts[piece] + copy[some]], sizes)
        is_counted = np.repeat(is_factor[piece], sizes)
        index.append(places)
        counted.append(places[is_counted])
        counted_cells.append(find_ranges(nodes.cell[some], sizes)[is_counted])
        ends.append(ends[-1] + len(places))
    return Pieces(
        np.concatenate(index),
        [slice(first, last) for first, last in itertools.pairwise(ends)],
        find_ranges(product, nodes.size),
        np.concatenate(counted),
        np.concatenate(counted_cells),
    )


def _list_pieces(parts: Sequence[Part], fringes: Sequence[Sequence[int]]) -> tuple[list[Ints], list[Piece], Ints]:
    """The pieces of each clique, those of one after those of the other, and how many each has.

    And of each piece, how far the cell for each of the clique's is from the first. Not by clique, in lists of which
    there would be so many that the garbage collector would look for long.
    """
    offsets: list[Ints] = []
    pieces: list[Piece] = []
    counts: list[int] = []
    for part, fringe in zip(parts, fringes, strict=True):
        groups = group_pieces(part)
        for clique in fringe:
            axes, before = _find_axes(part.tree, clique), len(pieces)
            sizes = part.tree.shape(axes)
            for scope, numbers in groups[clique].items():
                for k in numbers:
                    pieces.append(part.pieces[k])
                    offsets.append(_spread_over(axes, sizes, scope, part.pieces[k].strides))
            counts.append(len(pieces) - before)
    return offsets, pieces, np.array(counts)


def _find_axes(tree: JunctionTree, clique: int) -> Scope:
    """The variables of a clique, those first that it shares with its parent: what is added up stands together."""
    variables, shared = tree.cliques[clique], len(tree.separators[clique])
    return variables[len(variables) - shared :] + variables[: len(variables) - shared]


def _spread_over(axes: Scope, sizes: Sequence[int], scope: Scope, strides: Sequence[int]) -> Ints:
    """Per cell of a clique, how far that of a table over some of its variables is from the table's first one."""
    step = dict(zip(scope, strides, strict=True))
    return find_offsets(tuple([step.get(v, 0) for v in axes]), tuple(sizes))


def _count(some: Sequence[Ints]) -> Ints:
    """How long each array is."""
    return np.fromiter(map(len, some), np.int64, len(some))


def find_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """How far apart neighbouring cells of each axis of a table stand."""
    return tuple([math.prod(sizes[k + 1 :]) for k in range(len(sizes))])


def find_starts(sizes: Ints) -> Ints:
    """Where things of some sizes begin that stand end to end."""
    return np.cumsum(sizes) - sizes
