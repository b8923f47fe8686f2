"""The I-map bound of all components, variable by variable."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.learning.empirical import sum_likelihoods
from engine.learning.imap.search import Budget, search_orders
from engine.learning.imap.terms import Order, Terms
from engine.learning.task import LearningTask
from engine.model.arrays import Floats, weighted_counts


class Imap:
    """The I-map bound of a learning task, in any orders of its components' variables.

    Parameters
    ----------
    prior : array (variables,)
        Per variable, the most that the prior adds to its table.
    exact : array (variables,)
        The most that its table reaches, prior included, where its family is observed in every row.

    Attributes
    ----------
    open : dict from component to Terms
        The components that are not complete.
    """

    def __init__(self, task: LearningTask, prior: Floats, exact: Floats) -> None:
        decomposition = task.decomposition
        self._components, self._size = decomposition.components, len(decomposition.components) + 1
        self._home = np.array(decomposition.component_of, dtype=np.int64) % self._size  # pruned ones come last
        self._likelihoods = sum_likelihoods(decomposition.dataset)
        self._unseen = prior + self._likelihoods
        self.open: dict[int, Terms] = {}
        rank = np.argsort(task.bayesian.topological_order).tolist()
        for k, (component, block) in enumerate(zip(decomposition.components, task.blocks, strict=True)):
            if component.is_complete or block is None:
                self._unseen[list(component.variables)] = exact[list(component.variables)]
            else:
                self.open[k] = Terms(task, component, block, rank)

    def share(self, orders: Mapping[int, Order]) -> Floats:
        """Per variable, its part of the bound of its component, given an order for each that is open."""
        shares = self._unseen.copy()
        for k, order in orders.items():
            variables = [self.open[k].variables[node] for node in order]
            shares[variables] = self._likelihoods[variables] + self.open[k].in_order(order)
        return shares

    def add_up(self, shares: Floats) -> Floats:
        """Per component, the sum of its variables' shares; last, that of pruned ones."""
        return weighted_counts(self._home, shares, self._size)

    def name(self, orders: Mapping[int, Order]) -> tuple[tuple[int, ...], ...]:
        """Per component, its variables in order; those that are observed in no row have no place."""
        named = [component.variables for component in self._components]
        for k, order in orders.items():
            named[k] = tuple(self.open[k].variables[node] for node in order)
        return tuple(named)


def find_orders(imap: Imap, patterns: Floats, naive: float, budget: Budget) -> dict[int, Order]:
    """Orders in which no component is above its pattern bound, and all together are not above the naive bound.

    Of each component that is not complete. Parents before their children is a good order to begin with. Only one that
    begins with what is observed in every row is sure to keep below those two, and is seldom better.
    """
    orders = {k: terms.topological for k, terms in imap.open.items()}
    start = imap.add_up(imap.share(orders))
    above = list(orders) if start.sum() > naive else [k for k in orders if start[k] > patterns[k]]
    for k in above:
        orders[k] = min(orders[k], imap.open[k].observed_first, key=imap.open[k].add_up)
    return dict(zip(orders, search_orders(list(imap.open.values()), list(orders.values()), budget), strict=True))
