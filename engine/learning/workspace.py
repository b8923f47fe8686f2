"""Passes over the data: arrays to work in, kept from one pass to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.inference import log_space
from engine.inference.forest import Forest
from engine.inference.levels import Levels, find_fringe
from engine.inference.operations import Scope
from engine.inference.pool import Piece
from engine.inference.tape import Tape, chunk_rows
from engine.learning.groves import Grove, plant_groves
from engine.learning.jobs import Job
from engine.learning.objective import Objective, Term
from engine.learning.parameters import LogLinear
from engine.learning.targets.fitting import Fitter
from engine.model.arrays import Bools, Floats, Ints, frozen, weighted_counts
from engine.model.errors import Cancelled

CHECKED_SECONDS = 0.05
"""A chunk that takes longer is interrupted between its operations, not only after it."""
NEVER: Callable[[], bool] = lambda: False  # noqa: E731 - the default of ``cancelled``


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows that have just been propagated. Its arrays are overwritten by the next chunk.

    Attributes
    ----------
    weights : array (rows,)
    families : list of (piece, index, marginal)
        For every factor, the parameters it read and their posterior probability times the row's weight,
        both of shape (configurations of the open variables, rows).
    """

    weights: Floats
    families: list[tuple[Piece, Ints, Floats]]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What one pass over the data finds at some parameters, and what it cost.

    Attributes
    ----------
    log_likelihood : array (components,)
        Σ ± w log Z(row), split by component (Corollary 1 [thesis]).
    counts, model_counts : array (parameters,)
        Σ w Pr(x_f | row) over what the objective adds, and over what it subtracts. Of a table that several share, all
        stand where the one that leads stands.
    propagated : array (components,)
        The rows that were propagated.
    """

    log_likelihood: Floats
    counts: Floats
    model_counts: Floats
    propagated: Ints


_Rows = tuple[int, Floats, Floats, Fitter | None]
"""Of a chunk: where it starts, its weights, these with the sign, and what fits its targets."""


@dataclass(frozen=True, eq=False)
class _Run:
    """How a grove is propagated: its tape, and its rows chunk by chunk."""

    tape: Tape | Levels | Forest
    chunks: tuple[_Rows, ...]
    is_slow: bool


Counted = tuple[slice, Floats, Floats]
"""Of a chunk: where its counts belong among the parameters, these counts, and per row ± w log Z."""
ChunkRange = tuple[int, int]
"""Chunks of a term, all groves one after the other: the first, and the one after the last."""


class Workspace:
    """An objective with arrays to evaluate it in: only one thread may use it at a time.

    Attributes
    ----------
    objective : Objective
    """

    def __init__(self, objective: Objective, other: Workspace | None = None) -> None:
        self.objective = objective
        self._runs: dict[Job, _Run] = {}
        self._forests: dict[Grove, _Run] = {}
        self._groves: dict[Term, tuple[Grove, ...]] = {}
        if other is None:
            nothing, fitted = np.zeros(objective.n_parameters), np.ones(objective.n_fitted)
            self._pool = np.concatenate([nothing, objective.evidence, fitted])
            self._no_counts = frozen(np.zeros(objective.n_parameters))
        else:  # of some of the same jobs, in the same arrays
            self._pool, self._no_counts = other._pool, other._no_counts
            self._runs = {job: other._runs[job] for job in objective.jobs if job in other._runs}
            if other._forests:
                groves = [grove for term in objective.terms for grove in self.find_groves(term)]
                self._forests = {grove: other._forests[grove] for grove in groves if grove in other._forests}

    def focus(self, components: Bools) -> Workspace:
        """A workspace with the data of some components only, in the same arrays."""
        return Workspace(self.objective.only(components), self)

    def complete(self, counts: Floats) -> Workspace:
        """A workspace with counts instead of the data, in the same arrays."""
        return Workspace(self.objective.completed(counts), self)

    def evaluate(
        self,
        theta: Floats,
        cancelled: Callable[[], bool] = NEVER,
        visit: Callable[[Chunk], object] | None = None,
    ) -> Evaluation:
        """One pass over the data.

        Parameters
        ----------
        cancelled : callable
        visit : callable, optional
            Called with every chunk of the rows that are added, for learners that need more than counts.

        Raises
        ------
        Cancelled
            As soon as ``cancelled`` says so.
        """
        objective = self.objective
        likelihood = self._fill(theta)
        found = {1: self._no_counts, -1: self._no_counts}
        log_z: list[Floats] = []  # per chunk, times the weight
        with np.errstate(all="ignore"):  # doubtful rows may divide by zero, and a counted parameter be zero
            for term in objective.terms:
                where, weights, component = term.counted
                if where.size:
                    likelihood += weighted_counts(component, weights * np.log(theta[where]), objective.n_components)
                counts = found[term.sign] = found[term.sign] + term.counts
                self._propagate(term, log_z, counts, cancelled, visit if term.sign > 0 else None)
        if log_z:
            likelihood += weighted_counts(self._row_component, np.concatenate(log_z), objective.n_components)
        counts = objective.geometry.gather(found[1])
        return Evaluation(likelihood, counts, found[-1], objective.rows_per_pass)

    def read_parameters(self, scaled: Floats) -> None:
        """Take over the parameters of another workspace of the same objective, as they stand in its pool."""
        self._pool[: len(scaled)] = scaled

    def count_chunks(self, term: Term, chunks: ChunkRange, cancelled: Callable[[], bool] = NEVER) -> Iterator[Counted]:
        """What some chunks of a term's rows count, each by itself.

        Call it where NumPy's warnings are off.
        """
        first, last = chunks
        for grove in self.find_groves(term):
            run = self._find_run(grove, term.sign)
            for chunk in run.chunks[max(0, first) : max(0, last)]:
                yield self._run_chunk(grove, run, chunk, cancelled)
            first, last = first - len(run.chunks), last - len(run.chunks)

    def _propagate(
        self,
        term: Term,
        found: list[Floats],
        counts: Floats,
        cancelled: Callable[[], bool],
        visit: Callable[[Chunk], object] | None,
    ) -> None:
        """Propagate the rows of a term, a chunk at a time, and add what they count, and find ± w log Z of each.

        Whoever visits wants them family by family, which tapes alone tell: then each job is propagated by itself.
        """
        groves: Iterable[Grove] = self.find_groves(term)
        if visit is not None:
            groves = ((job,) for grove in groves for job in grove)
        for grove in groves:
            run = self._find_run(grove, term.sign)
            for chunk in run.chunks:
                span, counted, weighted = self._run_chunk(grove, run, chunk, cancelled, visit)
                counts[span] += counted
                found.append(weighted)

    def find_groves(self, term: Term) -> tuple[Grove, ...]:
        """The jobs of a term in the order in which a pass propagates them: those together that are so at a time."""
        groves = self._groves.get(term)
        if groves is None:
            groves = self._groves[term] = plant_groves(term.jobs, self.objective.memory_limit)
        return groves

    def _run_chunk(
        self,
        grove: Grove,
        run: _Run,
        chunk: _Rows,
        cancelled: Callable[[], bool],
        visit: Callable[[Chunk], object] | None = None,
    ) -> Counted:
        """What a chunk of a grove counts."""
        if cancelled():
            raise Cancelled
        tape, (start, weights, signed, fitter) = run.tape, chunk
        if fitter is not None:
            fitter.fit(make_check(cancelled))
        log_z = tape.run(start, weights, make_check(cancelled) if run.is_slow else None)
        doubtful = tape.find_doubtful()
        if doubtful is not None:
            if isinstance(tape, Forest):
                self._correct_trees(grove, tape, weights, doubtful, log_z)
            else:
                self._correct(grove[0], tape, start, weights, doubtful, log_z)
        if fitter is not None:
            fitter.settle(log_z)
        counted = tape.counts()
        weighted = log_z * signed
        if doubtful is not None or fitter is not None:
            weighted[weights == 0] = 0.0  # also where the row is impossible
        if visit is not None and isinstance(tape, Tape):
            visit(Chunk(weights, tape.families()))
        return tape.span, counted, weighted

    def _find_run(self, grove: Grove, sign: int) -> _Run:
        if len(grove) > 1:
            return self._forests.get(grove) or self._prepare_forest(grove, sign)
        return self._runs.get(grove[0]) or self._prepare(grove[0], sign)

    def _correct(
        self, job: Job, tape: Tape | Levels, start: int, weights: Floats, doubtful: Ints, log_z: Floats
    ) -> None:
        """Replace rows that underflowed by exact ones."""
        log_z[doubtful], exact = self._compute_exactly(job, start + doubtful, weights[doubtful])
        tape.replace_rows(doubtful, exact)

    def _correct_trees(self, grove: Grove, forest: Forest, weights: Floats, doubtful: Ints, log_z: Floats) -> None:
        """Replace trees that underflowed by exact ones: some rows of some of the jobs."""
        forest.clear_rows(doubtful)
        for number, first, rows in forest.split_rows(doubtful):
            log_z[rows], exact = self._compute_exactly(grove[number], rows - first, weights[rows])
            forest.count_exactly(number, rows - first, exact)

    def _compute_exactly(self, job: Job, rows: Ints, weights: Floats) -> tuple[Floats, dict[Scope, Floats]]:
        """log Z of some rows, and their posteriors times the weights; an impossible row has no expected counts."""
        log_z, exact = log_space.propagate(job.part, self._pool, rows)
        return log_z, {scope: np.nan_to_num(table, nan=0.0) * weights for scope, table in exact.items()}

    def _prepare(self, job: Job, sign: int) -> _Run:
        """The tape of a job and its rows in chunks, made when it is first needed."""
        tape = self._make_tape(job, sign)
        chunks, done = [], 0
        for start in tape.starts:
            rows = slice(start, start + tape.rows)
            weights = job.weights[rows]
            if start < done:  # rows that the chunk before has counted
                weights = np.where(np.arange(start, rows.stop) < done, 0.0, weights)
            fitter = None
            if job.targets is not None and isinstance(tape, Tape):
                fitter = Fitter(job.part, job.targets, tape, start, self._pool)
            chunks.append((start, weights, sign * weights, fitter))
            done = rows.stop
        is_slow = job.part.seconds / len(chunks) > CHECKED_SECONDS
        run = self._runs[job] = _Run(tape, tuple(chunks), is_slow)
        return run

    def _prepare_forest(self, grove: Grove, sign: int) -> _Run:
        """The forest of some jobs, whose rows are one chunk."""
        forest = Forest([job.part for job in grove], self._pool)
        weights = np.concatenate([job.weights for job in grove])
        run = self._forests[grove] = _Run(forest, ((0, weights, sign * weights, None),), is_slow=False)
        return run

    def _make_tape(self, job: Job, sign: int) -> Tape | Levels:
        """What propagates a job. Of rows that are subtracted only the counts are asked for, never family by family."""
        limit = self.objective.memory_limit
        fringe = find_fringe(job.part, limit) if sign < 0 and job.targets is None else []
        if fringe:
            return Levels(job.part, self._pool, fringe)
        return Tape(job.part, chunk_rows(job.part, limit), self._pool, only_factors=job.targets is None)

    @cached_property
    def _row_component(self) -> Ints:
        """The component of each row, in the order in which a pass propagates them."""
        found = []
        for grove in (grove for term in self.objective.terms for grove in self.find_groves(term)):
            if len(grove) > 1:  # whether or not the forest has been run: its jobs have a chunk each
                found += [job.component for job in grove]
            else:
                job, run = grove[0], self._runs[grove[0]]
                found += [job.component[start : start + run.tape.rows] for start, *_ in run.chunks]
        return np.concatenate(found)

    # --- factors above 1

    def _fill(self, theta: Floats) -> Floats:
        """Write the parameters into the pool, factors above 1 scaled down to it, as tapes want them.

        Returns what that and the scaling of likelihood cells leave out of the log-likelihood, per component.
        """
        geometry, pool = self.objective.geometry, self._pool[: len(theta)]
        if not isinstance(geometry, LogLinear) or not theta.size:
            pool[:] = theta
            return self.objective.constant.copy()
        scale = np.maximum(1.0, np.maximum.reduceat(theta, geometry.starts))
        np.divide(theta, scale[geometry.set_of], out=pool)
        factor, component, weight = self._read_weights
        left_out = weighted_counts(component, weight * np.log(scale[factor]), self.objective.n_components)
        return self.objective.constant + left_out

    @cached_property
    def _read_weights(self) -> tuple[Ints, Ints, Floats]:
        """How often each factor is read by rows of each component: factor, component, Σ ± w."""
        geometry, components = self.objective.geometry, self.objective.n_components
        keys, weights = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for term in self.objective.terms:
            for job in term.jobs:
                for piece in job.part.pieces:
                    if piece.factor >= 0:
                        keys.append(geometry.set_of[piece.base] * components + job.component)
                        weights.append(term.sign * job.weights)
        key, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        total = weighted_counts(inverse, np.concatenate(weights), len(key))
        return key // components, key % components, total


def make_check(cancelled: Callable[[], bool]) -> Callable[[], None]:
    """What raises an error once it is cancelled."""

    def check() -> None:
        if cancelled():
            raise Cancelled

    return check
