"""Going back through a run: which learner, which iteration. No widgets."""

from __future__ import annotations

from pgmgui.project.words import LEARNERS
from pgmgui.state.curve import Curve
from pgmgui.state.frames import Frame
from pgmgui.state.race import Race
from pgmgui.state.session import Session


class Traveller:
    """Moves the session's moment along the curve of a learner: the one that was chosen, or the highest."""

    def __init__(self, session: Session, race: Race) -> None:
        self._session, self._race = session, race
        self._method = ""
        session.param.watch(lambda event: self._follow(event.new), "moment")
        self._follow(session.moment)

    @property
    def curve(self) -> Curve | None:
        """The curve that is travelled along."""
        return self._race.curves.get(self._method) or self._race.leader

    @property
    def last(self) -> int:
        """The newest iteration."""
        curve = self.curve
        return curve.points[-1].iteration if curve is not None and curve.points else 0

    @property
    def iteration(self) -> int:
        """The iteration that is looked at."""
        moment = self._session.moment
        return self.last if moment is None else moment.iteration

    def choose(self, method: str) -> None:
        """Travel along another learner's curve; from its newest iteration."""
        self._method = method
        self._go(None if self.curve is self._race.leader else self._find(self.last))

    def go_to(self, iteration: float) -> None:
        """Look at the iteration that was kept nearest to this one."""
        self._go(self._find(iteration))

    def step(self, by: int) -> None:
        """Look at an iteration kept before or after."""
        curve = self.curve
        if curve is not None:
            self._go(curve.frames.step(self.iteration, by))

    def load(self, restart: int) -> None:
        """Look at a restart of the learner, at its end."""
        curve = self.curve
        if curve is not None and curve.snapshot is not None:
            title = f"restart {restart + 1} of {LEARNERS[curve.method]}"
            self._session.travel_to(Frame(self.last, curve.snapshot.only(restart), title))

    def _find(self, iteration: float) -> Frame | None:
        return None if self.curve is None else self.curve.frames.nearest(iteration)

    def _go(self, frame: Frame | None) -> None:
        curve = self.curve
        newest = frame is None or (curve is self._race.leader and frame.iteration >= self.last)
        if frame is None or curve is None or newest:
            self._session.travel_to(None)
        elif self._session.moment is None or self._session.moment.snapshot is not frame.snapshot:
            self._session.travel_to(frame.on(curve.method))

    def _follow(self, moment: Frame | None) -> None:
        """A session that was opened may look at the curve of another learner."""
        if moment is not None and moment.method:
            self._method = moment.method
