"""Running a learner beside the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.learning.workspace import Workspace
from pgmgui.project.results import Point
from pgmgui.state.frames import Frames
from pgmgui.state.worker import Worker

MOST_WAITING = 5000
"""Points of the curve that wait to be drawn; beyond that every other one is dropped."""


@dataclass
class Mail:
    """What a run has found since it was last looked at.

    Attributes
    ----------
    start, snapshot : Snapshot, optional
        The very first one, and the newest.
    """

    points: list[Point] = field(default_factory=list)
    start: Snapshot | None = None
    snapshot: Snapshot | None = None
    error: str = ""
    done: bool = False


class Runner(Worker[Mail]):
    """A learner at work.

    Parameters
    ----------
    start : callable
        From ``cancelled`` to snapshots, such as a call of :func:`engine.learning.learn.learn`.
    frames : Frames
        Where to keep what is passed through.
    last : Point, optional
        Where the run that this one goes on with has ended.
    earlier : int
        The iterations of its batches of restarts before the last.
    """

    def __init__(
        self,
        start: Callable[[Callable[[], bool]], Iterator[Snapshot]],
        frames: Frames,
        last: Point | None = None,
        earlier: int = 0,
    ) -> None:
        super().__init__(start, Mail, "Learning")
        self._frames = frames
        self._earlier = earlier
        self._last = last
        self._seconds = 0.0 if last is None else last.seconds

    def _post(self, snapshot: Snapshot) -> None:
        last = self._last
        if last is not None and self._earlier + snapshot.iteration < last.iteration:
            self._earlier = last.iteration
        best = float(snapshot.objective.sum(axis=1).max())
        # The thread's own clock, which began with it.
        seconds = self._seconds + time.thread_time()
        point = Point(self._earlier + snapshot.iteration, seconds, snapshot.inferences, best)
        self._frames.add(point.iteration, snapshot)
        with self._lock:
            mail = self._mail
            mail.snapshot = snapshot
            if last is None:
                mail.start = snapshot
            mail.points.append(point)
            if len(mail.points) > MOST_WAITING:
                del mail.points[1:-1:2]
        self._last = point


def split(snapshots: Iterator[Snapshot], task: LearningTask) -> Iterator[Snapshot]:
    """Snapshots of a learner that knows no components, with what each component has reached."""
    work = Workspace(task.objective)
    for snapshot in snapshots:
        likelihood = np.stack([work.evaluate(theta).log_likelihood for theta in snapshot.theta])
        prior = np.stack([task.objective.log_prior(theta) for theta in snapshot.theta])
        yield replace(
            snapshot,
            task=task,
            log_likelihood=likelihood,
            objective=likelihood + prior,
            iterations=np.broadcast_to(snapshot.iterations, likelihood.shape),
            converged=np.broadcast_to(snapshot.converged, likelihood.shape),
        )
