"""What the data alone says: logarithms of its own frequencies, which no model passes."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from engine.model.arrays import Codes, Floats, Ints, weighted_counts, xlogy
from engine.model.dataset import FIRST_LIKELIHOOD, Role
from engine.model.distinct import distinct_rows
from engine.model.source import Source


def number_rows(columns: Sequence[Codes | Ints], weights: Floats) -> Ints:
    """Rows numbered by their values in some columns."""
    return distinct_rows(columns, len(weights))[1]


def sum_conditional(given: Ints, outcome: Ints, weights: Floats) -> float:
    """Σ n(outcome) log n(outcome) / n(given), where the outcome determines what is given."""
    joint = weighted_counts(outcome, weights, int(outcome.max(initial=-1)) + 1)
    margin = weighted_counts(given, weights, int(given.max(initial=-1)) + 1)
    # Σ_outcome n log n − Σ_given n log n, which needs no table of which outcome belongs to which given.
    return float(xlogy(joint, joint).sum() - xlogy(margin, margin).sum())


def sum_joint(dataset: Source, variables: Collection[int]) -> float:
    """Σ n(x) log n(x) / N over the joint values of some variables."""
    codes, weights = dataset.gather(sorted(variables))
    return sum_conditional(np.zeros(len(weights), dtype=np.int64), number_rows([*codes.values()], weights), weights)


def sum_naive(dataset: Source, given: Collection[int] = ()) -> float:
    """The naive bound: every distinct row over what is observed in all rows gets its own share of those with the
    same given values. Infinite where there may be too many distinct rows to look at."""
    observed = [v for v, role in enumerate(dataset.roles) if role is Role.OBSERVED]
    if not dataset.can_merge(observed):
        return math.inf
    codes, weights = dataset.gather(observed)
    by_given = number_rows([codes[v] for v in given], weights)
    return sum_conditional(by_given, number_rows([*codes.values()], weights), weights)


def sum_likelihoods(dataset: Source) -> Floats:
    """Σ w log max λ over the likelihood cells of each variable, targets apart: what they add at most."""
    sums = np.zeros(len(dataset.variables))
    for variable, vectors in dataset.likelihoods.items():
        columns, weights = dataset.gather([variable])
        codes = columns[variable]
        soft = np.flatnonzero(codes <= FIRST_LIKELIHOOD)
        vector = FIRST_LIKELIHOOD - codes[soft].astype(np.int64)
        logs = np.log(vectors.max(axis=1))
        if variable in dataset.targets:
            logs = np.where(dataset.targets[variable], 0.0, logs)
        sums[variable] = weights[soft] @ logs[vector]
    return sums
