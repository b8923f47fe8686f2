"""Cases that were kept, side by side: what the network says given each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import panel as pn

from engine.inference.query import Evidence
from engine.model.network import Network
from pgmgui.board.beside import work_beside
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.fields import make_button
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.cases import fit_case
from pgmgui.project.words import cut
from pgmgui.state.answers import Answer, Answers, answer
from pgmgui.state.inquiries import Inquiries, Subject
from pgmgui.state.session import Session

MOST_SHOWN = 12
"""Cases that have a column."""
NOTHING_KEPT = "Suppose something and keep it as a case; then suppose something else, and compare."


@dataclass(frozen=True, eq=False)
class Answered:
    """What the network says given a case, and the variables of the case that it does not have."""

    name: str
    answer: Answer
    missing: list[str]


class CasesView(pn.viewable.Viewer):
    """Buttons to keep what is supposed, to suppose a case again and to remove it; and a column for each."""

    def __init__(self, session: Session, answers: Answers) -> None:
        super().__init__()
        self._session, self._answers = session, answers
        self._inquiries = Inquiries(session, work_beside, solve_cases, self._choose)
        self._keep = make_button("Keep as case", "what is supposed now, to compare", lambda _: session.keep_case())
        self._cases = Choices(
            label="Cases", on_press=self._press, margin=0, styles={"max-height": "110px", "overflow": "auto"}
        )
        self._words = PlainText(margin=(0, 0, 4, 0))
        self._grid = Grid(sizing_mode="stretch_both", margin=(0, 8, 8, 0))
        self._view = pn.Column(self._keep, self._cases, self._words, self._grid, sizing_mode="stretch_both", margin=0)
        self._inquiries.param.watch(self._update, ["found", "busy"])
        answers.param.watch(self._update, "answer")
        session.param.watch(self._update, ["scene", "supposed", "selected"], precedence=2)

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""
        self._inquiries.look(looked_at)
        self._update()

    def _choose(self) -> Subject | None:
        return tuple(self._session.scene.cases.items())[:MOST_SHOWN] or None

    def _press(self, key: str) -> None:
        act, name = key.split(" ", 1)
        if act == "suppose":
            self._session.suppose_case(name)
        else:
            self._session.drop_case(name)

    def _update(self, *_events: Any) -> None:
        session, found = self._session, self._inquiries.fitting
        names = list(session.scene.cases)
        self._keep.disabled = session.supposed.is_nothing
        suppose = tuple(Choice(f"suppose {name}", name, f"Suppose again: {name}") for name in names)
        remove = tuple(Choice(f"remove {name}", f"✕ {name}", f"Remove the case: {name}") for name in names)
        self._cases.groups = [Group("Suppose:", suppose), Group("Remove:", remove)] if names else []
        self._grid.visible = found is not None and found.result is not None
        if found is None or found.result is None:
            self._words.write(NOTHING_KEPT if not names else "Computing …" if found is None else found.trouble)
            return
        self._words.write(*describe_cases(found.result, len(names)))
        now = self._answers.answer
        fits = now is not None and self._answers.fits and now.supposed == session.supposed
        self._grid.source = cases_source(found.network, found.result, now if fits else None, session.selected)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def solve_cases(network: Network, _evidence: Evidence, subject: Subject) -> list[Answered]:
    """What the network says given each case."""
    found: list[Answered] = []
    for name, case in subject:
        supposed, missing = fit_case(case, network)
        before = found[0].answer.before if found else None
        found.append(Answered(name, answer(network, supposed, before), missing))
    return found


def describe_cases(found: list[Answered], kept: int) -> list[str]:
    """What does not fit, or is impossible."""
    lines = [f"{one.name}: {one.answer.trouble}" for one in found if one.answer.trouble]
    for one in found:
        if one.missing:
            lines.append(f"{one.name}: the network has no {cut(one.missing)} with these states; the rest is supposed.")
    if kept > len(found):
        lines.append(f"The first {len(found)} of {kept:,} cases.")
    return lines


def cases_source(network: Network, found: list[Answered], now: Answer | None, selected: list[str]) -> Source:
    """A row for each state of the selected variables, or of all; a column for what is supposed now and for each case,
    shaded by how far it is from now."""
    chosen = [network.index[name] for name in selected if name in network.index] or range(len(network.variables))
    rows = [(v, k) for v in chosen for k in range(network.variables[v].cardinality)]
    columns = (
        Column("Variable", "head", "", 84),
        Column("State", "head", "", 64),
        Column("Now", "number", "given what is supposed now", 64),
        *(Column(one.name, "number", f"given {one.name}", 96) for one in found),
    )

    def row(v: int, k: int) -> list[Cell]:
        variable = network.variables[v]
        here = None if now is None or now.after is None else float(now.after[v][k])
        cells: list[Cell] = [variable.name if k == 0 else "", variable.states[k], _percent(here)]
        for one in found:
            value = None if one.answer.after is None else float(one.answer.after[v][k])
            heat = 0.0 if value is None or here is None else value - here
            cells.append({"text": _percent(value), "heat": heat})
        return cells

    return Source(columns, len(rows), lambda first, last: [row(*one) for one in rows[first : last + 1]], "Cases")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"
