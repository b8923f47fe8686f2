"""How targets are met: a plot of the rounds, which is gone through step by step, and what each says."""

from __future__ import annotations

import panel as pn

from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.components.rounds.rounds import Line, Rounds
from pgmgui.state.solving import LEAST_OFF, SolvingCourse, describe_stand

BUTTONS = (
    ("first", "|◀", "Before the first round"),
    ("back", "◀", "A round back"),
    ("on", "▶", "A round on"),
    ("last", "▶|", "To the last round"),
)
NO_TARGETS = "No targets yet. Press target on the bars of a variable, drag, and watch here how targets are met."

MOST_LINES = 12
"""Targets whose lines are drawn: a thousand rounds of hundreds would be too much for a browser, and for the eye."""


class RoundsView(pn.viewable.Viewer):
    """The residual of each target after each round. While it is at work the newest round is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self._course: SolvingCourse | None = None
        self._number: int | None = None
        self._said: tuple[str, ...] = ()
        self._words, self._here = PlainText(margin=(4, 8, 0, 0)), PlainText(margin=(0, 8, 0, 0))
        self._plot = Rounds(on_step=self._go, least=LEAST_OFF, sizing_mode="stretch_width", margin=(2, 10, 0, 4))
        self._buttons = Choices(label="Rounds of the solver", on_press=self._press, margin=(2, 0, 4, 0))
        self._view = pn.Column(
            self._words, self._plot, self._buttons, self._here, sizing_mode="stretch_width", margin=(4, 0, 0, 0)
        )
        self.follow(None)

    def follow(self, course: SolvingCourse | None, *words: str) -> None:
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
        self._words.write(*self._said, describe_plot(course))
        self._here.write(*(line for line in told if line))
        stands = course.stands
        drawn = choose_lines(course)
        lines = [Line(course.titles[k], tuple(stand.residuals[k] for stand in stands)) for k in drawn]
        self._plot.param.update(lines=lines, number=at, label="Residuals of the targets by rounds", told=told[0])
        self._buttons.groups = [Group("Rounds:", tuple(self._list_buttons(at)))]

    def _list_buttons(self, at: int) -> list[Choice]:
        ends = {"first": at == 0, "back": at == 0, "on": at == self._last, "last": at == self._last}
        return [Choice(key, text, about, None, ends[key], "plain") for key, text, about in BUTTONS]

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def choose_lines(course: SolvingCourse) -> list[int]:
    """The targets that are drawn: those that are farthest off at last, in their order."""
    last = course.stands[-1].residuals
    return sorted(sorted(range(len(last)), key=lambda k: -last[k])[:MOST_LINES])


def describe_plot(course: SolvingCourse) -> str:
    """What the lines are."""
    number = len(course.titles)
    which = "each target" if number <= MOST_LINES else f"each of the {MOST_LINES} worst of {number:,} targets"
    drawn = choose_lines(course)
    has_zero = any(stand.residuals[k] <= LEAST_OFF for k in drawn for stand in course.stands)
    zero = f"; hollow, in the row of 0: off by {LEAST_OFF:g} at most" if has_zero else ""
    return f"How far {which} is off, by rounds (log scale{zero}):"
