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


def learn_shares(
    executor: Executor,
    learner: Learner,
    objective: Objective,
    begun: Progress,
    stopping: Stopping,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[Progress, int]]:
    """The progress of the whole after every share of the components that is done, and how many are still to come.

    Its ``stop`` says why that share ended.
    """
    futures = {}
    for components in _share_components(objective):
        work = replace(begun, active=components, inferences=0)
        share = objective.only(components)
        futures[executor.submit(_learn_share, learner, share, work, stopping)] = components
    whole, left = begun, len(futures)
    for done in _completed(futures, cancelled):
        left -= 1
        whole = _merge(objective, whole, done.result(), futures[done])
        yield whole, left


def _share_components(objective: Objective) -> list[Bools]:
    """Components with something to propagate one by one, and all the others as one share."""
    busy = objective.rows_per_pass > 0
    shares = [np.arange(objective.n_components) == k for k in np.flatnonzero(busy)]
    return [*shares, ~busy] if not busy.all() else shares


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


def _learn_share(learner: Learner, objective: Objective, progress: Progress, stopping: Stopping) -> Progress:
    """A worker's job: the active components to the end."""
    for after in iterate(learner, Workspace(objective), progress, stopping):
        progress = after
    return progress


def _merge(objective: Objective, whole: Progress, share: Progress, components: Bools) -> Progress:
    """The progress of a share written into that of the whole; every component is its own unit."""
    parameters = components[objective.component]
    return replace(
        whole,
        state=share.state.choose(components, parameters, whole.state),
        iterations=np.where(components, share.iterations, whole.iterations),
        active=np.where(components, share.active, whole.active),
        inferences=whole.inferences + share.inferences,
        iteration=max(whole.iteration, share.iteration),
        stop=share.stop,
    )
