"""What a run has passed through: some of its snapshots, to go back to."""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass, replace

from engine.learning.snapshot import Snapshot
from engine.model.errors import PgmError
from pgmgui.project.results import Point, Result, make_result, revive
from pgmgui.project.scene import Parts
from pgmgui.project.words import LEARNERS

MOST_FRAMES = 300
"""Frames kept of a run; beyond that every other one is dropped, and fewer are kept from then on."""
BEGINNING = 3
"""The first of so many parts of the frames are not thinned: most happens there."""
MOST_BYTES = 64 * 2**20
"""Bytes of the parameters and counts in all frames of a run."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The best restart after an iteration, which is counted on when a second batch of restarts begins.

    ``title`` says where it is from, in words; ``method`` whose curve it is on, for an iteration that is looked at.
    """

    iteration: int
    snapshot: Snapshot
    title: str = ""
    method: str = ""

    def on(self, method: str) -> Frame:
        """The same, with words: an iteration of a learner."""
        return replace(self, title=f"iteration {self.iteration:,} of {LEARNERS[method]}", method=method)


class Frames:
    """The first iterations, then frames evenly spaced, and the newest. A run's thread adds, the page reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Frame] = []
        self._newest: Frame | None = None
        self._stride = 1

    def add(self, iteration: int, snapshot: Snapshot) -> None:
        """Keep a snapshot, if it is its turn; in any case as the newest."""
        due = not self._kept or iteration >= self._kept[-1].iteration + self._stride
        frame = Frame(iteration, _copy(snapshot) if due else snapshot)
        with self._lock:
            self._newest = frame
            if not due:
                return
            self._kept.append(frame)
            most = max(2, min(MOST_FRAMES, MOST_BYTES // _count_bytes(frame)))
            if len(self._kept) > most:
                first = most // BEGINNING
                self._kept = self._kept[:first] + self._kept[first::2]
                self._stride *= 2

    def list(self) -> list[Frame]:
        """All frames, by iteration."""
        with self._lock:
            newest, kept = self._newest, list(self._kept)
        return kept if newest is None or newest is kept[-1] else [*kept, newest]

    def nearest(self, iteration: float) -> Frame | None:
        """The frame closest to an iteration; the earlier of two."""
        return min(self.list(), key=lambda frame: abs(frame.iteration - iteration), default=None)

    def step(self, iteration: int, by: int) -> Frame | None:
        """The frame that many frames before or after that of an iteration; the first or the last beyond them."""
        frames = self.list()
        if not frames:
            return None
        at = bisect_left([frame.iteration for frame in frames], iteration)
        return frames[min(max(at + by, 0), len(frames) - 1)]


def keep_frame(frame: Frame | None) -> Result | None:
    """The iteration that is looked at, as a session's file keeps it; a restart that was loaded is not kept."""
    if frame is None or not frame.method:
        return None
    one = frame.snapshot
    reached = Point(frame.iteration, one.seconds, one.inferences, float(one.objective.sum(axis=1).max()))
    return make_result(frame.method, "", "", one, [reached])


def revive_frame(kept: Result | None, parts: Parts | None) -> Frame | None:
    """The iteration that a file says was looked at; None where it is not of this problem."""
    try:
        return None if kept is None else Frame(kept.points[-1].iteration, revive(kept, parts)).on(kept.method)
    except PgmError:
        return None  # of its learner's result it is said why


def _copy(snapshot: Snapshot) -> Snapshot:
    """The best restart alone, in memory of its own: a part of an array would keep all restarts alive."""
    one = snapshot.only()
    return replace(
        one,
        theta=one.theta.copy(),
        counts=one.counts.copy(),
        log_likelihood=one.log_likelihood.copy(),
        objective=one.objective.copy(),
        iterations=one.iterations.copy(),
        converged=one.converged.copy(),
        recent=one.recent.copy(),
    )


def _count_bytes(frame: Frame) -> int:
    return max(1, frame.snapshot.theta.nbytes + frame.snapshot.counts.nbytes)
