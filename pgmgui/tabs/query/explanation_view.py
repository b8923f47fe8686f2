"""The most probable states of all variables together, or of the selected ones."""

from __future__ import annotations

import math
from typing import Any

import panel as pn

from engine.inference.explanation import Explanation, explain
from engine.inference.query import Evidence
from engine.model.network import Network
from pgmgui.board.beside import work_beside
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.words import count, cut
from pgmgui.state.answers import Answers, Marginals
from pgmgui.state.inquiries import Found, Inquiries, Subject
from pgmgui.state.session import Session

COLUMNS = (
    Column("Variable", "head", "", 116),
    Column("State", "text", "its state in what is most probable together", 96),
    Column("Alone", "text", "its most probable state if nothing is asked of the others", 120),
)
OTHER = Column("As probable", "text", "where it differs in another explanation that is as probable", 96)


class ExplanationView(pn.viewable.Viewer):
    """How probable the explanation is, in words; and its states, beside what is most probable of each alone."""

    def __init__(self, session: Session, answers: Answers) -> None:
        super().__init__()
        self._session, self._answers = session, answers
        self._inquiries = Inquiries(session, work_beside, solve_explanation, lambda: tuple(session.selected))
        self._words = PlainText(margin=(0, 0, 4, 0))
        self._grid = Grid(sizing_mode="stretch_both", margin=(0, 8, 8, 0))
        self._view = pn.Column(self._words, self._grid, sizing_mode="stretch_both", margin=0)
        self._inquiries.param.watch(self._update, ["found", "busy"])
        answers.param.watch(self._update, "answer")

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""
        self._inquiries.look(looked_at)
        self._update()

    def _update(self, *_events: Any) -> None:
        found = self._inquiries.fitting
        result = found.result if found is not None else None
        self._grid.visible = result is not None
        self._words.write(*(["Computing …"] if found is None else describe_explanation(found)))
        if found is not None and result is not None:
            self._grid.source = explanation_source(found.network, result, self._find_marginals())

    def _find_marginals(self) -> Marginals | None:
        """What is probable of each variable alone, if that is known of this evidence."""
        answer = self._answers.answer
        fits = answer is not None and self._answers.fits and answer.supposed == self._session.supposed
        return answer.after if answer is not None and fits else None

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def solve_explanation(network: Network, evidence: Evidence, subject: Subject) -> Explanation:
    """The explanation by some variables, or by all if there are none."""
    return explain(network, evidence, subject or None)


def describe_explanation(found: Found) -> list[str]:
    """What is most probable, how probable it is, and whether something else is as probable."""
    result = found.result
    if result is None:
        return [found.trouble]
    probability = math.exp(result.log_probability)
    if found.subject:
        whose = f"{count(len(found.subject), 'selected variable')}, the others summed out (MAP)"
    else:
        whose = f"all {count(len(result.states), 'variable')} together (MPE)"
    told = f"{probability:.4g}" if probability > 0 else f"exp({result.log_probability:,.2f})".replace("-", "−")
    given = "" if found.supposed.is_nothing else " given the evidence"
    lines = [f"The most probable states of {whose}: probability {told}{given}."]
    if result.other is not None:
        differing = [name for name, state in result.states.items() if result.other[name] != state]
        lines.append(f"Not the only ones: others are as probable, which differ in {cut(differing)}.")
    return lines if found.subject else [*lines, "Select variables on the canvas to explain by these alone."]


def explanation_source(network: Network, result: Explanation, marginals: Marginals | None) -> Source:
    """The rows of the table: a variable, its state, and its most probable state alone."""
    names, other = list(result.states), result.other

    def row(name: str) -> list[Cell]:
        v, state = network.index[name], result.states[name]
        cells: list[Cell] = [name, state, "" if marginals is None else _tell_alone(network, v, state, marginals)]
        if other is not None:
            cells.append(other[name] if other[name] != state else "")
        return cells

    columns = COLUMNS if other is None else (*COLUMNS, OTHER)
    return Source(
        columns, len(names), lambda first, last: [row(name) for name in names[first : last + 1]], "Explanation"
    )


def _tell_alone(network: Network, v: int, state: str, marginals: Marginals) -> Cell:
    """The most probable state of a variable alone; a warning where it is another, and by more than rounding."""
    variable, marginal = network.variables[v], marginals[v]
    code = variable.code(state)
    best = int(marginal.argmax())
    if marginal[best] - marginal[code] < 1e-9:
        best = code
    text = f"{variable.states[best]} {100 * marginal[best]:.1f}%"
    if best == code:
        return text
    return {"text": text, "kind": "warn", "about": f"Alone, {state} has {100 * marginal[code]:.1f}%."}
