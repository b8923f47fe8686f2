"""The junction tree: of the network, given what is supposed, or of a component given what is observed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import panel as pn

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.query import Evidence
from engine.inference.text_tables import format_bytes, format_count
from engine.insight.clique_tree import CliqueTree, find_clique_tree
from engine.model.dataset import Role
from engine.model.messages import format_seconds
from engine.model.network import Network
from pgmgui.board.beside import work_beside
from pgmgui.components.diagram.diagram import Diagram, Drawing
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_wrapped_switch
from pgmgui.project.words import count
from pgmgui.state.inquiries import Found, Inquiries, Subject
from pgmgui.state.session import Session
from pgmgui.tabs.parts.tree_layout import Hanging, draw_tree, hang

NETWORK, EVIDENCE, COMPONENT = "network", "given evidence", "component"
NO_COMPONENT = "Look at a component first: pick one under Show: decomposition, or press c on one of its variables."
NOTHING_SUPPOSED = "Nothing is supposed yet, so this is the tree of the network. Suppose something in the Query tab."
NO_TARGETS = "Targets are left out of this tree; one of several variables would join them in a clique."
LONGEST = 110
"""Characters of a list of variables, or of fill-in edges."""


class TreeView(pn.viewable.Viewer):
    """What a tree is of, what it costs, and its cliques; a press on one selects its variables."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._looked_at = False
        self._opened: set[int] = set()
        self._shown: Found | None = None
        self._of = make_wrapped_switch(
            "Of",
            [NETWORK, EVIDENCE, COMPONENT],
            "The whole network; what is left of it given the evidence of the Query tab; or the component looked at, "
            "given what is observed in every row.",
            (2, 0, 0, 0),
        )
        self._of.param.watch(lambda _: self._turn(), "value")
        self._inquiries = Inquiries(session, work_beside, find_tree, self._choose, lambda session: session.network)
        self._words = PlainText(margin=(4, 8, 4, 0))
        self._diagram = Diagram(on_press=self._press, sizing_mode="stretch_both", min_height=220, margin=(0, 8, 4, 0))
        self._order = PlainText(margin=(0, 8, 4, 0))
        shown = (self._of, self._words, self._diagram, self._order)
        self._view = pn.Column(*shown, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        self._inquiries.param.watch(self._update, ["found", "busy"])
        session.param.watch(self._update, ["selected", "component", "scene"], precedence=2)
        session.param.watch(lambda *_: self._inquiries.ask(), ["component", "derived"], precedence=1)

    def look(self, looked_at: bool) -> None:
        """Find the tree while somebody looks."""
        self._looked_at = looked_at
        self._inquiries.look(looked_at)
        self._update()

    def _turn(self) -> None:
        self._inquiries.ask()
        self._update()

    def _choose(self) -> Subject | None:
        parts, number = self._session.parts, self._session.component
        if self._of.value != COMPONENT:
            return (self._of.value,)
        return None if parts is None or number is None else (COMPONENT, parts, number)

    def _press(self, key: str) -> None:
        if key.startswith("open "):
            self._opened.add(int(key.removeprefix("open ")))
            self._update()
        elif self._shown is not None:
            variables = self._shown.network.variables
            clique = self._shown.result.hanging.tree.cliques[int(key)]
            self._session.select([variables[v].name for v in clique])

    def _update(self, *_events: Any) -> None:
        if not self._looked_at:
            self._session.show_fill_in(())
            return
        found = self._inquiries.fitting
        if found is None or found.result is None:
            asked = self._choose() is not None
            self._words.write(NO_COMPONENT if not asked else "Computing …" if found is None else found.trouble)
            self._order.write()
            self._diagram.drawing, self._shown = Drawing(), None
            self._session.show_fill_in(())
            return
        if self._shown is not found:
            self._shown, self._opened = found, set()
        names = [variable.name for variable in found.network.variables]
        self._words.write(*describe_tree(found))
        self._order.write(*describe_order(names, found.result.tree))
        self._session.show_fill_in((names[a], names[b]) for a, b in found.result.tree.fill_in)
        self._diagram.drawing = draw_tree(found.result.hanging, names, self._opened, self._session.selected)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


@dataclass(frozen=True, eq=False)
class Hung:
    """A tree, and how it is drawn."""

    tree: CliqueTree
    hanging: Hanging


def find_tree(network: Network, evidence: Evidence, subject: Subject) -> Hung:
    """The tree that is asked for."""
    found = _find_tree(network, evidence, subject)
    return Hung(found, hang(found.tree))


def _find_tree(network: Network, evidence: Evidence, subject: Subject) -> CliqueTree:
    if subject[0] == COMPONENT:
        _, parts, number = subject
        decomposition = parts.task.decomposition
        observed = [v for v, role in enumerate(decomposition.dataset.roles) if role is Role.OBSERVED]
        factors = decomposition.components[number].factors
        return find_clique_tree(network, observed, factors, int(parts.task.distinct_rows[number]))
    settled = [name for name, weights in evidence.likelihoods.items() if sum(weight > 0 for weight in weights) == 1]
    known = [*evidence.states, *settled] if subject[0] == EVIDENCE else []
    return find_clique_tree(network, [network.index[name] for name in known])


def describe_tree(found: Found) -> list[str]:
    """What the tree is of, and what it costs, in lines."""
    result: CliqueTree = found.result.tree
    tree = result.tree
    whose = {NETWORK: "The network as such", EVIDENCE: "Given what is supposed, which needs no summing"}
    what = whose.get(found.subject[0], "")
    if found.subject[0] == COMPONENT:
        what = f"Component {found.subject[2] + 1}, given what is observed in every row"
    lines = []
    if found.subject[0] == EVIDENCE:
        lines += [NOTHING_SUPPOSED] * found.supposed.is_nothing + [NO_TARGETS] * bool(found.supposed.wanted.tables)
    if not tree.cliques:
        return [*lines, f"{what}: nothing is left to sum, so there is no tree. Counting is enough."]
    sizes = f"{count(len(tree.position), 'variable')} in {count(len(tree.cliques), 'clique')}, width {tree.width}"
    cells = f"largest table {format_count(tree.largest)} cells, {format_count(tree.cells)} in all"
    lines.append(f"{what}: {sizes}, {cells}. On the lines: what two cliques share, and its cells.")
    if result.memory > MEMORY_LIMIT:
        limit = format_bytes(MEMORY_LIMIT)
        return [
            *lines,
            f"Too wide for exact inference: {format_bytes(result.memory)} of tables, over the limit of {limit}.",
        ]
    rows = f"a pass over {count(result.rows, 'distinct row')}" if result.rows > 1 else "a pass"
    lines.append(
        f"About {format_bytes(result.memory)} of tables a row; {rows} takes about {format_seconds(result.seconds)}."
    )
    return lines


def describe_order(names: list[str], result: CliqueTree) -> list[str]:
    """In which order variables are summed out, and which edges that adds."""
    if not result.order:
        return []
    order = f"Summed out in this order: {_list([names[v] for v in result.order], len(result.order))}."
    if not result.added:
        return [order, "No fill-in: no order is better."]
    edges = [f"{names[a]} – {names[b]}" for a, b in result.fill_in]
    left = f", the first {len(edges):,}" if len(edges) < result.added else ""
    drawn = f"{count(result.added, 'fill-in edge')} (dashed on the canvas{left})"
    return [order, f"{drawn}: {_list(edges, result.added)}."]


def _list(items: list[str], total: int) -> str:
    """As many of the items as there is room for, and how many more there are."""
    lengths = itertools.accumulate(len(item) + 2 for item in items)
    shown = max(1, sum(length <= LONGEST for length in lengths))
    return ", ".join(items[:shown]) + (f" and {total - shown:,} more" if total > shown else "")
