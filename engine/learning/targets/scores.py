"""What each row with targets counts for: log P(d) − KL(Q ‖ P(· | d)), row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.inference import log_space
from engine.inference.plan import MEMORY_LIMIT, Part, Plan
from engine.inference.planner import make_plan
from engine.inference.tape import Tape, chunk_rows
from engine.learning.targets.fitting import Fitter
from engine.learning.targets.placing import mark_targets
from engine.learning.targets.rows import place_targets
from engine.model.arrays import Bools, Floats
from engine.model.dataset import FIRST_LIKELIHOOD, Dataset
from engine.model.network import Network


def score_target_rows(network: Network, dataset: Dataset, memory_limit: int = MEMORY_LIMIT) -> Floats:
    """Per row what it counts for if its targets are fixed, in a Markov network with log Z added; −∞ if impossible."""
    scales = [max(1.0, float(table.max(initial=0.0))) for table in network.tables]
    tables = [table / scale for table, scale in zip(network.tables, scales, strict=True)]
    plan = make_plan(network, replace(dataset, targets={}), memory_limit, condition=False)
    is_target, pool = mark_targets(plan.pool, dataset.targets), plan.pool.fill(tables)
    found = np.full(dataset.n_rows, float(np.log(scales).sum())) + _sum_constants(plan, dataset, pool)
    for block in plan.blocks:
        for part in block.parts:
            found += block.spread(_score_part(part, is_target, pool, memory_limit))
    return found


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


def _score_part(part: Part, is_target: Bools, pool: Floats, memory_limit: int) -> Floats:
    """Per row of a part over all variables that hang together."""
    pieces, targets = place_targets(part.pieces, is_target, pool, len(pool), True)
    part = replace(part, pieces=pieces)
    if targets is not None:
        pool = np.concatenate([pool, np.ones(targets.shares.size)])
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
