"""When learning ends, and the loop that steps a learner until it does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.learning.distance import estimate_distance, no_history, remember
from engine.learning.learner import Learner, State
from engine.learning.workspace import NEVER, Workspace
from engine.model.arrays import Bools, Floats, Ints, weighted_counts
from engine.model.errors import Cancelled, ModelError

CRITERIA = ("parameters", "likelihood")


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
    until : float, optional
        Nats: a unit has converged when it has no more to go, by estimate. The tolerance does not count then.
    """

    tol: float = 1e-5
    criterion: str = "parameters"
    max_iter: int = 1000
    max_seconds: float = np.inf
    patience: int = 2
    until: float | None = None

    def __post_init__(self) -> None:
        if self.criterion not in CRITERIA:
            raise ModelError(f"criterion {self.criterion!r} is not known; use 'parameters' or 'likelihood'")
        if not self.tol >= 0:
            raise ModelError(f"tol must be 0 or more; got {self.tol}")
        if self.max_iter < 0:
            raise ModelError(f"max_iter must be 0 or more; got {self.max_iter}")
        if not self.max_seconds >= 0:
            raise ModelError(f"max_seconds must be 0 or more; got {self.max_seconds}")
        if self.patience < 1:
            raise ModelError(f"patience must be 1 or more; got {self.patience}")
        if self.until is not None and not self.until > 0:
            raise ModelError(f"until must be more than 0 nats; got {self.until}")


@dataclass(frozen=True, eq=False)
class Progress:
    """A learner under way: its state, and how far each unit has come.

    Attributes
    ----------
    unit : array (components,)
        The unit of each component.
    hits, iterations : array (units,)
        Iterations in a row with a small change, while it is active; iterations made.
    active : array (units,) of bool
        Units that have not converged.
    recent : array (units, some)
        Their last objectives, newest first: how far they have to go is estimated from these.
    inferences : int
        Rows propagated so far, of units that were active then.
    stop : str
        Why learning ended, in a word; empty while it goes on.
    """

    state: State
    unit: Ints
    hits: Ints
    iterations: Ints
    active: Bools
    recent: Floats
    inferences: int = 0
    iteration: int = 0
    seconds: float = 0.0
    stop: str = ""


def begin(
    learner: Learner, work: Workspace, theta: Floats, unit: Ints, cancelled: Callable[[], bool] = NEVER
) -> Progress:
    """The progress before the first step."""
    units = int(unit.max()) + 1
    zeros = np.zeros(units, dtype=np.int64)
    started = time.perf_counter()
    state, info = learner.begin(work, theta, cancelled)
    seconds = time.perf_counter() - started
    active = np.zeros(units, dtype=bool)
    active[unit] = True
    recent = remember(no_history(units), weighted_counts(unit, state.objective, units))
    if np.count_nonzero(active) < units:
        recent[~active] = 0.0  # the number of a component that stops with another: nothing has it
    return Progress(state, unit, zeros, zeros, active, recent, int(info.propagated.sum()), seconds=seconds)


def iterate(
    learner: Learner,
    work: Workspace,
    progress: Progress,
    stopping: Stopping,
    cancelled: Callable[[], bool] = NEVER,
) -> Iterator[Progress]:
    """Step a learner until every unit has converged, or something else ends it.

    Yields the progress after every step; the last one says why learning ended. Converged units keep
    their parameters and are no longer propagated. Resume by passing a progress back in.
    """
    stop = _reason(progress.active, progress.iteration, progress.seconds, stopping)
    if stop != progress.stop:
        progress = replace(progress, stop=stop)
    if stop:
        yield progress
        return
    focus = _Focus(work, work, np.ones_like(progress.active), progress)
    if not focus.everything and not learner.chooses_units:  # resumed, after some had converged; or some of the units
        propagated = np.zeros_like(progress.active)
        propagated[progress.unit[work.objective.incomplete]] = True
        focus = _Focus(work, work, propagated, progress).follow(progress)
    while not progress.stop:
        started = time.perf_counter()
        if progress.active is not focus.active:
            focus = focus.stay(progress) if learner.chooses_units else focus.follow(progress)
        try:
            progress = _advance(learner, focus, progress, stopping, cancelled, started)
        except Cancelled:
            progress = replace(progress, stop="cancelled", seconds=progress.seconds + time.perf_counter() - started)
        yield progress


