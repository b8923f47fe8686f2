"""Propagation of few rows through many small cliques: all that are equally far from the leaves at a time.

The messages are those of a :class:`~engine.inference.tape.Tape`, whose operations take longer to call than to do where
a clique has a handful of cells. Here the cells of all small cliques stand in one array, and lists of places say which
are multiplied with which, and which are added up. Large cliques, and those above them, are the *core*: a tape
propagates them, to which the messages from below are as good as factors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.inference.junction_tree import JunctionTree
from engine.inference.operations import Scope
from engine.inference.plan import MEMORY_LIMIT, Part
from engine.inference.pool import Piece, find_offsets
from engine.inference.tape import SMALLEST, TINY, Tape, chunk_rows, find_span, group_pieces
from engine.model.arrays import Floats, Ints, weighted_counts

SMALL = 512
"""Cells of all rows up to which a clique is small: then operations on it take no longer than calling them."""
FEWEST_AT_A_TIME = 2
"""How many cliques a level must have, taken together, to be worth its lists of places."""


def find_fringe(part: Part, memory_limit: int = MEMORY_LIMIT) -> list[int]:
    """The cliques that are small and have only small ones below; none where they are not worth a level each."""
    tree = part.tree
    if chunk_rows(part, memory_limit) < part.rows:
        return []
    is_small = [size * part.rows <= SMALL for size in tree.sizes]
    for clique, parent in enumerate(tree.parents):  # children first
        if parent >= 0 and not is_small[clique]:
            is_small[parent] = False
    fringe, heights = [clique for clique, small in enumerate(is_small) if small], find_heights(tree)
    levels = 1 + max((heights[clique] for clique in fringe), default=0)
    return fringe if len(fringe) >= FEWEST_AT_A_TIME * levels else []


def find_heights(tree: JunctionTree) -> list[int]:
    """How far each clique is from the leaves below it, at most."""
    heights = [0] * len(tree.cliques)
    for clique, parent in enumerate(tree.parents):  # children first
        if parent >= 0:
            heights[parent] = max(heights[parent], heights[clique] + 1)
    return heights


@dataclass(frozen=True, eq=False)
class _Level:
    """The cliques of one height, those with the most children first.

    Attributes
    ----------
    cells, messages, scales : slice
        Where their tables, messages and scales stand among all.
    products : array (cells,)
        Where the product of each cell's pieces stands.
    below : tuple of array
        The first child of each clique that has one, the second child, …: per cell, where the child's message stands.
    message_of, scale_of : array
        Per cell, that of the message which it is added to; per cell of a message, its scale. Counted from the level's.
    starts : array
        Where the message of each clique begins, counted likewise.
    above, above_of : array
        The cells of the parents, and that of the message which they are summed to, counted likewise.
    """

    cells: slice
    messages: slice
    scales: slice
    products: Ints
    below: tuple[Ints, ...]
    message_of: Ints
    scale_of: Ints
    starts: Ints
    above: Ints
    above_of: Ints


class Levels:
    """All rows of a part, those of its cliques that are in the fringe level by level. Used like a tape.

    Parameters
    ----------
    part : Part
    pool : array
        Parameters and evidence, read at every run: refill it in place to change them.
    fringe : list of int
        As :func:`find_fringe` finds it.

    Attributes
    ----------
    rows : int
    starts : tuple of int
        Where chunks begin: there is only one.
    span : slice
        The parameters that lie between the first and the last that are read.
    """

    def __init__(self, part: Part, pool: Floats, fringe: Sequence[int]) -> None:
        tree, heights = part.tree, find_heights(part.tree)
        self.rows, self.starts, self.span = part.rows, (0,), find_span(part)
        self._part, self._tree = part, tree
        order = sorted(fringe, key=lambda clique: (heights[clique], -len(tree.children[clique])))
        lengths = {clique: math.prod(tree.shape(tree.separators[clique])) for clique in order}
        self._cell, cells = _place({clique: tree.sizes[clique] for clique in order})
        self._message, messages = _place(lengths)
        self._scale, scales = _place(dict.fromkeys(order, 1))
        # The tables; the weights, which the posteriors of roots sum to; what the core says of the messages to it.
        self._tables = np.zeros((cells + 1 + messages) * self.rows)
        self._weights = self._tables[cells * self.rows : (cells + 1) * self.rows]
        self._known = self._tables[(cells + 1) * self.rows :]
        self._root, self._core_start = cells, cells + 1
        self._scales = np.empty((scales, self.rows))
        self._pool, self._whole_pool = pool, np.concatenate([pool, np.empty(messages * self.rows)])
        self._messages = self._whole_pool[len(pool) :]
        self._exact: tuple[Ints, Floats] | None = None
        self._place_pieces()
        self._levels = [self._make_level(list(level)) for _, level in itertools.groupby(order, heights.__getitem__)]
        self._core = self._make_core()

    # --- running

    def run(self, start: int, weights: Floats | float = 1.0, check: Callable[[], object] | None = None) -> Floats:
        """Propagate all rows, as :meth:`Tape.run <engine.inference.tape.Tape.run>` does."""
        self._exact = None
        self._weights[:] = weights
        self._whole_pool[: len(self._pool)] = self._pool
        self._multiply_pieces()
        self._collect()
        log_z = np.add.reduce(np.log(self._scales), 0)
        if self._core is not None:
            log_z = log_z + self._core.run(start, weights, check)
            self._known[:] = self._count_core()[len(self._pool) :]
        self._distribute()
        return np.asarray(log_z)

    def _multiply_pieces(self) -> None:
        """The product of the pieces of each clique: first those of all that have one, then of those that have two, …"""
        gathered = self._whole_pool.take(self._index)
        for slot in self._slots:
            some = self._products[: slot.stop - slot.start]
            np.multiply(some if slot.start else 1.0, gathered[slot], some)

    def _collect(self) -> None:
        """Multiply what belongs to each clique into its table, and make its message to the parent: leaves first."""
        for level in self._levels:
            table = self._tables[level.cells]
            self._products.take(level.products, out=table, mode="clip")
            for index in level.below:
                some = table[: len(index)]
                np.multiply(some, self._messages.take(index), some)
            message, scales = self._messages[level.messages], self._scales[level.scales]
            message[:] = weighted_counts(level.message_of, table, len(message))
            np.maximum.reduceat(message.reshape(-1, self.rows), level.starts, 0, None, scales)
            np.divide(message, scales.take(level.scale_of), message)

    def _distribute(self) -> None:
        """Turn each clique's table into its posterior, given the parent's: roots first."""
        for level in reversed(self._levels):
            table, message = self._tables[level.cells], self._messages[level.messages]
            marginal = weighted_counts(level.above_of, self._tables.take(level.above), len(message))
            # Where the message is zero the marginal is zero too: divide by anything else. Others do not feel it.
            np.add(message, SMALLEST, message)
            np.divide(marginal, message, marginal)
            np.divide(marginal, self._scales[level.scales].take(level.scale_of), marginal)
            np.multiply(table, marginal.take(level.message_of), table)

    def _count_core(self) -> Floats:
        """What the core counts of the parameters, and of the messages to it."""
        counts = np.zeros(len(self._whole_pool))
        if self._core is not None:
            counts[self._core.span] = self._core.counts()
        return counts

    def find_doubtful(self) -> Ints | None:
        """The rows of the last run that must be computed in log space, as a tape finds them; None if there are none."""
        found = None if self._core is None else self._core.find_doubtful()
        if np.minimum.reduce(self._scales, None) < TINY or not math.isfinite(np.add.reduce(self._tables)):
            tables = self._tables.reshape(-1, self.rows)
            sure = (self._scales >= TINY).all(axis=0) & np.isfinite(tables).all(axis=0)
            found = np.union1d(np.flatnonzero(~sure), [] if found is None else found).astype(np.int64)
        return found

    def counts(self) -> Floats:
        """What the last run adds to the expected counts of the parameters."""
        counts = self._count_core()[self.span]
        counts += weighted_counts(self._counted, self._tables.take(self._counted_cells), len(counts))
        if self._exact is not None:
            counts += weighted_counts(*self._exact, len(counts))
        return counts

    def replace_rows(self, rows: Ints, marginals: dict[Scope, Floats]) -> None:
        """Count other posteriors of some rows, times their weights, instead of those of the last run."""
        self._tables.reshape(-1, self.rows)[:, rows] = 0.0
        if self._core is not None:
            self._core.clear_rows(rows)
        factors = [piece for piece in self._part.pieces if piece.factor >= 0]
        index = [(piece.offsets[:, None] + piece.base[rows] - self.span.start).reshape(-1) for piece in factors]
        self._exact = np.concatenate(index), np.concatenate([marginals[piece.scope].reshape(-1) for piece in factors])

    # --- making the lists of places

    def _place_pieces(self) -> None:
        """Find what is multiplied for each cell, and the cells of the factors, which are counted in the end."""
        groups = group_pieces(self._part)
        of_clique = {clique: [k for ks in groups[clique].values() for k in ks] for clique in self._cell}
        order = sorted(of_clique, key=lambda clique: -len(of_clique[clique]))
        self._product, cells = _place({clique: self._tree.sizes[clique] for clique in order})
        self._products = np.ones(cells * self.rows)
        index, ends, counted, counted_cells = [_NOWHERE], [0], [_NOWHERE], [_NOWHERE]
        for number in range(len(of_clique[order[0]])):
            for clique in [clique for clique in order if len(of_clique[clique]) > number]:
                piece = self._part.pieces[of_clique[clique][number]]
                offsets = self._find_offsets(clique, piece.scope, piece.strides)
                index.append((offsets[:, None] + piece.base).reshape(-1))
                if piece.factor >= 0:
                    counted.append(index[-1] - self.span.start)
                    counted_cells.append(self._cell[clique] + np.arange(len(offsets)))
            ends.append(sum(map(len, index)))
        self._slots = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._index, self._counted = np.concatenate(index), np.concatenate(counted)
        self._counted_cells = self._spread(counted_cells)

    def _make_level(self, cliques: list[int]) -> _Level:
        tree, first, last = self._tree, cliques[0], cliques[-1]
        sizes = [tree.sizes[clique] for clique in cliques]
        lengths = [math.prod(tree.shape(tree.separators[clique])) for clique in cliques]
        starts = [self._message[clique] - self._message[first] for clique in cliques]
        each = [np.arange(start, start + length) for start, length in zip(starts, lengths, strict=True)]
        times = [size // length for size, length in zip(sizes, lengths, strict=True)]
        places = [self._find_above(clique, start) for clique, start in zip(cliques, starts, strict=True)]
        return _Level(
            self._span(self._cell[first], self._cell[last] + sizes[-1]),
            self._span(self._message[first], self._message[last] + lengths[-1]),
            slice(self._scale[first], self._scale[last] + 1),
            self._spread(self._product[clique] + np.arange(tree.sizes[clique]) for clique in cliques),
            self._find_below(cliques),
            self._spread(np.repeat(places, n) for places, n in zip(each, times, strict=True)),
            self._spread([np.repeat(np.arange(len(cliques)), lengths)]),
            np.array(starts),
            self._spread(above for above, _ in places),
            self._spread(above_of for _, above_of in places),
        )

    def _find_below(self, cliques: list[int]) -> tuple[Ints, ...]:
        """The children's messages that a level's cliques read."""
        children, found = self._tree.children, []
        for number in range(len(children[cliques[0]])):
            pairs = [(clique, children[clique][number]) for clique in cliques if len(children[clique]) > number]
            found.append(self._spread(self._message[child] + self._locate(clique, child) for clique, child in pairs))
        return tuple(found)

    def _find_above(self, clique: int, start: int) -> tuple[Ints, Ints]:
        """What the posterior of a clique's separator is summed from, and the cell of the separator it is summed to."""
        parent, length = self._tree.parents[clique], math.prod(self._tree.shape(self._tree.separators[clique]))
        if parent < 0:
            return np.array([self._root]), np.array([start])
        if parent not in self._cell:
            return self._core_start + self._message[clique] + np.arange(length), start + np.arange(length)
        return self._cell[parent] + np.arange(self._tree.sizes[parent]), start + self._locate(parent, clique)

    def _make_core(self) -> Tape | None:
        """What propagates the cliques outside of the fringe."""
        tree, pieces = self._tree, self._part.pieces
        core = [clique for clique in range(len(tree.cliques)) if clique not in self._cell]
        if not core:
            return None
        number = {clique: k for k, clique in enumerate(core)} | {-1: -1}
        part = replace(
            self._part,
            tree=JunctionTree(
                tree.cardinalities,
                tuple(tree.cliques[clique] for clique in core),
                tuple(tree.separators[clique] for clique in core),
                tuple(number[tree.parents[clique]] for clique in core),
                tree.adds_edges,
            ),
            pieces=(
                *(self._message_piece(clique) for clique in self._cell if tree.parents[clique] in number),
                *(piece for piece in pieces if tree.eliminated_in[piece.scope[0]] in number),
            ),
        )
        return Tape(part, self.rows, self._whole_pool, only_factors=True)

    def _message_piece(self, clique: int) -> Piece:
        """A message to the core, as a factor of it."""
        scope = self._tree.separators[clique]
        sizes, first = self._tree.shape(scope), len(self._pool) + self._message[clique] * self.rows
        strides = tuple(self.rows * step for step in _find_strides(sizes))
        return Piece(0, scope, strides, find_offsets(strides, sizes), first + np.arange(self.rows))

    def _spread(self, places: Iterable[Ints]) -> Ints:
        """Places of what each row has one of: those of the rows stand side by side."""
        every = np.concatenate([_NOWHERE, *places])
        return (every[:, None] * self.rows + np.arange(self.rows)).reshape(-1)

    def _span(self, start: int, stop: int) -> slice:
        return slice(start * self.rows, stop * self.rows)

    def _locate(self, clique: int, child: int) -> Ints:
        """Per cell of a clique, the cell of a child's message."""
        scope = self._tree.separators[child]
        return self._find_offsets(clique, scope, _find_strides(self._tree.shape(scope)))

    def _find_offsets(self, clique: int, scope: Scope, strides: Sequence[int]) -> Ints:
        """Per cell of a clique, how far that of a table over some of its variables is from the table's first one.

        The variables that a clique shares with its parent come first, so that what is added up stands together.
        """
        step = dict(zip(scope, strides, strict=True))
        variables, shared = self._tree.cliques[clique], len(self._tree.separators[clique])
        axes = variables[len(variables) - shared :] + variables[: len(variables) - shared]
        return find_offsets(tuple(step.get(v, 0) for v in axes), self._tree.shape(axes))


_NOWHERE = np.empty(0, dtype=np.int64)


def _place(sizes: dict[int, int]) -> tuple[dict[int, int], int]:
    """Where things of some sizes begin if they stand end to end, and where they end."""
    ends = [0, *itertools.accumulate(sizes.values())]
    return dict(zip(sizes, ends, strict=False)), ends[-1]


def _find_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """How far apart neighbouring cells of each axis of a table stand."""
    return tuple(math.prod(sizes[k + 1 :]) for k in range(len(sizes)))
