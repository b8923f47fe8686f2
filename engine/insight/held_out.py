"""How probable rows are that were not learned from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.insight.row_scores import score_rows
from engine.learning.targets.splitting import has_targets
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.layout import Layout
from engine.model.network import Network


@dataclass(frozen=True)
class HeldOutScore:
    """The log-likelihood of rows that were held out.

    Attributes
    ----------
    rows : float
        How many they are, by their weights.
    log_likelihood : float
        Σ w log Pr(row), or given what is given; −∞ if one is impossible.
    impossible : float
        How many of them have probability 0.
    possible_log_likelihood : float
        That of the others.
    """

    rows: float
    log_likelihood: float
    impossible: float
    possible_log_likelihood: float

    @property
    def log_loss(self) -> float:
        """Mean −log Pr(row), in nats."""
        return -self.log_likelihood / self.rows


def score_held_out(
    network: Network,
    test: Dataset,
    given: Collection[int] = (),
    memory_limit: int = MEMORY_LIMIT,
    *,
    fixed: bool = True,
) -> HeldOutScore:
    """The log-likelihood of rows under the network's parameters; equal rows are propagated once.

    Rows with targets have what they count for in learning, with targets that are fixed or not.
    """
    if not fixed and has_targets(test):
        rows = HeldOutRows(network, test, given, fixed=False)
        found = rows.log_likelihood(Layout(network).flatten(network.tables))
        return HeldOutScore(test.total_weight, found, 0.0, found)
    distinct = test.project(range(len(test.variables)))
    distinct = distinct.take(np.flatnonzero(distinct.weights > 0))
    scores = score_rows(network, distinct, given, memory_limit)
    impossible = float(distinct.weights[scores.impossible].sum())
    kept = np.isfinite(scores.log_likelihood)
    possible = float(distinct.weights[kept] @ scores.log_likelihood[kept])
    return HeldOutScore(test.total_weight, -np.inf if impossible else possible, impossible, possible)


class HeldOutRows:
    """Rows whose log-likelihood is asked for again and again, by parameters on the way: planned once.

    Attributes
    ----------
    rows : float
        How many they are, by their weights.
    """

    def __init__(self, network: Network, test: Dataset, given: Collection[int] = (), *, fixed: bool = True) -> None:
        self.rows = test.total_weight
        self._work = Workspace(make_task(network, test, given=given, fixed=fixed).objective)

    def log_likelihood(self, theta: Floats) -> float:
        """Σ w log Pr(row) by parameters laid out as a learner has them; −∞ if a row is impossible."""
        found = float(self._work.evaluate(theta).log_likelihood.sum())
        return -np.inf if np.isnan(found) else found
