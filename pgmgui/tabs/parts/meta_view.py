"""The meta-network of EDML in four pictures, for small networks."""

from __future__ import annotations

from typing import Any

import panel as pn

from engine.inference.query import Evidence
from engine.insight.meta_network import MetaNetwork, count_sets, make_meta_network
from engine.model.network import BayesianNetwork, Network
from engine.sources.ibis_table import IbisTable
from pgmgui.board.beside import work_beside
from pgmgui.components.diagram.diagram import Diagram, Drawing
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_wrapped_switch
from pgmgui.project.counted_data import WHY
from pgmgui.project.words import count
from pgmgui.state.inquiries import Inquiries, Subject
from pgmgui.state.session import Session
from pgmgui.tabs.parts.meta_layout import Places, draw_connected, draw_islands

MOST_SETS = 24
"""Parameter sets of a network whose meta-network is drawn."""
MOST_ROWS = 3
"""Distinct rows that have a copy of the network, the most frequent ones."""
WHOLE, GENERATORS, ISLANDS, PRUNED = "1 whole", "2 generators", "3 islands", "4 pruned"

WORDS = {
    WHOLE: "Each set of parameters θ is a variable, and each row of data is observed on its own copy of the network. "
    "To learn is to find the most probable θ given all rows: exact, but all hangs together (Fig. 3.2 [thesis]).",
    GENERATORS: "Between each θ and each copy EDML puts a generator, which draws a value by that θ alone. A variable "
    "copies the generator that the states of its parents choose. So far nothing has changed (Fig. 3.3 [thesis]).",
    ISLANDS: "Then it deletes the edges from generators to copies. What is lost on the way down, clones (′) make up "
    "for, with the current parameters as tables; what is lost on the way up, soft evidence on the generators.",
    PRUNED: "What is observed prunes the meta-network without any loss: arrows that leave an observed variable, and "
    "those of a θ that the states of observed parents rule out (Fig. 3.5 [thesis]).",
}
"""What each picture says of any network."""


class MetaView(pn.viewable.Viewer):
    """A picture, and what it says."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._looked_at = False
        about = "How EDML takes the meta-network apart, step by step."
        pictures = [WHOLE, GENERATORS, ISLANDS, PRUNED]
        self._picture = make_wrapped_switch("Picture", pictures, about, (2, 0, 0, 0))
        self._picture.param.watch(self._update, "value")
        self._inquiries = Inquiries(session, work_beside, find_meta, self._choose, lambda session: session.network)
        self._words = PlainText(margin=(4, 8, 4, 0))
        self._diagram = Diagram(fitted=True, sizing_mode="stretch_both", min_height=220, margin=(0, 8, 4, 0))
        parts = (self._picture, self._words, self._diagram)
        self._view = pn.Column(*parts, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        self._inquiries.param.watch(self._update, ["found", "busy"])
        session.param.watch(self._update, ["scene", "derived"], precedence=2)
        session.param.watch(lambda *_: self._inquiries.ask(), "derived", precedence=1)

    def look(self, looked_at: bool) -> None:
        """Draw it while somebody looks."""
        self._looked_at = looked_at
        self._inquiries.look(looked_at)
        self._update()

    def _choose(self) -> Subject | None:
        return None if find_obstacle(self._session) else (self._session.seen,)

    def _update(self, *_events: Any) -> None:
        if not self._looked_at:
            return
        obstacle, found = find_obstacle(self._session), self._inquiries.fitting
        self._picture.visible = self._diagram.visible = not obstacle
        if obstacle or found is None or found.result is None:
            self._words.write(obstacle or ("Computing …" if found is None else found.trouble))
            self._diagram.drawing = Drawing()
            return
        picture = self._picture.value
        self._words.write(*describe_picture(found.result, picture))
        self._diagram.drawing = draw_picture(found.result, picture, self._session.document.positions)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def find_obstacle(session: Session) -> str:
    """Why there is no meta-network to show; empty if there is one."""
    network = session.network
    if not isinstance(network, BayesianNetwork):
        return (
            "Only the parameters of a Bayesian network make a meta-network: those of a Markov network are coupled by "
            "its partition function, and EDML is derived otherwise for them (chapter 5 [thesis])."
        )
    if session.seen is None or not session.seen.n_rows or not network.variables:
        return (
            "The meta-network has a copy of the network for every row of data: open or simulate some in the Data tab."
        )
    if isinstance(session.seen, IbisTable):
        return f"The meta-network has a copy of the network for rows of data, and {WHY}: open a few of them as a file."
    sets = count_sets(network)
    if sets > MOST_SETS:
        return (
            f"This network has {sets:,} parameter sets; the meta-network is drawn of at most {MOST_SETS}. "
            "The examples Hidden cause and Asia are small enough."
        )
    return ""


def find_meta(network: Network, _evidence: Evidence, subject: Subject) -> MetaNetwork:
    """The meta-network of a Bayesian network and the data as it is seen."""
    assert isinstance(network, BayesianNetwork)
    (seen,) = subject
    return make_meta_network(network, seen, MOST_ROWS)


def draw_picture(meta: MetaNetwork, picture: str, places: Places) -> Drawing:
    """One of the pictures."""
    if picture == ISLANDS:
        return draw_islands(meta, meta.deleted, places, "Meta-network with its islands")
    drawn = {WHOLE: meta.whole, GENERATORS: meta.generated, PRUNED: meta.pruned}[picture]
    words = {WHOLE: "Meta-network", GENERATORS: "Meta-network with generators", PRUNED: "Meta-network, pruned"}
    return draw_connected(meta, drawn, places, words[picture])


def describe_picture(meta: MetaNetwork, picture: str) -> list[str]:
    """What a picture says."""
    lines = [WORDS[picture]]
    if picture == ISLANDS:
        lines.append(
            f"{count(len(meta.deleted.islands), 'island')} remain, {len(meta.sets)} of them with one θ each, which "
            "finds its best value alone; by turns with the rows, until nothing changes (Fig. 3.4 [thesis])."
        )
    if picture == PRUNED:
        alone = sum(sum(node.kind == "set" for node in island) == 1 for island in meta.pruned.islands)
        told = f"{alone} of {count(len(meta.sets), 'set')} are then alone: nothing has to be approximated there."
        held = "no set is then alone: what is hidden holds them together."
        lines.append(f"Among these rows {told if alone else held}")
    if meta.left_out:
        rows = f"Copies of the {len(meta.rows)} most frequent distinct rows"
        lines.append(f"{rows}; there are {meta.left_out:,} more.")
    return lines
