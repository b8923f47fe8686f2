"""Which variables can tell anything of each other, by the graph alone: separation, its trails, Markov blankets."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import panel as pn

from engine.inference.query import Evidence, list_constrained, names_of
from engine.insight.separation import Separation, Trail, separate_sets
from engine.model.errors import PgmError
from engine.model.network import Network
from engine.model.relatives import Tie, explain_blanket
from engine.model.variable import list_names
from pgmgui.board.beside import work_beside
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.fields import make_field
from pgmgui.components.plain_text import PlainText
from pgmgui.project.trails import (
    Knowledge,
    describe_blanket,
    describe_likelihoods,
    describe_separation,
    explain_trail,
    show_trail,
    write_trail,
)
from pgmgui.project.words import cut
from pgmgui.state.answers import Answers
from pgmgui.state.inquiries import Inquiries, Subject
from pgmgui.state.session import Session

HOW_TO_BEGIN = (
    "Select two variables on the canvas (Shift+click for the second), or name them here; several with commas between."
)
MOST_PAIRS = 64
"""Pairs of a variable on the one side and one on the other."""
ONE_MORE = "Select a second variable to see whether the two are independent, and why."
_WIDE = """
.choices, .group { align-items: stretch; } .group { flex-direction: column; width: 100%; } .title { padding-top: 2px; }
button { max-width: 100%; white-space: normal; overflow-wrap: anywhere; text-align: left; }
"""


@dataclass(frozen=True, eq=False)
class Reading:
    """What the graph says: of two variables or sets, whether they are separated; of one variable, its blanket."""

    sides: tuple[tuple[int, ...], tuple[int, ...]]
    knowledge: Knowledge
    separation: Separation | None
    blanket: dict[int, Tie]

    @property
    def trails(self) -> tuple[Trail, ...]:
        """The trails that are listed, active ones first."""
        return () if self.separation is None else (*self.separation.active, *self.separation.blocked)


class IndependenceView(pn.viewable.Viewer):
    """Two variables or sets of them, and what else is taken to be known; whether they are separated, and the trails.

    The two are what is selected on the canvas: the first, and all others, unless a field says how they are shared out.
    """

    def __init__(self, session: Session, _answers: Answers) -> None:
        super().__init__()
        self._session = session
        self._given: tuple[str, ...] = ()
        self._shared: tuple[list[str], int] = [], 1  # how many of what was selected are on the first side
        self._chosen = 0
        self._looked_at = False
        self._inquiries = Inquiries(session, work_beside, read_graph, self._choose, lambda session: session.network)
        about = "A variable by its name, the {} of the two, or several with commas between; or select them."
        self._one = make_field("From", about.format("first"), partial(self._name, 0), 130)
        self._other = make_field("To", about.format("second"), partial(self._name, 1), 130)
        also = "Variables that are taken to be known here beside what is supposed, by their names with commas between."
        self._also = make_field("Also given", also, self._give)
        self._words = PlainText(margin=(4, 0, 4, 0))
        self._trails = Choices(label="Trails", on_press=self._press, margin=(0, 12, 8, 0), stylesheets=[_WIDE])
        self._reasons = PlainText(margin=(6, 0, 4, 0))
        fields = pn.Row(self._one, self._other, self._also, margin=0, sizing_mode="stretch_width")
        parts = (self._words, self._reasons, self._trails)
        scrolled = pn.Column(*parts, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        self._view = pn.Column(fields, scrolled, sizing_mode="stretch_both", margin=0)
        self._inquiries.param.watch(self._update, ["found", "busy"])
        session.param.watch(self._update, ["selected", "scene"], precedence=2)

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight; the canvas shows its trail so long."""
        self._looked_at = looked_at
        self._inquiries.look(looked_at)
        self._update()

    # --- what is asked

    def _choose(self) -> Subject | None:
        given = tuple(name for name in self._given if name in self._session.network.index)
        return (self._sides, given) if self._session.selected else None

    @property
    def _sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names on each side; on the second perhaps none."""
        selected, (shared, first) = self._session.selected, self._shared
        first = first if shared == selected else 1
        return tuple(selected[:first]), tuple(selected[first:])

    def _name(self, place: int, text: str) -> None:
        """Choose the variables of a side: what is named becomes the selection of the canvas."""
        sides = [list(side) for side in self._sides]
        if text == ", ".join(sides[place]):
            return
        names, known = self._read_names(text)
        sides[place] = list(dict.fromkeys(names))
        if known and names and not set(sides[0]) & set(sides[1]):
            selected = [*sides[0], *sides[1]]
            self._shared = selected, len(sides[0]) or 1
            self._session.select(selected)
        self._update()  # the field shows who is meant

    def _give(self, text: str) -> None:
        self._given = tuple(self._read_names(text)[0])
        self._inquiries.ask()
        self._update()

    def _read_names(self, text: str) -> tuple[list[str], bool]:
        """The variables that a text names, and whether there are all; it is said which are not there."""
        index = self._session.network.index
        names = [text.strip()] if text.strip() in index else split_names(text)
        unknown = [name for name in names if name not in index]
        if unknown:
            self._session.say(f"There is no variable {cut(unknown)} in this network. Look for it with Ctrl+F.")
        return [name for name in names if name in index], not unknown

    def _press(self, key: str) -> None:
        self._chosen = int(key)
        self._update()

    # --- what is shown

    def _update(self, *_events: Any) -> None:
        if not self._looked_at:
            self._session.show_trail(None)
            return
        names, found = self._session.selected, self._inquiries.fitting
        self._one.value, self._other.value = (", ".join(side) for side in self._sides)
        reading: Reading | None = None if found is None else found.result
        if found is None or reading is None:
            waiting = "Computing …" if found is None else found.trouble
            self._words.write(waiting if names else HOW_TO_BEGIN)
            self._trails.groups = []
            self._show(self._session.network, None, ())
            return
        trails = reading.trails
        self._chosen = self._chosen if self._chosen < len(trails) else 0
        targets = ["A target counts as a likelihood here."] if found.supposed.wanted.tables else []
        self._words.write(*describe_reading(found.network, reading), *targets)
        self._trails.groups = list_groups(found.network, reading, self._chosen)
        self._show(found.network, trails[self._chosen] if trails else None, reading.knowledge.likely)

    def _show(self, network: Network, trail: Trail | None, likely: Collection[int]) -> None:
        """Show a trail on the canvas, with its reasons here, or none; and what is also given."""
        given = tuple(name for name in self._given if name in network.index)
        self._session.show_trail(show_trail(network, trail, given))
        if trail is None:
            self._reasons.write()
            return
        told = f"{write_trail(network, trail)} is {'active' if trail.is_active else 'blocked'}:"
        self._reasons.write(told, *explain_trail(network, trail, likely))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def split_names(text: str) -> list[str]:
    """The names in a text, with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def read_graph(network: Network, evidence: Evidence, subject: Subject) -> Reading:
    """What the graph says of one variable or two sets, given the evidence and what else is taken to be known."""
    (ones, others), given = subject
    if len(ones) * len(others) > MOST_PAIRS:
        raise PgmError(f"{len(ones)} and {len(others)} variables are too many: choose at most {MOST_PAIRS} pairs")
    sides = tuple(network.index[name] for name in ones), tuple(network.index[name] for name in others)
    # A likelihood that leaves one state is a state.
    settled = [name for name, weights in evidence.likelihoods.items() if sum(weight > 0 for weight in weights) == 1]
    known = frozenset(network.index[name] for name in (*evidence.states, *settled, *given))
    together = [key for key in evidence.marginals if len(names_of(key)) > 1]
    if together:
        names_told = list_names(list(names_of(together[0])))
        raise PgmError(f"a target of {names_told} together ties them, which the graph does not show; leave it out")
    likely = frozenset(network.index[name] for name in (*evidence.likelihoods, *list_constrained(evidence))) - known
    knowledge = Knowledge(known, likely)
    if not others:
        return Reading(sides, knowledge, None, explain_blanket(network, sides[0][0]))
    return Reading(sides, knowledge, separate_sets(network, *sides, known, likely), {})


def describe_reading(network: Network, reading: Reading) -> list[str]:
    """What the graph says, in sentences."""
    if reading.separation is None:
        return [*describe_blanket(network, reading.sides[0][0], reading.blanket), ONE_MORE]
    lines = describe_separation(network, reading.sides, reading.knowledge, reading.separation)
    return [*lines, *describe_likelihoods(network, reading.knowledge)]


def list_groups(network: Network, reading: Reading, chosen: int) -> list[Group]:
    """A button for each trail, the active ones and the blocked ones."""
    choices = []
    for k, trail in enumerate(reading.trails):
        reasons = explain_trail(network, trail, reading.knowledge.likely)
        about = f"Draw it on the canvas, and say why: {' '.join(reasons)}"
        stops = [network.variables[step.variable].name for step in trail.steps if not step.is_open]
        text = write_trail(network, trail) + (f"  ✗ at {cut(stops)}" if stops else "")
        choices.append(Choice(str(k), text, about, k == chosen, look="plain"))
    active = 0 if reading.separation is None else len(reading.separation.active)
    kinds = {"Active": choices[:active], "Blocked": choices[active:]}
    return [Group(f"{kind} trails, the shortest first:", tuple(own)) for kind, own in kinds.items() if own]
