"""How targets are met: a plot of the rounds, which is gone through step by step, and what each says."""

from __future__ import annotations

import panel as pn

from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.components.rounds.rounds import Line, Rounds
from pgmgui.state.solving import LEAST_OFF, Course, describe_stand

BUTTONS = (
    ("first", "|◀", "Before the first round"),
    ("back", "◀", "A round back"),
    ("on", "▶", "A round on"),
    ("last", "▶|", "To the last round"),
)
NO_TARGETS = "No targets yet. Press target on the bars of a variable, drag, and watch here how targets are met."


class CourseView(pn.viewable.Viewer):
    """The residual of each target after each round. While it is at work the newest round is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self._course: Course | None = None
        self._number: int | None = None
        self._said: tuple[str, ...] = ()
        self._words, self._here = PlainText(margin=(4, 8, 0, 0)), PlainText(margin=(0, 8, 0, 0))
        self._plot = Rounds(on_step=self._go, least=LEAST_OFF, sizing_mode="stretch_width", margin=(2, 10, 0, 4))
        self._buttons = Choices(label="Rounds of the solver", on_press=self._press, margin=(2, 0, 4, 0))
        self._view = pn.Column(
            self._words, self._plot, self._buttons, self._here, sizing_mode="stretch_width", margin=(4, 0, 0, 0)
        )
        self.follow(None)

    def follow(self, course: Course | None, *words: str) -> None:
        """Show how targets are met, below some words; none if there are none."""
        self._said = words
        if course is not self._course:
            self._course, self._number = course, None
        self._update()

    @property
    def _last(self) -> int:
        return -1 if self._course is None else len(self._course.stands) - 1

    @property
    def _at(self) -> int:
        """The round that is looked at."""
        return self._last if self._number is None else min(self._number, self._last)

    def _press(self, key: str) -> None:
        self._go({"first": 0, "back": self._at - 1, "on": self._at + 1, "last": self._last}[key])

    def _go(self, number: int) -> None:
        self._number = min(max(number, 0), self._last)
        self._update()

    def _update(self) -> None:
        course, at = self._course, self._at
        shown = course is not None and at >= 0 and bool(course.titles) and not course.was_met
        self._plot.visible = self._buttons.visible = self._here.__panel__().visible = shown
        if course is None or not shown:
            self._words.write(*self._said, *([] if course else [NO_TARGETS]))
            return
        told = describe_stand(course, at)
        stands = course.stands
        has_zero = any(off <= LEAST_OFF for stand in stands for off in stand.residuals)
        zero = "; hollow, in the row of 0: met exactly" if has_zero else ""
        self._words.write(*self._said, f"How far each target is off, by rounds (log scale{zero}):")
        self._here.write(*(line for line in told if line))
        lines = [Line(one, tuple(stand.residuals[k] for stand in stands)) for k, one in enumerate(course.titles)]
        self._plot.param.update(lines=lines, number=at, label="Residuals of the targets by rounds", told=told[0])
        self._buttons.groups = [Group("Rounds:", tuple(self._list_buttons(at)))]

    def _list_buttons(self, at: int) -> list[Choice]:
        ends = {"first": at == 0, "back": at == 0, "on": at == self._last, "last": at == self._last}
        return [Choice(key, text, about, None, ends[key], "plain") for key, text, about in BUTTONS]

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
