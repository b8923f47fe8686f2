"""What all learners share: their state, when they stop, and the loop that steps them.

A learner is an object with ``init`` and ``step``; pausing is not calling ``step``. The parameters of a
problem fall into *units* that stop on their own: a whole restart for plain learners, a component of a
restart for decomposed ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from engine.learning.problem import Problem
from engine.model.arrays import Bools, Floats, Ints
from engine.model.errors import Cancelled, ModelError

NEVER: Callable[[], bool] = lambda: False  # noqa: E731 - the default of ``cancelled``


@dataclass(frozen=True, eq=False)
class State:
    """Where a learner stands.

    Attributes
    ----------
    theta : array (parameters,)
    log_likelihood, objective : array (components,)
        At ``theta``; the objective adds the log prior.
    counts : array (parameters,)
        Expected counts at ``theta``, from the pass that found the likelihood.
    memory : object
        What else a learner keeps from one step to the next.
    """

    theta: Floats
    log_likelihood: Floats
    objective: Floats
    counts: Floats
    memory: Any = None


class Learner(Protocol):
    """An iterative learner of parameters.

    Attributes
    ----------
    counts_complete_data : bool
        Whether one step solves a component whose data is complete: it then stops after it.
    monotone : bool
        Whether the objective never decreases.
    equations, explanation : str
        The update in LaTeX, and what it does in two sentences, for the dashboard to show.
    """

    counts_complete_data: ClassVar[bool]
    monotone: ClassVar[bool]
    equations: ClassVar[str]
    explanation: ClassVar[str]

    def begin(self, problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
        """The state at some parameters: one pass over the data."""

    def step(self, problem: Problem, state: State, unit: Ints, cancelled: Callable[[], bool]) -> State:
        """The next state.

        Units do not touch each other's parameters: their steps are independent of one another.

        Parameters
        ----------
        unit : array (components,)
            The unit of each component.
        """


def evaluate_state(problem: Problem, theta: Floats, cancelled: Callable[[], bool] = NEVER) -> State:
    """The state at some parameters: one pass over the data."""
    found = problem.evaluate(theta, cancelled)
    return State(theta, found.log_likelihood, found.log_likelihood + problem.log_prior(theta), found.counts)


@dataclass(frozen=True)
class Stopping:
    """When learning ends.

    Attributes
    ----------
    tol : float
        A unit has converged when its change stays at or below this for ``patience`` iterations.
    criterion : {"parameters", "likelihood"}
        The change is that of its most moving parameter, or of its objective.
    max_iter : int
    max_seconds : float
    patience : int
        A change can dip below the tolerance and rise again, so one hit is not enough.
    """

    tol: float = 1e-5
    criterion: str = "parameters"
    max_iter: int = 1000
    max_seconds: float = np.inf
    patience: int = 2

    def __post_init__(self) -> None:
        if self.criterion not in ("parameters", "likelihood"):
            raise ModelError(f"criterion {self.criterion!r} is not known; use 'parameters' or 'likelihood'")
        if not self.tol >= 0:
            raise ModelError(f"tol must be 0 or more; got {self.tol}")
        if self.max_iter < 0:
            raise ModelError(f"max_iter must be 0 or more; got {self.max_iter}")
        if not self.max_seconds >= 0:
            raise ModelError(f"max_seconds must be 0 or more; got {self.max_seconds}")
        if self.patience < 1:
            raise ModelError(f"patience must be 1 or more; got {self.patience}")


@dataclass(frozen=True, eq=False)
class Progress:
    """A learner under way: its state, and how far each unit has come.

    Attributes
    ----------
    unit : array (components,)
        The unit of each component.
    hits, iterations : array (units,)
        Iterations in a row with a small change; iterations made.
    active : array (units,) of bool
        Units that have not converged.
    stop : str
        Why learning ended, in words; empty while it goes on.
    """

    state: State
    unit: Ints
    hits: Ints
    iterations: Ints
    active: Bools
    iteration: int = 0
    seconds: float = 0.0
    stop: str = ""


def begin(
    learner: Learner, problem: Problem, theta: Floats, unit: Ints, cancelled: Callable[[], bool] = NEVER
) -> Progress:
    """The progress before the first step."""
    units = int(unit.max()) + 1
    zeros = np.zeros(units, dtype=np.int64)
    started = time.perf_counter()
    state = learner.begin(problem, theta, cancelled)
    return Progress(state, unit, zeros, zeros, np.ones(units, dtype=bool), seconds=time.perf_counter() - started)


def iterate(
    learner: Learner,
    problem: Problem,
    progress: Progress,
    stopping: Stopping,
    cancelled: Callable[[], bool] = NEVER,
) -> Iterator[Progress]:
    """Step a learner until every unit has converged, or something else ends it.

    Yields the progress after every step; the last one says why learning ended. Converged units keep
    their parameters and are no longer propagated. Resume by passing a progress back in.
    """
    focus, focused = problem, np.ones_like(progress.active)
    progress = replace(progress, stop=_reason(progress, stopping))
    if progress.stop:
        yield progress
    while not progress.stop:
        started = time.perf_counter()
        focus, focused = _focus(problem, progress, focus, focused)
        try:
            progress = _advance(learner, focus, progress, stopping, cancelled)
            stop = _reason(progress, stopping)
        except Cancelled:
            stop = "cancelled"
        progress = replace(progress, stop=stop, seconds=progress.seconds + time.perf_counter() - started)
        yield progress


def _focus(problem: Problem, progress: Progress, focus: Problem, focused: Bools) -> tuple[Problem, Bools]:
    """The problem of the active units. Made anew only when half of those in it have converged: less often
    costs idle work, more often the work of rebuilding."""
    if progress.active.sum() > focused.sum() / 2:
        return focus, focused
    return problem.only(progress.active[progress.unit]), progress.active


def _advance(
    learner: Learner, problem: Problem, progress: Progress, stopping: Stopping, cancelled: Callable[[], bool]
) -> Progress:
    before, active = progress.state, progress.active
    after = learner.step(problem, before, progress.unit, cancelled)
    components = active[progress.unit]
    parameters = components[problem.component]
    state = State(
        np.where(parameters, after.theta, before.theta),
        np.where(components, after.log_likelihood, before.log_likelihood),
        np.where(components, after.objective, before.objective),
        np.where(parameters, after.counts, before.counts),
        after.memory,
    )
    units = len(active)
    change = np.zeros(units)
    if stopping.criterion == "parameters":
        np.maximum.at(change, progress.unit, problem.change(state.theta, before.theta))
    else:
        gained = np.subtract(state.objective, before.objective, out=np.zeros(len(components)), where=components)
        change = np.abs(np.bincount(progress.unit, gained, units))
    hits = np.where(change <= stopping.tol, progress.hits + 1, 0)
    if learner.counts_complete_data:
        hits[~np.isin(np.arange(units), progress.unit[problem.incomplete])] = stopping.patience
    return replace(
        progress,
        state=state,
        hits=np.where(active, hits, progress.hits),
        iterations=progress.iterations + active,
        active=active & (hits < stopping.patience),
        iteration=progress.iteration + 1,
    )


def _reason(progress: Progress, stopping: Stopping) -> str:
    if not progress.active.any():
        return "converged"
    if progress.iteration >= stopping.max_iter:
        return "iterations"
    if progress.seconds >= stopping.max_seconds:
        return "time"
    return ""
