"""XMLBIF 0.3, the XML interchange format of JavaBayes, SamIam, Weka and aGrUM.

A table is written flat: the first GIVEN variable is the slowest, the FOR variable the fastest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NoReturn

import numpy as np

from engine.formats.networks.draft import Document, NetworkDraft, NodeDraft, parse_position
from engine.formats.networks.xml_tree import Element, escape_attribute, escape_text, read_xml, show_tag, write_element
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import MOST_AXES, BayesianNetwork

_HIDDEN = {"position", "fast"}
"""Properties written so that other tools do not heed them: a position is ours to write, and aGrUM takes the
states from ``fast`` rather than from the outcomes, though they may have been edited since."""


def parse(text: str) -> NetworkDraft:
    """The draft of an XMLBIF file."""
    network = _find_network(read_xml(text))
    name = network.find("NAME")
    properties = dict(_read_property(child) for child in _find_properties(network))
    draft = NetworkDraft(name=name.content if name else "", properties=properties)
    nodes: dict[str, NodeDraft] = {}
    for element in network.find_all("VARIABLE"):
        node = _read_variable(element)
        nodes.setdefault(node.name, node)
        draft.nodes.append(node)
    for element in network.find_all("DEFINITION"):
        _read_definition(element, nodes)
    draft.notes += network.note_unknown("NAME", "PROPERTY", "VARIABLE", "DEFINITION")
    return draft


def _find_network(root: Element) -> Element:
    """The NETWORK element of a file that is XMLBIF 0.3; other dialects are refused by name."""
    version = root.attributes.get("VERSION")
    if root.tag != "BIF":
        _refuse_dialect(root)
    if version not in (None, "0.3"):
        raise FormatError(f"XMLBIF version {shorten(version)}; only 0.3 is read", root.line)
    network = root.find("NETWORK")
    if network is None:
        raise FormatError("<BIF> has no <NETWORK>; expected an XMLBIF 0.3 network", root.line)
    for child in network.find_all("PROBABILITY"):
        raise FormatError("<PROBABILITY> is of an XMLBIF before 0.3; only 0.3, with <DEFINITION>, is read", child.line)
    return network


def _refuse_dialect(root: Element) -> NoReturn:
    if root.tag.rpartition(":")[2] in ("BIF", "XMLBIF"):
        # The namespaced <BIF VERSION="0"> is what UnBBayes itself calls 0.4.
        version = root.attributes.get("version", "0.4")
        what = f"the UnBBayes dialect of XMLBIF, version {shorten(version)}"
        raise FormatError(f"{what}, is not read; save the network in UnBBayes as a .net file", root.line)
    if root.tag == "instance":
        what = "an XCSP <instance> around an old XMLBIF, whose tables are in another order,"
        raise FormatError(f"{what} is not read; get the network as XMLBIF 0.3 or .bif", root.line)
    raise FormatError(f"expected an XMLBIF file, with <BIF>; got {show_tag(root.tag)}", root.line)


def _read_variable(element: Element) -> NodeDraft:
    name = element.find("NAME")
    if name is None:
        raise FormatError("a <VARIABLE> has no <NAME>", element.line)
    kinds = [element.attributes.get("TYPE", "nature"), *(child.content for child in element.find_all("TYPE"))]
    for kind in kinds:
        if kind not in ("nature", "discrete"):
            what = f"{shorten(name.content)} is of type {shorten(kind)}"
            raise FormatError(f"{what}; only nature (discrete chance) variables are supported", element.line)
    states = [child.content for child in element.find_all("OUTCOME", "VALUE")]
    node = NodeDraft(name.content, states, element.line)
    for child in _find_properties(element):
        key, value = _read_property(child)
        position = parse_position(value) if key == "position" and "NAME" not in child.attributes else None
        if position:
            node.position = position
        else:
            node.properties[key] = value
    return node


def _read_definition(element: Element, nodes: Mapping[str, NodeDraft]) -> None:
    children = element.find_all("FOR")
    if len(children) != 1:
        raise FormatError(f"a <DEFINITION> is for {len(children)} variables (<FOR>); expected one", element.line)
    name = children[0].content
    if name not in nodes:
        raise FormatError(f"a <DEFINITION> for {shorten(name)}, which is not a variable", children[0].line)
    node = nodes[name]
    if node.table is not None:
        raise FormatError(f"a second <DEFINITION> for {shorten(node.name)}", element.line)
    givens = element.find_all("GIVEN")
    if len(givens) >= MOST_AXES:
        raise FormatError(
            f"{shorten(node.name)} has {len(givens)} parents; at most {MOST_AXES - 1} are supported", element.line
        )
    for given in givens:
        if given.content not in nodes:
            what = f"{shorten(node.name)} has the parent {shorten(given.content)}"
            raise FormatError(f"{what}, which is not a variable", given.line)
    table = element.find("TABLE")
    if table is None:
        raise FormatError(f"the <DEFINITION> of {shorten(node.name)} has no <TABLE>", element.line)
    node.parents = [given.content for given in givens]
    node.table = table.numbers(f"the table of {shorten(node.name)}")
    node.table_line = table.line


def _find_properties(element: Element) -> list[Element]:
    """The PROPERTY elements that say something."""
    return [child for child in element.find_all("PROPERTY") if child.content or "NAME" in child.attributes]


def _read_property(element: Element) -> tuple[str, str]:
    """``<PROPERTY>key = value</PROPERTY>``; see :func:`_dump_property` for the attribute NAME."""
    if "NAME" in element.attributes:
        return element.attributes["NAME"], element.content
    return _split_property(element.content)


def _split_property(text: str) -> tuple[str, str]:
    """Key and value; a text without an equals sign is a key alone."""
    key, _, value = text.partition("=")
    return key.strip(), value.strip()


def dump(document: Document) -> str:
    """The XMLBIF text of a Bayesian network."""
    network = document.network
    assert isinstance(network, BayesianNetwork)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append(write_element("NAME", document.name))
    lines += [_dump_property(key, value) for key, value in document.properties.items()]
    for variable in network.variables:
        lines.append('<VARIABLE TYPE="nature">')
        lines.append("  " + write_element("NAME", variable.name))
        lines += ["  " + write_element("OUTCOME", state) for state in variable.states]
        position = document.positions.get(variable.name)
        if position and all(map(math.isfinite, position)):
            x, y = (repr(float(part)).removesuffix(".0") for part in position)
            lines.append(f"  <PROPERTY>position = ({x}, {y})</PROPERTY>")
        properties = document.variable_properties.get(variable.name, {})
        lines += ["  " + _dump_property(key, value) for key, value in properties.items()]
        lines.append("</VARIABLE>")
    for child in range(len(network.variables)):
        lines += _dump_definition(network, child)
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def _dump_property(key: str, value: str) -> str:
    """As other tools write it where that reads back the same, else with the key in an attribute."""
    text = f"{key} = {value}" if value else key
    if text.strip() and key not in _HIDDEN and _split_property(text) == (key, value):
        return f"<PROPERTY>{escape_text(text)}</PROPERTY>"
    return f'<PROPERTY NAME={escape_attribute(key)} xml:space="preserve">{escape_text(value)}</PROPERTY>'


def _dump_definition(network: BayesianNetwork, child: int) -> list[str]:
    table = network.tables[child]
    lines = ["<DEFINITION>", "  " + write_element("FOR", network.variables[child].name)]
    lines += ["  " + write_element("GIVEN", network.variables[parent].name) for parent in network.parents[child]]
    rows = [" ".join(map(repr, row)) for row in np.reshape(table, (-1, table.shape[-1])).tolist()]
    return [*lines, "  <TABLE>", *(f"    {row}" for row in rows), "  </TABLE>", "</DEFINITION>"]
