"""The modified junction tree: a step is taken in one clique, and told only to the clique where the next is taken."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference import log_space
from engine.inference.junction_tree import JunctionTree
from engine.inference.plan import SECONDS_PER_CELL, SECONDS_PER_OPERATION, Part, Plan
from engine.inference.targets.target import Target
from engine.inference.targets.ways import divide, spread, sum_to
from engine.model.arrays import Floats

OPERATIONS = 20
"""What a message or a step costs, in array operations of a plan."""


class BeliefTree:
    """The distribution of a part's variables as Q of each clique, right in the clique that was visited last.

    Between two visits of a clique all changes come back to it through the separator by which they were left: a tree
    has no other way. So it is enough to pass messages along the path from one clique to the next.

    Attributes
    ----------
    cells : int
        How many cells have been computed so far.
    """

    def __init__(self, part: Part, pool: Floats) -> None:
        tree = part.tree
        _, posteriors = log_space.calibrate(part, pool, np.zeros(1, dtype=np.int64))
        self.cells = tree.cells
        self._tree, self._here = tree, 0
        self._beliefs = [posterior[..., 0] for posterior in posteriors]
        self._separators = [self._sum(k, tree.separators[k]) for k in range(len(tree.cliques))]

    def visit(self, clique: int) -> None:
        """Make Q of a clique right."""
        for one, other in find_path(self._tree, self._here, clique):
            edge = one if self._tree.parents[one] == other else other
            scope = self._tree.separators[edge]
            message = self._sum(one, scope)
            axes, ndim = self._axes(other, scope), self._beliefs[other].ndim
            rest = divide(self._beliefs[other], spread(self._separators[edge], axes, ndim))
            self._beliefs[other] = rest * spread(message, axes, ndim)
            self._separators[edge] = message
            self.cells += self._beliefs[one].size + 2 * self._beliefs[other].size
        self._here = clique

    def marginal(self, clique: int, scope: Sequence[int]) -> Floats:
        """Q of some variables of the clique that was visited last, in this order."""
        self.cells += self._beliefs[clique].size
        return self._sum(clique, scope)

    def move(self, clique: int, scope: Sequence[int], current: Floats, table: Floats) -> None:
        """Q ← Q table / current in the clique that was visited last."""
        axes, ndim = self._axes(clique, scope), self._beliefs[clique].ndim
        self._beliefs[clique] = divide(self._beliefs[clique], spread(current, axes, ndim)) * spread(table, axes, ndim)
        self.cells += self._beliefs[clique].size

    def _sum(self, clique: int, scope: Sequence[int]) -> Floats:
        return sum_to(self._beliefs[clique], self._axes(clique, scope))

    def _axes(self, clique: int, scope: Sequence[int]) -> list[int]:
        return [self._tree.cliques[clique].index(v) for v in scope]


def find_path(tree: JunctionTree, one: int, other: int) -> list[tuple[int, int]]:
    """The steps from one clique to another; none where no way leads there, for then neither tells of the other."""
    up, down = [one], [other]
    # Children come before their parents: the earlier of the two is never above the other.
    while up[-1] != down[-1]:
        lower = up if up[-1] < down[-1] else down
        lower.append(tree.parents[lower[-1]])
        if lower[-1] < 0:
            return []
    path = [*up, *reversed(down[:-1])]
    return list(itertools.pairwise(path))


class ModifiedTree:
    """IPFP along junction trees, one for each part of the plan that has targets.

    Parameters
    ----------
    plan : Plan
        Of one row and a network whose last factors are those of the targets, so that each lies in a clique.
    """

    def __init__(self, plan: Plan, targets: Sequence[Target], _memory_limit: int) -> None:
        self._targets = targets
        pool, _ = plan.pool.fill(plan.network.tables)
        self._trees: dict[Part, BeliefTree] = {}
        self._homes: list[_Home] = []
        for target in targets:
            part, clique, scope = find_home(plan, target)
            if part not in self._trees:
                self._trees[part] = BeliefTree(part, pool)
            sizes = [part.tree.cardinalities[v] for v in scope]
            self._homes.append(_Home(self._trees[part], clique, scope, sizes))

    @property
    def cells(self) -> int:
        """How many cells have been computed so far."""
        return sum(tree.cells for tree in self._trees.values())

    def marginal(self, target: int) -> Floats:
        """Q(X) of the variables of a target."""
        home = self._homes[target]
        home.tree.visit(home.clique)
        return home.tree.marginal(home.clique, home.scope).reshape(self._targets[target].table.shape)

    def move(self, target: int, current: Floats) -> None:
        """Multiply by R / Q(X) in the clique where the target lies."""
        home, table = self._homes[target], self._targets[target].table
        home.tree.visit(home.clique)
        home.tree.move(home.clique, home.scope, current.reshape(home.sizes), table.reshape(home.sizes))


@dataclass(frozen=True, eq=False)
class _Home:
    """Where a target lies: the variables of its clique, without those that have one state only."""

    tree: BeliefTree
    clique: int
    scope: list[int]
    sizes: list[int]


def find_home(plan: Plan, target: Target) -> tuple[Part, int, list[int]]:
    """The part and the clique where a target's variables of several states lie, and their numbers there."""
    wanted = [v for v in target.variables if plan.network.variables[v].cardinality > 1]
    part = next(part for part in plan.parts if wanted[0] in part.variables)
    scope = [part.variables.index(v) for v in wanted]
    first = min(scope, key=part.tree.position.__getitem__)
    return part, part.tree.eliminated_in[first], scope


def estimate_round(plan: Plan, targets: Sequence[Target]) -> float:
    """About how many seconds a round of fitting takes: to every target's clique in turn, twice."""
    homes = [find_home(plan, target)[:2] for target in targets]
    seconds = 0.0
    for part in dict.fromkeys(part for part, _ in homes):
        tree, cliques = part.tree, [clique for home, clique in homes if home is part]
        for one, other in zip(cliques, [*cliques[1:], cliques[0]], strict=True):
            touched = [other, *(clique for edge in find_path(tree, one, other) for clique in edge)]
            cells = sum(tree.sizes[clique] for clique in touched)
            seconds += len(touched) * OPERATIONS * SECONDS_PER_OPERATION + 3 * cells * SECONDS_PER_CELL
    return 2 * seconds
