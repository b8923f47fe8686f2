"""The picture of a network: where its nodes are drawn, and what they look like given the data."""

from __future__ import annotations

from collections.abc import Sequence

from engine.formats import Document
from engine.learning.bounds import CERTIFIED
from engine.learning.decomposition import Component, Decomposition
from engine.model.network import BayesianNetwork, Network
from engine.model.variable import Variable
from pgmgui.components.canvas.graph import Graph, Look, Preview, Trail
from pgmgui.project.network_files import suggest_name
from pgmgui.project.notes import find_note, shorten_note
from pgmgui.project.words import count_edges, cut, describe_gap, show_gap
from pgmgui.state.session import Session

MOST_STATES = 8
"""States told in a line about a variable."""
MOST_TIED = 8
"""Variables that are named where all share one table."""
MOST_SERVED = 2
"""Components on a node's badge that it serves."""
COLOURS = 8
"""Colours of components; as many as canvas.css has."""
GAPS = (CERTIFIED, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3)
"""Nats: above each the shade of a gap is the next darker one; up to the first there is none."""
SIGN = "✓"
"""What is certified has this sign."""


def draw(document: Document, title: str = "", factor_graph: bool = False) -> Graph:
    """The picture of a network whose variables all have a position; of a Markov network, perhaps its factor graph."""
    network = document.network
    directed = isinstance(network, BayesianNetwork)
    nodes: list[dict[str, str | float]] = []
    for variable in network.variables:
        x, y = document.positions[variable.name]
        nodes.append({"name": variable.name, "x": x, "y": y})
    label = f"{'Bayesian' if directed else 'Markov'} network: {count_edges(network)}"
    edges, file = tuple(network.edges), suggest_name(title)
    if directed:
        return Graph(title, tuple(nodes), edges, directed, label, file)
    return Graph(title, tuple(nodes), edges, directed, label, file, network.scopes, factor_graph)


def trace(session: Session) -> Trail | None:
    """The trail and the fill-in that a session shows, by the numbers of nodes; None if all of it is no longer there."""
    if session.structure is not None:  # they are of the network's own arrows
        return None
    shown, number = session.trail, session.network.index
    added = tuple((number[a], number[b]) for a, b in session.fill_in if a in number and b in number)
    if shown is None or not all(name in number for name in (*shown.names, *shown.given)):
        return Trail(added=added) if added else None
    nodes, stops, given = (tuple(number[name] for name in some) for some in (shown.names, shown.stops, shown.given))
    return Trail(nodes, stops, given, added)


def preview(session: Session) -> Preview | None:
    """The structure that is shown instead of the network's own, if one is, with its last step."""
    shown = session.structure
    if shown is None or len(shown.parents) != len(session.network.variables):
        return None
    if shown.last is None:
        return Preview(shown.edges)
    return Preview(shown.edges, shown.last.kind, (shown.last.parent, shown.last.child))


def look_at(session: Session) -> Look:
    """What a session's graph looks like."""
    network, dataset, parts, given = session.network, session.seen, session.parts, session.scene.given
    nodes: list[dict[str, str | float]] = []
    tied = {name: group for group in session.scene.ties for name in group}
    numbers = _number_ties(session.scene.ties)
    for v, variable in enumerate(network.variables):
        role = "" if dataset is None else dataset.roles[v].value
        if v in given:
            role = "given"
        fraction = dataset.shares_seen[v] if dataset is not None and role == "partial" else 0.0
        seen = f" in the data: seen in {100 * fraction:.1f}% of the rows" if fraction else ""
        about = _describe(variable) + (f". {role.capitalize()}{seen}" if role else "")
        node: dict[str, str | float] = {
            "role": role,
            "share": round(fraction, 3),
            "component": 0,
            "badge": "",
            "about": about,
            "place": "",
            "shade": "",
            "note": shorten_note(find_note(session.document, variable.name)),
            "tied": numbers.get(variable.name, ""),
        }
        if variable.name in tied:
            node["about"] = f"{about}. Tied: one table with {_name_others(tied[variable.name], variable.name)}"
        nodes.append(node | dict.fromkeys(("pruned", "ghost", "borrowed"), False))
    if parts is None or session.structure is not None:  # components are those of the network's own arrows
        return Look(tuple(nodes), (), (), (), 0)
    components, alone = parts.task.decomposition.components, session.component
    _tell_components(nodes, parts.task.decomposition, alone)
    gaps = parts.gaps(session.reached) if session.colour == "gap" else None
    # Around all there is, an outline tells nothing; it may still show the gap.
    is_told = len(components) > 1 or gaps is not None
    around = [k for k, one in enumerate(components) if k == alone or (is_told and not one.is_complete)]
    if gaps is not None:
        for v, share in session.gap_shares.items():
            nodes[v] |= {"shade": shade(share.gap), "badge": SIGN if share.gap <= CERTIFIED else show_gap(share.gap)}
            nodes[v]["about"] = f"{nodes[v]['about']}. {describe_gap(share.gap).capitalize()}"
    return Look(
        tuple(nodes),
        tuple(_find_hull(parts.task.network, components[k]) for k in around),
        tuple(() if isinstance(network, BayesianNetwork) else components[k].factors for k in around),
        tuple(_draw_hull(k, alone, gaps, is_faint=bool(session.gap_shares)) for k in around),
        0 if alone is None else alone + 1,
    )


