"""One number, three meanings: what follows of 0.8 / 0.2 read as a likelihood, and as a target, fixed or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import panel as pn

from engine.inference.query import Evidence, query
from engine.insight.meanings import MEANINGS, Reading, forget, read_in_three_ways
from engine.model.errors import PgmError
from engine.model.messages import count, shorten
from engine.model.network import Network
from engine.model.variable import Variable
from pgmgui.board.beside import work_beside
from pgmgui.components.fields import make_field
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import parse_number, show_number
from pgmgui.project.wanted import find_kind
from pgmgui.project.words import cut, sentence
from pgmgui.state.answers import Answers, Marginals
from pgmgui.state.inquiries import Found, Inquiries, Subject
from pgmgui.state.session import Session

SHARE = 0.8
"""Of the first state, if no numbers are given."""
MOST_ROWS = 24
"""States in view at once."""
HOW_TO_BEGIN = "Select a variable on the canvas, and give a number for each of its states."
TITLES = {"likelihood": "Likelihood", "fixed": "Fixed", "non-fixed": "Non-fixed"}
WIDTHS = {"likelihood": 85, "fixed": 58, "non-fixed": 82}
SAYS = {
    "likelihood": "Likelihood: what was seen is that probable in each state; the model weighs it with what it knows.",
    "fixed": "Fixed target: the posterior is this, after all that is supposed; other targets are fixed too.",
    "non-fixed": "Non-fixed target: the model had this before the rest was supposed, which then changes it; "
    "other targets are non-fixed too.",
}


@dataclass(frozen=True, eq=False)
class Meanings:
    """What is probable without the numbers, and with them, read in each way."""

    without: Marginals
    readings: Mapping[str, Reading]


class MeaningsView(pn.viewable.Viewer):
    """Numbers for the selected variable, a sentence for each meaning, and all posteriors side by side."""

    def __init__(self, session: Session, _answers: Answers) -> None:
        super().__init__()
        self._session = session
        self._typed: dict[Variable, tuple[float, ...]] = {}  # a name may come to have other states
        self._inquiries = Inquiries(session, work_beside, solve_meanings, self._choose)
        about = "A number for each state of the selected variable, in their order, with spaces between."
        self._field = make_field("Numbers", about, self._enter)
        self._words = PlainText(margin=(0, 8, 4, 0))
        self._grid = Grid(shown=MOST_ROWS, sizing_mode="stretch_width", margin=(0, 8, 8, 0))
        parts = (self._field, self._words, self._grid)
        self._view = pn.Column(*parts, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        self._inquiries.param.watch(self._update, ["found", "busy"])
        session.param.watch(self._update, ["selected", "supposed"], precedence=2)

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""
        self._inquiries.look(looked_at)
        self._update()

    # --- what is asked

    def _choose(self) -> Subject | None:
        session = self._session
        if not session.selected:
            return None
        name = session.selected[0]
        return name, self._typed.get(self._find(name)) or begin_with(session, name)

    def _find(self, name: str) -> Variable:
        return self._session.network.variables[self._session.network.index[name]]

    def _enter(self, text: str) -> None:
        subject = self._choose()
        if subject is None or text == write_numbers(subject[1]):
            return
        variable = self._find(subject[0])
        try:
            self._typed[variable] = read_numbers(text, variable.name, variable.states)
        except PgmError as error:
            self._session.refuse(error)
        self._inquiries.ask()
        self._update()

    # --- what is shown

    def _update(self, *_events: Any) -> None:
        subject, found = self._choose(), self._inquiries.fitting
        self._field.visible = subject is not None
        self._grid.visible = found is not None and found.result is not None
        if subject is None:
            self._words.write(HOW_TO_BEGIN)
            return
        self._field.label = f"Numbers for {subject[0]}: {cut(self._find(subject[0]).states, 6)}"
        self._field.value = write_numbers(subject[1])
        self._words.write(*(["Computing …"] if found is None else describe_meanings(found)))
        if found is not None and found.result is not None:
            self._grid.source = meanings_source(found.network, found.subject[0], found.result)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def begin_with(session: Session, name: str) -> tuple[float, ...]:
    """The numbers that a variable's evidence has, as a distribution; else most for the first state."""
    size = session.network.variables[session.network.index[name]].cardinality
    kind, numbers = find_kind(session.supposed, name)
    if kind in ("likelihood", "target"):
        return tuple(value / sum(numbers) for value in numbers)
    return (SHARE, *([(1 - SHARE) / (size - 1)] * (size - 1))) if size > 1 else (1.0,)


