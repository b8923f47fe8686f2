"""The guided first run: which of its steps the user is at."""

from __future__ import annotations

import param

from pgmgui.project.scene import Scene
from pgmgui.state.session import Session

LOOK, START, READ, HIDE, DONE = range(5)
"""The steps, in their order."""


class FirstRun(param.Parameterized):
    """Goes on when the user does what a step says, or asks for the next."""

    step = param.Integer(default=LOOK, bounds=(LOOK, DONE), doc="Which of the steps it is.")
    opened = param.Event(doc="Happens when it is asked for, from the beginning.")

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.param.watch(lambda event: self._note(LOOK, bool(event.new)), "selected")
        # A run that goes on says again and again what it has learned: who has gone back meanwhile stays there.
        session.param.watch(lambda event: self._note(START, event.old is None and event.new is not None), "learned")
        session.param.watch(lambda event: self._note(HIDE, _is_marked(event.old, event.new)), "scene")

    def open(self) -> None:
        """Show it from the beginning."""
        self.step = LOOK
        self.param.trigger("opened")

    def go(self, by: int) -> None:
        """Go some steps on, or back."""
        self.step = min(max(self.step + by, LOOK), DONE)

    def _note(self, step: int, done: bool) -> None:
        """Go on if a step was done that was to be done now, or next."""
        if done and self.step in (step - 1, step):
            self.step = step + 1


def _is_marked(old: Scene, new: Scene) -> bool:
    """Whether the marks were changed, and not something else opened."""
    return old.document.network is new.document.network and old.marks is not new.marks
