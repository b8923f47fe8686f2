"""Which variable to observe next, to know most about the selected one."""

from __future__ import annotations

from typing import Any

import panel as pn

from engine.inference.query import Evidence
from engine.insight.information import Information, find_information
from engine.model.network import Network
from pgmgui.board.beside import work_beside
from pgmgui.components.plain_text import PlainText
from pgmgui.components.tornado.tornado import Range, Tornado
from pgmgui.project.words import count
from pgmgui.state.answers import Answers
from pgmgui.state.inquiries import Found, Inquiries, Subject
from pgmgui.state.session import Session

MOST_SHOWN = 30
"""Variables that have a bar."""
LEAST_SHOWN = 5e-5
"""Of the target's entropy: what takes away less has no bar."""
HOW_TO_BEGIN = "Select a variable on the canvas to see what to observe next, to know most about it."


class InformationView(pn.viewable.Viewer):
    """How uncertain the selected variable is, and how much of that others would take away."""

    def __init__(self, session: Session, _answers: Answers) -> None:
        super().__init__()
        self._session = session
        self._inquiries = Inquiries(session, work_beside, solve_information, self._choose)
        self._words = PlainText(margin=(0, 0, 4, 0))
        self._bars = Tornado(label="What to observe next", sizing_mode="stretch_width", margin=(0, 8, 8, 0))
        scrolled = pn.Column(self._bars, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        self._view = pn.Column(self._words, scrolled, sizing_mode="stretch_both", margin=0)
        self._inquiries.param.watch(self._update, ["found", "busy"])
        session.param.watch(self._update, "selected", precedence=2)

    def look(self, looked_at: bool) -> None:
        """Answer while the view is in sight."""
        self._inquiries.look(looked_at)
        self._update()

    def _choose(self) -> Subject | None:
        return tuple(self._session.selected[:1]) or None

    def _update(self, *_events: Any) -> None:
        found = self._inquiries.fitting
        if self._choose() is None:
            self._words.write(HOW_TO_BEGIN)
        else:
            self._words.write(*(["Computing …"] if found is None else describe_information(found)))
        self._bars.ranges = list_ranges(found) if found is not None and found.result is not None else []

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def solve_information(network: Network, evidence: Evidence, subject: Subject) -> Information:
    """What others would tell of a variable."""
    (name,) = subject
    return find_information(network, evidence, name)


def describe_information(found: Found) -> list[str]:
    """What the bars say."""
    result = found.result
    if result is None:
        return [found.trouble]
    (name,) = found.subject
    shown = len(list_ranges(found))
    told = f"The entropy of {name} is {result.entropy:.4f} nats"
    if not shown:
        return [f"{told}; no other variable tells anything of it."]
    left = sum(gain > LEAST_SHOWN * result.entropy for _, gain in result.gains) - shown
    words = (
        f"{told}. Bars: by how much it falls on average when one other variable is observed; the most telling first."
    )
    return [words, f"The first {count(shown, 'variable')}, {left:,} others tell less."] if left else [words]


def list_ranges(found: Found) -> list[Range]:
    """A bar for each variable that tells something, the most telling first."""
    result, network, (name,) = found.result, found.network, found.subject
    ranges = []
    for v, gain in result.gains[:MOST_SHOWN]:
        if gain <= LEAST_SHOWN * result.entropy or gain < 1e-12:
            break
        share, other = f"{100 * gain / result.entropy:.1f}%", network.variables[v].name
        about = f"Observing {other} takes away {gain:.4g} of {result.entropy:.4g} nats of {name}, on average."
        ranges.append(Range(other, "", about, 0.0, gain, f"−{gain:.4f}, {share}"))
    return ranges
