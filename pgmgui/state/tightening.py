"""The tightest bound of the session's problem, found beside the page after those that are found at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.learning.bounding import AnyBounds
from engine.model.errors import Cancelled
from pgmgui.project.scene import Parts
from pgmgui.project.troubles import explain
from pgmgui.state.precedence import PAGE
from pgmgui.state.session import Session


class Tightening:
    """Has the bounds of the session's newest problem fitted, in a thread; the page goes first.

    Parameters
    ----------
    beside : callable
        Does something in a thread, and calls what it returns once the page may be changed.
    """

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        self._session, self._beside = session, beside
        self._tried: Parts | None = None
        self._is_busy = False
        session.param.watch(lambda *_: self.begin(), "derived", precedence=1)

    def begin(self) -> None:
        """Begin with what is open now, unless that is done or under way."""
        parts = self._session.parts
        if parts is not None and not (self._is_busy or parts.is_tight or parts is self._tried):
            self._is_busy = True
            self._beside(partial(self._work, parts))

    def _work(self, parts: Parts) -> Callable[[], object]:
        """Fit, in a thread; what is to be done then."""

        def is_of_no_use() -> bool:
            PAGE.wait()
            return self._session.parts is not parts

        try:
            bounds = parts.find_tightest(is_of_no_use)
        except Cancelled:
            return partial(self._finish, None)
        except Exception as error:  # whatever it is, it must reach the user
            return partial(self._finish, parts, trouble=explain("Fitting the bound", error))
        return partial(self._finish, parts, bounds)

    def _finish(self, parts: Parts | None, bounds: AnyBounds | None = None, trouble: str = "") -> None:
        """Put the bounds where they belong, and say so; where the page may be changed."""
        self._is_busy, self._tried = False, parts
        if trouble:
            self._session.say(trouble)
        if parts is not None and bounds is not None:
            parts.bounds = bounds
            if parts is self._session.parts:
                self._session.param.trigger("bounded")
        self.begin()
