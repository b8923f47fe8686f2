"""DNE (DNET), the text format of Netica; read only.

Read are the nodes that are discrete chance variables, or continuous ones cut into intervals. Constants
are not random variables and are left out. A node of kind DISCONNECTED (or a ``param``) stands for the
missing end of a link; it becomes a variable, so that its child keeps its table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from engine.formats.limits import MOST_STATES
from engine.formats.networks.draft import NetworkDraft, NodeDraft, Position
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.tokens import Scanner, Token, as_number
from engine.model.arrays import Floats
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.variable import list_names

_PATTERN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
       |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
       |(?P<token>[{}()=,;]|(?:[^\s{}()=,;"/]++|/(?![/*]))++)""",
    re.VERBOSE | re.DOTALL,
)
# A backslash at the end of a line continues the string on the next, after white space and perhaps ``\|``.
_ESCAPE = re.compile(r"\\\n\s*(?:\\\|)?|\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t"}


@dataclass
class _Node:
    """What a node's block says that a :class:`NodeDraft` has no place for."""

    draft: NodeDraft
    fields: dict[str, list[Token]] = field(default_factory=dict)
    probabilities: tuple[Floats, set[int]] | None = None
    kind: str = "NATURE"


def parse(text: str) -> NetworkDraft:
    """The draft of a DNE file."""
    scanner = Scanner(text, _PATTERN, _unescape)
    scanner.expect("bnet")
    draft = NetworkDraft(name=str(scanner.word("the network's name")))
    nodes: list[_Node] = []
    scanner.expect("{")
    while not scanner.skip("}"):
        if scanner.peek("node", "param"):
            nodes.append(_read_node(scanner))
        else:
            key = scanner.word("a field, 'node' or '}'")
            value = scanner.until(";")
            if key in ("title", "comment") and len(value) == 2:
                draft.properties[str(key)] = str(value[1])
    scanner.skip(";")
    if not scanner.at_end:
        scanner.fail("there is more text after the network's last '}'")
    _add_variables(nodes, draft)
    return draft


def _add_variables(nodes: Sequence[_Node], draft: NetworkDraft) -> None:
    """Make variables of the nodes that are random, and say which are not."""
    constants = [node.draft.name for node in nodes if node.kind == "CONSTANT"]
    if constants:
        draft.notes.append(f"constants are not random variables and were left out: {list_names(constants)}")
    random = [node for node in nodes if node.kind != "CONSTANT"]
    found = [node.draft.name for node in random if "evidence" in node.fields]
    if found:
        draft.notes.append(f"findings that the file stores were left out: {list_names(found)}")
    for node in random:
        node.draft.states = _states(node)
        node.draft.parents = [str(parent) for parent in _list(node, "parents")]
        for parent in set(node.draft.parents).intersection(constants):
            raise FormatError(
                f"{shorten(node.draft.name)} has the parent {shorten(parent)}, a constant; not supported",
                node.draft.line,
            )
        draft.nodes.append(node.draft)
    variables = {node.draft.name: node.draft for node in random}
    implied = ImpliedTables()
    for node in random:
        _add_table(node, variables, implied, draft.notes)


def _read_node(scanner: Scanner) -> _Node:
    is_param = scanner.expect("node", "param") == "param"
    name = scanner.word("a node's name")
    node = _Node(NodeDraft(str(name), (), name.line))
    scanner.expect("{")
    while not scanner.skip("}"):
        key = scanner.word("a field or '}'")
        if key == "probs":
            scanner.expect("=")
            node.probabilities = scanner.table()
            scanner.expect(";")
        elif key == "visual":
            node.draft.position = _position(scanner.until(";")) or node.draft.position
        elif scanner.skip("="):
            node.fields[str(key)] = scanner.until(";")
        else:
            scanner.until(";")
    scanner.skip(";")
    node.kind = "DISCONNECTED" if is_param else _word(node, "kind", "NATURE")
    if node.kind not in ("NATURE", "CONSTANT", "DISCONNECTED"):
        raise FormatError(
            f"{shorten(node.draft.name)} is of kind {shorten(node.kind)}; expected only 'NATURE'", name.line
        )
    for theirs, ours in (("title", "label"), ("comment", "comment")):
        if _word(node, theirs, ""):
            node.draft.properties[ours] = _word(node, theirs, "")
    return node


def _add_table(node: _Node, variables: Mapping[str, NodeDraft], implied: ImpliedTables, notes: list[str]) -> None:
    draft = node.draft
    draft.table_line = draft.line
    if node.probabilities is not None:
        table, lengths = node.probabilities
        if lengths - {len(draft.states), table.size}:
            got = ", ".join(str(length) for length in sorted(lengths)[:5])
            raise FormatError(
                f"the table of {shorten(draft.name)} has rows of {got} numbers; expected {len(draft.states)}",
                draft.line,
            )
        draft.table = table
    elif "functable" in node.fields:
        draft.table = implied.chosen(_list(node, "functable"), draft.states, draft.name, draft.line)
    elif "equation" in node.fields:
        raise FormatError(f"{shorten(draft.name)} is given by an equation without a table; not supported", draft.line)
    elif all(parent in variables for parent in draft.parents):
        shape = [len(variables[name].states) for name in (*draft.parents, draft.name)]
        draft.table = implied.uniform(shape, draft.name, draft.line)
        # Netica's own beliefs in such files are those of a uniform table.
        notes.append(f"{shorten(draft.name)} has no table in the file; read as uniform, as Netica does")
    if node.kind == "DISCONNECTED":
        notes.append(f"{shorten(draft.name)} stands for a disconnected link; read as a variable without parents")


def _states(node: _Node) -> list[str]:
    """The states' names; without names, those of the levels or numbers."""
    name, line = node.draft.name, node.draft.line
    states = [str(state) for state in _list(node, "states")]
    levels = [str(level) for level in _list(node, "levels")]
    is_discrete = _word(node, "discrete", "TRUE") == "TRUE"
    if not is_discrete and len(levels) < 2:
        raise FormatError(f"{shorten(name)} is continuous and not cut into intervals ('levels'); not supported", line)
    if not states and is_discrete:
        states = levels
    elif not states:
        states = [f"{low} to {high}" for low, high in pairwise(levels)]
    declared = _list(node, "numstates")
    if declared:
        count = as_number(declared[0])
        if not states and 0 < count <= MOST_STATES:
            states = [f"state{k}" for k in range(int(count))]
        if len(states) != count:
            raise FormatError(f"{shorten(name)} declares {count:g} states but lists {len(states)}", line)
    if not is_discrete and len(states) != len(levels) - 1:
        raise FormatError(
            f"{shorten(name)} has {len(states)} states; expected {len(levels) - 1}, one per interval", line
        )
    return states


def _position(tokens: list[Token]) -> Position | None:
    """The place in ``visual V { center = (x, y); ... }``."""
    if "center" not in tokens:
        return None
    at = tokens.index("center")  # type: ignore[arg-type]
    match tokens[at + 1 : at + 7]:
        case ["=", "(", x, ",", y, ")"]:
            place = (as_number(x), as_number(y))
            return place if np.isfinite(place).all() else None
    return None


def _word(node: _Node, key: str, default: str) -> str:
    tokens = node.fields.get(key)
    return str(tokens[0]) if tokens else default


def _list(node: _Node, key: str) -> list[Token]:
    """The values of ``(a, b, c)``, nested or not."""
    return [token for token in node.fields.get(key, []) if token.quoted or token not in ("(", ")", ",")]


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1] or ""), text)
