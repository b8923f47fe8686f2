"""Playing a run again, at a pace that a room can follow: which part of it is shown. No widgets."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import Any

import param

from pgmgui.project.words import LEARNERS
from pgmgui.state.curve import Curve
from pgmgui.state.places import find_end, find_iteration, find_place, find_places
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller

SPEEDS = (0.5, 1.0, 2.0, 4.0)
WHOLE = 10.0
"""Seconds that a whole run takes at speed 1."""
EACH = 0.5
"""Seconds for each of its iterations, if they are few."""
HOLD = 1.5
"""Seconds that a run may take before it is shown as it goes, instead of again and slowly: it is slow enough."""


class Playback(param.Parameterized):
    """Moves along the curves of a race by the clock: the page calls :meth:`advance` a few times a second.

    Time passes slowly at first, where most happens: half way through, the first quarter of the run has been shown.
    What else goes to another iteration, starts a run or changes the problem ends it.
    """

    playing = param.Boolean(default=False, doc="Whether it moves.")
    speed: Any = param.Selector(default=1.0, objects=list(SPEEDS), doc="How many times faster than usual.")
    share = param.Number(default=None, allow_None=True, bounds=(0, 1), doc="Of its time; None: all is shown.")

    def __init__(
        self, session: Session, race: Race, traveller: Traveller, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._session, self._race, self._traveller, self._clock = session, race, traveller, clock
        self._looked = 0.0
        self._held_until: float | None = None
        self._moving = False
        session.param.watch(lambda *_: self._leave(), ["moment", "derived"])
        race.param.watch(self._notice, ["curves", "running", "paused", "stale", "applied"])

    # --- what the user does

    def play_or_pause(self) -> None:
        """Play from where the user looks, or from the start; or wait there."""
        if self._held_until is not None:
            self._leave()
        elif self.playing:
            self.playing = False
        elif self.can_play:
            self._looked = self._clock()
            self.param.update(playing=True, share=self._begin_at() if self.share is None else self.share)

    def play_slowly(self) -> None:
        """Show the run that has just begun as if it took its time; one that does is shown as it goes."""
        if self._race.running:
            self._held_until = self._clock() + HOLD
            self.param.update(playing=True, share=0.0)

    def change_speed(self) -> None:
        """Take the next speed; after the fastest, the slowest."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]

    def end(self) -> None:
        """Show the end at once."""
        if self.share is not None:
            with self._move():
                self._session.travel_to(None)
            self._leave()

    # --- how it stands

    @property
    def can_play(self) -> bool:
        """Whether there is a run to play that does not move by itself."""
        race, curve = self._race, self._traveller.curve
        held = (not race.running or race.paused) and not race.stale
        return held and curve is not None and len(curve.points) > 1

    @property
    def place(self) -> float | None:
        """How far from left to right the curves are shown; None: to their ends."""
        return None if self.share is None else self._end * self.share**2

    def describe(self) -> list[str]:
        """Where each learner is, in sentences."""
        place = self.place
        if place is None:
            return []
        lines = []
        for curve in self._race.curves.values():
            passed = find_places(curve.points, self._session.axes) <= place
            point = curve.points[max(0, int(passed.sum()) - 1)] if curve.points else None
            if point is not None:
                lines.append(
                    f"{LEARNERS[curve.method]}: {point.objective:,.4f} at iteration {point.iteration:,} "
                    f"of {curve.points[-1].iteration:,}."
                )
        return lines

    @property
    def _end(self) -> float:
        return find_end(self._race.curves.values(), self._session.axes)

    def _begin_at(self) -> float:
        """The share of the time at which the iteration is shown that the user looks at; 0 for the last one."""
        curve, iteration = self._traveller.curve, self._traveller.iteration
        if curve is None or self._session.moment is None or iteration >= self._traveller.last:
            return 0.0
        return math.sqrt(find_place(curve.points, iteration, self._session.axes) / self._end)

    # --- what the clock does

    def advance(self) -> None:
        """Go as far as the time says that has passed since the last look."""
        if not self.playing:
            return
        now = self._clock()
        if self._held_until is not None:
            if self._race.running:
                if now > self._held_until:
                    self._leave()
                return
            self._held_until, self._looked = None, now
            if not any(curve.points for curve in self._race.curves.values()):  # it failed before there was any
                self._leave()
                return
        seconds, self._looked = now - self._looked, now
        iterations = max(curve.points[-1].iteration for curve in self._race.curves.values() if curve.points)
        share = self.share + seconds * self.speed / min(WHOLE, EACH * max(iterations, 1))
        if share >= 1:
            self.end()
            return
        self.share = share
        curve = self._traveller.curve
        if curve is not None and self.place is not None:
            with self._move():
                self._traveller.go_to(find_iteration(curve.points, self.place, self._session.axes))

    @contextmanager
    def _move(self) -> Any:
        """What the session looks at is our own doing meanwhile."""
        self._moving = True
        try:
            yield
        finally:
            self._moving = False

    def _notice(self, *events: Any) -> None:
        """The race has changed: a run that is waited for may go on. Scores of rows held out change nothing here."""
        race = self._race
        if all(event.name == "curves" and _is_same_run(event.old, event.new) for event in events):
            return
        if self._held_until is None or not race.curves or race.paused or race.stale:
            self._leave()

    def _leave(self) -> None:
        """Show everything again."""
        if not self._moving:
            self._held_until = None
            self.param.update(playing=False, share=None)


def _is_same_run(before: Mapping[str, Curve], after: Mapping[str, Curve]) -> bool:
    """Whether learners are as far as they were, whatever else is known of them by now."""
    return before.keys() == after.keys() and all(
        old.frames is new.frames and old.snapshot is new.snapshot and old.state == new.state
        for old, new in ((before[name], after[name]) for name in before)
    )
