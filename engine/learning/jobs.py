"""The E-step's work: parts of a plan with their weights, parts of one shape stacked into one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.inference import log_space
from engine.inference.plan import MEMORY_LIMIT, Part, Plan
from engine.inference.pool import Piece
from engine.inference.tape import TINY, Tape, chunk_rows
from engine.model.arrays import Bools, Floats, Ints, weighted_counts

CHECKED_SECONDS = 0.05
"""A chunk that takes longer is interrupted between its operations, not only after it."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows that have just been propagated. Its arrays are overwritten by the next chunk.

    Attributes
    ----------
    component, weights, log_likelihood : array (rows,)
        The last times the weight.
    families : list of (piece, index, marginal)
        For every factor, the parameters it read and their posterior probability times the row's weight,
        both of shape (configurations of the open variables, rows).
    """

    component: Ints
    weights: Floats
    log_likelihood: Floats
    families: list[tuple[Piece, Ints, Floats]]


@dataclass(eq=False)
class Job:
    """Rows to be propagated through one tree: those of a part, or of several parts of the same shape.

    Attributes
    ----------
    part : Part
    weights : array (rows,)
        How many times each row counts.
    component : array (rows,)
        The component whose likelihood each row belongs to.
    """

    part: Part
    weights: Floats
    component: Ints
    _tape: Tape | None = field(default=None, repr=False)

    def chunks(self, pool: Floats, downward: bool, check: Callable[[], object]) -> Iterator[Chunk]:
        """Propagate the rows, a chunk at a time.

        ``pool`` must be the same array at every call, refilled in place.
        """
        if self._tape is None:
            self._tape = Tape(self.part, chunk_rows(self.part, MEMORY_LIMIT), pool)
        tape = self._tape
        inner_check = check if self.part.seconds / len(tape.starts) > CHECKED_SECONDS else None
        done = 0
        for start in tape.starts:
            check()
            chunk = slice(start, start + tape.rows)
            weights = self.weights[chunk]
            if start < done:  # rows that the chunk before has counted
                weights = np.where(np.arange(start, start + tape.rows) < done, 0.0, weights)
            done = start + tape.rows
            log_z, smallest = tape.run(start, weights, downward=downward, check=inner_check)
            doubtful = np.flatnonzero(~(smallest >= TINY))
            if doubtful.size:
                self._correct(tape, start, doubtful, weights, log_z, pool, downward)
            with np.errstate(invalid="ignore"):
                share = np.where(weights > 0, weights * log_z, 0.0)
            pieces = zip(self.part.pieces, tape.indices, strict=True)
            found = [(piece, index, tape.marginals[piece.scope]) for piece, index in pieces if piece.factor >= 0]
            yield Chunk(self.component[chunk], weights, share, found)

    def _correct(
        self,
        tape: Tape,
        start: int,
        doubtful: Ints,
        weights: Floats,
        log_z: Floats,
        pool: Floats,
        marginals: bool,
    ) -> None:
        """Replace rows that underflowed by exact ones; an impossible row has no expected counts."""
        exact_z, exact = log_space.propagate(self.part, pool, start + doubtful)
        log_z[doubtful] = exact_z
        if marginals:
            for scope, table in exact.items():
                tape.marginals[scope][:, doubtful] = np.nan_to_num(table, nan=0.0) * weights[doubtful]

    def __getstate__(self) -> dict[str, object]:
        """For another process: without the arrays to work in."""
        return {**self.__dict__, "_tape": None}

    def apart(self) -> Job:
        """The job with arrays of its own to work in."""
        return Job(self.part, self.weights, self.component)

    def only(self, components: Bools) -> Job | None:
        """The job with the rows of some components; None if there are none."""
        kept = np.flatnonzero(components[self.component])
        if len(kept) == len(self.component):
            return self
        if not len(kept):
            return None
        pieces = tuple(Piece(p.factor, p.scope, p.offsets, p.base[kept]) for p in self.part.pieces)
        return Job(_with_rows(self.part, pieces, len(kept)), self.weights[kept], self.component[kept])

    def repeated(self, times: int, parameters: int, components: int) -> Job:
        """The rows once for each of several parameter vectors that stand one after another in the pool."""
        shift = np.repeat(np.arange(times), self.part.rows)
        pieces = []
        for p in self.part.pieces:
            moved = shift * parameters if p.factor >= 0 else (times - 1) * parameters
            pieces.append(Piece(p.factor, p.scope, p.offsets, np.tile(p.base, times) + moved))
        part = _with_rows(self.part, tuple(pieces), times * self.part.rows)
        return Job(part, np.tile(self.weights, times), np.tile(self.component, times) + shift * components)


def make_jobs(plan: Plan, component_of: Sequence[int]) -> list[Job]:
    """The jobs of a plan: one for each shape among its parts.

    Two parts have the same shape when their trees and pieces are equal once variables are named by
    their place in the elimination order: then one array operation serves the rows of both.
    """
    stacks: dict[tuple[object, ...], list[Job]] = {}
    for block in plan.blocks:
        component = component_of[block.variables[0]]
        for part in block.parts if block.rows else ():
            shape, ordered = _shape(part)
            weights = weighted_counts(part.row, block.weights[part.local_rows], part.rows)
            job = Job(_with_rows(part, ordered, part.rows), weights, np.full(part.rows, component))
            stacks.setdefault(shape, []).append(job)
    return [_stack(jobs) for jobs in stacks.values()]


def _shape(part: Part) -> tuple[tuple[object, ...], tuple[Piece, ...]]:
    """What must be equal for parts to be stacked, and the part's pieces in an order of their own."""
    tree = part.tree
    place = tree.position

    def key(piece: Piece) -> tuple[object, ...]:
        return piece.factor < 0, tuple(place[v] for v in piece.scope), piece.offsets.tobytes()

    pieces = tuple(sorted(part.pieces, key=key))
    cliques = tuple(tuple(place[v] for v in clique) for clique in tree.cliques)
    cardinalities = tuple(tree.cardinalities[v] for v in place)
    return (cardinalities, cliques, tree.parents, tuple(map(key, pieces))), pieces


def _stack(jobs: list[Job]) -> Job:
    first = jobs[0].part
    if len(jobs) == 1:
        return jobs[0]
    pieces = tuple(
        Piece(piece.factor, piece.scope, piece.offsets, np.concatenate([job.part.pieces[k].base for job in jobs]))
        for k, piece in enumerate(first.pieces)
    )
    return Job(
        _with_rows(first, pieces, sum(job.part.rows for job in jobs)),
        np.concatenate([job.weights for job in jobs]),
        np.concatenate([job.component for job in jobs]),
    )


def _with_rows(part: Part, pieces: tuple[Piece, ...], rows: int) -> Part:
    """A part that is only propagated: which rows of a block it stands for is forgotten."""
    nowhere = np.empty(0, dtype=np.int64)
    return Part(part.tree, pieces, rows, nowhere, nowhere)
