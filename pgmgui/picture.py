"""The picture of a network: where its nodes are drawn, and what they look like given the data."""

from __future__ import annotations

from dataclasses import dataclass

from engine.formats import Document
from engine.network import BayesianNetwork
from engine.variable import Variable
from pgmgui.session import Session
from pgmgui.words import count_edges, cut

MOST_STATES = 8
"""States told in a line about a variable."""


@dataclass(frozen=True)
class Graph:
    """A network as the canvas draws it.

    Attributes
    ----------
    nodes : tuple of dict
        Each with ``name``, ``x``, ``y`` and ``about``, a line for tooltips and screen readers.
    edges : tuple of (int, int)
        Indices of nodes; from parent to child where directed.
    """

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
        Per node its ``role`` (empty without data), ``component`` (its number from 1, 0 for none),
        ``pruned``, and ``about``.
    components : tuple of tuple of int
        The nodes of each component that is drawn around: those with something hidden.
    """

    nodes: tuple[dict[str, str | int | bool], ...]
    components: tuple[tuple[int, ...], ...]


def look_at(session: Session) -> Look:
    """What a session's graph looks like."""
    network, dataset, parts = session.network, session.seen, session.parts
    decomposition = None if parts is None else parts.task.decomposition
    number = [-1] * len(network.variables) if decomposition is None else decomposition.component_of
    pruned = set() if decomposition is None else set(decomposition.pruned)
    nodes: list[dict[str, str | int | bool]] = []
    for v, variable in enumerate(network.variables):
        role = "" if dataset is None else dataset.roles[v].value
        about = _describe(variable)
        if role:
            about += f". {role.capitalize()}" + (", a hidden leaf: left out of learning" if v in pruned else "")
        if number[v] >= 0:
            about += f". Component {number[v] + 1}"
        nodes.append({"role": role, "component": number[v] + 1, "pruned": v in pruned, "about": about})
    around = [] if decomposition is None else [c.variables for c in decomposition.components if not c.is_complete]
    return Look(tuple(nodes), tuple(around))


def draw(document: Document) -> Graph:
    """The picture of a network whose variables all have a position."""
    network = document.network
    directed = isinstance(network, BayesianNetwork)
    nodes: list[dict[str, str | float]] = []
    for variable in network.variables:
        x, y = document.positions[variable.name]
        nodes.append({"name": variable.name, "x": x, "y": y, "about": _describe(variable)})
    label = f"{'Bayesian' if directed else 'Markov'} network: {count_edges(network)}"
    return Graph(tuple(nodes), tuple(network.edges), directed, label)


def _describe(variable: Variable) -> str:
    return f"{variable.name}: {cut(variable.states, MOST_STATES)}"
