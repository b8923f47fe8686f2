"""What a pass propagates: parts of a plan with their weights, those of one shape stacked into one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.plan import Part, Plan
from engine.inference.pool import Piece
from engine.learning.targets.rows import TargetRows
from engine.model.arrays import Bools, Floats, Ints, frozen, weighted_counts

_NOWHERE: Ints = frozen(np.empty(0, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Job:
    """Rows to be propagated through one tree: those of a part, or of several parts of the same shape.

    Attributes
    ----------
    part : Part
    weights : array (rows,)
        How many times each row counts.
    component : array (rows,)
        The component whose likelihood each row belongs to.
    targets : TargetRows, optional
        The rows whose likelihoods are found anew at every pass.
    home : int
        The component of all rows of one parameter vector; −1 if there are several.
    """

    part: Part
    weights: Floats
    component: Ints
    targets: TargetRows | None = None
    home: int = -1

    def only(self, components: Bools) -> Job | None:
        """The job with the rows of some components; None if there are none."""
        is_kept = components[self.component]
        count = np.count_nonzero(is_kept)
        if count == len(is_kept):
            return self
        if not count:
            return None
        kept = is_kept.nonzero()[0]
        pieces = tuple(piece.with_base(piece.base[kept]) for piece in self.part.pieces)
        targets = None if self.targets is None else self.targets.only(kept, self.part.rows)
        return Job(
            _with_rows(self.part, pieces, len(kept)), self.weights[kept], self.component[kept], targets, self.home
        )

    def repeated(self, times: int, parameters: int, components: int, fitted: slice) -> Job:
        """The rows once for each of several parameter vectors that stand one after another in the pool.

        ``fitted`` are the cells of the pool that are found anew at every pass: each vector has its own.
        """
        shift = np.repeat(np.arange(times), self.part.rows)
        moved = (times - 1) * parameters + np.arange(times) * (fitted.stop - fitted.start)  # those of each vector
        pieces = []
        for piece in self.part.pieces:
            base = np.tile(piece.base, times)
            if piece.factor >= 0:
                base += shift * parameters
            else:
                base += np.where(base >= fitted.start, moved[shift], (times - 1) * parameters)
            pieces.append(piece.with_base(base))
        part = _with_rows(self.part, tuple(pieces), times * self.part.rows)
        targets = None if self.targets is None else self.targets.repeated(times, self.part.rows, moved)
        component = np.tile(self.component, times) + shift * components
        return Job(part, np.tile(self.weights, times), component, targets, self.home)


def make_jobs(plan: Plan, component_of_block: Sequence[int]) -> tuple[Job, ...]:
    """The jobs of a plan: one for each shape among its parts.

    Two parts have the same shape when they have the same tree and their pieces read the pool with the same
    strides: then one array operation serves the rows of both.
    """
    stacks: dict[tuple[object, ...], _Stack] = {}
    for block, component in zip(plan.blocks, component_of_block, strict=True):
        for part in block.parts if block.rows else ():
            shapes = [piece.shape for piece in part.pieces]
            order = sorted(range(len(shapes)), key=shapes.__getitem__)
            stack = stacks.setdefault((part.tree, *(shapes[k] for k in order)), _Stack(part))
            weights = block.weights
            if part.row is not part.local_rows:
                weights = weighted_counts(part.row, weights[part.local_rows], part.rows)
            stack.pieces.append([part.pieces[k] for k in order])
            stack.weights.append(weights)
            stack.components.append(component)
    return tuple(stack.join() for stack in stacks.values())


class _Stack:
    """Parts of one shape: what the pieces of each are, in the same order; their weights and components."""

    def __init__(self, first: Part) -> None:
        self._first = first
        self.pieces: list[list[Piece]] = []
        self.weights: list[Floats] = []
        self.components: list[int] = []

    def join(self) -> Job:
        """The job of their rows, one part after the other."""
        pieces = [
            alike[0] if len(alike) == 1 else alike[0].with_base(np.concatenate([piece.base for piece in alike]))
            for alike in zip(*self.pieces, strict=True)
        ]
        weights = np.concatenate(self.weights)
        component = np.repeat(np.array(self.components, dtype=np.int64), [len(some) for some in self.weights])
        home = self.components[0] if len(set(self.components)) == 1 else -1
        return Job(_with_rows(self._first, tuple(pieces), len(weights)), weights, component, home=home)


def _with_rows(part: Part, pieces: tuple[Piece, ...], rows: int) -> Part:
    """A part that is only propagated: which rows of a block it stands for is forgotten."""
    return Part(part.variables, part.tree, pieces, rows, _NOWHERE, _NOWHERE)
