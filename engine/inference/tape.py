"""Propagation of a part: a fixed list of array operations over preallocated arrays.

The batch of rows is the last, contiguous axis of every table. Numbers are on a linear scale: every
input is at most 1, and every message is divided by its largest entry, whose logarithm is kept per
row. A product of numbers ≤ 1 only loses cells below the smallest double; while every scale stays above
:data:`TINY`, such cells are less than 1e-100 of the result. Rows in which a scale does not are
*doubtful*, and must be computed again in log space (:mod:`engine.inference.log_space`).

All pieces stand end to end in one array of *cells*: one call reads them from the pool, and after the
run each stands for the posterior of its own scope, so that one call adds them up by parameter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from engine.inference.junction_tree import JunctionTree
from engine.inference.operations import LARGE, Operations, Scope, other_axes
from engine.inference.plan import BYTES_PER_CELL, Part
from engine.inference.pool import Piece
from engine.model.arrays import Floats, Ints, weighted_counts

TINY = 1e-200
CHUNK_BYTES = 4 * 2**20
"""The largest clique's table of a chunk of rows should stay in the cache."""
FEWEST_ROWS = 64
"""Smaller chunks spend their time in calls rather than in arithmetic."""
FEWEST_STEADY = 256
"""Rows from which on a piece that reads the same in all of them is added up by itself."""
SMALLEST = float(np.finfo(np.float64).tiny)


