"""The evidence lab: states, likelihoods and targets side by side, and how targets are met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn

from engine.inference.targets.meeting import SOLVERS
from pgmgui.board.cards import make_card
from pgmgui.components.bars.bars import Bars
from pgmgui.components.fields import make_select
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_switch
from pgmgui.project.wanted import AUTOMATIC, MOST_TOGETHER
from pgmgui.state.answers import Answer, Answers, describe_evidence
from pgmgui.state.session import Session
from pgmgui.state.solving import describe_course, name_solver
from pgmgui.tabs.query.numbers_view import NumbersView
from pgmgui.tabs.query.rounds_view import RoundsView
from pgmgui.tabs.query.supposed import suppose_from

FIXED, NON_FIXED = "fixed", "non-fixed"
MEANS = {
    True: "Fixed: targets hold after all that is supposed.",
    False: "Non-fixed: targets hold in the model before the rest is supposed, which then changes them.",
}
MOST_STATES = 20
"""States of a variable that have a bar."""
HOW_TO_BEGIN = (
    "Select a variable on the canvas to say what is known of it, or two or three (Shift+click) for a target of them "
    "together."
)


class LabView(pn.viewable.Viewer):
    """What is supposed of the selected variables, their numbers, and the rounds of the solver."""

    def __init__(self, session: Session, answers: Answers) -> None:
        super().__init__()
        self._session, self._answers = session, answers
        self._looked_at = False
        about = "Whether targets hold after all else that is supposed (fixed), or before it, which then changes them."
        self._holds = make_switch("Targets", [FIXED, NON_FIXED], about)
        self._holds.param.watch(lambda event: session.fix_targets(event.new == FIXED), "value")
        solvers = {"automatic": AUTOMATIC, **{name_solver(solver): solver for solver in SOLVERS}}
        costs = "How targets are met: all give the same answer. Automatic is the way of least estimated time."
        self._solver = make_select("Solver", costs, solvers, session.solve_by)
        self._solver.param.update(margin=(8, 8, 4, 0), max_width=190)
        self._hint = PlainText(margin=(0, 8, 4, 0))
        self._bars = Bars(
            on_suppose=lambda message: self._suppose(message), sizing_mode="stretch_width", margin=(0, 8, 0, 0)
        )
        self._numbers, self._rounds = NumbersView(session), RoundsView()
        top = pn.Row(self._holds, self._solver, margin=0, styles={"align-items": "center"}, sizing_mode="stretch_width")
        self._view = pn.Column(
            top,
            self._hint,
            self._bars,
            self._numbers,
            self._rounds,
            sizing_mode="stretch_both",
            margin=0,
            scroll="y-auto",
        )
        answers.param.watch(self._update, ["answer", "coming"])
        session.param.watch(self._update, ["supposed", "selected", "scene"], precedence=2)

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""
        self._looked_at = looked_at
        self._numbers.look(looked_at)
        self._update()

    def _suppose(self, message: Mapping[str, Any]) -> None:
        suppose_from(self._session, self._answers, message)

    def _update(self, *_events: Any) -> None:
        if not self._looked_at:
            return
        session = self._session
        self._holds.value = FIXED if session.wanted.fixed else NON_FIXED
        self._solver.value = session.wanted.solver
        self._hint.write(*self._tell())
        self._show_bars()
        self._numbers.update()
        found = self._answers.fitting
        if found is not None:
            self._rounds.follow(found.course, *describe_answer(found))

    def _tell(self) -> list[str]:
        names = self._session.selected
        if not names:
            return [HOW_TO_BEGIN]
        if len(names) > MOST_TOGETHER:
            return [f"{len(names):,} variables are selected: a target is of at most {MOST_TOGETHER} together."]
        return []

    def _show_bars(self) -> None:
        found, session, cards = self._answers.answer, self._session, []
        if found is not None and self._answers.fits:
            shown = session.selected[:MOST_TOGETHER]
            cards = [make_card(found, session.supposed, found.network.index[name], MOST_STATES) for name in shown]
        if cards != self._bars.cards:
            self._bars.cards = cards

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def describe_answer(found: Answer) -> list[str]:
    """Why there are no posteriors, or how probable the evidence is and how targets are met; and what these mean."""
    lines = [found.trouble, describe_evidence(found)]
    if found.course is not None:
        lines += [describe_course(found.course) if not found.trouble else "", MEANS[found.supposed.wanted.fixed]]
    return [line for line in lines if line]
