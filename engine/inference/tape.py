"""Propagation of a part: a fixed list of array operations over preallocated arrays.

The batch of rows is the last, contiguous axis of every table. Numbers are on a linear scale: every
input is at most 1, and every message is divided by its largest entry, whose logarithm is kept per
row. A product of numbers ≤ 1 only loses cells below the smallest double; while every scale stays above
:data:`TINY`, such cells are less than 1e-100 of the result. Rows in which a scale does not are
*doubtful*, and must be computed again in log space (:mod:`engine.inference.log_space`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.inference.junction_tree import JunctionTree
from engine.inference.plan import BYTES_PER_CELL, Part
from engine.inference.pool import Piece
from engine.model.arrays import Floats

TINY = 1e-200
CHUNK_BYTES = 4 * 2**20
"""The largest clique's table of a chunk of rows should stay in the cache."""
FEWEST_ROWS = 64
"""Smaller chunks spend their time in calls rather than in arithmetic."""
_SMALLEST = float(np.finfo(np.float64).tiny)

Scope = tuple[int, ...]
Operation = Callable[[], object]


class Tape:
    """The operations that propagate ``rows`` rows of a part at a time.

    Parameters
    ----------
    part : Part
    rows : int
        At most ``part.rows``.
    pool : array
        Parameters and evidence, read at every run: refill it in place to change them.

    Attributes
    ----------
    starts : tuple of int
        Where chunks begin; the last one overlaps the one before where the rows do not divide evenly.
    indices : list of array (cells, rows)
        Per piece of the part, the pool cells it read in the last run.
    marginals : dict from scope to array (cells, rows)
        After a run, Pr(scope | row) times the row's weight, for the open variables of every factor.
        Overwritten by the next run.
    """

    def __init__(self, part: Part, rows: int, pool: Floats) -> None:
        tree = part.tree
        self.rows = rows
        self.marginals: dict[Scope, Floats] = {}
        self._part = part
        self._pool = pool
        self._start = -1
        self.starts = tuple(min(first, part.rows - rows) for first in range(0, part.rows, max(rows, 1)))
        self.indices = [np.empty((len(piece.offsets), rows), dtype=np.int64) for piece in part.pieces]
        self._tables = [np.empty((*table_shape(tree, clique), rows)) for clique in tree.cliques]
        self._messages = [np.empty((*table_shape(tree, scope), rows)) for scope in tree.separators]
        self._scales = np.empty((len(tree.cliques), rows))
        self._weights = np.empty(rows)
        self._operations: list[Operation] = []
        groups = group_pieces(part)
        for clique in range(len(tree.cliques)):
            self._collect(clique, groups[clique])
        self._upward = len(self._operations)
        for clique in reversed(range(len(tree.cliques))):
            self._distribute(clique)
            for scope in groups[clique]:
                self._marginalise(clique, scope)

    def run(
        self, start: int, weights: Floats | float = 1.0, *, downward: bool = True, check: Operation | None = None
    ) -> tuple[Floats, Floats]:
        """Propagate the part's rows ``start, start + 1, …``.

        Parameters
        ----------
        downward : bool
            Whether marginals are wanted, or only the sums.
        check : callable, optional
            Called between operations; may raise to stop.

        Returns
        -------
        log_z : array (rows,)
            The logarithm of the sum, over the open variables, of the product of all pieces.
        smallest : array (rows,)
            The smallest scale that was met: below :data:`TINY` (or NaN) the row is doubtful.
        """
        if start != self._start:
            for piece, index in zip(self._part.pieces, self.indices, strict=True):
                np.add(piece.offsets[:, None], piece.base[start : start + self.rows], out=index)
            self._start = start
        self._weights[:] = weights
        with np.errstate(all="ignore"):  # doubtful rows may divide by zero; other rows cannot
            for operation in self._operations if downward else self._operations[: self._upward]:
                operation()
                if check is not None:
                    check()
            return np.log(self._scales).sum(axis=0), self._scales.min(axis=0)

    def _collect(self, clique: int, groups: dict[Scope, list[int]]) -> None:
        """Multiply what belongs to a clique into its table, and make its message to the parent."""
        tree, table = self._part.tree, self._tables[clique]
        whole = groups.get(tree.cliques[clique])
        views = [
            align(self._product(pieces), scope, tree, clique) for scope, pieces in groups.items() if pieces is not whole
        ]
        views += [align(self._messages[child], tree.separators[child], tree, clique) for child in tree.children[clique]]
        if whole is not None:
            self._product(whole, out=table.reshape(-1, self.rows))
        else:
            self._do(np.copyto, table, views.pop() if views else 1.0)
        for view in views:
            self._do(np.multiply, table, view, out=table)
        message = self._messages[clique].reshape(-1, self.rows)
        self._do(np.add.reduce, table.reshape(-1, *message.shape), axis=0, out=message)
        self._do(np.maximum.reduce, message, axis=0, out=self._scales[clique])
        self._do(np.divide, message, self._scales[clique], out=message)

    def _product(self, pieces: list[int], out: Floats | None = None) -> Floats:
        """The product of pieces over one scope, shape (cells, rows)."""
        shape = self.indices[pieces[0]].shape
        product = np.empty(shape) if out is None else out
        self._do(self._pool.take, self.indices[pieces[0]], out=product, mode="clip")
        factor = np.empty(shape) if len(pieces) > 1 else product
        for piece in pieces[1:]:
            self._do(self._pool.take, self.indices[piece], out=factor, mode="clip")
            self._do(np.multiply, product, factor, out=product)
        return product

    def _distribute(self, clique: int) -> None:
        """Turn a clique's table into its posterior, given the parent's."""
        tree, message = self._part.tree, self._messages[clique]
        parent = tree.parents[clique]
        if parent < 0:
            self._do(np.copyto, message, self._weights)
        else:
            marginal = np.empty_like(message)
            self._do(
                np.add.reduce,
                self._tables[parent],
                axis=other_axes(tree, parent, tree.separators[clique]),
                out=marginal,
            )
            # Where the message is zero the marginal is zero too: divide by anything else.
            self._do(np.maximum, message, _SMALLEST, out=message)
            self._do(np.divide, marginal, message, out=message)
        self._do(np.divide, message, self._scales[clique], out=message)
        self._do(np.multiply, self._tables[clique], message, out=self._tables[clique])

    def _marginalise(self, clique: int, scope: Scope) -> None:
        """Sum a clique's posterior to that of a scope inside it."""
        tree, table = self._part.tree, self._tables[clique]
        if scope != tree.cliques[clique]:
            out = np.empty((*table_shape(tree, scope), self.rows))
            self._do(np.add.reduce, table, axis=other_axes(tree, clique, scope), out=out)
            table = out
        self.marginals[scope] = table.reshape(-1, self.rows)

    def _do(self, function: Callable[..., object], *arguments: object, **options: object) -> None:
        self._operations.append(partial(function, *arguments, **options))


