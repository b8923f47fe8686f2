"""Which variables can tell anything of each other, by the graph alone: separation, its trails, Markov blankets."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import panel as pn

from engine.inference.query import Evidence, list_constrained, names_of
from engine.insight.separation import Separation, Trail, separate
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

HOW_TO_BEGIN = "Select two variables on the canvas (Shift+click for the second), or name them here."
ONE_MORE = "Select a second variable to see whether the two are independent, and why."
_WIDE = """
.choices, .group { align-items: stretch; } .group { flex-direction: column; width: 100%; } .title { padding-top: 2px; }
button { max-width: 100%; white-space: normal; overflow-wrap: anywhere; text-align: left; }
"""


@dataclass(frozen=True, eq=False)
class Reading:
    """What the graph says: of two variables, whether they are separated; of one, its blanket."""

    variables: tuple[int, ...]
    knowledge: Knowledge
    separation: Separation | None
    blanket: dict[int, Tie]

    @property
    def trails(self) -> tuple[Trail, ...]:
        """The trails that are listed, active ones first."""
        return () if self.separation is None else (*self.separation.active, *self.separation.blocked)


class IndependenceView(pn.viewable.Viewer):
    """Two variables, and what else is taken to be known; whether they are separated, the trails, and one's reasons."""

    def __init__(self, session: Session, _answers: Answers) -> None:
        super().__init__()
        self._session = session
        self._given: tuple[str, ...] = ()
        self._chosen = 0
        self._looked_at = False
        self._inquiries = Inquiries(session, work_beside, read_graph, self._choose, lambda session: session.network)
        about = "A variable by its name: the {} of the two; or select two on the canvas."
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
        return (tuple(self._session.selected[:2]), given) if self._session.selected else None

    def _name(self, place: int, text: str) -> None:
        """Choose one of the two variables: what is named becomes the selection of the canvas."""
        names, name = list(self._session.selected[:2]), text.strip()
        if text == (*names, "", "")[place]:
            return
        if name in self._session.network.index and name not in names:
            self._session.select([*names[:place], name, *names[place + 1 :]])
            return
        if name and name not in names:
            self._session.say(f"There is no variable {name} in this network. Look for it with Ctrl+F.")
        self._update()  # the field shows who is meant again

    def _give(self, text: str) -> None:
        names = [text.strip()] if text.strip() in self._session.network.index else split_names(text)
        unknown = [name for name in names if name not in self._session.network.index]
        if unknown:
            self._session.say(f"There is no variable {cut(unknown)} in this network. Look for it with Ctrl+F.")
        self._given = tuple(name for name in names if name not in unknown)
        self._inquiries.ask()
        self._update()

    def _press(self, key: str) -> None:
        self._chosen = int(key)
        self._update()

    # --- what is shown

    def _update(self, *_events: Any) -> None:
        if not self._looked_at:
            self._session.show_trail(None)
            return
        names, found = self._session.selected, self._inquiries.fitting
        self._one.value, self._other.value = (*names, "", "")[:2]
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
        self._words.write(*describe_reading(found.network, reading), *targets, *_tell_surplus(names))
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
    """What the graph says of one or two variables, given the evidence and what else is taken to be known."""
    names, given = subject
    variables = tuple(network.index[name] for name in names)
    # A likelihood that leaves one state is a state.
    settled = [name for name, weights in evidence.likelihoods.items() if sum(weight > 0 for weight in weights) == 1]
    known = frozenset(network.index[name] for name in (*evidence.states, *settled, *given))
    together = [key for key in evidence.marginals if len(names_of(key)) > 1]
    if together:
        names_told = list_names(list(names_of(together[0])))
        raise PgmError(f"a target of {names_told} together ties them, which the graph does not show; leave it out")
    likely = frozenset(network.index[name] for name in (*evidence.likelihoods, *list_constrained(evidence))) - known
    knowledge = Knowledge(known, likely)
    if len(variables) < 2:
        return Reading(variables, knowledge, None, explain_blanket(network, variables[0]))
    one, other = variables
    return Reading(variables, knowledge, separate(network, one, other, known, likely), {})


def describe_reading(network: Network, reading: Reading) -> list[str]:
    """What the graph says, in sentences."""
    if reading.separation is None:
        return [*describe_blanket(network, reading.variables[0], reading.blanket), ONE_MORE]
    lines = describe_separation(network, reading.variables, reading.knowledge, reading.separation)
    return [*lines, *describe_likelihoods(network, reading.knowledge)]


def _tell_surplus(names: list[str]) -> list[str]:
    return [f"Of {len(names):,} selected variables, these are the first two."] if len(names) > 2 else []


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
