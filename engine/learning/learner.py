"""What a learner is: its state, what a step costs, and the protocol that all of them keep.

Pausing a learner is not calling ``step``. The parameters of an objective fall into *units* that stop on their
own: a whole restart for plain learners; for decomposed ones each component of a restart, where the objective
is separable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from engine.learning.objective import Objective
from engine.learning.workspace import NEVER, Evaluation, Workspace
from engine.model.arrays import Bools, Floats, Ints
from engine.model.network import Network


@dataclass(frozen=True, eq=False)
class State:
    """Where a learner stands.

    Attributes
    ----------
    theta : array (parameters,)
    log_likelihood, objective : array (components,)
        At ``theta``; the objective adds the log prior.
    counts, model_counts : array (parameters,)
        Expected counts at ``theta``, from the pass that found the likelihood.
    memory : object
        What else a learner keeps from one step to the next.
    """

    theta: Floats
    log_likelihood: Floats
    objective: Floats
    counts: Floats
    model_counts: Floats
    memory: Any = None

    def choose(self, components: Bools, parameters: Bools, other: State, memory: Any = None) -> State:
        """This state in some components and their parameters, another in the rest."""
        likelihood = np.where(components, self.log_likelihood, other.log_likelihood)
        has_prior = self.objective is not self.log_likelihood or other.objective is not other.log_likelihood
        return State(
            np.where(parameters, self.theta, other.theta),
            likelihood,
            np.where(components, self.objective, other.objective) if has_prior else likelihood,
            np.where(parameters, self.counts, other.counts),
            self.model_counts
            if self.model_counts is other.model_counts
            else np.where(parameters, self.model_counts, other.model_counts),
            memory,
        )


@dataclass(frozen=True, eq=False)
class Info:
    """What a step cost, and what the learner thinks of going on.

    Attributes
    ----------
    propagated : array (components,)
        The rows that it propagated.
    wish : array (units,), optional
        For learners that know better than a tolerance when a unit ends: 1 where it goes on (again), −1 where it
        ends, 0 where the tolerance tells.
    """

    propagated: Ints
    wish: Ints | None = None


@dataclass(frozen=True)
class Words:
    """What a learner does in two sentences, and its update in LaTeX."""

    explanation: str
    equations: str


class Learner(Protocol):
    """An iterative learner of parameters.

    Attributes
    ----------
    counts_complete_data : bool
        Whether one step solves a component with nothing to propagate: it then stops after it.
    monotone : bool
        Whether the objective never decreases; of a learner that chooses units, that of the best restart.
    chooses_units : bool
        Whether it decides itself which units it steps, and when they end: restarts may then help each other.
    words : mapping from type to Words
        For each kind of network that it learns, what it does: for the dashboard to show.
    """

    counts_complete_data: ClassVar[bool]
    monotone: ClassVar[bool]
    chooses_units: ClassVar[bool]
    words: ClassVar[Mapping[type[Network], Words]]

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The state at some parameters: one pass over the data."""

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The next state.

        Units do not touch each other's parameters: their steps are independent of one another.

        Parameters
        ----------
        unit : array (components,)
            The unit of each component.
        """


def evaluate_state(work: Workspace, theta: Floats, cancelled: Callable[[], bool] = NEVER) -> tuple[State, Info]:
    """The state at some parameters: one pass over the data."""
    return make_state(work.objective, theta, work.evaluate(theta, cancelled))


def make_state(objective: Objective, theta: Floats, found: Evaluation) -> tuple[State, Info]:
    """The state that a pass has found."""
    likelihood = found.log_likelihood
    reached = likelihood + objective.log_prior(theta) if objective.geometry.has_prior else likelihood
    return State(theta, likelihood, reached, found.counts, found.model_counts), Info(found.propagated)