def write_numbers(numbers: Sequence[float]) -> str:
    """Numbers as they are typed."""
    return " ".join(map(show_number, numbers))


def read_numbers(text: str, name: str, states: Sequence[str]) -> tuple[float, ...]:
    """The numbers of a text, one for each state; they must sum to 1, for they are read as a target too."""
    numbers = tuple(parse_number(item) for item in text.replace("/", " ").replace(";", " ").split())
    if len(numbers) != len(states):
        has, got = count(len(states), "state"), count(len(numbers), "number")
        raise PgmError(f"{shorten(name)} has {has}; got {got}: give one for each, as 0.8 0.2")
    if abs(sum(numbers) - 1) > 1e-4:
        raise PgmError(f"the numbers sum to {show_number(sum(numbers))}; to be read as a target they must sum to 1")
    return tuple(value / sum(numbers) for value in numbers)


def solve_meanings(network: Network, evidence: Evidence, subject: Subject) -> Meanings:
    """What follows of numbers for a variable, in each meaning."""
    name, numbers = subject
    posterior = query(network, forget(evidence, name))
    without = tuple(posterior.marginal(v)[0] for v in range(len(network.variables)))
    return Meanings(without, read_in_three_ways(network, evidence, name, numbers))


def describe_meanings(found: Found) -> list[str]:
    """A sentence for each meaning, and what the numbers of the variable become."""
    if found.result is None:
        return [found.trouble]
    name, numbers = found.subject
    result: Meanings = found.result
    variable = found.network.variables[found.network.index[name]]
    told = [f"{state} {show_number(value)}" for state, value in zip(variable.states, numbers, strict=True)]
    lines = [f"One number, three meanings: {name}, {cut(told, 4)}."]
    for meaning in MEANINGS:
        reading = result.readings[meaning]
        lines.append(sentence(f"{TITLES[meaning]}: {reading.trouble}") if reading.marginals is None else SAYS[meaning])
    fixed, free = (result.readings[meaning].marginals for meaning in ("fixed", "non-fixed"))
    if fixed is not None and free is not None and are_equal(fixed, free):
        lines.append("The two targets agree here: nothing else that is supposed tells of it.")
    return lines


def are_equal(one: Marginals, other: Marginals) -> bool:
    """Whether two sets of posteriors are the same, as far as is shown."""
    return all(np.abs(a - b).max(initial=0.0) < 5e-5 for a, b in zip(one, other, strict=True))


def meanings_source(network: Network, name: str, result: Meanings) -> Source:
    """A row for each state, the variable itself first; a column without the numbers and for each meaning, shaded by how
    far it moves."""
    first = network.index[name]
    chosen = [first, *(v for v in range(len(network.variables)) if v != first)]
    rows = [(v, k) for v in chosen for k in range(network.variables[v].cardinality)]
    columns = (
        Column("Variable", "head", "", 66),
        Column("State", "head", "", 56),
        Column("Without", "number", "what is probable without the numbers", 68),
        *(Column(TITLES[meaning], "number", SAYS[meaning], WIDTHS[meaning]) for meaning in MEANINGS),
    )

    def row(v: int, k: int) -> list[Cell]:
        variable, before = network.variables[v], float(result.without[v][k])
        cells: list[Cell] = [variable.name if k == 0 else "", variable.states[k], f"{100 * before:.1f}%"]
        for meaning in MEANINGS:
            marginals = result.readings[meaning].marginals
            if marginals is None:
                cells.append("–")
            else:
                value = float(marginals[v][k])
                cells.append({"text": f"{100 * value:.1f}%", "heat": value - before})
        return cells

    return Source(columns, len(rows), lambda a, b: [row(*one) for one in rows[a : b + 1]], "Three meanings")
