"""What the canvas draws: a graph, how its nodes and edges look, and how probable their states are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pgmgui.components.bars.bars import Card


@dataclass(frozen=True)
class Graph:
    """Nodes and the edges between them; of a Markov network, its factors too.

    Attributes
    ----------
    nodes : tuple of dict
        Each with ``name``, ``x`` and ``y``.
    edges : tuple of (int, int)
        Indices of nodes; from parent to child where directed.
    label : str
        The accessible name of the drawing.
    factors : tuple of tuple of int
        Per factor, its nodes; none where directed.
    factor_graph : bool
        Whether factors shall be joined with their nodes, instead of nodes with each other.
    file : str
        What a picture of it is called, without suffix.
    """

    title: str
    nodes: tuple[dict[str, str | float], ...]
    edges: tuple[tuple[int, int], ...]
    directed: bool
    label: str
    file: str
    factors: tuple[tuple[int, ...], ...] = ()
    factor_graph: bool = False


@dataclass(frozen=True)
class Look:
    """How the nodes of a graph look: what the data says of them, and their components.

    Attributes
    ----------
    nodes : tuple of dict
        Per node its ``role`` (what the data says, or ``given``; empty without data), ``share`` (of the rows in which
        what is partly missing is seen), ``component`` (its number from 1, 0 for none), ``badge`` (that number, and
        those it serves; or its gap), ``shade`` (a class of canvas.css for its gap, or nothing), ``note`` (what the
        user has written on it), ``tied`` (a word for what it shares its table with, or nothing), ``pruned``,
        ``ghost`` (not part of the component that is looked at), ``borrowed`` (on its boundary), and ``about`` and
        ``place``, together a line for tooltips and screen readers: what it is, and which components it belongs to.
    components : tuple of tuple of int
        The nodes of each component that is drawn around: those with something hidden, and the one looked at.
    factors : tuple of tuple of int
        And the graph's factors in each.
    hulls : tuple of dict
        What is drawn around each of these: ``number``, ``label``, ``colour`` (a class of canvas.css), ``ghost``.
    alone : int
        The number of the component that is looked at alone; 0 for none.
    """

    nodes: tuple[dict[str, str | float], ...]
    components: tuple[tuple[int, ...], ...]
    factors: tuple[tuple[int, ...], ...]
    hulls: tuple[dict[str, str | float], ...]
    alone: int


@dataclass(frozen=True)
class Beliefs:
    """What the canvas shows of an answer.

    Attributes
    ----------
    shown : bool
        Whether there shall be bars; their cards may still be on their way.
    cards : tuple of Card
        One a node, or none.
    supposed : mapping from int to str
        What is supposed of some nodes, in words.
    """

    shown: bool
    cards: tuple[Card, ...]
    supposed: Mapping[int, str]


@dataclass(frozen=True)
class Trail:
    """What is drawn over the graph, by the numbers of nodes.

    Attributes
    ----------
    nodes, stops : tuple of int
        A way through it that stands out: its nodes one after another, and those of them where it is blocked.
    given : tuple of int
        Nodes that are taken to be known.
    added : tuple of (int, int)
        Edges that are not the graph's own.
    """

    nodes: tuple[int, ...] = ()
    stops: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    added: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ArrowLook:
    """How an edge looks.

    Attributes
    ----------
    ends : (int, int)
        Its nodes.
    kind : str
        A class of canvas_arrows.css.
    label : str
        What is written on it, if there is room: those that come first have the first choice.
    about : str
        What is known of it, for its tooltip and when it is selected.
    """

    ends: tuple[int, int]
    kind: str
    label: str
    about: str


@dataclass(frozen=True)
class Arrows:
    """How the edges of a graph look.

    Attributes
    ----------
    edges : tuple of ArrowLook
        Of edges of the graph's own.
    added : tuple of ArrowLook
        Edges that it lacks, drawn as ghosts.
    title : str
        What the looks tell.
    legend : tuple of (str, str)
        Kinds and what they mean; without a kind, a word about all.
    """

    edges: tuple[ArrowLook, ...]
    added: tuple[ArrowLook, ...]
    title: str
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Preview:
    """Other edges than the graph's own, which are shown instead while they are looked for.

    Attributes
    ----------
    edges : tuple of (int, int)
        Indices of nodes; from parent to child where the graph is directed.
    change : {"add", "delete", "reverse", ""}
        What the last step did; empty for no step.
    step : tuple of (int, int)
        The edge that it did it to, as it was before.
    """

    edges: tuple[tuple[int, int], ...]
    change: str = ""
    step: tuple[int, int] = (0, 0)


def is_other(before: Graph | None, graph: Graph) -> bool:
    """Whether a graph is no edit of the one before, so that it must be brought into view."""
    if before is None:
        return True
    if before.title != graph.title:
        return before.nodes != graph.nodes  # else it was renamed
    if before.edges != graph.edges and len(before.nodes) == len(graph.nodes):
        # Other arrows, and most nodes elsewhere: it was laid out anew for them.
        moved = sum(old != node for old, node in zip(before.nodes, graph.nodes, strict=True))
        return 2 * moved > len(graph.nodes)
    known = {node["name"] for node in before.nodes}
    new = sum(node["name"] not in known for node in graph.nodes)
    return new > 1 and 2 * new > len(graph.nodes)


def find_changes(before: Look | None, look: Look) -> dict[str, Any]:
    """What the browser must be told of a look, if it has another one of the same graph; None is none.

    ``nodes`` are pairs of a node's number and what is new of its look, ``hulls`` those to be drawn (with their
    ``members`` and ``factors``), and ``gone`` the numbers of those to be taken away; of a ``whole`` look nothing
    else stays.
    """
    hulls, known = _list_hulls(look), {} if before is None else _list_hulls(before)
    old = [{}] * len(look.nodes) if before is None else before.nodes
    pairs = enumerate(zip(old, look.nodes, strict=True))
    differences = ((k, {key: new[key] for key in new if new[key] != was.get(key)}) for k, (was, new) in pairs)
    return {
        "whole": before is None,
        "nodes": [[k, difference] for k, difference in differences if difference],
        "hulls": [hull for number, hull in hulls.items() if hull != known.get(number)],
        "gone": [number for number in known if number not in hulls],
        "alone": look.alone,
    }


def _list_hulls(look: Look) -> dict[Any, dict[str, Any]]:
    around = zip(look.hulls, look.components, look.factors, strict=True)
    return {
        hull["number"]: {**hull, "members": list(members), "factors": list(factors)}
        for hull, members, factors in around
    }
