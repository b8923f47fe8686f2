"""The search for a structure of one page: what it has found, what of it the canvas shows, and keeping it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import param

from engine.model.errors import PgmError
from engine.structure.bound import StructureBound
from pgmgui.project.following import Changes, follow
from pgmgui.project.layout import arrange
from pgmgui.project.scene import Scene, is_same_problem
from pgmgui.project.structure_problem import (
    Stand,
    StructureProblem,
    bound_exactly,
    find_rows,
    keep_above,
    make_problem,
)
from pgmgui.project.words import capitalise, count
from pgmgui.state.session import Session
from pgmgui.state.shown_structure import ShownStructure
from pgmgui.state.structure_runner import BoundRunner, ScorePoint, SearchRunner

MOST_POINTS = 4000
"""Of the curve; beyond that every other one is dropped."""
SHOW_EACH = 0.0005
"""Seconds for each variable between two structures that the canvas is shown: a large one takes it some time."""
FAILED = "failed"
STALE = "The structure that was found is of what was there before, and no longer shown: undo this, or search again."


@dataclass(frozen=True, eq=False)
class SearchCourse:
    """How a search went so far.

    Attributes
    ----------
    home : Scene
        What it was started from.
    points : tuple of (steps, score, best score)
    bound : StructureBound, optional
        None while none is known.
    bounded : bool
        Whether no lower bound is looked for any more.
    stop : str
        Why it ended: one of :data:`engine.structure.snapshot.STOPS`, or "failed"; empty while it goes on.
    trouble : str
        Why the search, or that for its bound, failed.
    """

    problem: StructureProblem
    home: Scene
    points: tuple[ScorePoint, ...] = ()
    stand: Stand | None = None
    bound: StructureBound | None = None
    bounded: bool = False
    stop: str = ""
    trouble: str = ""


def pose_problem(session: Session) -> StructureProblem:
    """The structure that a session's settings ask for, of its data; PgmError if there is none to be found."""
    split = None if session.parts is None else session.parts.split
    rows = find_rows(session.data, session.seen, None if split is None else split.train)
    return make_problem(rows, session.network, session.search)


