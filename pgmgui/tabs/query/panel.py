"""Queries: suppose something, and see what the model then says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import panel as pn

from pgmgui.board.cards import make_card
from pgmgui.components.bars.bars import Bars
from pgmgui.components.choices.choices import Choices
from pgmgui.components.fields import make_button
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_switch, make_wrapped_switch
from pgmgui.project.words import count
from pgmgui.state.answers import Answers, describe_evidence
from pgmgui.state.session import Session
from pgmgui.state.solving import describe_course
from pgmgui.tabs.query.cases_view import CasesView
from pgmgui.tabs.query.explanation_view import ExplanationView
from pgmgui.tabs.query.independence_view import IndependenceView
from pgmgui.tabs.query.information_view import InformationView
from pgmgui.tabs.query.lab_view import LabView
from pgmgui.tabs.query.meanings_view import MeaningsView
from pgmgui.tabs.query.sensitivity_view import SensitivityView
from pgmgui.tabs.query.supposed import drop_supposed, list_groups, suppose_from

MOST_STATES = 60
"""States of a variable that have a bar."""
MOST_VARIABLES = 24
"""Variables that are shown at once, the selected ones first."""
SMALL = 12
"""A network of up to so many variables is shown whole."""
LEAST = "calc(29rem - 224px)"
"""The least height of what is asked, below what is supposed: 240 pixels, 356 in large type."""
HOW_TO_BEGIN = "Click a state to suppose it; drag its bar for a likelihood, or press target and drag for a target."
PARAMETERS = ["current", "learned"]
BARS, LAB = "bars", "evidence lab"


class QueryView(Protocol):
    """A view of the tab that asks something of its own."""

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""


VIEWS: Mapping[str, Callable[[Session, Answers], QueryView] | None] = {
    BARS: None,
    LAB: LabView,
    "three meanings": MeaningsView,
    "explanation": ExplanationView,
    "sensitivity": SensitivityView,
    "observe next": InformationView,
    "independence": IndependenceView,
    "cases": CasesView,
}
"""What the tab can show, and how it is made; the bars are there from the beginning."""


class QueryPanel(pn.viewable.Viewer):
    """Whose parameters are asked, what is supposed, how probable that is, and the bars of some variables."""

    def __init__(self, session: Session, answers: Answers) -> None:
        super().__init__()
        self._session, self._answers = session, answers
        self._parameters = make_switch(
            "Parameters", PARAMETERS, "Ask the network as it is, or with the parameters that were learned."
        )
        self._parameters.param.watch(lambda event: session.view(event.new), "value")
        self._about = PlainText(margin=(0, 0))
        self._supposed = Choices(
            label="Supposed",
            on_press=lambda key: drop_supposed(session, key),
            margin=0,
            styles={"max-height": "96px", "overflow": "auto"},
        )
        self._clear = make_button("Clear all", "suppose nothing", lambda *_: session.suppose_nothing(), margin=0)
        self._words = PlainText(margin=(0, 0, 4, 0))
        self._bars = Bars(on_suppose=self._suppose, sizing_mode="stretch_width", margin=0)
        what = "What is asked of the network, given what is supposed."
        self._shown = make_wrapped_switch("Show", list(VIEWS), what, (0, 0, 4, 0))
        self._shown.param.watch(lambda event: self._turn_to(event.new), "value")
        # Alone: what the evidence means stays in view over many bars.
        self._scrolled = pn.Column(self._bars, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        # With large type in a low window nothing would be left for it: then the whole tab scrolls.
        self._place = pn.Column(self._scrolled, sizing_mode="stretch_both", margin=0, styles={"min-height": LEAST})
        self._made: dict[str, QueryView] = {}
        self._view = pn.Column(
            pn.Row(self._parameters, self._clear, margin=0, styles={"align-items": "center"}),
            self._about,
            self._supposed,
            self._words,
            self._shown,
            self._place,
            sizing_mode="stretch_both",
            margin=(8, 4, 0, 12),
            scroll="y-auto",
        )
        session.param.watch(self._notice, ["scene", "supposed", "viewed", "learned", "moment", "selected"])
        answers.param.watch(self._notice, ["answer", "coming", "busy", "looking"])
        self._update()

    def look(self, looked_at: bool) -> None:
        """Answer what is asked while the tab is in view."""
        self._answers.look(looked_at)
        for name, view in self._made.items():
            view.look(looked_at and name == self._shown.value)

    def _turn_to(self, name: str) -> None:
        """Show a view, which is made when it is first asked for."""
        make = VIEWS[name]
        if make is not None and name not in self._made:
            self._made[name] = make(self._session, self._answers)
        self._update()  # first what stands above it: it is not to move once it is there
        self._place[:] = [self._made.get(name, self._scrolled)]
        self.look(self._answers.looking)

    def _suppose(self, message: Mapping[str, Any]) -> None:
        suppose_from(self._session, self._answers, message)

    def _notice(self, *_events: Any) -> None:
        # A run reports many times a second: nobody looks at a tab that is closed.
        if self._answers.looking:
            self._update()

    def _update(self) -> None:
        session = self._session
        self._parameters.value = session.viewed
        self._parameters.disabled = session.learned is None
        self._about.write(describe_parameters(session))
        self._clear.disabled = session.supposed.is_nothing
        self._supposed.groups = list_groups(session)
        self._words.write(*self._tell())
        self._show_bars()

    def _tell(self) -> list[str]:
        """How to begin, or what is found."""
        session, found = self._session, self._answers.fitting
        if not session.network.variables:
            return ["No variables yet: double-click on the canvas to draw one."]
        if found is None:
            return ["Computing …" if self._answers.busy else HOW_TO_BEGIN]
        if self._shown.value == LAB:
            return []  # it says all that itself, where it scrolls
        lines = [found.trouble, describe_evidence(found)]
        if self._shown.value == BARS:
            lines.append(describe_course(found.course) if found.course is not None and not found.trouble else "")
            lines += [HOW_TO_BEGIN if session.supposed.is_nothing else "", describe_shown(session)]
        return [line for line in lines if line]

    def _show_bars(self) -> None:
        found = self._answers.answer
        cards = []
        if found is not None and self._answers.fits:
            shown = choose_shown(self._session)[:MOST_VARIABLES]
            cards = [make_card(found, self._session.supposed, found.network.index[v], MOST_STATES) for v in shown]
        if cards != self._bars.cards:
            self._bars.cards = cards

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def choose_shown(session: Session) -> list[str]:
    """The names of the variables to show: the selected ones; else all of a few; else those with evidence."""
    names = [variable.name for variable in session.network.variables]
    if session.selected:
        return list(session.selected)
    return names if len(names) <= SMALL else [name for name in names if name in session.supposed.names]


def describe_shown(session: Session) -> str:
    """Which variables have bars, in a sentence; nothing if all have, or all that are selected."""
    shown = len(choose_shown(session))
    if shown > MOST_VARIABLES:
        return f"Bars of the first {MOST_VARIABLES} of {count(shown, 'variable')}."
    if session.selected or shown == len(session.network.variables):
        return ""
    return "Select variables on the canvas to see their bars here."


def describe_parameters(session: Session) -> str:
    """Whose parameters are asked, in a sentence."""
    reached = session.reached
    if reached is None:
        return "The network's own parameters; press Start to learn others."
    if session.viewed == "current":
        return "The network's own parameters."
    newest = f"{session.viewed_title}, {reached.iteration:,}"
    return f"Learned parameters: {newest if session.moment is None else session.viewed_title}."
