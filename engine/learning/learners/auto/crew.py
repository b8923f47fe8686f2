"""Several learners at work on one problem: each unit is stepped by the one that it is given to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.learning.learner import Info, Learner, State
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.gradient import Memory as Steps
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Ints

REST = -1
"""Stands for the learner of a unit that is not stepped."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a learner works, and what it remembers.

    Attributes
    ----------
    units : array (units,) of bool
        Those it has stepped last.
    whole, work : Workspace
        That of everything, and that of its units.
    """

    units: Bools
    whole: Workspace
    work: Workspace
    memory: Any


@dataclass(frozen=True, eq=False)
class Crew:
    """Learners, each with the units that it is at.

    Attributes
    ----------
    places : tuple of Place
        Per learner; None where it has nothing to do.
    """

    learners: tuple[Learner, ...]
    places: tuple[Place | None, ...]

    @classmethod
    def of(cls, learners: tuple[Learner, ...]) -> Crew:
        """Learners that have not begun."""
        return cls(learners, (None,) * len(learners))

    def forget(self, units: Bools) -> Crew:
        """The crew when some units are no longer where they were: what was remembered of them is void."""
        places = [place and replace(place, units=place.units & ~units) for place in self.places]
        return replace(self, places=tuple(places))

    def step(
        self, work: Workspace, state: State, unit: Ints, which: Ints, cancelled: Callable[[], bool]
    ) -> tuple[Crew, State, Info]:
        """Step every unit by its learner; those at rest stay.

        Parameters
        ----------
        which : array (units,)
            The learner of each unit, or REST.
        """
        after, propagated = state, np.zeros(work.objective.n_components, dtype=np.int64)
        places: list[Place | None] = []
        for number, (learner, place) in enumerate(zip(self.learners, self.places, strict=True)):
            units = which == number
            if not units.any():
                places.append(None)
                continue
            place, begun = _take_up(learner, place, work, state, unit, units, cancelled)
            stepped, info = learner.step(place.work, replace(state, memory=place.memory), unit, cancelled)
            components = units[unit]
            after = stepped.choose(components, components[work.objective.component], after)
            propagated += info.propagated + begun
            places.append(replace(place, memory=stepped.memory))
        return replace(self, places=tuple(places)), after, Info(propagated)


def _take_up(
    learner: Learner,
    place: Place | None,
    whole: Workspace,
    state: State,
    unit: Ints,
    units: Bools,
    cancelled: Callable[[], bool],
) -> tuple[Place, Ints | int]:
    """The place of a learner at its units, with the rows propagated to begin there, per component."""
    if place is not None and place.whole is whole and np.array_equal(place.units, units):
        return place, 0
    work = whole.focus(units[unit])
    if isinstance(learner, EM):  # which needs only the counts at hand
        return Place(units, whole, work, None), 0
    if isinstance(learner, Gradient):
        memory = learner.take_up(work, state)
        if place is not None and isinstance(place.memory, Steps):
            memory = place.memory.joined_by(memory, ~place.units, unit, whole.objective.component)
        return Place(units, whole, work, memory), 0
    begun, info = learner.begin(work, state.theta, cancelled)
    return Place(units, whole, work, begun.memory), info.propagated