class Structuring(param.Parameterized):
    """A search for a structure, at work on the session's data.

    What it has found is shown on the canvas (``session.structure``) until it is kept or discarded, or is of other data
    than the page's. Views watch it; while it is running, the page calls :meth:`tick` a few times a second.
    """

    course = param.ClassSelector(class_=SearchCourse, allow_None=True, doc="How it went; None if there is no search.")
    running = param.Boolean(default=False, doc="Whether it has not ended; it may be paused.")
    bounding = param.Boolean(default=False, doc="Whether a lower bound is still looked for.")
    paused = param.Boolean(default=False, doc="Whether it waits before its next step.")
    stale = param.Boolean(default=False, doc="Whether the session has another network or other data by now.")
    kept = param.Boolean(default=False, doc="Whether the network was given what was found.")
    keeping = param.Boolean(default=False, doc="Whether it is being given what was found.")

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run: SearchRunner | None = None
        self._bounding: BoundRunner | None = None
        self._shown_at = 0.0
        session.param.watch(lambda *_: self._leave(), "derived")

    # --- what a user does

    def begin(self, paused: bool = False) -> None:
        """Search as the session's settings say, from the session's data; paused, it waits at its start."""
        session = self._session
        self.discard()
        session.say("")
        try:
            problem = pose_problem(session)
        except PgmError as error:
            session.refuse(error)
            return
        course = SearchCourse(problem, session.scene, bounded=not problem.has_bound)
        self._run = SearchRunner(problem.run, lambda: session.search.pace)
        self.param.update(course=course, running=True, paused=paused, stale=False, kept=False)
        session.show_structure(ShownStructure(tuple(() for _ in problem.dataset.variables), problem.directed))
        self._run.begin(paused)

    def pause_or_resume(self) -> None:
        """Hold the search, or let it go on."""
        if self._run is None:
            return
        if self.paused:
            self._run.resume()
        else:
            self._run.pause()
        self.paused = not self.paused

    def step(self) -> None:
        """One step, then wait; the first one, if nothing runs."""
        if self._run is None:
            self.begin(paused=True)
        if self._run is not None:
            self._run.pause()
            self.paused = True
            self._run.step()

    def stop(self) -> None:
        """End at once, and keep in view what has been reached."""
        if self._run is None:
            return
        self.tick()
        self._end("cancelled")

    def discard(self) -> None:
        """End, and show the network as it is."""
        self._drop()
        self.param.update(course=None, running=False, bounding=False, paused=False, stale=False, kept=False)
        self._session.show_structure(None)

    def close(self) -> None:
        """End all threads: the page is gone."""
        self._drop()

    # --- keeping

    @property
    def can_keep(self) -> bool:
        course = self.course
        return course is not None and course.stand is not None and not (self.stale or self.kept or self.keeping)

    def begin_keeping(self) -> None:
        """A change of the scene is on its way that :meth:`keep_in` makes."""
        self.stop()
        self.keeping = True

    def end_keeping(self) -> None:
        """It was made, or could not be."""
        self.keeping = False

    def keep_in(self, scene: Scene) -> Scene:
        """The scene with what was found. This may take a while: call it beside the page, not on it."""
        course = self.course
        if course is None or course.stand is None or not is_same_problem(scene, course.home):
            raise PgmError("what was found belongs to another network or other data; search again")
        problem, before = course.problem, scene.document
        learned = problem.finish(course.stand, scene.whole_prior)
        followed, _ = follow(scene, learned, Changes())
        document = followed.document
        if not before.network.edges:  # places of variables without arrows tell nothing
            document = arrange(replace(document, positions={}))
        edges = count(len(learned.edges), "arrow" if problem.directed else "edge")
        note = f"{capitalise(edges)} learned from {count(problem.dataset.total_weight, 'row')} by {problem.title}"
        return replace(followed, document=document, note=note, example="")

    # --- what the threads find

    def tick(self) -> None:
        """Look at the mailboxes once."""
        course = self.course
        if course is None:
            return
        ended = ""
        if self._run is not None:
            mail = self._run.collect()
            if mail.stand is not None:
                course = replace(course, points=_thin((*course.points, *mail.points)), stand=mail.stand)
            if mail.error:
                course, ended = replace(course, trouble=mail.error), FAILED
            elif mail.done:
                ended = "cancelled" if course.stand is None else course.stand.now.stop or "cancelled"
        course = self._look_at_bound(course)
        if course is not self.course:
            self.course = course
            self._show(bool(ended))
        if ended:
            self._end(ended)

    def _look_at_bound(self, course: SearchCourse) -> SearchCourse:
        stand = course.stand
        if self._bounding is None:
            # The data is counted by now: both work on the same counts.
            if stand is not None and course.problem.has_bound and not course.bounded:
                self._bounding = BoundRunner(course.problem.bound)
                self._bounding.begin()
                self.bounding = True
            return course
        mail = self._bounding.collect()
        if mail.done:
            self._bounding, self.bounding = None, False
            course = replace(course, bounded=True, trouble=mail.error or course.trouble)
        if mail.bound is not None and stand is not None:
            course = replace(course, bound=mail.bound)
        return course

    def _end(self, stop: str) -> None:
        """There are no more steps. The bound is still looked for."""
        course = self.course
        if self._run is not None:
            self._run.stop()
            self._run = None
        if course is None:
            return
        stand = course.stand
        if stand is not None and course.problem.search.name == "exact" and stop == "optimum":
            course = replace(course, bound=bound_exactly(stand.now.best_score), bounded=True)
            if self._bounding is not None:
                self._bounding.stop()
                self._bounding = None
        self.param.update(
            course=replace(course, stop=stop), running=False, paused=False, bounding=self._bounding is not None
        )
        if stop == FAILED:
            self._session.say(f"{capitalise(course.trouble)}.")
        if stand is not None:
            self._show(True)
        elif stop == FAILED:
            self._session.show_structure(None)
        else:
            self.discard()

    def _show(self, at_once: bool) -> None:
        """Let the canvas show where the search stands: not too often."""
        course, now = self.course, time.monotonic()
        if course is None or course.stand is None or self.stale or self.kept:
            return
        wait = SHOW_EACH * len(course.problem.dataset.variables)
        if not at_once and now < self._shown_at + wait and self.running and not self.paused:
            return
        self._shown_at = now
        stand = course.stand.now
        ended = bool(course.stop) or not self.running
        parents, last = (stand.best, None) if ended else (stand.parents, stand.operation)
        self._session.show_structure(ShownStructure(parents, course.problem.directed, last))

    def _drop(self) -> None:
        for worker in (self._run, self._bounding):
            if worker is not None:
                worker.stop()
        self._run = self._bounding = None

    def _leave(self) -> None:
        """The session has another problem: what was found is of no use for it, unless it was the search's own."""
        course = self.course
        if course is None:
            return
        if self.keeping and self._has_arrows(course):
            self._drop()
            self.param.update(
                course=replace(course, bounded=True), kept=True, running=False, bounding=False, paused=False
            )
            self._session.show_structure(None)
            return
        if self.kept:
            return
        stale = not is_same_problem(self._session.scene, course.home)
        if stale and not self.stale:
            self._drop()
            if course.stand is None:
                self.discard()
                return
            self.param.update(
                course=replace(course, stop=course.stop or "cancelled", bounded=True),
                stale=True,
                running=False,
                bounding=False,
                paused=False,
            )
            self._session.show_structure(None)
            self._session.say(f"{self._session.message} {STALE}".strip())
        elif self.stale and not stale:
            self.stale = False
            self._show(True)

    def _has_arrows(self, course: SearchCourse) -> bool:
        """Whether the network has what was found: something else may change the scene while that is being kept."""
        if course.stand is None or self._session.data is not course.home.data:
            return False
        found = ShownStructure(course.stand.now.best, course.problem.directed).edges
        edges = self._session.network.edges
        return set(found) == set(edges if course.problem.directed else map(_sort_ends, edges))


def _sort_ends(edge: tuple[int, int]) -> tuple[int, int]:
    return min(edge), max(edge)


def _thin(points: tuple[ScorePoint, ...]) -> tuple[ScorePoint, ...]:
    if len(points) <= MOST_POINTS:
        return points
    return (points[0], *points[1:-1:2], points[-1])


def find_bound(course: SearchCourse) -> StructureBound | None:
    """The bound of a search, which what it has reached is not above by rounding."""
    if course.bound is None or course.stand is None:
        return None
    return keep_above(course.bound, course.stand.now.best_score)
