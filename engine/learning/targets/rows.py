"""Rows of a job that have targets: where their likelihoods stand in the pool, to be found anew at every pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.inference.pool import Piece
from engine.model.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class TargetRows:
    """The rows of a job that have targets.

    Attributes
    ----------
    rows : array (some,)
        Which rows of the job these are.
    pieces : array (some, most targets)
        The evidence that each target of a row stands in, those with the most states last; −1 where it has fewer.
    shares : array (some, most targets, most states)
        R, padded with zeros; a target that a row does not have is one of one state.
    cells : array (some,)
        Where the likelihoods of each row begin in the pool, laid out as ``shares``.
    is_fixed : bool
        Whether the targets hold whatever else the row says, and count as J has it; else a row counts as it is.
    """

    rows: Ints
    pieces: Ints
    shares: Floats
    cells: Ints
    is_fixed: bool

    @property
    def sizes(self) -> tuple[int, ...]:
        """Per target, how many states it has at most."""
        used = np.asarray((self.shares > 0).any(axis=0))
        return tuple(int(np.flatnonzero(states)[-1]) + 1 for states in used)

    @property
    def places(self) -> Ints:
        """Where each number of ``shares`` has its likelihood in the pool."""
        return self.cells[:, None, None] + np.arange(self.shares[0].size).reshape(self.shares.shape[1:])

    def only(self, kept: Ints, rows: int) -> TargetRows | None:
        """Those among the rows that a job keeps, as it numbers them then; None if there are none."""
        new = np.full(rows, -1, dtype=np.int64)
        new[kept] = np.arange(len(kept))
        some = new[self.rows] >= 0
        return self.take(some, new[self.rows[some]]) if some.any() else None

    def take(self, some: Bools | Ints | slice, rows: Ints) -> TargetRows:
        """Some of them, as other rows."""
        return TargetRows(rows, self.pieces[some], self.shares[some], self.cells[some], self.is_fixed)

    def repeated(self, times: int, rows: int, moved: Ints) -> TargetRows:
        """Those of a job of so many rows that stands several times one after another, each with cells of its own."""
        copy = np.repeat(np.arange(times), len(self.rows))
        return replace(
            self,
            rows=np.tile(self.rows, times) + copy * rows,
            pieces=np.tile(self.pieces, (times, 1)),
            shares=np.tile(self.shares, (times, 1, 1)),
            cells=np.tile(self.cells, times) + moved[copy],
        )


def place_targets(
    pieces: Sequence[Piece], is_target: Bools, pool: Floats, first: int, is_fixed: bool
) -> tuple[tuple[Piece, ...], TargetRows | None]:
    """Give the targets that pieces of evidence read likelihoods of their own, from a cell of the pool on.

    Parameters
    ----------
    is_target : array (cells of the pool,)
        Whether the vector that begins there is a target.
    """
    evidence = [k for k, piece in enumerate(pieces) if piece.factor < 0]
    if not evidence:
        return tuple(pieces), None
    has = np.stack([is_target[pieces[k].base] for k in evidence])
    count = has.sum(axis=0)
    rows, most = np.flatnonzero(count), int(count.max(initial=0))
    if not most:
        return tuple(pieces), None
    states = np.array([len(pieces[k].offsets) for k in evidence])
    last = np.argsort(np.where(has[:, rows], states[:, None], 0), axis=0, kind="stable")[-most:].T
    found = np.where(has[last, rows[:, None]], np.array(evidence)[last], -1)
    widest = int(states[has.any(axis=1)].max())
    shares = np.zeros((len(rows), most, widest))
    shares[found < 0, 0] = 1.0
    cells = first + np.arange(len(rows)) * (most * widest)
    changed = list(pieces)
    for k in np.unique(found[found >= 0]).tolist():
        at, number = np.nonzero(found == k)
        base = pieces[k].base.copy()
        vectors = pool[base[rows[at], None] + pieces[k].offsets]
        shares[at, number, : vectors.shape[1]] = vectors / vectors.sum(axis=1, keepdims=True)
        base[rows[at]] = cells[at] + number * widest
        changed[k] = pieces[k].with_base(base)
    return tuple(changed), TargetRows(rows, found, shares, cells, is_fixed)
