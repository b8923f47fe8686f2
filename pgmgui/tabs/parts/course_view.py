"""What a learner that searches by itself has done for each component."""

from __future__ import annotations

import panel as pn

from pgmgui.components.plain_text import PlainText
from pgmgui.project.words import count, describe_course, describe_courses
from pgmgui.state.session import Session

MOST_LINES = 6


class CourseView(pn.viewable.Viewer):
    """The sentence of the component that is looked at, or those of all; nothing of learners that do not search."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._words = PlainText(margin=(4, 8, 0, 0))
        self._view = pn.Column(self._words, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["derived", "component", "learned", "moment"])
        self._update()

    def _update(self) -> None:
        reached, number = self._session.reached, self._session.component
        lines = [] if reached is None else describe_courses(reached)
        if reached is not None and number is not None and number < len(reached.courses):
            lines = [describe_course(reached.courses[number])]
        if len(lines) > MOST_LINES:
            lines = [*lines[:MOST_LINES], f"And {count(len(lines) - MOST_LINES, 'component')} more: click one."]
        self._view.visible = bool(lines)
        self._words.write(*lines)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