class Tape:
    """The operations that propagate ``rows`` rows of a part at a time.

    Parameters
    ----------
    part : Part
    rows : int
        At most ``part.rows``, where that is not 0.
    pool : array
        Parameters and evidence, read at every run: refill it in place to change them.
    only_factors : bool
        Whether the posteriors of evidence are not wanted.

    Attributes
    ----------
    starts : tuple of int
        Where chunks begin; the last one overlaps the one before where the rows do not divide evenly.
    marginals : dict from scope to array (cells, rows)
        After a run, Pr(scope | row) times the row's weight, for the open variables of every piece that is wanted.
        Overwritten by the next run.
    span : slice
        The parameters that lie between the first and the last that are read.
    """

    def __init__(self, part: Part, rows: int, pool: Floats, only_factors: bool = False) -> None:
        tree = part.tree
        self.rows = rows
        self.starts = tuple(min(first, part.rows - rows) for first in range(0, part.rows, rows))
        self.marginals: dict[Scope, Floats] = {}
        self._part, self._tree = part, tree
        self._wanted = [piece.factor >= 0 or not only_factors for piece in part.pieces]
        self._start = -1
        self._place_pieces(pool)
        self._weights, self._log_z = np.empty(rows), np.empty(rows)
        self._scales = np.empty((len(tree.cliques), rows))
        self._all_scales = self._scales.reshape(-1)
        self._logs = np.empty_like(self._scales)
        self._messages = [np.empty((*tree.shape(scope), rows)) for scope in tree.separators]
        groups = group_pieces(part)
        self._tables = [self._make_table(clique, groups[clique]) for clique in range(len(tree.cliques))]
        self._operations = Operations(tree.cardinalities, rows)
        self._sums: list[dict[Scope, Floats]] = [{} for _ in tree.cliques]
        for clique in range(len(tree.cliques)):
            self._collect(clique, groups[clique])
        for clique in reversed(range(len(tree.cliques))):
            self._distribute(clique)
            self._sum_large(clique, groups[clique])
            self._marginalise(clique, groups[clique])
        if len(tree.cliques) == 1:
            self._operations.do(np.log, self._scales[0], self._log_z)
        else:
            self._operations.do(np.log, self._scales, self._logs)
            self._operations.add_up(self._logs, 0, self._log_z)

    def _place_pieces(self, pool: Floats) -> None:
        """Lay the pieces end to end, and find the range of the pool that they read parameters from.

        Those of factors stand first, and among them those that read other parameters from row to row.
        """
        pieces, self.span = self._part.pieces, find_span(self._part)
        kinds = [2 if piece.factor < 0 else int(_is_steady(piece, self.rows)) for piece in pieces]
        order = sorted(range(len(pieces)), key=kinds.__getitem__)
        ends = [0, *itertools.accumulate(len(pieces[k].offsets) * self.rows for k in order)]
        place = dict(zip(order, itertools.pairwise(ends), strict=True))
        self._slots = [slice(*place[k]) for k in range(len(pieces))]
        self._cells = np.empty(ends[-1])
        self._index = np.empty(ends[-1], dtype=np.int64)
        counted = ends[kinds.count(0)]
        self._has_counted, self._size = counted > 0, self.span.stop - self.span.start
        # Every piece's cells as a table over its scope.
        self._views = [
            self._cells[slot].reshape(*self._tree.shape(piece.scope), self.rows)
            for piece, slot in zip(pieces, self._slots, strict=True)
        ]
        self._counted_index, self._counted_cells = self._index[:counted], self._cells[:counted]
        self._steady = [
            (piece.base[0] - self.span.start + piece.offsets, self._cells[slot].reshape(-1, self.rows))
            for piece, slot, kind in zip(pieces, self._slots, kinds, strict=True)
            if kind == 1
        ]
        self._pool = pool[self.span.start :]

    # --- running

    def run(self, start: int, weights: Floats | float = 1.0, check: Callable[[], object] | None = None) -> Floats:
        """Propagate the part's rows ``start, start + 1, …``: the logarithm of the sum over the open variables of
        the product of all pieces, shape (rows,); overwritten by the next run.

        Call it where NumPy's warnings are off: doubtful rows may divide by zero.

        Parameters
        ----------
        check : callable, optional
            Called between operations; may raise to stop.
        """
        if start != self._start:
            self._turn_to(start)
        self._weights[:] = weights
        self._pool.take(self._index, out=self._cells, mode="clip")
        self._operations.run(check)
        return self._log_z

    def _turn_to(self, start: int) -> None:
        """Find which cells of the pool the rows from ``start`` on read."""
        for piece, slot in zip(self._part.pieces, self._slots, strict=True):
            base = piece.base[start : start + self.rows] - self.span.start
            np.add(piece.offsets[:, None], base, out=self._index[slot].reshape(-1, self.rows))
        self._start = start

    def find_doubtful(self) -> Ints | None:
        """The rows of the last run in which a scale was too small to be sure, or a posterior is no number: what is
        improbable below a clique and probable above it can overflow in between. None if there are none."""
        # In a single clique, a table of at most 1 is divided by what is no less than TINY: it has numbers only.
        has_numbers = len(self._scales) == 1 or math.isfinite(np.add.reduce(self._cells))
        if has_numbers and np.minimum.reduce(self._all_scales) >= TINY:  # not if NaN
            return None
        sure = self._scales.min(axis=0) >= TINY
        for slot in self._slots:
            sure &= np.isfinite(self._cells[slot].reshape(-1, self.rows)).all(axis=0)
        return np.flatnonzero(~sure)

    def counts(self) -> Floats:
        """What the last run adds to the expected counts of the parameters in :attr:`span`."""
        if not self._has_counted:  # of which NumPy counts integers
            found = np.zeros(self._size)
        else:
            found = weighted_counts(self._counted_index, self._counted_cells, self._size)
        for where, cells in self._steady:
            found[where] += np.add.reduce(cells, 1)
        return found

    def families(self) -> list[tuple[Piece, Ints, Floats]]:
        """Per factor, after a run: its piece, the parameters it read and their posteriors times the row's weight,
        both of shape (cells, rows)."""
        found = []
        for piece, slot in zip(self._part.pieces, self._slots, strict=True):
            if piece.factor >= 0:
                index = self._index[slot].reshape(-1, self.rows) + self.span.start
                found.append((piece, index, self._cells[slot].reshape(-1, self.rows)))
        return found

    def replace_rows(self, rows: Ints, marginals: dict[Scope, Floats]) -> None:
        """Write other posteriors of some rows, times their weights, over those of the last run."""
        for piece, slot in zip(self._part.pieces, self._slots, strict=True):
            self._cells[slot].reshape(-1, self.rows)[:, rows] = marginals[piece.scope]

    def clear_rows(self, rows: Ints) -> None:
        """Have some rows of the last run count nothing."""
        for slot in self._slots:
            self._cells[slot].reshape(-1, self.rows)[:, rows] = 0.0

    # --- making the list of operations

    def _make_table(self, clique: int, groups: dict[Scope, list[int]]) -> Floats:
        """The clique's table: it stands where a piece over all of it is read, if there is one."""
        scope = self._tree.cliques[clique]
        whole = groups.get(scope)
        return self._views[whole[0]] if whole else np.empty((*self._tree.shape(scope), self.rows))

    def _collect(self, clique: int, groups: dict[Scope, list[int]]) -> None:
        """Multiply what belongs to a clique into its table, and make its message to the parent."""
        tree, table = self._tree, self._tables[clique]
        inputs = [align(self._views[k], scope, tree, clique) for scope, ks in groups.items() for k in ks]
        inputs += [align(self._messages[c], tree.separators[c], tree, clique) for c in tree.children[clique]]
        self._operations.multiply(inputs, table)
        if tree.separators[clique]:
            message = self._messages[clique].reshape(-1, self.rows)
            self._operations.add_up(_lead(table, self._messages[clique]), 0, message.reshape(-1))
            self._operations.do(np.maximum.reduce, message, 0, None, self._scales[clique])
            self._operations.do(np.divide, message, self._scales[clique], message)
        else:
            self._operations.add_up(_lead(table, self._scales[clique]), 0, self._scales[clique])

    def _distribute(self, clique: int) -> None:
        """Turn a clique's table into its posterior, given the parent's."""
        tree, table, message = self._tree, self._tables[clique], self._messages[clique]
        parent = tree.parents[clique]
        if parent < 0:
            self._operations.do(np.divide, self._weights, self._scales[clique], message)
        else:
            marginal = self._sum_out(parent, tree.separators[clique])
            # Where the message is zero the marginal is zero too: divide by anything else. Others do not feel it.
            self._operations.do(np.add, message, SMALLEST, message)
            self._operations.do(np.divide, marginal, message, message)
            self._operations.do(np.divide, message, self._scales[clique], message)
        flat = _lead(table, message)
        self._operations.do(np.multiply, flat, message.reshape(-1), flat)

    def _marginalise(self, clique: int, groups: dict[Scope, list[int]]) -> None:
        """Write the posterior of each scope inside a clique to where its pieces were read."""
        table = self._tables[clique]
        for scope, ks in groups.items():
            for k in ks:
                out = self._views[k]
                if self._wanted[k] and not np.may_share_memory(out, table):
                    self._sum_inside(clique, scope, out)
            if self._wanted[ks[0]]:
                self.marginals[scope] = self._views[ks[0]].reshape(-1, self.rows)

    def _sum_out(self, clique: int, scope: Scope) -> Floats:
        """A clique's posterior summed to that of a scope inside it."""
        if scope in self._sums[clique]:
            return self._sums[clique][scope]
        if len(scope) == len(self._tree.cliques[clique]):
            return self._tables[clique]
        marginal = np.empty((*self._tree.shape(scope), self.rows))
        self._sum_inside(clique, scope, marginal)
        return marginal

    def _sum_inside(self, clique: int, scope: Scope, out: Floats) -> None:
        """Sum a clique's table to a scope inside it, unless that was done."""
        if scope in self._sums[clique]:
            self._operations.do(np.copyto, out, self._sums[clique][scope])
        else:
            self._operations.sum_along(self._tables[clique], other_axes(self._tree.cliques[clique], scope), out)

    def _sum_large(self, clique: int, groups: dict[Scope, list[int]]) -> None:
        """Sum a large clique's posterior to all scopes that will be asked for."""
        tree, table = self._tree, self._tables[clique]
        if table.size < LARGE * self.rows:
            return
        pieces = [scope for scope, ks in groups.items() if any(self._wanted[k] for k in ks)]
        wanted = dict.fromkeys([*pieces, *(tree.separators[child] for child in tree.children[clique])])
        wanted.pop(tree.cliques[clique], None)
        self._operations.sum_all(table, tree.cliques[clique], list(wanted), self._sums[clique])


