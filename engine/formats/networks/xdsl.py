"""XDSL, the format of GeNIe and SMILE.

A table is written flat: the first parent is the slowest, the child the fastest. A variable's name is the
``id`` of its node. What GeNIe cannot hold (names that are not identifiers, exact positions, any property) is
in an extension of our own beside GeNIe's; it is believed only while GeNIe has not written the file again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from engine.formats.networks.draft import Document, NetworkDraft, NodeDraft, Position
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.xdsl_tables import read_deterministic, read_noisy_max, write_noisy_max
from engine.formats.networks.xml_tree import Element, escape_attribute, escape_text, read_xml, show_tag, write_element
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import MOST_AXES, BayesianNetwork

_TABLES = {"cpt": "probabilities", "deterministic": "resultingstates", "noisymax": "parameters"}
_UNSUPPORTED = {
    "equation": "continuous (equation) node {name}; only discrete nodes are supported",
    "decision": "decision node {name}; influence diagrams are not supported",
    "utility": "utility node {name}; influence diagrams are not supported",
    "mau": "utility node (MAU) {name}; influence diagrams are not supported",
    "noisyadder": "noisy-adder node {name}; change its type to General (CPT) in GeNIe",
}
_OWN = "pgmgui"
_COLOURS = {"interior": "e5f6f7", "outline": "000080"}
"""Properties kept from GeNIe's extension, and GeNIe's own defaults."""
_IDENTIFIER = re.compile(r"[A-Za-z]\w*", re.ASCII)


def parse(text: str) -> NetworkDraft:
    """The draft of an XDSL file."""
    root = read_xml(text)
    if root.tag != "smile":
        raise FormatError(f"expected an XDSL file, with <smile>; got {show_tag(root.tag)}", root.line)
    for child in root.find_all("dynamic"):
        raise FormatError("a dynamic network (<dynamic>); only static networks are supported", child.line)
    container = root.find("nodes")
    if container is None:
        raise FormatError("<smile> has no <nodes>; expected an XDSL network", root.line)
    nodes = _read_nodes(container)
    draft = NetworkDraft(list(nodes.values()), name=root.attributes.get("id", ""), properties=_read_properties(root))
    draft.notes += root.note_unknown("nodes", "extensions", "property")
    extensions = [child for part in root.find_all("extensions") for child in part.children]
    for genie in (child for child in extensions if child.tag == "genie"):
        _read_genie(genie, nodes, draft)
    if any(child.tag == "genie" and child.attributes.get("app") == _OWN for child in extensions):
        for own in (child for child in extensions if child.tag == _OWN):
            _read_own(own, nodes, draft)
    for node in draft.nodes:
        node.parents = [nodes[parent].name for parent in node.parents]
    return draft


def _read_nodes(container: Element) -> dict[str, NodeDraft]:
    """The nodes by id, with their tables; their parents are ids."""
    nodes: dict[str, NodeDraft] = {}
    implied = ImpliedTables()
    for element in container.children:
        name = element.attribute("id")
        if element.tag not in _TABLES:
            message = _UNSUPPORTED.get(element.tag, "{tag} node {name}; this type of node is not supported")
            raise FormatError(message.format(tag=show_tag(element.tag), name=repr(name)), element.line)
        if name in nodes:
            raise FormatError(f"a second node has the id {shorten(name)}; ids must differ", element.line)
        states = [state.attribute("id") for state in element.find_all("state")]
        nodes[name] = NodeDraft(name, states, element.line, properties=_read_properties(element))
    for element in container.children:
        node = nodes[element.attributes["id"]]
        given = element.find("parents")
        node.parents = list(given.words(MOST_AXES)) if given else []
        if len(node.parents) >= MOST_AXES:
            raise FormatError(
                f"{shorten(node.name)} has {MOST_AXES} parents or more; fewer are supported", element.line
            )
        for parent in node.parents:
            if parent not in nodes:
                raise FormatError(
                    f"{shorten(node.name)} has the parent {shorten(parent)}, which is not a node", element.line
                )
        _read_table(element, node, [len(nodes[parent].states) for parent in node.parents], implied)
    return nodes


def _read_table(element: Element, node: NodeDraft, cards: Sequence[int], implied: ImpliedTables) -> None:
    table = element.find(_TABLES[element.tag])
    if table is None:
        raise FormatError(f"{shorten(node.name)} has no <{_TABLES[element.tag]}>", element.line)
    node.table_line = table.line
    if element.tag == "cpt":
        node.table = table.numbers(f"the table of {shorten(node.name)}")
    elif element.tag == "deterministic":
        node.table = read_deterministic(table, node, cards)
    else:
        node.noisy = read_noisy_max(table, element.find("strengths"), node, cards, implied)
        node.table = node.noisy.expand().reshape(-1)


def _read_properties(element: Element) -> dict[str, str]:
    return {child.attribute("id"): child.content for child in element.find_all("property")}


def _read_genie(genie: Element, nodes: Mapping[str, NodeDraft], draft: NetworkDraft) -> None:
    """Names, positions and colours as GeNIe keeps them, also those inside sub-models."""
    draft.name = genie.attributes.get("name", draft.name)
    for element in _find_genie_nodes(genie):
        node = nodes.get(element.attributes.get("id", ""))
        if node is None:
            continue
        label, comment, place = element.find("name"), element.find("comment"), element.find("position")
        if label is not None and label.content not in ("", node.name):
            node.properties.setdefault("label", label.content)
        if comment is not None:
            node.properties.setdefault("comment", comment.content)
        for key in _COLOURS:
            part = element.find(key)
            if part is not None and "color" in part.attributes:
                node.properties.setdefault(key, part.attributes["color"])
        if place is not None:
            node.position = _read_box(place, node)


def _find_genie_nodes(genie: Element) -> Iterator[Element]:
    waiting = [genie]
    while waiting:
        element = waiting.pop()
        yield from element.find_all("node")
        waiting += element.find_all("submodel")


def _read_box(place: Element, node: NodeDraft) -> Position:
    """The centre of the box ``left top right bottom``."""
    box = place.numbers(f"the position of {shorten(node.name)}")
    if box.size != 4 or not (np.abs(box) < 1e9).all():
        raise FormatError(f"the position of {shorten(node.name)} must be four numbers under 1e9", place.line)
    return float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2


def _read_own(own: Element, nodes: Mapping[str, NodeDraft], draft: NetworkDraft) -> None:
    """What we wrote beside GeNIe's extension: exact names, order, positions and properties."""
    draft.name = own.attribute("name")
    draft.properties = _read_own_properties(own)
    order: dict[int, int] = {}
    for element in own.find_all("node"):
        name = element.attribute("id")
        if name not in nodes:
            raise FormatError(f"<{_OWN}> describes the node {shorten(name)}, which is not there", element.line)
        node = nodes[name]
        order[id(node)] = len(order)
        node.name = element.attribute("name")
        states = [state.attribute("name") for state in element.find_all("state")]
        if len(states) != len(node.states):
            what = f"<{_OWN}> names {len(states)} states of {shorten(name)}"
            raise FormatError(f"{what}; expected {len(node.states)}", element.line)
        node.states = states
        node.properties = _read_own_properties(element)
        node.position = _read_own_position(element)
    draft.nodes.sort(key=lambda node: order.get(id(node), len(order)))


