"""Running a learner beside the page: a thread that can be paused, stepped and stopped.

The thread never touches the page. It leaves what it found in a mailbox; the page looks there a few times
a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.learning.workspace import Workspace
from engine.model.errors import PgmError
from pgmgui.project.results import Point
from pgmgui.state.frames import Frames
from pgmgui.state.precedence import PAGE

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


class Runner:
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
        self._start, self._frames = start, frames
        self._lock = threading.Lock()
        self._mail = Mail()
        self._stopped = threading.Event()
        self._go = threading.Event()
        self._steps = 0
        self._earlier = earlier
        self._last = last
        self._seconds = 0.0 if last is None else last.seconds
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)

    def begin(self, paused: bool = False) -> None:
        """Start the thread; paused, it waits after the start's own objective."""
        if not paused:
            self._go.set()
        self._thread.start()

    @property
    def is_paused(self) -> bool:
        return not self._go.is_set()

    def pause(self) -> None:
        """Wait before the next iteration."""
        self._go.clear()

    def resume(self) -> None:
        """Go on."""
        self._go.set()

    def step(self) -> None:
        """One iteration, then wait again."""
        with self._lock:
            self._steps += 1
        self._go.set()

    def stop(self) -> None:
        """End with what has been reached."""
        self._stopped.set()
        self._go.set()

    def join(self, seconds: float) -> bool:
        """Wait for the thread to end; whether it did."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def collect(self) -> Mail:
        """What is new, taken out of the mailbox."""
        with self._lock:
            mail, self._mail = self._mail, Mail()
        return mail

    def _run(self) -> None:
        try:
            for snapshot in self._start(self._stopped.is_set):
                self._post(snapshot)
                self._wait()
                PAGE.wait()
        except PgmError as error:
            self._fail(str(error))
        except Exception as error:  # a bug of ours must reach the user, not die with the thread
            self._fail(f"Learning failed unexpectedly: {type(error).__name__}: {error}. Please report this.")
        with self._lock:
            self._mail.done = True

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

    def _wait(self) -> None:
        self._go.wait()
        with self._lock:
            if self._steps:
                self._steps -= 1
                if not self._steps and not self._stopped.is_set():
                    self._go.clear()

    def _fail(self, message: str) -> None:
        with self._lock:
            self._mail.error = message


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