def _is_steady(piece: Piece, rows: int) -> bool:
    """Whether all rows read the same parameters, and there are many."""
    return rows >= FEWEST_STEADY and bool((piece.base == piece.base[0]).all())


def _lead(table: Floats, message: Floats) -> Floats:
    """A table as a matrix: the axes that its message does not have, and those it has."""
    return table.reshape(math.prod(table.shape[: table.ndim - message.ndim]), message.size)


def chunk_rows(part: Part, memory_limit: int) -> int:
    """How many rows of a part to propagate at a time; 1 also where there are none."""
    fitting_cache = max(FEWEST_ROWS, CHUNK_BYTES // (8 * part.tree.largest))
    fitting_memory = max(1, memory_limit // (BYTES_PER_CELL * part.tree.cells))
    return max(1, min(part.rows, fitting_cache, fitting_memory))


def find_span(part: Part) -> slice:
    """The parameters that lie between the first and the last that a part reads."""
    some = [piece for piece in part.pieces if piece.factor >= 0] if part.rows else []
    # A ufunc's own reduce, in half the time of min() and max().
    first = min([int(np.minimum.reduce(piece.base)) for piece in some], default=0)
    last = max([int(np.maximum.reduce(piece.base) + piece.offsets[-1]) for piece in some], default=-1)
    return slice(first, last + 1)


def group_pieces(part: Part) -> list[dict[Scope, list[int]]]:
    """Per clique, the pieces multiplied into it, by scope."""
    groups: list[dict[Scope, list[int]]] = [{} for _ in part.tree.cliques]
    for k, piece in enumerate(part.pieces):
        # The clique that eliminates its first variable.
        groups[part.tree.eliminated_in[piece.scope[0]]].setdefault(piece.scope, []).append(k)
    return groups


def align(array: Floats, scope: Scope, tree: JunctionTree, clique: int) -> Floats:
    """A view of an array over a scope that broadcasts against the clique's table."""
    if array.ndim > len(tree.cliques[clique]):
        return array  # it has all axes
    shape = [tree.cardinalities[v] if v in scope else 1 for v in tree.cliques[clique]]
    return array.reshape(*shape, array.shape[-1])
