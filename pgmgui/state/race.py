"""The runs of one start: learners that race from the same parameters, held and let go together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import param
from param.parameterized import batch_call_watchers

from engine.learning.learn import learn
from engine.learning.methods import METHODS
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from engine.model.errors import PgmError
from engine.model.network import Network
from pgmgui.project.results import Result, list_tested, make_result, revive
from pgmgui.project.scene import Derived, Parts, Scene, is_same_problem
from pgmgui.project.session_file import Saved
from pgmgui.project.settings import Settings
from pgmgui.project.words import LEARNERS, STOPS, describe_symmetries
from pgmgui.state.curve import Curve
from pgmgui.state.frames import keep_frame, revive_frame
from pgmgui.state.race_words import describe_race
from pgmgui.state.runner import Mail, Runner, split
from pgmgui.state.session import Session

REPORT_SECONDS = 0.4
"""The session is told what was reached no more often than this: much is drawn anew each time."""

FAILED = "failed"


class Race(param.Parameterized):
    """The learners that the session's settings name, at work on the session's problem.

    A race that has ended keeps its curves until the next one begins or it is cancelled. Views watch it; while it
    is running, the page calls :meth:`tick` a few times a second.

    Attributes
    ----------
    parts : Parts, optional
        The problem that the curves are of.
    began : (Scene, Settings), optional
        What the curves were started with, if that was on this page.
    """

    curves = param.Dict(default={}, doc="The curve of each learner, by its method.")
    running = param.Boolean(default=False, doc="Whether a learner has not ended; it may be paused.")
    paused = param.Boolean(default=False, doc="Whether those that run wait before their next iteration.")
    stale = param.Boolean(default=False, doc="Whether the session has another problem by now.")
    applied = param.Boolean(default=False, doc="Whether the session's network has the parameters that were learned.")

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._runs: dict[str, Runner] = {}
        self.parts: Parts | None = session.parts
        self.began: tuple[Scene, Settings] | None = None
        self._homes: tuple[Scene, ...] = ()
        self._awaiting: Saved | None = None
        self._reported = 0.0
        self._unreported = False
        session.param.watch(lambda *_: self._leave(), "derived")

    # --- what a user does

    def begin(self, paused: bool = False) -> None:
        """Let the chosen learners go, from the same start; paused, they wait there."""
        with batch_call_watchers(self):
            self.cancel()
            self._session.say("")
            parts, network, settings = self._session.parts, self._session.network, self._session.settings
            if parts is None:
                return
            methods = self._methods(parts)
            try:
                stopping = self._stopping()
            except PgmError as error:
                self._session.say(f"Learning cannot start: {error}")
                return
            self.began, self._homes = (self._session.scene, settings), (self._session.scene,)
            curves = {name: Curve(name) for name in methods}
            self._runs = {
                name: Runner(self._starter(name, network, parts, stopping), curve.frames)
                for name, curve in curves.items()
            }
            self.param.update(curves=curves, running=bool(curves), paused=paused and bool(curves))
        for run in self._runs.values():
            run.begin(paused)

    def proceed(self) -> None:
        """Let those that have ended before they had converged go on from there."""
        parts, network, curves = self.parts, self._session.network, self._unfinished
        if parts is None or not curves:
            return
        self._session.say("")
        for name, curve in curves.items():
            snapshot, last = curve.snapshot, curve.points[-1]
            assert snapshot is not None  # of those that are unfinished
            start = self._starter(name, network, parts, self._stopping(snapshot), snapshot)
            self._runs[name] = Runner(start, curve.frames, last, last.iteration - snapshot.iteration)
        going = {name: replace(curve, state="setting up") for name, curve in curves.items()}
        self.param.update(curves={**self.curves, **going}, running=True, applied=False)
        for run in self._runs.values():
            run.begin()

    def _stopping(self, reached: Snapshot | None = None) -> Stopping:
        """When to end, as the settings say. Who has been at the iteration limit may go as far again."""
        settings = self._session.settings
        made = 0 if reached is None else int(reached.iterations.max(initial=0))
        most = settings.max_iter + (made if made >= settings.max_iter else 0)
        return Stopping(settings.tol, settings.criterion, most)

    def pause(self) -> None:
        """Wait before the next iteration."""
        for run in self._runs.values():
            run.pause()
        self.paused = self.running

    def resume(self) -> None:
        """Go on."""
        for run in self._runs.values():
            run.resume()
        self.paused = False

    def pause_or_resume(self) -> None:
        """Hold what runs, or let it go on."""
        if self.paused:
            self.resume()
        else:
            self.pause()

    def step(self) -> None:
        """One iteration of every learner that has not ended, then wait; of those chosen, if none runs."""
        if not self.running:
            self.begin(paused=True)
        self.pause()
        for run in self._runs.values():
            run.step()

    def stop(self) -> None:
        """End, and keep what has been reached."""
        for run in self._runs.values():
            run.stop()

    def cancel(self) -> None:
        """End, and forget what has been reached."""
        self.stop()
        self._runs, self.began, self._homes, self._awaiting = {}, None, (), None
        self.parts = self._session.parts
        self._unreported = False
        self.param.update(curves={}, running=False, paused=False, stale=False, applied=False)
        self._session.report(None)

    def apply(self) -> None:
        """Give the session's network what was learned. The curves stay: they are of the same problem."""
        best = self.best
        if best is None or not self.can_apply:
            return
        with batch_call_watchers(self):
            if self._session.apply(best):
                self._homes = (*self._homes, self._session.scene)
                self._come_back()

    # --- what is kept between visits

    def saved(self) -> Saved:
        """The session with what was learned in it; what is stale is of no use to it."""
        session = self._session
        ended = [
            make_result(curve.method, _ended(curve.state), curve.note, curve.snapshot, curve.points, curve.tested)
            for curve in self.curves.values()
            if curve.snapshot is not None and not self.stale
        ]
        looked_at = None if self.stale else keep_frame(session.moment)
        if self._awaiting is not None and session.scene.data is None:
            ended, looked_at = list(self._awaiting.results), self._awaiting.looked_at
        return Saved(
            session.scene, session.settings, session.supposed, tuple(ended), session.axes, looked_at, session.search
        )

    def open(self, saved: Saved, derived: Derived | None = None) -> bool:
        """Open a session, with its settings, its evidence and what was learned in it."""
        session = self._session
        with batch_call_watchers(self):
            if not session.open(saved.scene, derived):
                return False
            session.configure(**vars(saved.settings))
            session.show_axes(saved.axes)
            session.configure_search(**vars(saved.search))
            session.suppose_all(saved.supposed)
            self.cancel()
            if saved.scene.place is None or saved.scene.data is not None:
                self._restore(saved.results, saved.looked_at)
            else:  # what was learned fits the data, which is yet to be counted
                self._awaiting = replace(saved, scene=session.scene)
                session.say(
                    f"The data lies in {saved.scene.place.title}: to have it counted, press Read in the Data tab."
                )
        return True

    def _restore(self, results: Sequence[Result], looked_at: Result | None) -> None:
        """Show what an earlier run has reached, as far as it is of the session's problem, and what was looked at."""
        moment = revive_frame(looked_at, self.parts)
        curves: dict[str, Curve] = {}
        dropped: dict[str, str] = {}
        for result in results:
            try:
                snapshot = revive(result, self.parts)
            except PgmError as error:
                dropped[LEARNERS[result.method]] = str(error)
                continue
            held_out = self.parts is not None and self.parts.split is not None
            tested = list_tested(result) if held_out else ()
            curve = Curve(result.method, result.state, result.note, snapshot, tested=tested).add(result.points)
            last = result.points[-1].iteration
            if moment is not None and moment.method == result.method and moment.iteration < last:
                curve.frames.add(moment.iteration, moment.snapshot)
            curve.frames.add(last, snapshot)
            curves[result.method] = curve
        self.curves, self._homes = curves, (self._session.scene,)
        self._come_back()
        if moment is not None and moment.method in curves:
            self._session.travel_to(moment)
        for name, why in dropped.items():
            self._session.say(f"The results of {name} in the session's file were left out: {why}. Start learns anew.")

    # --- how it stands

    @property
    def can_begin(self) -> bool:
        parts = self._session.parts
        return parts is not None and bool(self._methods(parts))

    @property
    def can_apply(self) -> bool:
        return self.best is not None and not (self.running or self.stale or self.applied)

    @property
    def goes_on_from(self) -> int | None:
        """The iteration from which :meth:`proceed` would go on; None if there is nothing to go on with."""
        return max((curve.points[-1].iteration for curve in self._unfinished.values()), default=None)

    @property
    def _unfinished(self) -> dict[str, Curve]:
        """The curves of learners that could have gone on when they ended."""
        if self.running or self.stale:
            return {}
        return {
            name: curve
            for name, curve in self.curves.items()
            if curve.snapshot is not None and curve.snapshot.stop != "converged" and curve.state != FAILED
        }

    @property
    def leader(self) -> Curve | None:
        """The curve of the learner that is highest."""
        found = [curve for curve in self.curves.values() if curve.snapshot is not None]
        return max(found, key=lambda curve: curve.height, default=None)

    @property
    def best(self) -> Snapshot | None:
        """The newest snapshot of the learner that is highest."""
        return None if self.leader is None else self.leader.snapshot

    def describe(self) -> list[str]:
        """How it stands, in sentences: first how close to the best possible."""
        return describe_race(self)

    # --- what the runs find

    def tick(self) -> bool:
        """Look at the mailboxes once; whether there was anything."""
        mails = {name: run.collect() for name, run in self._runs.items()}
        curves = {name: self._read(self.curves[name], self._runs[name], mail) for name, mail in mails.items()}
        news = any(curve is not self.curves[name] for name, curve in curves.items())
        self._runs = {name: run for name, run in self._runs.items() if not mails[name].done}
        with batch_call_watchers(self):
            if news:
                self.curves = {**self.curves, **curves}
            self.running = bool(self._runs)
            self.paused = self.paused and self.running
            self._report(news)
        return news

    def _report(self, news: bool) -> None:
        """Tell the session what was reached, now and then, and when all runs have ended."""
        self._unreported |= news
        now = time.monotonic()
        if self._unreported and not self.stale and (now >= self._reported + REPORT_SECONDS or not self._runs):
            self._unreported, self._reported = False, now
            self._session.report(self.best)

    def _read(self, curve: Curve, run: Runner, mail: Mail) -> Curve:
        """A curve with what its run has posted; the same one if that is nothing new."""
        snapshot = mail.snapshot or curve.snapshot
        state, note = curve.state, curve.note
        if mail.start is not None:
            note = describe_symmetries(mail.start.task, mail.start.symmetries())
        if mail.error:
            state = FAILED
            self._session.say(f"{LEARNERS[curve.method]} failed: {mail.error}")
        elif mail.done and state != FAILED:
            reason = "cancelled" if snapshot is None else snapshot.stop
            state = "stopped" if self.stale and reason == "cancelled" else STOPS[reason]
        elif snapshot is not None and not mail.done:
            state = "paused" if run.is_paused else "running"
        if not mail.points and state == curve.state:
            return curve
        return replace(curve.add(mail.points), state=state, note=note, snapshot=snapshot)

    def _leave(self) -> None:
        """The session has another problem: what runs is of no use for it, unless it was the race's own before."""
        if not self.curves:
            self.parts, awaiting = self._session.parts, self._awaiting
            if awaiting is not None and self._session.data is not None:
                self._awaiting = None
                home = replace(awaiting.scene, data=self._session.data, place=None)
                if is_same_problem(self._session.scene, home):
                    self._restore(awaiting.results, awaiting.looked_at)
            return
        self.stop()
        if any(is_same_problem(self._session.scene, home) for home in self._homes):
            self._come_back()
        else:
            self.param.update(stale=True, applied=False)

    def _come_back(self) -> None:
        """The session has the race's own problem, perhaps with the parameters that were learned."""
        self.parts, best, applied = self._session.parts, self.best, False
        if best is not None:
            tables = zip(best.network().tables, self._session.network.tables, strict=True)
            applied = all(np.array_equal(learned, own) for learned, own in tables)
        self.param.update(stale=False, applied=applied)
        self._session.report(best)

    def _methods(self, parts: Parts) -> list[str]:
        """The chosen learners that can learn a problem."""
        return [name for name in offered(parts) if name in self._session.settings.methods]

    def _starter(
        self,
        method: str,
        network: Network,
        parts: Parts,
        stopping: Stopping,
        resume: Snapshot | None = None,
    ) -> Callable[[Callable[[], bool]], Iterator[Snapshot]]:
        settings, prior, task = self._session.settings, self._session.scene.whole_prior, parts.task

        def start(cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
            snapshots = learn(
                network,
                task.dataset,
                method,
                start=settings.start,
                random_state=settings.seed,
                n_init=settings.restarts,
                prior=prior,
                given=task.given,
                fixed=not task.has_moving_targets,
                ties=task.ties,
                stopping=stopping,
                cancelled=cancelled,
                task=task,
                resume=resume,
            )
            return snapshots if METHODS[method].conditioned else split(snapshots, task)

        return start


def _ended(state: str) -> str:
    """What to say of a learner whose page is gone."""
    return "interrupted" if state in ("setting up", "running", "paused") else state


def reasons_against(parts: Parts) -> dict[str, str]:
    """Per method that cannot learn a problem, why."""
    reasons = {name: method.reason_against_task(parts.task) for name, method in METHODS.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def offered(parts: Parts) -> list[str]:
    """The methods that can learn a problem."""
    against = reasons_against(parts)
    return [name for name in LEARNERS if name not in against]
