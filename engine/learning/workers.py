"""Components learned by the workers of an executor, each to the end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace

import numpy as np

from engine.learning.learner import Learner
from engine.learning.objective import Objective
from engine.learning.stopping import Progress, Stopping, iterate
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools
from engine.model.errors import Cancelled

POLL_SECONDS = 0.1
"""How often ``cancelled`` is asked while an executor works."""


def learn_on_workers(
    executor: Executor,
    learner: Learner,
    objective: Objective,
    begun: Progress,
    stopping: Stopping,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[Progress, int]]:
    """The progress of the whole after every worker that is done, and how many are still at work.

    Its ``stop`` says why that worker ended.
    """
    futures = {}
    for components in _split_components(objective):
        own = replace(begun, active=components, inferences=0)
        futures[executor.submit(_learn_some, learner, objective.only(components), own, stopping)] = components
    whole, left = begun, len(futures)
    for done in _completed(futures, cancelled):
        left -= 1
        whole = _merge(objective, whole, done.result(), futures[done])
        yield whole, left


def _split_components(objective: Objective) -> list[Bools]:
    """Components with something to propagate one by one, with those they stop with, and all the others together."""
    units = np.unique(objective.stops_with[objective.incomplete])
    apart = [objective.stops_with == unit for unit in units]
    busy = np.isin(objective.stops_with, units)
    return [*apart, ~busy] if not busy.all() else apart


def _completed(futures: Collection[Future[Progress]], cancelled: Callable[[], bool]) -> Iterator[Future[Progress]]:
    """Futures as they end. When cancelled, those not begun are dropped, and the others not waited for."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, POLL_SECONDS, FIRST_COMPLETED)
        yield from done
        if pending and cancelled():
            for future in pending:
                future.cancel()
            raise Cancelled


def _learn_some(learner: Learner, objective: Objective, progress: Progress, stopping: Stopping) -> Progress:
    """A worker's job: the active components to the end."""
    for after in iterate(learner, Workspace(objective), progress, stopping):
        progress = after
    return progress


def _merge(objective: Objective, whole: Progress, some: Progress, components: Bools) -> Progress:
    """The progress of some components written into that of the whole; every component is its own unit."""
    parameters = components[objective.component]
    return replace(
        whole,
        state=some.state.choose(components, parameters, whole.state),
        iterations=np.where(components, some.iterations, whole.iterations),
        active=np.where(components, some.active, whole.active),
        recent=np.where(components[:, None], some.recent, whole.recent),
        inferences=whole.inferences + some.inferences,
        iteration=max(whole.iteration, some.iteration),
        stop=some.stop,
    )
