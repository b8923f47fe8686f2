"""Upper bounds of a learning problem, of whichever kind its network is."""

from __future__ import annotations

from collections.abc import Callable

from engine.learning.bounds import Bounds, find_bounds, find_moving_bound
from engine.learning.imap.budget import DEFAULT_BUDGET, Budget
from engine.learning.markov_bounds import MarkovBounds, find_markov_bounds
from engine.learning.task import LearningTask
from engine.learning.workspace import NEVER
from engine.model.network import MarkovNetwork

AnyBounds = Bounds | MarkovBounds
"""Both have a ``naive`` and a ``total``; only a Bayesian network's components have bounds of their own."""


def bound_task(
    task: LearningTask,
    budget: Budget = DEFAULT_BUDGET,
    *,
    fit: bool = True,
    cancelled: Callable[[], bool] = NEVER,
) -> AnyBounds:
    """The bounds of a problem: of a Bayesian network, within a budget.

    Without ``fit``, those of a Markov network that are found at once. With targets that are not fixed only the whole is
    bounded, as in a Markov network.
    """
    if task.has_moving_targets:
        bound = find_moving_bound(task)
        return MarkovBounds(bound, bound)
    if isinstance(task.network, MarkovNetwork):
        return find_markov_bounds(task, fit=fit, cancelled=cancelled)
    return find_bounds(task, budget)
