"""Which entries of the tables move the posterior of the selected variable most, as a tornado."""

from __future__ import annotations

from typing import Any

import panel as pn

from engine.inference.query import Evidence
from engine.insight.sensitivity import Influence, Sensitivity, find_influences
from engine.model.network import BayesianNetwork, Network
from pgmgui.board.beside import work_beside
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.plain_text import PlainText
from pgmgui.components.tornado.tornado import Range, Tornado
from pgmgui.project.numbers import show_number
from pgmgui.state.answers import Answers
from pgmgui.state.inquiries import Found, Inquiries, Subject
from pgmgui.state.session import Session

MOST_SHOWN = 30
"""Entries that have a bar."""
HEADS = ["Entry", "How far it moves", "Halved → doubled"]
HOW_TO_BEGIN = "Select a variable on the canvas to see which entries of the tables move its posterior most."


class SensitivityView(pn.viewable.Viewer):
    """The states of the selected variable, of which one is asked about; and the entries that move its posterior."""

    def __init__(self, session: Session, _answers: Answers) -> None:
        super().__init__()
        self._session = session
        self._chosen = ""
        self._inquiries = Inquiries(session, work_beside, solve_sensitivity, self._choose)
        self._states = Choices(
            label="State that is asked about",
            on_press=self._press,
            margin=0,
            styles={"max-height": "64px", "overflow": "auto"},
        )
        self._words = PlainText(margin=(0, 0, 4, 0))
        self._tornado = Tornado(heads=HEADS, sizing_mode="stretch_width", margin=(0, 8, 8, 0))
        scrolled = pn.Column(self._tornado, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        self._view = pn.Column(self._states, self._words, scrolled, sizing_mode="stretch_both", margin=0)
        self._inquiries.param.watch(self._update, ["found", "busy"])
        session.param.watch(self._update, "selected", precedence=2)

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""
        self._inquiries.look(looked_at)
        self._update()

    def _choose(self) -> Subject | None:
        """The variable and the state that are asked about: the one that was pressed, or else the first."""
        session = self._session
        if not session.selected:
            return None
        name = session.selected[0]
        states = session.network.variables[session.network.index[name]].states
        return name, self._chosen if self._chosen in states else states[0]

    def _press(self, state: str) -> None:
        self._chosen = state
        self._inquiries.ask()
        self._update()

    def _update(self, *_events: Any) -> None:
        subject, found = self._choose(), self._inquiries.fitting
        self._states.groups = [] if subject is None else [self._list_states(*subject)]
        if subject is None:
            self._words.write(HOW_TO_BEGIN)
        else:
            self._words.write(*(["Computing …"] if found is None else describe_sensitivity(found)))
        result = found.result if found is not None else None
        if found is None or result is None:
            self._tornado.ranges = []
        else:
            ranges = [make_range(found.network, one) for one in result.influences]
            self._tornado.param.update(ranges=ranges, middle=result.posterior, label="Entries that move the posterior")

    def _list_states(self, name: str, asked: str) -> Group:
        states = self._session.network.variables[self._session.network.index[name]].states
        about = "Ask what moves the posterior of {}"
        choices = (Choice(s, s, about.format(f"{name} = {s}"), s == asked, look="plain") for s in states)
        return Group(f"{name}:", tuple(choices))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def solve_sensitivity(network: Network, evidence: Evidence, subject: Subject) -> Sensitivity:
    """What moves the posterior of a variable's state."""
    name, state = subject
    found = find_influences(network, evidence, name, state, 2 * MOST_SHOWN)
    return Sensitivity(found.posterior, leave_out_mirrors(network, found.influences)[:MOST_SHOWN])


def leave_out_mirrors(network: Network, influences: tuple[Influence, ...]) -> tuple[Influence, ...]:
    """Of two entries that sum to 1 only the first: the other does the same the other way round."""
    if not isinstance(network, BayesianNetwork):
        return influences
    return tuple(one for one in influences if network.tables[one.factor].shape[-1] != 2 or one.cell[-1] == 0)


def describe_sensitivity(found: Found) -> list[str]:
    """What the bars say."""
    result = found.result
    if result is None:
        return [found.trouble]
    name, state = found.subject
    told = f"{name} = {state} has {100 * result.posterior:.1f}%"
    if not result.influences:
        return [f"{told}, and no entry between 0 and 1 moves it."]
    if isinstance(found.network, BayesianNetwork):
        how = "an entry's odds are halved or doubled, the rest of its row in proportion"
    else:
        how = "an entry of a factor is halved or doubled"
    return [
        f"{told}. Bars: where it goes if {how}; striped where it falls as the entry grows. "
        "The entry that moves it most stands first."
    ]


def make_range(network: Network, one: Influence) -> Range:
    """The bar of an entry."""
    text, detail = name_entry(network, one)
    by = "the entry" if isinstance(network, BayesianNetwork) else "the entry's logarithm"
    about = (
        f"{text}{f', {detail}' if detail else ''}: {show_number(one.value)}. Halved: {100 * one.halved:.2f}%, doubled: "
        f"{100 * one.doubled:.2f}%. Derivative by {by}: {one.derivative:.4g}."
    )
    told = f"{100 * one.halved:.1f} → {100 * one.doubled:.1f}%"
    return Range(f"{text}: {show_number(one.value)}", detail, about, one.halved, one.doubled, told)


def name_entry(network: Network, one: Influence) -> tuple[str, str]:
    """An entry in words: its own state, and what that is given; or all states, of a factor."""
    variables = [network.variables[v] for v in network.scopes[one.factor]]
    states = [f"{v.name} = {v.states[k]}" for v, k in zip(variables, one.cell, strict=True)]
    if not isinstance(network, BayesianNetwork):
        return ", ".join(states) or "constant", ""
    given = ", ".join(states[:-1])
    return states[-1], f"given {given}" if given else ""
