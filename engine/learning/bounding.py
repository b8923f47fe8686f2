"""Upper bounds of a learning problem, of whichever kind its network is."""

from __future__ import annotations

from engine.learning.bounds import Bounds, find_bounds
from engine.learning.imap.budget import DEFAULT_BUDGET, Budget
from engine.learning.markov_bounds import MarkovBounds, find_markov_bounds
from engine.learning.task import LearningTask
from engine.model.network import MarkovNetwork

AnyBounds = Bounds | MarkovBounds
"""Both have a ``naive`` and a ``total``; only a Bayesian network's components have bounds of their own."""


def bound_task(task: LearningTask, budget: Budget = DEFAULT_BUDGET) -> AnyBounds:
    """The bounds of a problem; the budget is for those of Bayesian networks."""
    return find_markov_bounds(task) if isinstance(task.network, MarkovNetwork) else find_bounds(task, budget)