def _read_own_properties(element: Element) -> dict[str, str]:
    return {child.attribute("key"): child.attribute("value") for child in element.find_all("property")}


def _read_own_position(element: Element) -> Position | None:
    if "x" not in element.attributes:
        return None
    try:
        position = float(element.attribute("x")), float(element.attribute("y"))
    except ValueError:
        position = math.nan, math.nan
    if not all(map(math.isfinite, position)):
        raise FormatError(f"expected numbers x and y in a <node> of <{_OWN}>", element.line)
    return position


def dump(document: Document) -> str:
    """The XDSL text of a Bayesian network."""
    network = document.network
    assert isinstance(network, BayesianNetwork)
    ids = make_identifiers([variable.name for variable in network.variables])
    states = [make_identifiers(variable.states) for variable in network.variables]
    network_id = make_identifiers([document.name or "Network"])[0]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<smile version="1.0" id="{network_id}" numsamples="10000" discsamples="10000">')
    lines.append("<nodes>")
    for i in network.topological_order:  # GeNIe wants parents before children
        lines += _dump_node(document, i, ids, states[i])
    lines += ["</nodes>", "<extensions>"]
    lines.append(f'<genie version="1.0" app="{_OWN}" name={escape_attribute(document.name or "Network")}>')
    for i in range(len(ids)):
        lines += _dump_genie(document, i, ids[i])
    lines += ["</genie>", f"<{_OWN} name={escape_attribute(document.name)}>"]
    lines += _dump_own_properties(document.properties)
    for i in range(len(ids)):
        lines += _dump_own(document, i, ids[i])
    return "\n".join([*lines, f"</{_OWN}>", "</extensions>", "</smile>"]) + "\n"


