"""Giving the targets of a plan likelihoods of their own, in rows that have several or where they are not fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.inference.plan import Plan
from engine.inference.planner import make_plan
from engine.inference.pool import Pool
from engine.learning.decomposition import find_hidden_leaves
from engine.learning.jobs import Job, make_jobs
from engine.learning.objective import Term
from engine.learning.targets.rows import place_targets
from engine.model.arrays import Bools, Floats, Ints, weighted_counts
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, Network


def give_likelihoods(
    jobs: Sequence[Job], pool: Pool, targets: Mapping[int, Bools], *, is_fixed: bool = True
) -> tuple[tuple[Job, ...], int]:
    """Jobs in which every target of every row has a likelihood of its own; and how many numbers these are."""
    is_target, values = mark_targets(pool, targets), _lay_out(pool)
    found, first = [], len(values)
    for job in jobs:
        pieces, rows = place_targets(job.part.pieces, is_target, values, first, is_fixed)
        found.append(replace(job, part=replace(job.part, pieces=pieces), targets=rows))
        first += 0 if rows is None else rows.shares.size
    return tuple(found), first - len(values)


def number_sets(dataset: Dataset) -> Dataset:
    """The data with targets that tell by their code which set of targets they are of: the targets of a row."""
    names = sorted(dataset.targets)
    asked = np.where(dataset.target_cells[names], dataset.codes[names].astype(np.int64), MISSING)
    _, number = distinct_rows(asked, dataset.n_rows)
    codes, likelihoods, marks = dataset.codes.astype(np.int64), dict(dataset.likelihoods), dict(dataset.targets)
    for v in names:
        rows = np.flatnonzero(dataset.target_cells[v])
        _, first, own = np.unique(number[rows], return_index=True, return_inverse=True)
        vectors = dataset.likelihoods[v]
        codes[v, rows] = FIRST_LIKELIHOOD - len(vectors) - own.reshape(-1)
        likelihoods[v] = np.concatenate(
            [vectors, vectors[FIRST_LIKELIHOOD - dataset.codes[v, rows[first]].astype(int)]]
        )
        marks[v] = np.concatenate([np.zeros(len(vectors), dtype=bool), np.ones(len(first), dtype=bool)])
    return replace(dataset, codes=codes, likelihoods=likelihoods, targets=marks)


def meet_before(
    network: Network,
    dataset: Dataset,
    jobs: Sequence[Job],
    component: Ints,
    last: int,
    memory_limit: int,
) -> tuple[tuple[Job, ...], Term, int]:
    """Have the targets of rows met before anything else is known of them (Alg. 5, 7, 8 [uncertain]).

    For every set of targets one row with nothing else is propagated, which finds likelihoods. Those rows of data that
    have this set read them, and count log Z(row) − log Z(row of the set).

    Parameters
    ----------
    dataset : Dataset
        With the sets numbered by :func:`number_sets`.
    jobs : sequence of Job
        Those of the data.
    component, last
        Of the parameters, and that which the rows of the sets count in.

    Returns
    -------
    jobs : tuple of Job
        Those of the data, which read the likelihoods found.
    term : Term
        The rows of the sets, to be propagated before.
    n_fitted : int
        How many numbers are found.
    """
    plan = _plan_sets(network, dataset, memory_limit)
    plain = make_jobs(plan, [last] * len(plan.blocks))
    fitting, n_fitted = give_likelihoods(plain, plan.pool, dataset.targets, is_fixed=False)
    place = np.arange(len(_lay_out(plan.pool)))
    for before, after in zip(plain, fitting, strict=True):
        for old, new in zip(before.part.pieces, after.part.pieces, strict=True):
            place[old.base] = new.base
    reading = []
    for job in jobs:
        pieces = tuple(p if p.factor >= 0 else p.with_base(place[p.base]) for p in job.part.pieces)
        reading.append(replace(job, part=replace(job.part, pieces=pieces)))
    return tuple(reading), Term(-1, np.zeros(len(component)), component, fitting), n_fitted


def _plan_sets(network: Network, dataset: Dataset, memory_limit: int) -> Plan:
    """The plan of the sets of targets, each as a row that counts as often as rows have it."""
    if not isinstance(network, BayesianNetwork):
        raise ModelError("non-fixed targets are for Bayesian networks; the network is a Markov network")
    codes = np.where(dataset.target_cells, dataset.codes, MISSING)
    representative, group = distinct_rows(codes, dataset.n_rows)
    weights = weighted_counts(group, dataset.weights, len(representative))
    has_some = (codes[:, representative] != MISSING).any(axis=0)
    rows = replace(dataset, codes=codes[:, representative[has_some]], weights=weights[has_some], targets={})
    return make_plan(network, rows, memory_limit, without=find_hidden_leaves(network, rows.roles), keep_rows=False)


def _lay_out(pool: Pool) -> Floats:
    """The pool, with any parameters."""
    return np.concatenate([np.zeros(pool.layout.size), pool.evidence])


def mark_targets(pool: Pool, targets: Mapping[int, Bools]) -> Bools:
    """Per cell of the pool, whether a target begins there."""
    found = np.zeros(int(pool.evidence_starts[-1]), dtype=bool)
    for v, marks in targets.items():
        size = pool.cardinalities[v]
        found[pool.evidence_starts[v] + size * (size + 1 + np.flatnonzero(marks))] = True
    return found
