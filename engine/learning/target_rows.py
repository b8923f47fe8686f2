"""Meeting the targets of rows under some parameters, row by row: what each row counts for, and as likelihoods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.inference import log_space
from engine.inference.plan import MEMORY_LIMIT, Block, Part, Plan
from engine.inference.planner import make_plan
from engine.inference.tape import Tape, chunk_rows
from engine.learning.target_conflicts import describe_conflict
from engine.learning.target_jobs import mark_targets
from engine.learning.targets.fitting import Fitter
from engine.learning.targets.rows import TargetRows, place_targets
from engine.learning.targets.splitting import has_targets
from engine.model.arrays import Floats
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, code_dtype
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import Network


def score_target_rows(network: Network, dataset: Dataset, memory_limit: int = MEMORY_LIMIT) -> Floats:
    """Per row what it counts for if its targets are fixed, in a Markov network with log Z added; −∞ if impossible."""
    plan, pool, scale = _plan(network, dataset, memory_limit)
    found = scale + _sum_constants(plan, dataset, pool)
    for block, _, _, scores, _ in _fit_blocks(plan, dataset, pool, memory_limit):
        found += block.spread(scores)
    return found


def meet_row_targets(
    network: Network, dataset: Dataset, memory_limit: int = MEMORY_LIMIT, *, fixed: bool = True
) -> Dataset:
    """The rows with likelihoods instead of targets, with which these hold: of every row its own.

    Raises
    ------
    ImpossibleEvidenceError
        If the targets of a row cannot be met.
    """
    if not has_targets(dataset):
        return dataset
    cells = dataset.target_cells
    before = dataset if fixed else replace(dataset, codes=np.where(cells, dataset.codes, MISSING))
    plan, pool, _ = _plan(network, before, memory_limit)
    codes, vectors = dataset.codes.astype(np.int64), dict(dataset.likelihoods)
    for block, part, targets, scores, fitted in _fit_blocks(plan, before, pool, memory_limit):
        assert block.group is not None
        if targets is None:
            continue
        if np.isneginf(scores).any():
            _, _, conflict = describe_conflict(network, dataset, fixed).partition(": ")  # without the row's number here
            raise ImpossibleEvidenceError(conflict or "a row has probability 0 under these parameters")
        for k in np.unique(targets.pieces[targets.pieces >= 0]).tolist():
            v = part.variables[part.pieces[k].scope[0]]
            at, number = np.nonzero(targets.pieces == k)
            place = np.zeros(part.rows, dtype=np.int64)
            place[targets.rows[at]] = len(vectors[v]) + np.arange(len(at))
            rows = np.flatnonzero(cells[v])
            codes[v, rows] = FIRST_LIKELIHOOD - place[block.group[rows]]
            own = fitted[targets.cells[at, None] + number[:, None] * targets.shares.shape[2] + part.pieces[k].offsets]
            vectors[v] = np.concatenate([vectors[v], own])
    most = max(map(len, vectors.values()))
    return replace(dataset, codes=codes.astype(code_dtype(dataset.variables, most)), likelihoods=vectors, targets={})


def _plan(network: Network, dataset: Dataset, memory_limit: int) -> tuple[Plan, Floats, float]:
    """The plan of all rows, with one part for what hangs together; the pool; and the log of what that leaves out."""
    plan = make_plan(network, replace(dataset, targets={}), memory_limit, condition=False)
    return plan, *plan.pool.fill(network.tables)


def _sum_constants(plan: Plan, dataset: Dataset, pool: Floats) -> Floats:
    """Per row, what tables of no variables and the scales of likelihood cells add."""
    with np.errstate(divide="ignore"):
        logs = np.log(pool)
    starts = plan.pool.layout.starts
    found = np.full(dataset.n_rows, sum((float(logs[starts[k]]) for k in plan.observed_factors), 0.0))
    for v, vectors in dataset.likelihoods.items():
        soft = np.flatnonzero((dataset.codes[v] <= FIRST_LIKELIHOOD) & ~dataset.target_cells[v])
        vector = FIRST_LIKELIHOOD - dataset.codes[v, soft].astype(np.int64)
        found[soft] += np.log(vectors.max(axis=1))[vector]
    return found


def _fit_blocks(
    plan: Plan, dataset: Dataset, pool: Floats, memory_limit: int
) -> Iterator[tuple[Block, Part, TargetRows | None, Floats, Floats]]:
    """Each block with its only part, its rows with targets, what its rows count for, and the pool with likelihoods."""
    is_target = mark_targets(plan.pool, dataset.targets)
    for block in plan.blocks:
        (part,) = block.parts
        pieces, targets = place_targets(part.pieces, is_target, pool, len(pool), True)
        part = replace(part, pieces=pieces)
        fitted = pool if targets is None else np.concatenate([pool, np.ones(targets.shares.size)])
        yield block, part, targets, _fit_part(part, targets, fitted, memory_limit), fitted


def _fit_part(part: Part, targets: TargetRows | None, pool: Floats, memory_limit: int) -> Floats:
    """What each row of a part counts for; the likelihoods are written into the pool."""
    tape = Tape(part, chunk_rows(part, memory_limit), pool)
    found = np.empty(part.rows)
    with np.errstate(all="ignore"):  # doubtful rows may divide by zero
        for start in tape.starts:
            fitter = None if targets is None else Fitter(part, targets, tape, start, pool)
            if fitter is not None:
                fitter.fit(None)
            log_z = tape.run(start)
            doubtful = tape.find_doubtful()
            if doubtful is not None:
                log_z[doubtful], _ = log_space.propagate(part, pool, start + doubtful)
            if fitter is not None:
                fitter.settle(log_z)
            found[start : start + tape.rows] = log_z
    return found
