"""The guide: worked scenes and studies from the papers, what the model doctor finds, and the learners' equations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import panel as pn
import panel_material_ui as pmui

from engine.insight.doctor import Finding, examine
from pgmgui.board.learner_equations import make_equations
from pgmgui.components.fields import PATIENT, make_button
from pgmgui.components.plain_text import HtmlText, PlainText
from pgmgui.project.counted_data import WHY, CountedData
from pgmgui.project.lessons import Lesson, list_steps, load_lessons
from pgmgui.project.links import parse_link
from pgmgui.state.first_run import FirstRun
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.structuring import Structuring
from pgmgui.tabs.guide.remedies import find_remedy
from pgmgui.tabs.guide.studies import Studies

MOST_FINDINGS = 12
"""Findings of the doctor that are shown."""
_STYLE = """
:host { color: var(--panel-on-surface-color); font: 0.875rem/1.4 var(--bokeh-base-font); }
h3 { font-size: 0.9375rem; margin: 4px 0 2px; } p { margin: 0 0 4px; overflow-wrap: anywhere; }
.see { border-left: 3px solid var(--panel-primary-color); padding-left: 8px; }
.source { opacity: 0.75; }
"""


class GuidePanel(pn.viewable.Viewer):
    """Lessons, studies, findings and equations, one below the other."""

    def __init__(
        self, session: Session, race: Race, playback: Playback, first_run: FirstRun, structuring: Structuring
    ) -> None:
        super().__init__()
        self._view = pn.Column(
            make_button("First run", "four steps around the page", lambda *_: first_run.open()),
            Lessons(session, race, playback, structuring),
            Studies(session, race, playback, _STYLE),
            Doctor(session),
            make_equations(session),
            sizing_mode="stretch_both",
            margin=(4, 8, 0, 12),
            scroll="y-auto",
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


class Lessons(pn.viewable.Viewer):
    """One lesson at a time: its steps, what to do, and what to see. Its runs are seen climbing."""

    def __init__(self, session: Session, race: Race, playback: Playback, structuring: Structuring) -> None:
        super().__init__()
        self._session, self._race, self._playback, self._structuring = session, race, playback, structuring
        self._step = 0
        self._choice = pmui.Select(
            label="Worked scene",
            options={lesson.title: lesson.id for lesson in load_lessons()},
            description="Scenes from the papers, of three steps each.",
            size="small",
            sizing_mode="stretch_width",
            margin=(8, 0, 4, 0),
        )
        lesson, _, number = session.step.rpartition(".")
        if session.step in list_steps():
            self._choice.value, self._step = lesson, int(number) - 1
        self._choice.param.watch(lambda *_: self._go(0), "value")
        self._text = HtmlText(sizing_mode="stretch_width", margin=0, stylesheets=[_STYLE])
        self._back = make_button("Back", "the step before", lambda *_: self._go(self._step - 1))
        about = "open this step's scene on the page"
        self._do = make_button("Show me", about, lambda *_: self._show_me(), "contained", description_delay=PATIENT)
        self._next = make_button("Next", "the step after", lambda *_: self._go(self._step + 1))
        self._view = pn.Column(
            self._choice,
            self._text,
            pn.Row(self._back, self._do, self._next, margin=0),
            sizing_mode="stretch_width",
            margin=0,
        )
        self._go(self._step)

    @property
    def _lesson(self) -> Lesson:
        return next(lesson for lesson in load_lessons() if lesson.id == self._choice.value)

    def _go(self, step: int) -> None:
        lesson = self._lesson
        self._step = min(max(step, 0), len(lesson.steps) - 1)
        here, place = lesson.steps[self._step], f"{lesson.id}.{self._step + 1}"
        self._session.go_to_step("" if place == list_steps()[0] else place)
        self._text.object = (
            f"<h3>Step {self._step + 1} of {len(lesson.steps)}</h3><p>{escape(here.do)}</p>"
            f'<p class="see"><b>See:</b> {escape(here.see)}</p><p class="source">{escape(lesson.source)}</p>'
        )
        self._back.disabled, self._next.disabled = self._step == 0, self._step == len(lesson.steps) - 1

    def _show_me(self) -> None:
        link = parse_link(self._lesson.steps[self._step].link)
        if not self._race.open(link.saved):
            return
        if not link.supposed.is_nothing:
            self._session.show_bars(True)
        if link.run:
            self._race.begin()
            self._playback.play_slowly()
        if link.structure:
            self._session.turn_to("Structure")
            self._structuring.begin()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


class Doctor(pn.viewable.Viewer):
    """What the model doctor finds, each with a fix."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._examine = make_button("Examine the model", "look for what makes learning fail or mislead", self._look)
        self._list = pn.Column(sizing_mode="stretch_width", margin=0)
        self._view = pn.Column(
            HtmlText("<h3>Model doctor</h3>", margin=(12, 0, 0, 0), stylesheets=[_STYLE]),
            self._examine,
            self._list,
            sizing_mode="stretch_width",
            margin=0,
        )
        session.param.watch(lambda *_: self._list.clear(), "derived")

    def _look(self, _event: object = None) -> None:
        parts = self._session.parts
        if parts is None:
            self._list[:] = [_say("There is nothing to examine: that takes a network with data.")]
            return
        findings = examine(parts.task, None if parts.split is None else parts.split.train_rows)
        shown = [self._describe(finding) for finding in findings[:MOST_FINDINGS]]
        if len(findings) > MOST_FINDINGS:
            shown.append(_say(f"And {len(findings) - MOST_FINDINGS:,} more."))
        if isinstance(self._session.data, CountedData):
            shown.append(_say(f"Rows of probability 0 were not looked for: {WHY}."))
        self._list[:] = shown or [_say("Nothing found: every parameter can be learned, and every row is possible.")]

    def _describe(self, finding: Finding) -> pn.viewable.Viewable:
        name = self._session.network.variables[finding.variable].name
        buttons = [make_button("Select", f"{name} on the canvas", lambda *_: self._session.select([name]))]
        if finding.rows:
            first = finding.rows[0]
            about = f"row {first + 1:,}, in the Data tab"
            buttons.append(make_button("Show the row", about, lambda *_: self._session.look_at_row(first)))
        remedy = find_remedy(self._session, finding)
        if remedy is not None:
            buttons.append(make_button(remedy.label, remedy.about, partial(self._cure, remedy.apply)))
        return pn.Column(
            _say(finding.text, finding.advice), pn.Row(*buttons, margin=0), sizing_mode="stretch_width", margin=(4, 0)
        )

    def _cure(self, apply: Callable[[], bool], _event: object) -> None:
        if apply():
            self._look()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _say(*lines: str) -> pn.viewable.Viewable:
    text = PlainText(margin=(0, 0))
    text.write(*lines)
    return text.__panel__()
