"""The runs of one start: learners that race from the same parameters, held and let go together. No widgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.learning.base import NEVER, Stopping
from engine.learning.learn import METHODS, Snapshot, learn
from engine.learning.problem import LearningTask
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from pgmgui.project.results import Point, Result, make_result, revive
from pgmgui.project.scene import Derived, Parts, Scene
from pgmgui.project.session_file import Saved
from pgmgui.project.settings import Settings
from pgmgui.project.words import (
    LEARNERS,
    STOPS,
    describe_certificate,
    describe_run,
    describe_symmetries,
    describe_unseen,
)
from pgmgui.state.frames import Frames
from pgmgui.state.runner import Mail, Runner
from pgmgui.state.session import Session

MOST_POINTS = 2000
"""Points kept of a curve; beyond that every other one is dropped, and fewer are kept from then on."""
REPORT_SECONDS = 0.4
"""The session is told what was reached no more often than this: much is drawn anew each time."""

FAILED = "failed"


@dataclass(eq=False)
class Curve:
    """How one learner climbs.

    Attributes
    ----------
    state : str
        What it does, or why it ended, in words.
    note : str
        Why its start cannot move, in words; empty if it can.
    frames : Frames
        What it has passed through.
    """

    method: str
    state: str = "setting up"
    note: str = ""
    snapshot: Snapshot | None = None
    frames: Frames = field(default_factory=Frames)
    _kept: list[Point] = field(default_factory=list)
    _newest: Point | None = None
    _stride: int = 1

    @property
    def points(self) -> list[Point]:
        """Points evenly spaced by iteration, and the newest."""
        newest = self._newest
        return self._kept if newest is None or newest is self._kept[-1] else [*self._kept, newest]

    def add(self, points: Sequence[Point]) -> None:
        """Keep some of these points, and the newest of them."""
        for point in points:
            if not self._kept or point.iteration >= self._kept[-1].iteration + self._stride:
                self._kept.append(point)
            if len(self._kept) >= MOST_POINTS:
                self._kept, self._stride = self._kept[::2], 2 * self._stride
            self._newest = point


class Race:
    """The learners that the session's settings name, at work on the session's problem.

    A race that has ended keeps its curves until the next one begins or it is cancelled.

    Attributes
    ----------
    curves : dict from method to Curve
    parts : Parts, optional
        The problem that the curves are of.
    stale : bool
        Whether the session has another problem by now.
    applied : bool
        Whether the session's network has the parameters that were learned.
    began : (Scene, Settings), optional
        What the curves were started with, if that was on this page.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runs: dict[str, Runner] = {}
        self.curves: dict[str, Curve] = {}
        self.parts: Parts | None = session.parts
        self.stale = self.applied = False
        self.began: tuple[Scene, Settings] | None = None
        self._reported = 0.0
        self._unreported = False
        session.param.watch(lambda *_: self._leave(), "derived")

    # --- what a user does

    def begin(self, paused: bool = False) -> None:
        """Let the chosen learners go, from the same start; paused, they wait there."""
        self.cancel()
        self._session.say("")
        parts, network, settings = self._session.parts, self._session.network, self._session.settings
        if parts is None or not isinstance(network, BayesianNetwork):
            return
        methods = self._methods(parts)
        try:
            stopping = Stopping(settings.tol, settings.criterion, settings.max_iter)
        except PgmError as error:
            self._session.say(f"Learning cannot start: {error}")
            return
        self.began = self._session.scene, settings
        self.curves = {name: Curve(name) for name in methods}
        self._runs = {
            name: Runner(self._starter(name, network, parts, stopping), curve.frames)
            for name, curve in self.curves.items()
        }
        for run in self._runs.values():
            run.begin(paused)

    def pause(self) -> None:
        """Wait before the next iteration."""
        for run in self._runs.values():
            run.pause()

    def resume(self) -> None:
        """Go on."""
        for run in self._runs.values():
            run.resume()

    def step(self) -> None:
        """One iteration of every learner that has not ended, then wait."""
        for run in self._runs.values():
            run.pause()
            run.step()

    def stop(self) -> None:
        """End, and keep what has been reached."""
        for run in self._runs.values():
            run.stop()

    def cancel(self) -> None:
        """End, and forget what has been reached."""
        self.stop()
        self._runs, self.curves, self.began = {}, {}, None
        self.parts, self.stale, self.applied = self._session.parts, False, False
        self._unreported = False
        self._session.report(None)

    def apply(self) -> None:
        """Give the session's network what was learned. The curves stay: they are of the same problem."""
        best = self.best
        if best is None or not self.can_apply or not self._session.apply(best):
            return
        self.parts, self.stale, self.applied = self._session.parts, False, True
        self._session.report(best)

    # --- what is kept between visits

    def saved(self) -> Saved:
        """The session with what was learned in it; what is stale is of no use to it."""
        session = self._session
        ended = [
            make_result(curve.method, _ended(curve.state), curve.note, curve.snapshot, curve.points)
            for curve in self.curves.values()
            if curve.snapshot is not None and not self.stale
        ]
        return Saved(session.scene, session.settings, session.evidence, tuple(ended))

    def open(self, saved: Saved, derived: Derived | None = None) -> bool:
        """Open a session, with its settings, its evidence and what was learned in it."""
        session = self._session
        if not session.open(saved.scene, derived):
            return False
        session.configure(**vars(saved.settings))
        for name, likelihood in saved.evidence.items():
            session.suppose(name, likelihood)
        self.cancel()
        self._restore(saved.results)
        return True

    def _restore(self, results: Sequence[Result]) -> None:
        """Show what an earlier run has reached, as far as it is of the session's problem."""
        dropped: dict[str, str] = {}
        for result in results:
            try:
                snapshot = revive(result, self.parts)
            except PgmError as error:
                dropped[LEARNERS[result.method]] = str(error)
                continue
            curve = self.curves[result.method] = Curve(result.method, result.state, result.note, snapshot)
            curve.add(result.points)
            curve.frames.add(result.points[-1].iteration, snapshot)
        best = self.best
        if best is not None:
            tables = zip(best.network().tables, self._session.network.tables, strict=True)
            self.applied = all(np.array_equal(learned, own) for learned, own in tables)
            self._session.report(best)
        for name, why in dropped.items():
            self._session.say(f"The results of {name} in the session's file were left out: {why}. Start learns anew.")

    # --- how it stands

    @property
    def can_begin(self) -> bool:
        parts = self._session.parts
        return parts is not None and bool(self._methods(parts))

    @property
    def is_running(self) -> bool:
        """Whether a learner has not ended; it may be paused."""
        return bool(self._runs)

    @property
    def is_paused(self) -> bool:
        return self.is_running and all(run.is_paused for run in self._runs.values())

    @property
    def can_apply(self) -> bool:
        return self.best is not None and not (self.is_running or self.stale or self.applied)

    @property
    def leader(self) -> Curve | None:
        """The curve of the learner that is highest."""
        found = [(curve.snapshot, curve) for curve in self.curves.values() if curve.snapshot is not None]
        return max(found, key=lambda pair: pair[0].objective.sum(axis=1).max(), default=(None, None))[1]

    @property
    def best(self) -> Snapshot | None:
        """The newest snapshot of the learner that is highest."""
        return None if self.leader is None else self.leader.snapshot

    def describe(self) -> list[str]:
        """How it stands, in sentences: first how close to the best possible."""
        best, parts = self.best, self.parts
        runs = [describe_run(curve.method, curve.snapshot, curve.state) for curve in self.curves.values()]
        if best is None or parts is None:
            return runs
        reached = best.objective[best.best, :-1].tolist()
        rows = parts.task.decomposition.dataset.total_weight
        lines = [describe_certificate(reached, parts.bounds.patterns[:-1].tolist(), rows)]
        if self.stale:
            lines.insert(0, "Stale: the model, the data or the marks have changed since this run. Start learns anew.")
        if self.applied:
            lines.insert(0, "Applied: the network has the learned parameters.")
        notes = dict.fromkeys(curve.note for curve in self.curves.values())
        return [line for line in (*lines, *runs, *notes, describe_unseen(best)) if line]

    # --- what the runs find

    def tick(self) -> bool:
        """Look at the mailboxes once; whether there was anything."""
        news = False
        for name, run in list(self._runs.items()):
            mail = run.collect()
            news |= self._read(self.curves[name], run, mail)
            if mail.done:
                del self._runs[name]
        self._unreported |= news
        now = time.monotonic()
        if self._unreported and not self.stale and (now >= self._reported + REPORT_SECONDS or not self._runs):
            self._unreported, self._reported = False, now
            self._session.report(self.best)
        return news

    def _read(self, curve: Curve, run: Runner, mail: Mail) -> bool:
        curve.add(mail.points)
        if mail.snapshot is not None:
            curve.snapshot = mail.snapshot
        if mail.start is not None:
            curve.note = describe_symmetries(mail.start.task, mail.start.symmetries())
        before = curve.state
        if mail.error:
            curve.state = FAILED
            self._session.say(f"{LEARNERS[curve.method]} failed: {mail.error}")
        elif mail.done and curve.state != FAILED:
            reason = "cancelled" if curve.snapshot is None else curve.snapshot.stop
            curve.state = "stopped" if self.stale and reason == "cancelled" else STOPS[reason]
        elif curve.snapshot is not None and not mail.done:
            curve.state = "paused" if run.is_paused else "running"
        return bool(mail.points) or curve.state != before

    def _leave(self) -> None:
        """The session has another problem: what runs is of no use for it."""
        if not self.curves:
            self.parts = self._session.parts
            return
        self.stop()
        self.stale, self.applied = True, False

    def _methods(self, parts: Parts) -> list[str]:
        """The chosen learners that can learn a problem."""
        return [name for name in offered(parts) if name in self._session.settings.methods]

    def _starter(
        self, method: str, network: BayesianNetwork, parts: Parts, stopping: Stopping
    ) -> Callable[[Callable[[], bool]], Iterator[Snapshot]]:
        settings, exponents, task = self._session.settings, self._session.scene.exponents, parts.task

        def start(cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
            snapshots = learn(
                network,
                task.decomposition.dataset,
                method,
                start=settings.start,
                random_state=settings.seed,
                n_init=settings.restarts,
                prior=exponents,
                stopping=stopping,
                cancelled=cancelled,
                task=task,
            )
            return snapshots if METHODS[method].conditioned else _split(snapshots, task)

        return start


def _ended(state: str) -> str:
    """What to say of a learner whose page is gone."""
    return "stopped when the page was left" if state in ("setting up", "running", "paused") else state


def offered(parts: Parts) -> list[str]:
    """The methods that can learn a problem."""
    complete = not parts.task.problem.jobs
    return [name for name in LEARNERS if complete or not METHODS[name].complete]


def _split(snapshots: Iterator[Snapshot], task: LearningTask) -> Iterator[Snapshot]:
    """Snapshots of a learner that knows no components, with what each component has reached."""
    problem = task.problem.apart()
    for snapshot in snapshots:
        likelihood = np.stack([problem.evaluate(theta, NEVER).log_likelihood for theta in snapshot.theta])
        prior = np.stack([problem.log_prior(theta) for theta in snapshot.theta])
        yield replace(
            snapshot,
            task=task,
            log_likelihood=likelihood,
            objective=likelihood + prior,
            iterations=np.broadcast_to(snapshot.iterations, likelihood.shape),
            converged=np.broadcast_to(snapshot.converged, likelihood.shape),
        )
