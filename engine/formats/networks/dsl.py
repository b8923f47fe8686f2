"""DSL, the format of GeNIe before XDSL; read only.

Everything is ``KEY = value;`` or ``KEY = { ... };``; a table has the parents in order and the child
fastest.
"""

from __future__ import annotations

import re

import numpy as np

from engine.formats.networks.draft import NetworkDraft, NodeDraft, Position
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.tokens import Scanner, Token, as_number
from engine.model.errors import FormatError
from engine.model.messages import shorten

_PATTERN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
       |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
       |(?P<token>[{}()=,;]|(?:[^\s{}()=,;"/]++|/(?![/*]))++)""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 20
"""How deeply blocks may be nested; real files use four levels."""

Fields = dict[str, list[Token]]
"""From a path like ``DEFINITION.NAMESTATES`` to the tokens of the value."""


def parse(text: str) -> NetworkDraft:
    """The draft of a DSL file."""
    scanner = Scanner(text, _PATTERN)
    scanner.expect("net")
    draft = NetworkDraft(name=str(scanner.word("the network's name")))
    scanner.expect("{")
    implied = ImpliedTables()
    depth = 1
    while depth:
        if scanner.skip("node"):
            draft.nodes.append(_read_node(scanner, implied))
        elif scanner.skip("submodel"):
            scanner.word("a submodel's name")
            scanner.expect("{")
            depth += 1
        elif scanner.skip("}"):
            scanner.skip(";")
            depth -= 1
        else:
            scanner.word("'node' or '}'")
            scanner.expect("=")
            scanner.until(";")
    if not scanner.at_end:
        scanner.fail("there is more text after the network's last '}'")
    return draft


def _read_node(scanner: Scanner, implied: ImpliedTables) -> NodeDraft:
    name = scanner.word("a node's name")
    fields = _read_fields(scanner)
    kind = _word(fields, "TYPE", "CPT")
    if kind not in ("CPT", "TRUTHTABLE"):
        raise FormatError(f"node {shorten(name)} is of type {shorten(kind)}; expected 'CPT' or 'TRUTHTABLE'", name.line)
    states = _list(fields, "DEFINITION.NAMESTATES")
    node = NodeDraft(str(name), [str(state) for state in states], name.line)
    node.parents = [str(parent) for parent in _list(fields, "PARENTS")]
    node.position = _position(fields)
    label = _word(fields, "HEADER.NAME", "")
    if label and label != name:
        node.properties["label"] = label
    if kind == "TRUTHTABLE":
        choices = _list(fields, "DEFINITION.RESULTING_STATES")
        node.table = implied.chosen(choices, node.states, node.name, node.line)
    elif "DEFINITION.PROBABILITIES" in fields:
        numbers = _list(fields, "DEFINITION.PROBABILITIES")
        node.table = np.array([as_number(token) for token in numbers], dtype=np.float64)
    node.table_line = name.line
    return node


def _read_fields(scanner: Scanner) -> Fields:
    """The body of a node with nested blocks laid flat; the last of several equal keys counts."""
    fields: Fields = {}
    path: list[str] = []
    scanner.expect("{")
    while True:
        if scanner.skip("}"):
            scanner.skip(";")
            if not path:
                return fields
            path.pop()
            continue
        key = scanner.word("a field or '}'")
        scanner.expect("=")
        if scanner.skip("{"):
            path.append(str(key))
            if len(path) > _DEEPEST:
                raise FormatError(f"blocks are nested more than {_DEEPEST} deep", key.line)
        else:
            fields[".".join([*path, key])] = scanner.until(";")


def _word(fields: Fields, path: str, default: str) -> str:
    tokens = fields.get(path)
    return str(tokens[0]) if tokens else default


def _list(fields: Fields, path: str) -> list[Token]:
    """The values of ``(a, b, c)``."""
    return [token for token in fields.get(path, []) if token.quoted or token not in ("(", ")", ",")]


def _position(fields: Fields) -> Position | None:
    place = [fields.get(f"SCREEN.POSITION.CENTER_{axis}", []) for axis in "XY"]
    if not all(len(tokens) == 1 for tokens in place):
        return None
    x, y = (as_number(tokens[0]) for tokens in place)
    return (x, y) if np.isfinite([x, y]).all() else None
