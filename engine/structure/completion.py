"""Incomplete rows completed in every way, each way with its probability: expected counts of any family.

Expected counts of a family need the joint posterior of its variables, and a search asks for families that no clique
holds. So each distinct row becomes as many complete ones as its open cells have states together, which a network then
weighs. That is exact, and done where there are not too many of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.dataset import FIRST_LIKELIHOOD, Dataset
from engine.model.distinct import distinct_rows
from engine.model.errors import ImpossibleEvidenceError, ModelError
from engine.model.network import BayesianNetwork
from engine.structure.counts import Counts

MOST_CELLS = 100_000_000
"""Cells of completed rows at most: 100 MB, and a second for each round."""


@dataclass(frozen=True, eq=False)
class Completion:
    """The completions of all rows.

    Attributes
    ----------
    weights : array (rows,)
        Of the distinct incomplete rows.
    starts : array (rows,)
        Where the completions of each begin.
    row, complete : array (completions,)
        The incomplete row of each, and the complete one that it is.
    factor : array (completions,)
        What the row's likelihood cells make of it.
    counts : Counts
        The distinct complete rows; their weights are still to be found.
    """

    weights: Floats
    starts: Ints
    row: Ints
    complete: Ints
    factor: Floats
    counts: Counts

    def expect(self, network: BayesianNetwork) -> tuple[Counts, float]:
        """The complete rows with their expected weights under a network, and the log-likelihood of the data."""
        logs = find_logs(network, self.counts)[self.complete]
        with np.errstate(divide="ignore"):
            logs = logs + np.log(self.factor)
        top = np.maximum.reduceat(logs, self.starts)
        if np.isneginf(top).any():
            raise ImpossibleEvidenceError(
                "a row of the data has probability 0 under the network that completes it; start from another"
            )
        shares = np.exp(logs - top[self.row])
        sums = np.add.reduceat(shares, self.starts)
        weights = weighted_counts(self.complete, shares / sums[self.row] * self.weights[self.row], self.counts.n_rows)
        return self.counts.weighted(weights), float(self.weights @ (top + np.log(sums)))


def complete_rows(dataset: Dataset) -> Completion:
    """All completions of a dataset's rows.

    Raises
    ------
    ModelError
        If there are too many, or cells are targets.
    """
    if dataset.targets:
        raise ModelError("structural EM takes no targets for posteriors; make them likelihoods, or leave them out")
    every = range(len(dataset.variables))
    merged = dataset.project(every)
    merged = merged.take(np.flatnonzero(merged.weights > 0))
    if not merged.n_rows:
        raise ModelError("the data has no rows that count; there is nothing to learn from")
    sizes = np.array([variable.cardinality for variable in dataset.variables], dtype=np.float64)
    ways = np.exp(np.where(merged.codes < 0, np.log(sizes)[:, None], 0.0).sum(axis=0)).round()
    if ways.sum() * len(sizes) > MOST_CELLS:
        raise ModelError(
            f"structural EM completes each row in every way, and the {merged.n_rows:,} distinct rows would become "
            f"{ways.sum():.3g}, of which at most {MOST_CELLS // len(sizes):,} are allowed; leave out the rows or "
            "columns with most missing cells"
        )
    return _expand(merged, ways.astype(np.int64))


def _expand(merged: Dataset, ways: Ints) -> Completion:
    starts = np.cumsum([0, *ways[:-1]], dtype=np.int64)
    row = np.repeat(np.arange(merged.n_rows), ways)
    number = np.arange(len(row)) - starts[row]
    codes, factor = merged.codes[:, row], np.ones(len(row))
    for v, variable in enumerate(merged.variables):
        cells = np.flatnonzero(codes[v] < 0)
        before = codes[v, cells].astype(np.int64)
        number[cells], found = np.divmod(number[cells], variable.cardinality)
        codes[v, cells] = found
        soft = before <= FIRST_LIKELIHOOD
        if soft.any():
            factor[cells[soft]] *= merged.likelihoods[v][FIRST_LIKELIHOOD - before[soft], found[soft]]
    first, complete = distinct_rows(codes, len(row), [(0, v.cardinality - 1) for v in merged.variables])
    counts = Counts(merged.variables, codes[:, first], weighted_counts(complete, merged.weights[row], len(first)))
    return Completion(merged.weights, starts, row, complete, factor, counts)


def find_logs(network: BayesianNetwork, counts: Counts) -> Floats:
    """log Pr of each complete row."""
    found = np.zeros(counts.n_rows)
    with np.errstate(divide="ignore"):
        for scope, table in zip(network.scopes, network.tables, strict=True):
            found += np.log(table)[tuple(counts.codes[v] for v in scope)]
    return found
