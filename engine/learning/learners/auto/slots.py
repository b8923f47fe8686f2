"""The restarts of a batch side by side: which of them has what, group by group.

A *group* is what is learned on its own: a component, or the whole where components are coupled. A *slot* is the place
of a restart. Each group of a slot is a unit, so that values of units are arrays of shape (slots, groups).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.learning.learner import State
from engine.learning.objective import Objective
from engine.model.arrays import Bools, Floats, Ints, weighted_counts


class Slots:
    """How the units of a batch lie in slots and groups."""

    def __init__(self, objective: Objective, unit: Ints) -> None:
        self.number = objective.copies
        self.groups = (int(unit.max()) + 1) // self.number
        self._unit = unit
        components = objective.n_components // self.number
        self._group_of_component = unit[:components]
        self._group_of_parameter = unit[objective.component[: objective.n_parameters // self.number]]

    def values(self, per_component: Floats | Ints) -> Floats:
        """What components have, added up by unit."""
        total = weighted_counts(self._unit, per_component, self.number * self.groups)
        return total.reshape(self.number, self.groups)

    def arrange(self, state: State, source: Ints) -> State:
        """The state with every unit taken from another slot.

        Parameters
        ----------
        source : array (slots, groups)
            The slot that each unit is taken from.
        """

        def take(values: Floats, group: Ints) -> Floats:
            rows = values.reshape(self.number, -1)
            return np.take_along_axis(rows, source[:, group], axis=0).reshape(-1)

        of_parameter, of_component = self._group_of_parameter, self._group_of_component
        return replace(
            state,
            theta=take(state.theta, of_parameter),
            log_likelihood=take(state.log_likelihood, of_component),
            objective=take(state.objective, of_component),
            counts=take(state.counts, of_parameter),
            model_counts=take(state.model_counts, of_parameter),
        )

    def exchange_best(self, state: State, values: Floats, home: Ints) -> tuple[State, Floats, Bools]:
        """The state, and the values of its units, with the best of each group in some slot, in exchange.

        Also tells which units have moved, of shape (slots, groups).

        Parameters
        ----------
        home : array (groups,)
            The slot of each group that gets its best.
        """
        every, best = np.arange(self.groups), np.argmax(values, axis=0)
        source = self._stay()
        source[best, every] = home
        source[home, every] = best
        moved = source != self._stay()
        return self.arrange(state, source), np.take_along_axis(values, source, axis=0), moved

    def copy_to_first(self, state: State, slot: Ints) -> State:
        """The state with every group of the first slot as it is in some slot."""
        source = self._stay()
        source[0] = slot
        return self.arrange(state, source)

    def copy_first(self, state: State, units: Bools) -> State:
        """The state with some units as they are in the first slot."""
        return self.arrange(state, np.where(units, 0, self._stay()))

    def _stay(self) -> Ints:
        """Every unit from its own slot."""
        return np.tile(np.arange(self.number)[:, None], self.groups)

    def pick(self, theta: Floats, slot: Ints) -> Floats:
        """The parameters of one restart, each group as it is in some slot."""
        rows = theta.reshape(self.number, -1)
        return np.asarray(rows[slot[self._group_of_parameter], np.arange(rows.shape[1])])

    def parameters(self, units: Bools) -> Bools:
        """The parameters of some units, of shape (slots, parameters of one)."""
        return units[:, self._group_of_parameter]