class _Focus:
    """The workspace of the active units, and what else follows from which are active: found when that changes.

    The workspace may have units that have converged: it is made anew only when half of those in it have, or all
    that a job is made of. Less often costs idle work, more often the work of making it.
    """

    def __init__(self, whole: Workspace, work: Workspace, focused: Bools, progress: Progress) -> None:
        self.whole, self.work, self.focused, self.active = whole, work, focused, progress.active
        self.components = progress.active[progress.unit]
        self.parameters = self.components[whole.objective.component]
        self.is_counted = self.components.astype(np.int64)
        self.everything = bool(self.components.all())
        self.run_unit = progress.unit[whole.objective.run_component]
        idle = self.active.copy()  # active, with nothing to propagate
        idle[progress.unit[whole.objective.incomplete]] = False
        self.idle = idle.nonzero()[0]

    def stay(self, progress: Progress) -> _Focus:
        """The focus on the units that are active now, with the same workspace."""
        return _Focus(self.whole, self.work, self.focused, progress)

    def follow(self, progress: Progress) -> _Focus:
        """The focus on the units that are active now."""
        components = progress.active[progress.unit]
        if progress.active.sum() <= self.focused.sum() / 2:
            return _Focus(self.whole, self.whole.focus(components), progress.active, progress)
        jobs = self.work.objective.jobs
        busy = [job for job in jobs if components[job.component].any()]
        if len(busy) == len(jobs):
            return self.stay(progress)
        for job in busy:  # as it is: to take rows out of it is work too
            components[job.component] = True
        focused = np.zeros_like(progress.active)
        focused[progress.unit[components]] = True
        return _Focus(self.whole, self.work.focus(components), focused, progress)


def _advance(
    learner: Learner,
    focus: _Focus,
    progress: Progress,
    stopping: Stopping,
    cancelled: Callable[[], bool],
    started: float,
) -> Progress:
    before, active, unit = progress.state, progress.active, progress.unit
    state, info = learner.step(focus.work, before, unit, cancelled)
    if not focus.everything:
        state = state.choose(focus.components, focus.parameters, before, state.memory)
    objective = weighted_counts(unit, state.objective, len(active))
    recent = remember(progress.recent, objective, None if focus.everything else active)
    if stopping.until is None:
        hits = (progress.hits + 1) * (_find_change(focus, before, state, unit, stopping) <= stopping.tol)
    else:
        hits = stopping.patience * (estimate_distance(recent) <= stopping.until)
    if focus.idle.size and learner.counts_complete_data:  # one step was all there was to do
        hits[focus.idle] = stopping.patience
        recent[focus.idle] = objective[focus.idle, None]
    still = active & (hits < stopping.patience)
    if info.wish is not None:
        still = np.where(info.wish == 0, still, info.wish > 0)
        ended = info.wish < 0
        recent[ended] = objective[ended, None]
    elif np.count_nonzero(still) == np.count_nonzero(active):
        still = active
    propagated = info.propagated @ focus.is_counted if info.wish is None else info.propagated.sum()
    iteration, seconds = progress.iteration + 1, progress.seconds + time.perf_counter() - started
    return Progress(
        state,
        unit,
        hits,
        progress.iterations + active,
        still,
        recent,
        progress.inferences + int(propagated),
        iteration,
        seconds,
        _reason(still, iteration, seconds, stopping),
    )


def _find_change(focus: _Focus, before: State, after: State, unit: Ints, stopping: Stopping) -> Floats:
    """How far each unit has moved, by the criterion."""
    change = np.zeros(len(focus.active))
    if stopping.criterion == "parameters":
        moved = focus.whole.objective.geometry.change(after.theta, before.theta)
        np.maximum.at(change, focus.run_unit, focus.whole.objective.find_largest(moved))
        return change
    gained = np.subtract(after.objective, before.objective, out=np.zeros(len(unit)), where=focus.components)
    return np.abs(np.bincount(unit, gained, len(change)))


def _reason(active: Bools, iteration: int, seconds: float, stopping: Stopping) -> str:
    if not np.count_nonzero(active):
        return "converged"
    if iteration >= stopping.max_iter:
        return "iterations"
    if seconds >= stopping.max_seconds:
        return "time"
    return ""