def chunk_rows(part: Part, memory_limit: int) -> int:
    """How many rows of a part to propagate at a time."""
    fitting_cache = max(FEWEST_ROWS, CHUNK_BYTES // (8 * part.tree.largest))
    fitting_memory = max(1, memory_limit // (BYTES_PER_CELL * part.tree.cells))
    return min(part.rows, fitting_cache, fitting_memory)


def group_pieces(part: Part) -> list[dict[Scope, list[int]]]:
    """Per clique, the pieces multiplied into it, by scope."""
    groups: list[dict[Scope, list[int]]] = [{} for _ in part.tree.cliques]
    for k, piece in enumerate(part.pieces):
        groups[home(part, piece)].setdefault(piece.scope, []).append(k)
    return groups


def home(part: Part, piece: Piece) -> int:
    """The clique that a piece is multiplied into: the one that eliminates its first variable."""
    return part.tree.eliminated_in[piece.scope[0]]


def table_shape(tree: JunctionTree, scope: Scope) -> tuple[int, ...]:
    return tuple(tree.cardinalities[v] for v in scope)


def align(array: Floats, scope: Scope, tree: JunctionTree, clique: int) -> Floats:
    """A view of an array over a scope that broadcasts against the clique's table."""
    shape = [tree.cardinalities[v] if v in scope else 1 for v in tree.cliques[clique]]
    return array.reshape(*shape, array.shape[-1])


def other_axes(tree: JunctionTree, clique: int, scope: Scope) -> tuple[int, ...]:
    """The axes of a clique's table that are not in the scope."""
    return tuple(axis for axis, v in enumerate(tree.cliques[clique]) if v not in scope)
