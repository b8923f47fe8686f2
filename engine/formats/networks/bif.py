"""BIF, the interchange format of the bnlearn repository, JavaBayes and aGrUM.

A conditional table is written either row by row, ``(a, b) 0.2, 0.8;``, or at once, ``table ...;``,
with the child slowest and the last parent fastest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from engine.formats.limits import MOST_CELLS
from engine.formats.networks.draft import Document, NetworkDraft, NodeDraft, parse_position
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.tokens import Scanner
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import BayesianNetwork

_PATTERN = re.compile(  # blanks go with what stands before them: half as many matches
    r"""(?:(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
       |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
       |(?P<token>[{}()\[\],;|]|(?:[^\s{}()\[\],;|"/]++|/(?![/*]))++))[ \t]*+""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[^\W\d][\w.-]*")


def parse(text: str) -> NetworkDraft:
    """The draft of a BIF file."""
    scanner = Scanner(text, _PATTERN)
    draft = NetworkDraft()
    nodes: dict[str, NodeDraft] = {}
    implied = ImpliedTables()
    if scanner.at_end:
        scanner.fail("the file is empty; expected a BIF network")
    while not scanner.at_end:
        block = scanner.expect("network", "variable", "probability")
        if block == "network":
            draft.name = "" if scanner.peek("{") else scanner.next("the network's name")
            scanner.expect("{")
            while not scanner.skip("}"):
                _read_property(scanner, draft.properties)
        elif block == "variable":
            node = _read_variable(scanner)
            if node.name in nodes:
                raise FormatError(f"a second variable is named {shorten(node.name)}; names must differ", node.line)
            nodes[node.name] = node
            draft.nodes.append(node)
        else:
            _read_probability(scanner, nodes, implied)
    return draft


def _read_property(scanner: Scanner, properties: dict[str, str]) -> None:
    """``property key = value;``, or without the equals sign; a value of several words is kept as text."""
    scanner.expect("property")
    words: list[str] = []
    while not scanner.skip(";"):
        if not scanner.skip("=") or not words:
            words.append(str(scanner.next("';' at the end of a property")))
    if words:
        properties[words[0]] = " ".join(words[1:])


def _read_variable(scanner: Scanner) -> NodeDraft:
    node = NodeDraft(str(scanner.next("a variable's name")), (), scanner.line)
    scanner.expect("{")
    while not scanner.skip("}"):
        if scanner.peek("property"):
            _read_property(scanner, node.properties)
            continue
        scanner.expect("type")
        kind = scanner.next("'discrete'")
        if kind != "discrete":
            raise FormatError(f"{shorten(node.name)} is of type {shorten(kind)}; only discrete is supported", kind.line)
        scanner.expect("[")
        count = scanner.whole()
        scanner.expect("]")
        scanner.expect("{")
        states = []
        while not scanner.skip("}"):
            if not scanner.skip(","):
                states.append(str(scanner.next("a state")))
        if len(states) != count:
            scanner.fail(f"{shorten(node.name)} declares {count} states but lists {len(states)}")
        node.states = states
        scanner.skip(";")
    node.position = parse_position(node.properties.get("position", ""))
    if node.position:
        del node.properties["position"]
    return node


def _read_probability(scanner: Scanner, nodes: Mapping[str, NodeDraft], implied: ImpliedTables) -> None:
    scanner.expect("(")
    name = scanner.next("a variable's name")
    node = nodes.get(name)
    if node is None:
        raise FormatError(f"a probability table for {shorten(name)}, which is not a variable above", name.line)
    if node.table is not None:
        raise FormatError(f"a second probability table for {shorten(node.name)}", name.line)
    parents = []
    while not scanner.skip(")"):
        if not scanner.skip("|", ","):
            parent = scanner.next("a parent's name")
            if parent not in nodes:
                raise FormatError(
                    f"{shorten(node.name)} has the parent {shorten(parent)}, which is not defined", parent.line
                )
            parents.append(nodes[parent])
    node.parents = [parent.name for parent in parents]
    node.table_line = name.line
    shape = (*(len(parent.states) for parent in parents), len(node.states))
    cells = math.prod(map(float, shape))
    if cells > MOST_CELLS or not all(shape):
        raise FormatError(f"the table of {shorten(node.name)} has {cells:.3g} cells", name.line)
    node.table = _read_entries(scanner, node, parents, shape, implied)


def _read_entries(
    scanner: Scanner, node: NodeDraft, parents: list[NodeDraft], shape: tuple[int, ...], implied: ImpliedTables
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The body ``{ table ...; (a, b) ...; default ...; }``, flat with the child fastest."""
    codes = [{state: k for k, state in enumerate(parent.states)} for parent in parents]
    table = np.empty((math.prod(shape[:-1]), shape[-1]))
    given = np.zeros(len(table), dtype=bool)
    default = None
    scanner.expect("{")
    while not scanner.skip("}"):
        line = scanner.line
        if scanner.peek("property"):
            _read_property(scanner, {})
        elif scanner.skip("table"):
            values = scanner.numbers(";")
            if values.size != table.size:
                raise FormatError(
                    f"the table of {shorten(node.name)} has {values.size:,} numbers; expected {table.size:,}", line
                )
            table = values.reshape(shape[-1], -1).T.copy()
            given[:] = True
        else:
            is_default = scanner.skip("default")
            row = 0 if is_default else _read_configuration(scanner, node, parents, codes)
            values = scanner.numbers(";")
            if values.size != shape[-1]:
                raise FormatError(
                    f"a row of {shorten(node.name)} has {values.size} numbers; expected {shape[-1]}", line
                )
            if is_default:
                default = values
            else:
                table[row] = values
                given[row] = True
    missing = len(given) - int(np.count_nonzero(given))
    if default is not None:
        implied.spend(missing * shape[-1], node.name, node.table_line)
        table[~given] = default
    elif missing:
        raise FormatError(
            f"the table of {shorten(node.name)} has {missing} of {len(given)} rows missing", node.table_line
        )
    return table.reshape(-1)


def _read_configuration(
    scanner: Scanner, node: NodeDraft, parents: list[NodeDraft], codes: list[dict[str, int]]
) -> int:
    """``(a, b)``: which row of the table follows."""
    scanner.expect("(")
    states = []
    while not scanner.skip(")"):
        if not scanner.skip(","):
            states.append(scanner.next("a parent's state"))
    if len(states) != len(parents):
        scanner.fail(
            f"a row of {shorten(node.name)} names {len(states)} states; expected one of each of {len(parents)} parents"
        )
    row = 0
    for state, parent, known in zip(states, parents, codes, strict=True):
        if state not in known:
            raise FormatError(
                f"{shorten(parent.name)}, a parent of {shorten(node.name)}, has no state {shorten(state)}", state.line
            )
        row = row * len(known) + known[state]
    return row


def dump(document: Document) -> str:
    """The BIF text of a Bayesian network."""
    network = document.network
    assert isinstance(network, BayesianNetwork)
    lines = [f"network {_quote_if_needed(document.name or 'unknown')} {{"]
    lines += _dump_properties(document.properties)
    lines.append("}")
    for variable in network.variables:
        states = ", ".join(_quote_if_needed(state) for state in variable.states)
        lines.append(f"variable {_quote_if_needed(variable.name)} {{")
        lines.append(f"  type discrete [ {variable.cardinality} ] {{ {states} }};")
        lines += _dump_properties(document.variable_properties.get(variable.name, {}))
        if variable.name in document.positions:
            x, y = document.positions[variable.name]
            lines.append(f"  property position = ( {x!r}, {y!r} );")
        lines.append("}")
    for child, parents in enumerate(network.parents):
        lines += _dump_table(network, child, parents)
    return "\n".join(lines) + "\n"


def _dump_properties(properties: Mapping[str, str]) -> list[str]:
    return [f"  property {_quote_if_needed(key)} = {_quote_if_needed(value)};" for key, value in properties.items()]


def _dump_table(network: BayesianNetwork, child: int, parents: tuple[int, ...]) -> list[str]:
    names = [_quote_if_needed(network.variables[i].name) for i in (child, *parents)]
    table = network.tables[child]
    given = f" | {', '.join(names[1:])}" if parents else ""
    lines = [f"probability ( {names[0]}{given} ) {{"]
    for at in np.ndindex(table.shape[:-1]):
        states = ", ".join(_quote_if_needed(network.variables[p].states[k]) for p, k in zip(parents, at, strict=True))
        numbers = ", ".join(repr(float(value)) for value in table[at])
        lines.append(f"  ({states}) {numbers};" if parents else f"  table {numbers};")
    return [*lines, "}"]


def _quote_if_needed(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quote(text)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
