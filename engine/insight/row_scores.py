"""The log-likelihood of each row of data, and which rows a network does not expect."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import find_log_partition, infer
from engine.learning.target_rows import score_target_rows
from engine.learning.targets.splitting import has_targets
from engine.model.arrays import Floats, Ints
from engine.model.dataset import MISSING, Dataset
from engine.model.network import Network

AT_ONCE = 50_000
"""Rows that are propagated together: their posteriors are held until then."""
FAR_OUT = 3.0
"""Interquartile ranges below the lower quartile (Tukey's outer fence) from which on a row is outlying."""
LEAST_RANGE = 1.0
"""Nats that the interquartile range is taken to be at least: where most rows are equal, it is 0."""


@dataclass(frozen=True, eq=False)
class RowScores:
    """How probable each row of a dataset is.

    Attributes
    ----------
    log_likelihood : array (rows,)
        log Pr(row), or log Pr(row | what is given); −∞ where the row is impossible. A row that leaves more open is
        more probable for that. A row with targets has log Pr(rest) less the divergence that they cost.
    weights : array (rows,)
    """

    log_likelihood: Floats
    weights: Floats

    @cached_property
    def order(self) -> Ints:
        """The rows from the least probable on; equal ones as they stand."""
        return np.argsort(self.log_likelihood, kind="stable")

    @property
    def total(self) -> float:
        """Σ w log Pr(row): the log-likelihood of the data. Rows of weight 0 do not matter."""
        used = self.weights > 0
        return float((self.weights[used] * self.log_likelihood[used]).sum())

    @cached_property
    def impossible(self) -> Ints:
        """The rows of probability 0."""
        return np.flatnonzero(np.isneginf(self.log_likelihood))

    @cached_property
    def fence(self) -> float:
        """What the log-likelihood of an outlying row is below: far from those of the middle half of the rows."""
        possible = self.log_likelihood[np.isfinite(self.log_likelihood)]
        if not possible.size:
            return -np.inf
        lower, upper = np.quantile(possible, [0.25, 0.75])
        return float(lower - FAR_OUT * max(upper - lower, LEAST_RANGE))

    @cached_property
    def outlying(self) -> Ints:
        """The possible rows that are far less probable than most, the least probable first."""
        order = self.order[len(self.impossible) :]
        return order[self.log_likelihood[order] < self.fence]


def score_rows(
    network: Network, dataset: Dataset, given: Collection[int] = (), memory_limit: int = MEMORY_LIMIT
) -> RowScores:
    """The log-likelihood of every row under the network's parameters.

    Parameters
    ----------
    given : variables
        Those that the others' likelihood is conditional on, observed in every row.

    Examples
    --------
    >>> from engine.model.dataset import make_dataset
    >>> from engine.model.network import BayesianNetwork
    >>> from engine.model.variable import Variable
    >>> rain = Variable("Rain", ("yes", "no"))
    >>> network = BayesianNetwork((rain,), ((),), ([0.25, 0.75],))
    >>> score_rows(network, make_dataset([rain], [["yes"], ["no"], [None]])).log_likelihood.round(4).tolist()
    [-1.3863, -0.2877, 0.0]
    """
    found = np.empty(dataset.n_rows)
    for start in range(0, dataset.n_rows, AT_ONCE):
        rows = np.arange(start, min(start + AT_ONCE, dataset.n_rows))
        some = dataset.take(rows)
        found[rows] = _sum_rows(network, some, memory_limit)
        if given:
            found[rows] -= infer(network, _keep_only(some, given), memory_limit).log_sum
    if not given:
        found -= find_log_partition(network, memory_limit)
    return RowScores(found, dataset.weights)


def _sum_rows(network: Network, dataset: Dataset, memory_limit: int) -> Floats:
    """The logarithm of each row's sum; what it counts for where it has targets, which are fixed."""
    if not has_targets(dataset):
        return infer(network, dataset, memory_limit).log_sum
    with_targets = dataset.target_cells.any(axis=0)
    found = np.empty(dataset.n_rows)
    found[with_targets] = score_target_rows(network, dataset.take(np.flatnonzero(with_targets)), memory_limit)
    others = replace(dataset.take(np.flatnonzero(~with_targets)), targets={})
    found[~with_targets] = infer(network, others, memory_limit).log_sum
    return found


def _keep_only(dataset: Dataset, variables: Collection[int]) -> Dataset:
    """The rows with all but some variables missing."""
    codes = np.full_like(dataset.codes, MISSING)
    codes[sorted(variables)] = dataset.codes[sorted(variables)]
    return replace(dataset, codes=codes)
