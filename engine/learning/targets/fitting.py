"""Finding the likelihoods of targets: how rows with several targets are propagated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from engine.inference import log_space
from engine.inference.plan import Part
from engine.inference.tape import Tape
from engine.learning.targets.rows import TargetRows
from engine.learning.targets.solving import SMALLEST, solve_tables
from engine.model.arrays import Floats, Ints

MOST_CONFIGURATIONS = 64
"""Of all targets of a row but one, up to which P(targets, row) is put in a table: as many propagations as that."""
TOLERANCE = 1e-11
MOST_ROUNDS = 500
"""Of proportional fitting by propagation, where the table would be too large."""
OFF = 1e-6
"""Targets that are further off than this in the end cannot hold at once."""


class Fitter:
    """Fits the likelihoods of the rows of a chunk that have targets, such that all hold at once.

    P(targets, row) is read off propagations with all configurations of all targets but the last, and fitted as a
    table (BN-IPFP-2); or a target after the other is propagated and fitted (BN-IPFP-1) where that are too many.

    Parameters
    ----------
    tape : Tape
        That propagates the part, with the posteriors of evidence.
    start : int
        The first row of the chunk.
    """

    def __init__(self, part: Part, targets: TargetRows, tape: Tape, start: int, pool: Floats) -> None:
        first, last = np.searchsorted(targets.rows, [start, start + tape.rows])
        self._part, self._tape, self._start, self._pool = part, tape, start, pool
        self._targets = targets.take(slice(int(first), int(last)), targets.rows[first:last] - start)
        self.rows = self._targets.rows
        self._constant = np.zeros(len(self.rows))
        self._shares = self._targets.shares
        self._places = self._targets.places if self.rows.size else np.empty(0, dtype=np.int64)
        self._sizes = self._targets.sizes if self.rows.size else ()
        # Per piece of evidence, the targets that stand in it: their rows here, and their numbers in these.
        self._found = {int(k): np.nonzero(self._targets.pieces == k) for k in np.unique(self._targets.pieces) if k >= 0}

    def fit(self, check: Callable[[], object] | None) -> None:
        """Write the likelihoods into the pool."""
        if not self.rows.size:
            return
        if math.prod(self._sizes[:-1]) <= MOST_CONFIGURATIONS:
            logs, off = solve_tables(self._tabulate(check), self._shares)
        else:
            logs, off = self._iterate(check)
        is_met = off <= OFF
        logs = np.where(is_met[:, None, None], logs, 0.0)
        logs -= logs.max(axis=2, keepdims=True)
        self._write(np.exp(logs))
        used = np.where(self._shares > 0, logs, 0.0) if self._targets.is_fixed else 0.0
        # Rows of targets that are not fixed are subtracted: −∞ in the end, too.
        lost = -np.inf if self._targets.is_fixed else np.inf
        self._constant = np.where(is_met, -(self._shares * used).sum(axis=(1, 2)), lost)

    def settle(self, log_z: Floats) -> None:
        """Make of log Z, when the rows have been propagated with their likelihoods, what they count for: −∞, and no
        counts, where targets cannot be met."""
        is_lost = np.isinf(self._constant)
        log_z[self.rows] = np.where(is_lost, self._constant, log_z[self.rows] + self._constant)
        self._tape.clear_rows(self.rows[is_lost])

    def _tabulate(self, check: Callable[[], object] | None) -> Floats:
        """log P(targets, row), an array (rows, states of the first target, …)."""
        *others, states = self._sizes
        likely, tables = self._shares.argmax(axis=2), []
        every = np.arange(len(self.rows))
        for configuration in itertools.product(*map(range, others)):
            likelihoods, is_wanted = (self._shares > 0).astype(np.float64), np.ones(len(self.rows), dtype=bool)
            for k, state in enumerate(configuration):
                wanted = self._shares[:, k, state] > 0  # else it is as good as any other, and never looked at
                is_wanted &= wanted
                likelihoods[:, k] = 0.0
                likelihoods[every, k, np.where(wanted, state, likely[:, k])] = 1.0
            self._write(likelihoods)
            log_z, posteriors = self._propagate(check)
            with np.errstate(divide="ignore"):
                table = log_z[:, None] + np.log(posteriors[:, -1, :states])
            tables.append(np.where(is_wanted[:, None] & ~np.isnan(table), table, -np.inf))
        return np.stack(tables, axis=1).reshape(len(self.rows), *others, states)

    def _iterate(self, check: Callable[[], object] | None) -> tuple[Floats, Floats]:
        """log λ, and how far each row's targets are off in the end, from where the last fit ended."""
        with np.errstate(divide="ignore"):
            logs = np.where(self._shares > 0, np.log(np.maximum(self._pool[self._places], SMALLEST)), -np.inf)
            wanted = np.log(self._shares)
        for _ in range(MOST_ROUNDS):
            off = np.zeros(len(self.rows))
            for k in range(self._shares.shape[1]):
                self._write(np.exp(logs - logs.max(axis=2, keepdims=True)))
                posterior = self._propagate(check)[1][:, k]
                is_excluded = np.asarray(((posterior <= 0) & (self._shares[:, k] > 0)).any(axis=1))
                off = np.maximum(off, np.where(is_excluded, np.inf, np.abs(posterior - self._shares[:, k]).max(axis=1)))
                change = wanted[:, k] - np.log(np.maximum(posterior, SMALLEST))
                logs[:, k] = np.where(self._shares[:, k] > 0, logs[:, k] + change, -np.inf)
            off = np.where(np.isnan(off), np.inf, off)
            if (off[np.isfinite(off)] <= TOLERANCE).all():
                break
        return logs, off

    def _write(self, likelihoods: Floats) -> None:
        self._pool[self._places] = likelihoods

    def _propagate(self, check: Callable[[], object] | None) -> tuple[Floats, Floats]:
        """log Z of the rows with targets, and the posteriors of these, laid out as the shares; NaN if impossible."""
        log_z = self._tape.run(self._start, 1.0, check)[self.rows]
        posteriors = np.zeros_like(self._shares)
        posteriors[self._targets.pieces < 0, 0] = 1.0
        for k, (at, number) in self._found.items():
            self._read(posteriors, at, number, self._tape.marginals[self._part.pieces[k].scope], self.rows[at])
        doubtful = self._tape.find_doubtful()
        where = np.flatnonzero(np.isin(self.rows, () if doubtful is None else doubtful))
        if where.size:  # other rows may be doubtful, which are none of ours
            log_z[where], exact = log_space.propagate(self._part, self._pool, self._start + self.rows[where])
            new = np.full(len(self.rows), -1, dtype=np.int64)
            new[where] = np.arange(len(where))
            for k, (at, number) in self._found.items():
                some = new[at] >= 0
                marginal = exact[self._part.pieces[k].scope]
                self._read(posteriors, at[some], number[some], marginal, new[at[some]])
        return log_z, posteriors

    @staticmethod
    def _read(posteriors: Floats, at: Ints, number: Ints, marginal: Floats, rows: Ints) -> None:
        posteriors[at, number, : len(marginal)] = marginal[:, rows].T
