"""Four ways of keeping the distribution that is fitted to targets; all have the same answer.

They are told apart by where the targets' variables Y meet: nowhere (BN-IPFP-1: one factor for each target, a whole
propagation for each step), in a table of their own (BN-IPFP-2: P(Y | evidence) first, then steps on that table), in one
clique (big clique), or along the junction tree (modified tree: a step in one clique, messages only to the next).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.inference.plan import Plan
from engine.inference.posterior import Posterior
from engine.inference.propagate import Propagation
from engine.inference.targets.target import Target
from engine.model.arrays import Floats
from engine.model.network import MarkovNetwork, Network

SCALE = 2.0**-60
"""Makes room for a target divided by the smallest number above 0; a power of two rounds nothing."""


def with_factors(network: Network, scopes: Sequence[tuple[int, ...]]) -> MarkovNetwork:
    """The network with further factors, all of ones: they change nothing, and have a place in every tree."""
    sizes = [variable.cardinality for variable in network.variables]
    ones = [np.ones([sizes[v] for v in scope]) for scope in scopes]
    return MarkovNetwork(network.variables, (*network.scopes, *scopes), (*network.tables, *ones))


class VirtualEvidence:
    """BN-IPFP-1: each target has a factor, multiplied by R / Q(X) in turn; every step is a propagation.

    Parameters
    ----------
    plan : Plan
        Of a network whose last factors are those of the targets.
    """

    def __init__(self, plan: Plan, targets: Sequence[Target], memory_limit: int) -> None:
        self.cells = 0
        self._targets, self._first = targets, len(plan.network.tables) - len(targets)
        self._propagation = Propagation(plan, plan.network, memory_limit)
        self._plan, self._memory_limit = plan, memory_limit
        self._factors = [np.ones(target.table.shape) for target in targets]
        self._run()

    def _run(self) -> None:
        result = self._propagation.run()
        self.cells += self._plan.cells
        self._posterior = Posterior(self._plan, result.log_sum, result.blocks, self._memory_limit)

    def marginal(self, target: int) -> Floats:
        """Q(X) of the variables of a target."""
        return np.asarray(self._posterior.family(self._first + target)[0])

    def move(self, target: int, current: Floats) -> None:
        """Multiply the target's factor by R / Q(X), scaled to a maximum of 1."""
        table = self._targets[target].table
        ratio = np.divide(SCALE * table, current, out=np.zeros_like(table), where=current > 0)
        scaled = self._factors[target] * ratio
        self._factors[target] = scaled / scaled.max()
        self._propagation.set_table(self._first + target, self._factors[target])
        self._run()


class JointTable:
    """Q(Y) of all variables that have a target, as one table.

    Parameters
    ----------
    table : array
        P(Y | what is known); the axes are the variables in this order.
    cells : int
        How many were computed to find it.
    """

    def __init__(self, variables: Sequence[int], table: Floats, cells: int, targets: Sequence[Target]) -> None:
        self.cells = cells
        self._table = table
        self._targets = targets
        self._axes = [[variables.index(v) for v in target.variables] for target in targets]

    def marginal(self, target: int) -> Floats:
        """Q(X) of the variables of a target."""
        self.cells += self._table.size
        return sum_to(self._table, self._axes[target])

    def move(self, target: int, current: Floats) -> None:
        """Multiply by R / Q(X)."""
        self.cells += self._table.size
        axes, ndim = self._axes[target], self._table.ndim
        rest = divide(self._table, spread(current, axes, ndim))  # first: it is at most 1
        self._table = rest * spread(self._targets[target].table, axes, ndim)


def sum_to(table: Floats, axes: Sequence[int]) -> Floats:
    """A table summed to some axes, in this order."""
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    kept = sorted(axes)
    return np.asarray(table.sum(axis=others).transpose([kept.index(axis) for axis in axes]))


def spread(table: Floats, axes: Sequence[int], ndim: int) -> Floats:
    """A table over some axes, in this order, with an axis of length 1 for each of the others."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = [1] * ndim
    for axis, size in zip(axes, table.shape, strict=True):
        shape[axis] = size
    return table.transpose(order).reshape(shape)


def divide(table: Floats, by: Floats) -> Floats:
    """A quotient; 0 where the divisor is, for then the table is too."""
    shape = np.broadcast_shapes(table.shape, by.shape)
    return np.divide(table, by, out=np.zeros(shape), where=np.broadcast_to(by > 0, shape))
