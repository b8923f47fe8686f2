"""The picture of a network: where its nodes are drawn, and what they look like given the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.formats import Document
from engine.learning.bounds import CERTIFIED
from engine.learning.decomposition import Decomposition
from engine.learning.snapshot import Snapshot
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.scene import Parts
from pgmgui.project.words import count_edges, cut
from pgmgui.state.session import Session

MOST_STATES = 8
"""States told in a line about a variable."""
MOST_SERVED = 2
"""Components on a node's badge that it serves."""
COLOURS = 8
"""Colours of components; as many as canvas.css has."""
GAPS = (CERTIFIED, 0.1, 1.0, 10.0)
"""Nats: where the shade of a gap becomes the next darker one."""


@dataclass(frozen=True)
class Graph:
    """A network as the canvas draws it.

    Attributes
    ----------
    nodes : tuple of dict
        Each with ``name``, ``x`` and ``y``.
    edges : tuple of (int, int)
        Indices of nodes; from parent to child where directed.
    """

    title: str
    nodes: tuple[dict[str, str | float], ...]
    edges: tuple[tuple[int, int], ...]
    directed: bool
    label: str


@dataclass(frozen=True)
class Look:
    """How the nodes of a graph look: what the data says of them, and their components.

    Attributes
    ----------
    nodes : tuple of dict
        Per node its ``role`` (empty without data), ``component`` (its number from 1, 0 for none), ``badge``
        (that number, and those it serves), ``pruned``, ``ghost`` (not part of the component that is looked
        at), ``borrowed`` (on its boundary), and ``about``, a line for tooltips and screen readers.
    components : tuple of tuple of int
        The nodes of each component that is drawn around: those with something hidden, and the one looked at.
    hulls : tuple of dict
        What is drawn around each of these: ``number``, ``label``, ``colour`` (a class of canvas.css), ``ghost``.
    alone : int
        The number of the component that is looked at alone; 0 for none.
    """

    nodes: tuple[dict[str, str | int | bool], ...]
    components: tuple[tuple[int, ...], ...]
    hulls: tuple[dict[str, str | int | bool], ...]
    alone: int


def draw(document: Document, title: str = "") -> Graph:
    """The picture of a network whose variables all have a position."""
    network = document.network
    directed = isinstance(network, BayesianNetwork)
    nodes: list[dict[str, str | float]] = []
    for variable in network.variables:
        x, y = document.positions[variable.name]
        nodes.append({"name": variable.name, "x": x, "y": y})
    label = f"{'Bayesian' if directed else 'Markov'} network: {count_edges(network)}"
    return Graph(title, tuple(nodes), tuple(network.edges), directed, label)


def is_other(before: Graph | None, graph: Graph) -> bool:
    """Whether a graph is no edit of the one before, so that it must be brought into view."""
    if before is None or before.title != graph.title:
        return True
    known = {node["name"] for node in before.nodes}
    new = sum(node["name"] not in known for node in graph.nodes)
    return new > 1 and 2 * new > len(graph.nodes)


def look_at(session: Session) -> Look:
    """What a session's graph looks like."""
    network, dataset, parts = session.network, session.seen, session.parts
    nodes: list[dict[str, str | int | bool]] = []
    for v, variable in enumerate(network.variables):
        role = "" if dataset is None else dataset.roles[v].value
        about = _describe(variable) + (f". {role.capitalize()}" if role else "")
        node: dict[str, str | int | bool] = {"role": role, "component": 0, "badge": "", "about": about}
        nodes.append(node | dict.fromkeys(("pruned", "ghost", "borrowed"), False))
    if parts is None:
        return Look(tuple(nodes), (), (), 0)
    components, alone = parts.task.decomposition.components, session.component
    _tell_components(nodes, parts.task.decomposition, alone)
    around = [k for k, component in enumerate(components) if k == alone or not component.is_complete]
    gaps = find_gaps(parts, session.reached) if session.colour == "gap" else None
    return Look(
        tuple(nodes),
        tuple(components[k].variables for k in around),
        tuple(_draw_hull(k, alone, gaps) for k in around),
        0 if alone is None else alone + 1,
    )


def _tell_components(
    nodes: Sequence[dict[str, str | int | bool]], decomposition: Decomposition, alone: int | None
) -> None:
    """Write into the looks of nodes which component they belong to, and which they serve."""
    serves: list[list[str]] = [[] for _ in nodes]
    for k, component in enumerate(decomposition.components):
        for v in component.boundary:
            serves[v].append(str(k + 1))
    looked_at = None if alone is None else decomposition.components[alone]
    for v, (node, own, served) in enumerate(zip(nodes, decomposition.component_of, serves, strict=True)):
        node["pruned"] = own < 0
        node["component"] = own + 1
        if own < 0:
            node["about"] = f"{node['about']}, a hidden leaf: left out of learning"
        else:
            node["badge"] = f"{own + 1}"
            node["about"] = f"{node['about']}. Component {own + 1}"
        if served:
            more = ", …" if len(served) > MOST_SERVED else ""
            node["badge"] = f"{node['badge']} → {', '.join(served[:MOST_SERVED])}{more}"
            node["about"] = f"{node['about']}, lent to {cut(served, 8)}"
        if looked_at is not None:
            node["borrowed"] = v in looked_at.boundary
            node["ghost"] = v not in looked_at.variables and v not in looked_at.boundary


def _draw_hull(k: int, alone: int | None, gaps: Sequence[float | None] | None) -> dict[str, str | int | bool]:
    colour, label = f"colour-{k % COLOURS}", f"{k + 1}"
    if gaps is not None:
        colour, label = shade(gaps[k]), f"{k + 1}: {describe_gap(gaps[k])}"
    return {"number": k + 1, "label": label, "colour": colour, "ghost": alone is not None and k != alone}


def find_gaps(parts: Parts, learned: Snapshot | None) -> list[float | None]:
    """How far what was learned is from the bound, per component; None where nothing was."""
    components = parts.task.decomposition.components
    if learned is None or learned.objective.shape[1] != len(components) + 1:
        return [None] * len(components)
    reached = learned.objective[learned.best]
    return [max(0.0, float(parts.bounds.patterns[k] - reached[k])) for k in range(len(components))]


def shade(gap: float | None) -> str:
    """The class of canvas.css for a gap: darker where it is larger."""
    return "gap-none" if gap is None else f"gap-{sum(gap > limit for limit in GAPS)}"


def describe_gap(gap: float | None) -> str:
    """A gap in words."""
    if gap is None:
        return "no run yet"
    return "certified" if gap <= CERTIFIED else f"gap {gap:,.3g}"


def _describe(variable: Variable) -> str:
    return f"{variable.name}: {cut(variable.states, MOST_STATES)}"
