"""Variations of good parameters: starts for a search that goes on from what was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.learning.task import LearningTask
from engine.model.arrays import Bools, Floats, Ints
from engine.model.dataset import Role

KINDS = ((1, 0.5), (2, 0.5), (0, 0.3), (1, 1.0), (3, 0.5))
"""Around how many neighbouring variables tables are drawn anew (0: all tables), and how much of them. In turn: on the
three problems they were tried on, none of them alone was best."""
OPENED = 0.01
"""How much is drawn anew of tables that are taken from the best: beside others, their zeros could rule out rows."""


@dataclass(frozen=True, eq=False)
class Variations:
    """How parameters are varied: around some variables that are not always seen, or everywhere a little.

    Attributes
    ----------
    around : tuple of tuples of arrays (parameters,) of bool
        Per group of parameters that is learned on its own, the tables around each of its open variables.
    group : array (parameters,)
    """

    task: LearningTask
    around: tuple[tuple[Bools, ...], ...]
    group: Ints

    @classmethod
    def of(cls, task: LearningTask) -> Variations:
        """The variations of a task's parameters."""
        geometry, component = task.objective.geometry, task.objective.component
        group = task.objective.stops_with[component] if task.objective.is_separable else np.zeros_like(component)
        number = task.objective.n_components if task.objective.is_separable else 1
        around: list[list[Bools]] = [[] for _ in range(number)]
        factor = np.repeat(np.arange(len(task.network.scopes)), np.diff(task.layout.starts))
        left_out = set(task.decomposition.pruned)
        for v, role in enumerate(task.decomposition.dataset.roles):
            if role is Role.OBSERVED or v in left_out:
                continue
            touching = [f for f, scope in enumerate(task.network.scopes) if v in scope]
            if touching:
                # All that share a table are varied alike.
                parameters = geometry.follow(geometry.gather(np.isin(factor, touching).astype(float))) > 0
                own = int(group[np.flatnonzero(factor == touching[0])[0]])
                around[own].append(parameters & (group == own))
        return cls(task, tuple(tuple(some) for some in around), group)

    def draw_anew(self, number: int, generator: np.random.Generator) -> Floats:
        """Other starts, so many."""
        return np.stack([self.task.objective.geometry.random(generator) for _ in range(number)])

    def draw(self, theta: Floats, best: Floats, number: int, generator: np.random.Generator) -> Floats:
        """Parameters varied in every group, so many times.

        Where the best of a group is elsewhere, every other variation around a variable takes its tables.
        """
        geometry, is_elsewhere = self.task.objective.geometry, self._differ(theta, best)
        drawn, first = [], int(generator.integers(len(KINDS)))
        for k in range(number):
            variables, part = KINDS[(first + k) % len(KINDS)]
            anew = geometry.random(generator)
            varied = geometry.mix(theta, anew, part)
            if variables:
                if k % 2:
                    varied = np.where(is_elsewhere, geometry.mix(best, anew, OPENED), varied)
                varied = np.where(self._choose(variables, generator), varied, theta)
            drawn.append(varied)
        return np.stack(drawn)

    def _differ(self, theta: Floats, other: Floats) -> Bools:
        """The parameters of the groups in which two are not the same."""
        differs = np.zeros(len(self.around), dtype=bool)
        differs[self.group[theta != other]] = True
        return differs[self.group]

    def _choose(self, variables: int, generator: np.random.Generator) -> Bools:
        """In each group, the tables around a variable, then around neighbours of what was chosen."""
        chosen = np.zeros(len(self.group), dtype=bool)
        for tables in self.around:
            if not tables:
                continue
            own = tables[generator.integers(len(tables))]
            for _ in range(variables - 1):
                near = [other for other in tables if (other & own).any()]
                own = own | near[generator.integers(len(near))]
            chosen |= own
        return chosen
