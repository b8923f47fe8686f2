"""The I-projection of many small tables at once: likelihoods that give each table the margins it shall have."""

from __future__ import annotations

import itertools

import numpy as np

from engine.model.arrays import Bools, Floats

TOLERANCE = 1e-13
"""How far a margin may be from its target."""
CLOSE = 1e-10
"""So far it may be where it comes no closer: rounding does not let it."""
SWEEPS = 3
"""Rounds of proportional fitting before Newton's steps are tried: most tables are done by then, or near."""
MOST_ROUNDS = 200
LONGEST_STEP = 10.0
"""Of a likelihood's logarithm, in one of Newton's steps."""
LENGTHS = (1.0, 0.25, 0.06)
"""Parts of a step that are tried in turn until it does not lead uphill."""
RIDGE = 1e-13
"""What keeps the matrix of a step from being singular where two targets say the same."""
ROUNDING = 1e-9
SMALLEST = float(np.finfo(np.float64).tiny)


def solve_tables(log_p: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Find λ such that P ∏ λ_k, normalised, has the margins R_k: iterative proportional fitting, and Newton's steps.

    Both lower log Σ P ∏ λ − Σ R_k log λ_k, which is convex in log λ. A round of fitting always does; a step of Newton's
    is taken where it does.

    Parameters
    ----------
    log_p : array (tables, states of the first variable, …)
        Up to a constant for each table.
    shares : array (tables, variables, most states)
        R_k, with zeros where a variable has fewer states.

    Returns
    -------
    logs : array (tables, variables, most states)
        log λ; −∞ where R is 0.
    residuals : array (tables,)
        How far margins are from their targets; ∞ where these are known not to be met by any λ.
    """
    problem = _Tables(log_p, shares)
    logs, residuals = problem.begin()
    open_rows = np.flatnonzero(np.isfinite(residuals))
    for number in range(MOST_ROUNDS):
        if not open_rows.size:
            break
        some = problem.take(open_rows)
        found = some.sweep(logs[open_rows])
        if number >= SWEEPS:
            found = some.step(found)
        before, after = residuals[open_rows], some.find_residuals(found)
        logs[open_rows], residuals[open_rows] = found, after
        is_open = np.isfinite(after) & (after > TOLERANCE) & ((after > CLOSE) | (after < before / 2))
        open_rows = open_rows[is_open]
    return problem.spread(logs), residuals


class _Tables:
    """Tables as rows of cells, and log λ of all variables as rows of numbers, one variable after the other."""

    def __init__(self, log_p: Floats, shares: Floats) -> None:
        sizes = log_p.shape[1:]
        ends = [0, *itertools.accumulate(sizes)]
        self._blocks = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._shape = shares.shape
        digits = np.indices(sizes).reshape(len(sizes), -1)
        # Which numbers each cell reads.
        self._reads = np.concatenate([np.eye(size)[own] for size, own in zip(sizes, digits, strict=True)], axis=1)
        self._shares = np.concatenate([shares[:, k, :size] for k, size in enumerate(sizes)], axis=1)
        excluded = (self._shares == 0) @ self._reads.T > 0
        self._log_p = np.where(excluded, -np.inf, log_p.reshape(len(log_p), -1))

    def take(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> _Tables:
        """Some of the tables."""
        some = object.__new__(_Tables)
        some.__dict__.update(self.__dict__)
        some._shares, some._log_p = self._shares[rows], self._log_p[rows]
        return some

    def begin(self) -> tuple[Floats, Floats]:
        """log λ = 0, and ∞ as the residual of tables that exclude what a target asks for."""
        possible = np.isfinite(self._log_p).astype(np.float64) @ self._reads > 0
        wrong: Bools = (~possible & (self._shares > 0)).any(axis=1)
        return np.zeros_like(self._shares), np.where(wrong, np.inf, 1.0)

    def spread(self, logs: Floats) -> Floats:
        """log λ as an array (tables, variables, most states)."""
        found = np.full(self._shape, -np.inf)
        for k, block in enumerate(self._blocks):
            found[:, k, : block.stop - block.start] = np.where(self._shares[:, block] > 0, logs[:, block], -np.inf)
        return found

    def sweep(self, logs: Floats) -> Floats:
        """A round of proportional fitting: one variable after the other."""
        logs = logs.copy()
        for block in self._blocks:
            table, _ = self._weigh(logs)
            margin, wanted = table @ self._reads[:, block], self._shares[:, block]
            ratio = np.log(np.maximum(wanted, SMALLEST)) - np.log(np.maximum(margin, SMALLEST))
            logs[:, block] += np.where(wanted > 0, ratio, 0.0)
        return logs

    def step(self, logs: Floats) -> Floats:
        """One of Newton's steps, for the tables in which it does not lead uphill."""
        table, height = self._weigh(logs)
        margins = table @ self._reads
        curvature = self._reads.T @ (table[:, :, None] * self._reads) - margins[:, :, None] * margins[:, None, :]
        for block in self._blocks:  # a constant added to all log λ of a variable changes nothing: let it be 0
            curvature[:, block, block] += 1.0
        curvature += np.eye(curvature.shape[1]) * np.where(self._shares > 0, RIDGE, 1.0)[:, :, None]
        downhill = np.linalg.solve(curvature, (self._shares - margins)[:, :, None])[:, :, 0]
        downhill = np.where(self._shares > 0, downhill, 0.0)
        downhill *= np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(downhill).max(axis=1, keepdims=True), SMALLEST))
        lowest = height - (self._shares * logs).sum(axis=1)
        slack = 1e-15 * (1 + np.abs(lowest))
        found, is_taken = logs, np.zeros(len(logs), dtype=bool)
        for length in LENGTHS:
            tried = logs + length * downhill
            after = self._weigh(tried)[1] - (self._shares * tried).sum(axis=1)
            is_better = ~is_taken & (after <= lowest + slack)
            found, is_taken = np.where(is_better[:, None], tried, found), is_taken | is_better
            if is_taken.all():
                break
        return found

    def find_residuals(self, logs: Floats) -> Floats:
        """Per table, how far its margins are from their targets at most; ∞ where these cannot be met.

        If some Q has these margins, what is minimised is never below Σ Q log P + H(Q), nor that below the least log P.
        """
        table, height = self._weigh(logs)
        off = np.abs(table @ self._reads - self._shares).max(axis=1)
        least = np.where(np.isneginf(self._log_p), np.inf, self._log_p).min(axis=1)
        is_below = height - (self._shares * logs).sum(axis=1) < least - ROUNDING * (1 + np.abs(least))
        return np.where(is_below, np.inf, off)

    def _weigh(self, logs: Floats) -> tuple[Floats, Floats]:
        """P ∏ λ, normalised, and the logarithm of what it was divided by."""
        weighed = self._log_p + logs @ self._reads.T
        highest = weighed.max(axis=1, keepdims=True)
        table = np.exp(weighed - highest)
        total = table.sum(axis=1, keepdims=True)
        return table / total, np.asarray((np.log(total) + highest)[:, 0])
