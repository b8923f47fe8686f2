"""The I-map bound of all components, variable by variable.

Three steps, of which each can only lower it: an order of each component's variables to begin with, a search for a
better one, and groups of variables that are bounded together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.inference.plan import Block
from engine.learning.imap.budget import Budget, Meter
from engine.learning.imap.groups import Group, find_groups
from engine.learning.imap.search import search_orders
from engine.learning.imap.terms import Order, Terms
from engine.learning.task import LearningTask
from engine.model.arrays import Floats, weighted_counts

ORDERING = 0.5
"""The part of a budget that orders have; groups have what they leave."""


@dataclass(frozen=True)
class Together:
    """Variables that are bounded together, by the few states of another."""

    variables: tuple[int, ...]
    hidden: int


@dataclass(frozen=True, eq=False)
class ImapBound:
    """The I-map bound of a learning task.

    Attributes
    ----------
    terms : array (variables,)
        Per variable, its part of the bound of its component. Variables that are bounded together have equal parts.
    components : array (components + 1,)
        What these add up to; the last entry is that of pruned variables.
    orders : tuple of tuples of int
        Per component, the variables that are observed in some row, in order.
    together : tuple of tuples of Together
        Per component, the groups of variables that are bounded together.
    """

    terms: Floats
    components: Floats
    orders: tuple[tuple[int, ...], ...]
    together: tuple[tuple[Together, ...], ...]


@dataclass(frozen=True, eq=False)
class Own:
    """What each component and each variable has of its own.

    Attributes
    ----------
    blocks : tuple of Block
        Per component its rows; None where nothing is open.
    constants : array (variables,)
        What a variable's cells add whatever is learned.
    prior : array (variables,)
        The most that the prior adds to its table.
    exact : array (variables,)
        The most that its table reaches, prior included, where its family is observed in every row.
    """

    blocks: tuple[Block | None, ...]
    constants: Floats
    prior: Floats
    exact: Floats


def find_imap(task: LearningTask, own: Own, patterns: Floats, naive: float, budget: Budget) -> ImapBound:
    """The I-map bound, in no component above the pattern bound, and in all together not above the naive bound.

    Parameters
    ----------
    own : Own
    patterns : array (components + 1,)
    naive : float
    """
    parts = _Parts(task, own)
    meter = Meter(ORDERING * budget.seconds)
    orders = _find_orders(parts, patterns, naive)
    found = search_orders(list(parts.open.values()), list(orders.values()), budget.seed, meter)
    orders = dict(zip(orders, found, strict=True))
    groups = _find_groups(parts, orders, meter.seconds + (1 - ORDERING) * budget.seconds)
    return parts.assemble(orders, groups)


class _Parts:
    """The components, and what they add up to in any orders of their variables.

    Attributes
    ----------
    open : dict from component to Terms
        Those that are not complete.
    """

    def __init__(self, task: LearningTask, own: Own) -> None:
        decomposition = task.decomposition
        self._components, self._size = decomposition.components, len(decomposition.components) + 1
        self._home = np.array(decomposition.component_of, dtype=np.int64) % self._size  # pruned ones come last
        self._constants = own.constants
        self._unordered = own.prior + own.constants
        self.open: dict[int, Terms] = {}
        rank = np.argsort(task.bayesian.topological_order).tolist()
        for k, (component, block) in enumerate(zip(decomposition.components, own.blocks, strict=True)):
            if component.is_complete or block is None:
                variables = list(component.variables)
                self._unordered[variables] = own.exact[variables] + own.constants[variables]
            else:
                self.open[k] = Terms(task, component, block, rank)

    def assemble(self, orders: Mapping[int, Order], groups: Mapping[int, list[Group]]) -> ImapBound:
        """The bound in an order of each open component, and with groups of some."""
        terms = self._unordered.copy()
        named = [component.variables for component in self._components]
        together: list[tuple[Together, ...]] = [()] * len(named)
        for k, order in orders.items():
            values = np.array(self.open[k].in_order(order))
            for group in groups.get(k, ()):
                values[group.start : group.end] = group.value / (group.end - group.start)
            named[k] = tuple(self.open[k].variables[node] for node in order)
            together[k] = tuple(
                Together(named[k][group.start : group.end], self.open[k].variables[group.hidden])
                for group in groups.get(k, ())
            )
            terms[list(named[k])] = self._constants[list(named[k])] + values
        return ImapBound(terms, weighted_counts(self._home, terms, self._size), tuple(named), tuple(together))


def _find_orders(parts: _Parts, patterns: Floats, naive: float) -> dict[int, Order]:
    """An order of each open component to begin with: parents before their children is good.

    Only one that begins with what is observed in every row is sure to be below the patterns and the naive bound, and it
    is seldom better: it is taken where it is needed for that.
    """
    orders = {k: terms.topological for k, terms in parts.open.items()}
    start = parts.assemble(orders, {}).components
    above = list(orders) if start.sum() > naive else [k for k in orders if start[k] > patterns[k]]
    for k in above:
        orders[k] = min(orders[k], parts.open[k].observed_first, key=parts.open[k].add_up)
    return orders


def _find_groups(parts: _Parts, orders: Mapping[int, Order], seconds: float) -> dict[int, list[Group]]:
    """The groups of each open component. Large ones may take longer, and what small ones leave."""
    groups, left = {}, sum(map(len, orders.values()))
    for k, order in sorted(orders.items(), key=lambda item: len(item[1])):
        share = seconds * len(order) / max(left, 1)
        meter = Meter(share)
        groups[k] = find_groups(parts.open[k], order, meter)
        seconds, left = seconds - share + meter.seconds, left - len(order)
    return groups
