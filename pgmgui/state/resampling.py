"""How sure arrows are: searches in resampled data, beside the page, whose results are shown as they come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import param

from engine.model.errors import Cancelled, PgmError
from engine.structure.bootstrap import Confidence, bootstrap
from engine.structure.counts import Counts
from engine.structure.families import Families, Parents
from engine.structure.scores import make_score
from pgmgui.project.scene import Scene
from pgmgui.project.structure_problem import StructureProblem
from pgmgui.project.troubles import explain
from pgmgui.state.precedence import PAGE
from pgmgui.state.session import Session

LEAST, MOST, USUAL = 20, 200, 50
"""Resamples."""
BURST = 0.3
"""Seconds of searching, after which the page is told."""
INCOMPLETE = (
    "Resampling is for complete data, and cells are missing or uncertain here: show these columns, or leave out"
)
INCOMPLETE += " what is missing."


class Resampling(param.Parameterized):
    """What the same search finds in data drawn anew from the rows, again and again.

    Parameters
    ----------
    beside : callable
        Does something in a thread, and calls what it returns once the page may be changed.
    pose : callable
        The problem of structure that is set now; raises PgmError if there is none.
    """

    confidence = param.ClassSelector(class_=Confidence, allow_None=True, doc="What has been found so far.")
    title = param.String(doc="By which search, in words.")
    wanted = param.Integer(default=0, doc="How many resamples were asked for.")
    running = param.Boolean(default=False, doc="Whether searches go on.")
    trouble = param.String(doc="Why nothing was found; empty if something was, or will be.")

    def __init__(
        self,
        session: Session,
        beside: Callable[[Callable[[], Callable[[], object]]], None],
        pose: Callable[[], StructureProblem],
    ) -> None:
        super().__init__()
        self._session, self._beside, self._pose = session, beside, pose
        self._stopped = threading.Event()
        self._scene: Scene | None = None
        session.param.watch(self._follow, "scene", precedence=1)

    def find_obstacle(self) -> str:
        """Why the data cannot be resampled as it is; empty if it can."""
        found = self._find_problem()
        return found if isinstance(found, str) else ""

    def _find_problem(self) -> StructureProblem | str:
        """What to search for in resampled data, or why that cannot be done."""
        try:
            problem = self._pose()
            if not problem.directed:
                raise PgmError("a Markov network has no arrows; add arrows in Open, or draw a Bayesian network")
        except PgmError as error:
            return f"The data cannot be resampled: {error}."
        return problem if problem.is_complete else INCOMPLETE

    def start(self, resamples: int) -> None:
        """Begin anew, in place of what goes on."""
        self.stop()
        problem = self._find_problem()
        if isinstance(problem, str):
            self.param.update(trouble=problem, confidence=None)
            return
        wanted = min(max(resamples, LEAST), MOST)
        self._stopped, self._scene = threading.Event(), self._session.scene
        self.param.update(confidence=None, title=problem.title, wanted=wanted, running=True, trouble="")
        self._go_on(self._stopped, search_again(problem, wanted, self._stopped.is_set))

    def stop(self) -> None:
        """End with what has been found."""
        self._stopped.set()
        self.running = False

    def _go_on(self, stopped: threading.Event, found: Iterator[Confidence]) -> None:
        if not stopped.is_set():
            self._beside(partial(self._work, stopped, found))

    def _work(self, stopped: threading.Event, found: Iterator[Confidence]) -> Callable[[], object]:
        """Search for a while, in a thread; what is to be done with what was found."""
        begun, last = time.monotonic(), None
        try:
            while last is None or time.monotonic() < begun + BURST:
                PAGE.wait()
                one = next(found, None)
                if one is None:
                    return partial(self._take, stopped, found, last, True)
                last = one
        except PgmError as error:
            return partial(self._fail, stopped, f"The data cannot be resampled: {error}.")
        except Exception as error:  # whatever it is, it must reach the user
            return partial(self._fail, stopped, explain("Resampling", error))
        return partial(self._take, stopped, found, last, False)

    def _take(
        self, stopped: threading.Event, found: Iterator[Confidence], last: Confidence | None, is_done: bool
    ) -> None:
        if stopped is not self._stopped:
            return  # another has begun
        if last is not None:
            self.confidence = last
        if is_done:
            self.running = False
        else:
            self._go_on(stopped, found)

    def _fail(self, stopped: threading.Event, trouble: str) -> None:
        if stopped is self._stopped:
            self.param.update(running=False, trouble=trouble)

    def _follow(self, *_events: Any) -> None:
        """What was found in other data is no longer shown."""
        known, scene = self._scene, self._session.scene
        if known is None or (
            (known.data is scene.data and known.marks is scene.marks and known.hold_out == scene.hold_out)
            and known.document.network.variables == scene.document.network.variables
        ):
            return
        self.stop()
        self._stopped, self._scene = threading.Event(), None  # what is still on its way comes too late
        self.param.update(confidence=None, trouble="", title="")


def search_again(problem: StructureProblem, resamples: int, cancelled: Callable[[], bool]) -> Iterator[Confidence]:
    """What the search of a problem finds in resampled data, after every time."""
    settings = problem.settings

    def search(drawn: Counts) -> Parents | None:
        families = Families(drawn, make_score(settings.score, drawn, settings.sample_size), cancelled)
        run = problem.search.run(families, problem.constraints, random_state=settings.seed, cancelled=cancelled)
        try:
            *_, last = run
        except Cancelled:
            return None
        return None if cancelled() else last.best

    yield from bootstrap(problem.counts, search, resamples, settings.seed, problem.constraints)
