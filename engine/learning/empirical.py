"""What the data alone says: logarithms of its own frequencies, which no model passes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from engine.model.arrays import Codes, Floats, Ints, weighted_counts, xlogy
from engine.model.dataset import FIRST_LIKELIHOOD, Dataset, Role
from engine.model.distinct import distinct_rows


def number_rows(columns: Sequence[Codes | Ints], weights: Floats) -> Ints:
    """Rows numbered by their values in some columns."""
    return distinct_rows(columns, len(weights))[1]


def sum_conditional(given: Ints, outcome: Ints, weights: Floats) -> float:
    """Σ n(outcome) log n(outcome) / n(given), where the outcome determines what is given."""
    joint = weighted_counts(outcome, weights, int(outcome.max(initial=-1)) + 1)
    margin = weighted_counts(given, weights, int(given.max(initial=-1)) + 1)
    # Σ_outcome n log n − Σ_given n log n, which needs no table of which outcome belongs to which given.
    return float(xlogy(joint, joint).sum() - xlogy(margin, margin).sum())


def sum_joint(dataset: Dataset, variables: Collection[int]) -> float:
    """Σ n(x) log n(x) / N over the joint values of some variables."""
    every = np.zeros(dataset.n_rows, dtype=np.int64)
    return sum_conditional(every, number_rows([dataset.codes[v] for v in variables], dataset.weights), dataset.weights)


def sum_naive(dataset: Dataset, given: Collection[int] = ()) -> float:
    """The naive bound: every distinct row over what is observed in all rows gets its own share of those with the
    same given values."""
    observed = [codes for codes, role in zip(dataset.codes, dataset.roles, strict=True) if role is Role.OBSERVED]
    by_given = number_rows([dataset.codes[v] for v in given], dataset.weights)
    return sum_conditional(by_given, number_rows(observed, dataset.weights), dataset.weights)


def sum_likelihoods(dataset: Dataset) -> Floats:
    """Σ w log max λ over the likelihood cells of each variable, targets apart: what they add at most."""
    sums = np.zeros(len(dataset.variables))
    for variable, vectors in dataset.likelihoods.items():
        codes = dataset.codes[variable]
        soft = np.flatnonzero(codes <= FIRST_LIKELIHOOD)
        vector = FIRST_LIKELIHOOD - codes[soft].astype(np.int64)
        logs = np.log(vectors.max(axis=1))
        if variable in dataset.targets:
            logs = np.where(dataset.targets[variable], 0.0, logs)
        sums[variable] = dataset.weights[soft] @ logs[vector]
    return sums
