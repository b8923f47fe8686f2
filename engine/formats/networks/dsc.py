"""DSC, the format of Microsoft's MSBN, also written by bnlearn.

Rows of a table name the parents' states by position: ``(0, 1) : 0.2, 0.8;``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from engine.formats.limits import MOST_CELLS
from engine.formats.networks.draft import NetworkDraft, NodeDraft
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.tokens import Scanner, as_number
from engine.model.errors import FormatError
from engine.model.messages import shorten

_PATTERN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
       |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
       |(?P<token>[{}()\[\]=,;:|]|(?:[^\s{}()\[\]=,;:|"/]++|/(?![/*]))++)""",
    re.VERBOSE | re.DOTALL,
)


def parse(text: str) -> NetworkDraft:
    """The draft of a DSC file."""
    scanner = Scanner(text, _PATTERN)
    draft = NetworkDraft()
    nodes: dict[str, NodeDraft] = {}
    implied = ImpliedTables()
    scanner.expect("belief")
    scanner.expect("network")
    if scanner.peek_quoted() or not scanner.peek("node", "probability", "properties"):
        draft.name = "" if scanner.at_end else str(scanner.word("the network's name"))
    while not scanner.at_end:
        if scanner.skip("node"):
            node = _read_node(scanner)
            nodes.setdefault(node.name, node)
            draft.nodes.append(node)
        elif scanner.skip("probability"):
            _read_probability(scanner, nodes, implied)
        elif scanner.skip("properties"):
            scanner.expect("{")
            scanner.until("}")
        else:
            _read_property(scanner, draft.properties)
    return draft


def _read_property(scanner: Scanner, properties: dict[str, str]) -> None:
    """``key : value;`` in the head of the file or in a node."""
    key = scanner.word("'node', 'probability' or a property")
    scanner.expect(":", "=")
    properties[str(key)] = " ".join(scanner.until(";"))


def _read_node(scanner: Scanner) -> NodeDraft:
    name = scanner.word("a node's name")
    node = NodeDraft(str(name), (), name.line)
    scanner.expect("{")
    while not scanner.skip("}"):
        if scanner.skip("type"):
            node.states = _read_states(scanner, node.name)
        elif scanner.skip("position"):
            scanner.expect(":")
            place = [as_number(token) for token in scanner.names()]
            if len(place) != 2 or not np.isfinite(place).all():
                scanner.fail(f"the position of {shorten(node.name)} is not '(x, y)'")
            node.position = (place[0], place[1])
            scanner.expect(";")
        else:
            _read_property(scanner, node.properties)
    if "name" in node.properties:
        node.properties["label"] = node.properties.pop("name")
    return node


def _read_states(scanner: Scanner, name: str) -> list[str]:
    """``: discrete [ 2 ] = { "yes", "no" };``."""
    scanner.expect(":")
    kind = scanner.word("'discrete'")
    if kind != "discrete":
        raise FormatError(f"{shorten(name)} is of type {shorten(kind)}; only discrete is supported", kind.line)
    scanner.expect("[")
    count = scanner.whole()
    scanner.expect("]")
    scanner.expect("=")
    scanner.expect("{")
    states = [str(state) for state in scanner.until("}") if state.quoted or state != ","]
    if len(states) != count:
        scanner.fail(f"{shorten(name)} declares {count} states but lists {len(states)}")
    scanner.expect(";")
    return states


def _read_probability(scanner: Scanner, nodes: Mapping[str, NodeDraft], implied: ImpliedTables) -> None:
    """``probability (X | A, B) { ... }``."""
    scanner.expect("(")
    name = scanner.word("a node's name")
    node = nodes.get(name)
    if node is None:
        raise FormatError(f"a probability table for {shorten(name)}, which is not a node above", name.line)
    if node.table is not None:
        raise FormatError(f"a second probability table for {shorten(node.name)}", name.line)
    parents = []
    if scanner.expect("|", ")") == "|":
        for parent in scanner.until(")"):
            if parent != "," and parent not in nodes:
                raise FormatError(
                    f"{shorten(node.name)} has the parent {shorten(parent)}, which is not defined", parent.line
                )
            if parent != ",":
                parents.append(nodes[parent])
    node.parents = [parent.name for parent in parents]
    node.table_line = name.line
    shape = (*(len(parent.states) for parent in parents), len(node.states))
    cells = np.prod(shape, dtype=float)
    if cells > MOST_CELLS or not cells:
        raise FormatError(f"the table of {shorten(node.name)} has {cells:.3g} cells", name.line)
    node.table = _read_rows(scanner, node, shape, implied)


def _read_rows(
    scanner: Scanner, node: NodeDraft, shape: tuple[int, ...], implied: ImpliedTables
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The body ``{ (0, 1) : 0.2, 0.8; default : 0.5, 0.5; }``, flat with the child fastest."""
    table = np.empty((int(np.prod(shape[:-1])), shape[-1]))
    given = np.zeros(len(table), dtype=bool)
    default = None
    scanner.expect("{")
    while not scanner.skip("}"):
        line = scanner.line
        is_default = scanner.skip("default")
        row = 0
        if is_default:
            scanner.expect(":")
        elif scanner.peek("("):
            row = _read_configuration(scanner, node, shape[:-1])
            scanner.expect(":")
        elif len(shape) > 1:
            scanner.fail(f"a row of {shorten(node.name)} does not name its parents' states; expected '(0, …) : …;'")
        values = scanner.numbers(";")
        if values.size != shape[-1]:
            raise FormatError(f"a row of {shorten(node.name)} has {values.size} numbers; expected {shape[-1]}", line)
        if is_default:
            default = values
        elif given[row]:
            raise FormatError(f"a row of {shorten(node.name)} is given twice", line)
        else:
            table[row] = values
            given[row] = True
    missing = len(given) - int(given.sum())
    if default is not None:
        implied.spend(missing * shape[-1], node.name, node.table_line)
        table[~given] = default
    elif missing:
        raise FormatError(
            f"the table of {shorten(node.name)} has {missing} of {len(given)} rows missing", node.table_line
        )
    return table.reshape(-1)


def _read_configuration(scanner: Scanner, node: NodeDraft, cardinalities: tuple[int, ...]) -> int:
    """``(0, 1)``: which row of the table follows."""
    line = scanner.line
    # No state has a number of more than six digits, and int() refuses thousands of them.
    codes = [int(name) if name.isascii() and name.isdigit() and len(name) < 7 else -1 for name in scanner.names()]
    if len(codes) != len(cardinalities):
        raise FormatError(
            f"a row of {shorten(node.name)} names {len(codes)} states; "
            f"expected one of each of {len(cardinalities)} parents",
            line,
        )
    row = 0
    for code, cardinality, parent in zip(codes, cardinalities, node.parents, strict=True):
        if not 0 <= code < cardinality:
            raise FormatError(
                f"a row of {shorten(node.name)} does not name the state of {shorten(parent)} "
                f"by a number below {cardinality}",
                line,
            )
        row = row * cardinality + code
    return row
