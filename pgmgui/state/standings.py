"""How the learners of a race stand on the rows held out, iteration by iteration: found beside the race."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from engine.model.errors import PgmError
from pgmgui.project.results import Standing
from pgmgui.project.scene import Parts
from pgmgui.project.troubles import explain
from pgmgui.state.curve import Curve
from pgmgui.state.frames import Frame, Frames
from pgmgui.state.newest import Newest
from pgmgui.state.precedence import PAGE
from pgmgui.state.race import Race
from pgmgui.state.session import Session

BURST = 0.2
"""Seconds of scoring, after which the page is told."""
REST = 4
"""While learners run, so many times as long as it took is waited: they go first."""
STRIDES = (64, 16, 4, 1)
"""Of the iterations kept, the newest and then every so manieth: the line is soon there from end to end."""
MOST_TESTED = 1000
"""Of more, only those of iterations that are still kept are."""


@dataclass(frozen=True, eq=False)
class _Found:
    """What a burst has found: per learner, the frames it is of and how they stand; or why there is nothing."""

    parts: Parts
    tested: Mapping[str, tuple[Frames, list[Standing]]]
    seconds: float
    trouble: str = ""


class Standings(Newest):
    """Gives each curve of a race its ``tested``, while rows are held out."""

    doing = "Scoring the rows held out"

    def __init__(
        self, session: Session, race: Race, beside: Callable[[Callable[[], Callable[[], object]]], None]
    ) -> None:
        super().__init__(session, beside)
        self._race = race
        self._given_up: Parts | None = None
        self._due = 0.0
        race.param.watch(self._notice, ["curves", "running", "paused"], precedence=1)

    def begin(self) -> None:
        """Begin with what is open now."""
        self._notice()

    def _notice(self, *_events: Any) -> None:
        race, parts = self._race, self._race.parts
        if parts is None or parts.split is None or race.stale or parts is self._given_up:
            return
        if race.running and not race.paused and time.monotonic() < self._due:
            return
        waiting = {name: curve for name, curve in race.curves.items() if list_untested(curve)}
        if waiting:
            self._ask((parts, waiting))

    def _find(self, question: tuple[Parts, Mapping[str, Curve]]) -> _Found:
        """Score what there is time for, the learners in turn."""
        parts, curves = question
        begun = time.monotonic()
        found: dict[str, tuple[Frames, list[Standing]]] = {name: (curve.frames, []) for name, curve in curves.items()}
        untested = {name: list_untested(curve) for name, curve in curves.items()}
        try:
            for some in zip_longest(*untested.values()):
                for name, frame in zip(untested, some, strict=True):
                    if frame is not None:
                        PAGE.wait()
                        found[name][1].append(score_frame(parts, frame))
                if time.monotonic() > begun + BURST:
                    break
        except PgmError as error:
            return _Found(parts, {}, 0.0, f"The rows held out cannot be scored: {error}.")
        except Exception as error:  # whatever it is, it would come again
            return _Found(parts, {}, 0.0, explain(self.doing, error))
        return _Found(parts, found, time.monotonic() - begun)

    def _take(self, found: _Found) -> None:
        self._due = time.monotonic() + REST * found.seconds
        if found.trouble:
            self._given_up = found.parts
            self._session.say(found.trouble)
            return
        race = self._race
        news = {
            name: replace(race.curves[name], tested=_merge(race.curves[name], tested))
            for name, (frames, tested) in found.tested.items()
            if name in race.curves and race.curves[name].frames is frames
        }
        if news:
            race.curves = {**race.curves, **news}


def score_frame(parts: Parts, frame: Frame) -> Standing:
    """How a frame stands on the rows that were learned from, and on those held out."""
    snapshot, held_out = frame.snapshot, parts.held_out
    assert held_out is not None
    best = snapshot.best
    reached = float(snapshot.log_likelihood[best].sum())
    train = reached / snapshot.task.decomposition.dataset.total_weight
    return Standing(frame.iteration, train, held_out.log_likelihood(snapshot.theta[best]) / held_out.rows)


def list_untested(curve: Curve) -> list[Frame]:
    """The frames that have not been scored, in the order they should be."""
    known = {one.iteration for one in curve.tested}
    frames = curve.frames.list()
    order = {id(frame): frame for stride in STRIDES for frame in frames[::-stride]}
    return [frame for frame in order.values() if frame.iteration not in known]


def _merge(curve: Curve, news: list[Standing]) -> tuple[Standing, ...]:
    """What is known of a curve, by iteration."""
    found = {one.iteration: one for one in (*curve.tested, *news)}
    if len(found) > MOST_TESTED:
        kept = {frame.iteration for frame in curve.frames.list()}
        found = {iteration: one for iteration, one in found.items() if iteration in kept}
    return tuple(found[iteration] for iteration in sorted(found))