def _name_others(group: Sequence[str], name: str) -> str:
    if len(group) > MOST_TIED:
        return f"{len(group) - 1:,} others"
    return cut([other for other in group if other != name], MOST_TIED)


def _number_ties(ties: Sequence[Sequence[str]]) -> dict[str, str]:
    """What is written at variables that share a table: which of them, where there are several."""
    if len(ties) == 1:
        return dict.fromkeys(ties[0], "tied")
    return {name: f"tied {k}" for k, group in enumerate(ties, 1) for name in group}


def _tell_components(nodes: Sequence[dict[str, str | float]], decomposition: Decomposition, alone: int | None) -> None:
    """Write into the looks of nodes which component they belong to, and which they serve."""
    serves: list[list[str]] = [[] for _ in nodes]
    for k, component in enumerate(decomposition.components):
        for v in component.boundary:
            serves[v].append(str(k + 1))
    looked_at = None if alone is None else decomposition.components[alone]
    for v, (node, own, served) in enumerate(zip(nodes, _find_components(decomposition), serves, strict=True)):
        if own is None:  # of a Markov network, observed in every row: between components
            node["badge"] = f"{', '.join(served[:MOST_SERVED])}{', …' if len(served) > MOST_SERVED else ''}"
            node["place"] = f". In the scopes of {cut(served, 8)}" if served else ". In no factor"
            _show_alone(node, v, looked_at)
            continue
        node["pruned"] = own < 0
        node["component"] = own + 1
        if own < 0:
            node["place"] = ", a hidden leaf: left out of learning"
        else:
            node["badge"] = f"{own + 1}"
            node["place"] = f". Component {own + 1}"
        if served:
            more = ", …" if len(served) > MOST_SERVED else ""
            node["badge"] = f"{node['badge']} → {', '.join(served[:MOST_SERVED])}{more}"
            node["place"] = f"{node['place']}, lent to {cut(served, 8)}"
        _show_alone(node, v, looked_at)


def _find_components(decomposition: Decomposition) -> Sequence[int | None]:
    """Per variable, the component that it belongs to; −1 for a hidden leaf.

    In a Markov network, what is not observed in every row belongs to that of its factors, and the rest to none.
    """
    if isinstance(decomposition.network, BayesianNetwork):
        return decomposition.component_of
    found: list[int | None] = [None] * len(decomposition.network.variables)
    for k, component in enumerate(decomposition.components):
        for v in component.variables:
            found[v] = k
    return found


def _show_alone(node: dict[str, str | float], v: int, looked_at: Component | None) -> None:
    if looked_at is not None:
        node["borrowed"] = v in looked_at.boundary
        node["ghost"] = v not in looked_at.variables and v not in looked_at.boundary


def _find_hull(network: Network, component: Component) -> tuple[int, ...]:
    """What the outline of a component goes around: in a Markov network, all of its factors."""
    if isinstance(network, BayesianNetwork):
        return component.variables
    return tuple(sorted((*component.variables, *component.boundary)))


def _draw_hull(
    k: int, alone: int | None, gaps: Sequence[float | None] | None, is_faint: bool
) -> dict[str, str | float]:
    colour, label = f"colour-{k % COLOURS}", f"{k + 1}"
    if gaps is not None:
        # Around nodes that show their gaps, the colour of all together would outshine them.
        colour = "gap-none" if is_faint and k == alone else shade(gaps[k])
        label = f"{k + 1}: {f'{SIGN} ' if colour == 'certified' else ''}{describe_gap(gaps[k])}"
    return {"number": k + 1, "label": label, "colour": colour, "ghost": alone is not None and k != alone}


def shade(gap: float | None) -> str:
    """The class of canvas.css for a gap: darker by each power of ten."""
    if gap is None:
        return "gap-none"
    return "certified" if gap <= CERTIFIED else f"gap-{sum(gap > limit for limit in GAPS)}"


def _describe(variable: Variable) -> str:
    return f"{variable.name}: {cut(variable.states, MOST_STATES)}"