def make_identifiers(names: Sequence[str]) -> list[str]:
    """Distinct identifiers as GeNIe wants them; a name that is one already stays as it is.

    >>> make_identifiers(["rain", "a b", "a-b", "12"])
    ['rain', 'a_b', 'a_b_2', 'x12']
    """
    taken = {name for name in names if _IDENTIFIER.fullmatch(name)}
    counts: dict[str, int] = {}
    identifiers = []
    for name in names:
        if name not in taken:
            base = re.sub(r"\W", "_", name, flags=re.ASCII)
            base = name = base if _IDENTIFIER.fullmatch(base) else f"x{base}"
            while name in taken:
                counts[base] = counts.get(base, 1) + 1
                name = f"{base}_{counts[base]}"
            taken.add(name)
        identifiers.append(name)
    return identifiers


def _dump_node(document: Document, i: int, ids: Sequence[str], states: Sequence[str]) -> list[str]:
    network = document.network
    assert isinstance(network, BayesianNetwork)
    noisy = document.noisy.get(network.variables[i].name)
    kind = "cpt" if noisy is None else "noisymax"
    lines = [f'<{kind} id="{ids[i]}">', *(f'  <state id="{state}" />' for state in states)]
    if network.parents[i]:
        lines.append(f"  <parents>{' '.join(ids[parent] for parent in network.parents[i])}</parents>")
    if noisy is None:
        numbers = " ".join(map(repr, network.tables[i].reshape(-1).tolist()))
        lines.append(f"  <probabilities>{numbers}</probabilities>")
    else:
        strengths, numbers = write_noisy_max(noisy)
        lines += [f"  <strengths>{strengths}</strengths>", f"  <parameters>{numbers}</parameters>"]
    for key, value in document.variable_properties.get(network.variables[i].name, {}).items():
        if _IDENTIFIER.fullmatch(key) and key not in ("label", "comment", *_COLOURS):
            lines.append(f'  <property id="{key}">{escape_text(value)}</property>')
    return [*lines, f"</{kind}>"]


def _dump_genie(document: Document, i: int, identifier: str) -> list[str]:
    """What GeNIe draws; a node without a position gets a place in a grid, as GeNIe needs one."""
    name = document.network.variables[i].name
    properties = document.variable_properties.get(name, {})
    x, y = _find_position(document, name) or (60 + 120 * (i % 10), 40 + 80 * (i // 10))
    lines = [f'<node id="{identifier}">', "  " + write_element("name", properties.get("label", name))]
    for key, default in _COLOURS.items():
        lines.append(f"  <{key} color={escape_attribute(properties.get(key, default))} />")
    lines.append('  <font color="000000" name="Arial" size="8" />')
    left, top = (round(min(max(centre, -1e6), 1e6)) for centre in (x - 40, y - 20))
    lines.append(f"  <position>{left} {top} {left + 80} {top + 40}</position>")
    if "comment" in properties:
        lines.append("  " + write_element("comment", properties["comment"]))
    return [*lines, "</node>"]


def _dump_own(document: Document, i: int, identifier: str) -> list[str]:
    variable = document.network.variables[i]
    position = _find_position(document, variable.name)
    place = f' x="{float(position[0])!r}" y="{float(position[1])!r}"' if position else ""
    lines = [f'<node id="{identifier}" name={escape_attribute(variable.name)}{place}>']
    lines += [f"  <state name={escape_attribute(state)} />" for state in variable.states]
    lines += _dump_own_properties(document.variable_properties.get(variable.name, {}))
    return [*lines, "</node>"]


def _find_position(document: Document, name: str) -> Position | None:
    position = document.positions.get(name)
    return position if position and all(map(math.isfinite, position)) else None


def _dump_own_properties(properties: Mapping[str, str]) -> list[str]:
    return [f"  <property key={escape_attribute(k)} value={escape_attribute(v)} />" for k, v in properties.items()]
