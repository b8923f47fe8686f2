"""NET, the format of Hugin, also written by SamIam, UnBBayes and aGrUM.

A table is a list of lists with the parents in order and the child fastest. Hugin draws with y growing
upwards, UnBBayes with y growing downwards; a :class:`Document` has y growing downwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

import numpy as np

from engine.formats.limits import MOST_CELLS
from engine.formats.networks.draft import Document, NetworkDraft, NodeDraft
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.tokens import Scanner, Token, as_number
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.network import BayesianNetwork

_PATTERN = re.compile(
    r"""(?P<skip>\s+|%[^\n]*)
       |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
       |(?P<token>[{}()=,;|]|[^\s{}()=,;|"%]+)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?(?:infinity|[\d.]+(?:[eE][-+]?\d+)?)")

_UNSUPPORTED = {
    "class": "object-oriented networks",
    "instance": "object-oriented networks",
    "continuous": "continuous nodes",
    "decision": "influence diagrams",
    "utility": "influence diagrams",
    "function": "function nodes",
    "temporal": "dynamic networks",
}
_TABLE_PROPERTIES = ("experience", "fading")
"""Properties of a node that stand beside its table rather than in its node block."""
_BARE = ("subtype", *_TABLE_PROPERTIES)
"""Properties whose value Hugin expects without quotes."""
_OWN = ("name", "states", "position", "data", "model_nodes", "model_data", "inputs", "outputs")
"""Keys that mean something to the format, and so cannot be keys of other properties."""

# What the format has no room for is written under keys of our own, which other programs keep or ignore.
_OWN_NAME = "pgmgui_name"
_OWN_KEY = "pgmgui_key_"


def parse(text: str) -> NetworkDraft:
    """The draft of a NET file."""
    scanner = Scanner(text, _PATTERN, _unescape)
    draft = NetworkDraft()
    nodes: dict[str, NodeDraft] = {}
    names: dict[str, str] = {}
    implied = ImpliedTables()
    if scanner.at_end:
        scanner.fail("the file is empty; expected a NET network")
    while not scanner.at_end:
        if scanner.peek(*_UNSUPPORTED):
            _refuse(scanner)
        elif scanner.skip("net"):
            _read_header(scanner, draft)
        elif scanner.skip("potential"):
            _read_potential(scanner, nodes, implied, draft.notes)
        else:
            scanner.skip("discrete")
            if scanner.peek(*_UNSUPPORTED):
                _refuse(scanner)
            scanner.expect("node")
            node = _read_node(scanner, names)
            nodes.setdefault(node.name, node)
            draft.nodes.append(node)
    if not _y_grows_downwards(draft.properties):
        for node in draft.nodes:
            node.position = node.position and (node.position[0], -node.position[1])
    for node in draft.nodes:
        node.parents = [names.get(parent, parent) for parent in node.parents]
        node.name = names.get(node.name, node.name)
    return draft


def _refuse(scanner: Scanner) -> NoReturn:
    word = scanner.next()
    scanner.skip("node")
    name = "" if scanner.at_end else f" {shorten(scanner.next())}"
    raise FormatError(
        f"{word}{name}: {_UNSUPPORTED[word]} are not supported; expected only discrete chance nodes", word.line
    )


def _read_header(scanner: Scanner, draft: NetworkDraft) -> None:
    """``{ key = value; ... }`` after ``net``."""
    scanner.expect("{")
    while not scanner.skip("}"):
        key = scanner.word("a property or '}'")
        scanner.expect("=")
        text = _as_text(scanner.until(";"))
        if key == "name":
            draft.name = text
        else:
            draft.properties[_decode_key(key)] = text


def _read_node(scanner: Scanner, names: dict[str, str]) -> NodeDraft:
    """A node's block; where it gives a name that is no identifier, that goes into ``names``."""
    name = scanner.word("a node's name")
    node = NodeDraft(str(name), (), name.line)
    scanner.expect("{")
    while not scanner.skip("}"):
        key = scanner.word("a property or '}'")
        scanner.expect("=")
        if key == "states":
            node.states = [str(state) for state in scanner.names()]
            scanner.expect(";")
        elif key == "position":
            place = [as_number(token) for token in scanner.names()]
            if len(place) != 2 or not np.isfinite(place).all():
                raise FormatError(f"the position of {shorten(node.name)} is not '(x y)'", key.line)
            node.position = (place[0], place[1])
            scanner.expect(";")
        elif key == _OWN_NAME:
            names[node.name] = _as_text(scanner.until(";")) or node.name
        else:
            node.properties[_decode_key(key)] = _as_text(scanner.until(";"))
    return node


def _read_potential(scanner: Scanner, nodes: Mapping[str, NodeDraft], implied: ImpliedTables, notes: list[str]) -> None:
    """``potential (X | A B) { data = ...; }``."""
    scanner.expect("(")
    name = scanner.word("a node's name")
    node = nodes.get(name)
    if node is None:
        raise FormatError(f"a potential for {shorten(name)}, which is not a node above", name.line)
    if node.table_line is not None:
        raise FormatError(f"a second potential for {shorten(node.name)}", name.line)
    node.table_line = name.line
    if scanner.expect("|", ")") == "|":
        node.parents = [str(parent) for parent in scanner.until(")") if parent != ","]
    for parent in node.parents:
        if parent not in nodes:
            raise FormatError(f"{shorten(node.name)} has the parent {shorten(parent)}, which is not defined", name.line)
    shape = _shape(node, nodes)
    model = None
    scanner.expect("{")
    while not scanner.skip("}"):
        key = scanner.word("'data' or '}'")
        scanner.expect("=")
        if key == "data":
            node.table = _read_data(scanner, node, shape)
        elif key in ("model_data", "model_nodes"):
            model = key
            scanner.until(";")
        else:
            node.properties[_decode_key(key)] = _as_text(scanner.until(";"))
    if model and node.table is None:
        raise FormatError(
            f"the table of {shorten(node.name)} is given by an expression ('model_data'); expected 'data'", model.line
        )
    if model:
        notes.append(f"the expression of {shorten(node.name)} was left out; its table is kept")
    if node.table is None:
        node.table = implied.uniform(shape, node.name, node.table_line)
        notes.append(f"the potential of {shorten(node.name)} has no data; read as uniform")


def _shape(node: NodeDraft, nodes: Mapping[str, NodeDraft]) -> tuple[int, ...]:
    shape = (*(len(nodes[parent].states) for parent in node.parents), len(node.states))
    cells = np.prod(shape, dtype=float)
    if cells > MOST_CELLS or not cells:
        raise FormatError(f"the table of {shorten(node.name)} has {cells:.3g} cells", node.table_line)
    return shape


def _read_data(
    scanner: Scanner, node: NodeDraft, shape: tuple[int, ...]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    line = scanner.line
    if not scanner.peek("("):
        token = scanner.next("'('")
        raise FormatError(
            f"the data of {shorten(node.name)} begins with {shorten(token)}; expected a list of numbers", line
        )
    table, lengths = scanner.table()
    scanner.expect(";")
    # A table of the right size whose rows are not the child's states is one with its axes swapped.
    if table.size == np.prod(shape) and lengths not in ({shape[-1]}, {table.size}):
        got = ", ".join(str(length) for length in sorted(lengths)[:5])
        raise FormatError(f"the table of {shorten(node.name)} has rows of {got} numbers; expected {shape[-1]}", line)
    return table


def _y_grows_downwards(properties: Mapping[str, str]) -> bool:
    return any(key.startswith("UnBBayes") for key in properties)


def _as_text(tokens: list[Token]) -> str:
    """A value as text: a string is its content, a list is written in one way."""
    if len(tokens) == 1:
        return str(tokens[0])
    return _spell([_quote(token) if token.quoted else token for token in tokens])


def _spell(words: Sequence[str]) -> str:
    """Words in a line, without a space inside parentheses.

    >>> _spell(["(", "(", "1", "2", ")", "(", ")", ")"])
    '((1 2) ())'
    """
    joined = [
        word if word == ")" or before in ("", "(") else f" {word}"
        for before, word in zip(["", *words], words, strict=False)
    ]
    return "".join(joined)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text, flags=re.DOTALL)


def _decode_key(key: str) -> str:
    if key.startswith(_OWN_KEY):
        try:
            return bytes.fromhex(key.removeprefix(_OWN_KEY)).decode()
        except ValueError:
            pass
    return str(key)


def dump(document: Document) -> str:
    """The NET text of a Bayesian network."""
    network = document.network
    assert isinstance(network, BayesianNetwork)
    lines = ["net", "{"]
    if document.name:
        lines.append(f"    name = {_quote(document.name)};")
    lines += [f"    {_encode_key(key)} = {_value(key, text)};" for key, text in document.properties.items()]
    lines.append("}")
    names = _identifiers([variable.name for variable in network.variables])
    for index in range(len(names)):
        lines += _dump_node(document, index, names[index])
    for index in range(len(names)):
        lines += _dump_potential(document, index, names)
    return "\n".join(lines) + "\n"


def _dump_node(document: Document, index: int, name: str) -> list[str]:
    variable = document.network.variables[index]
    lines = ["", f"node {name}", "{"]
    lines.append(f"    states = ({' '.join(_quote(state) for state in variable.states)});")
    if variable.name != name:
        lines.append(f"    {_OWN_NAME} = {_quote(variable.name)};")
    if variable.name in document.positions:
        x, y = document.positions[variable.name]
        y = y if _y_grows_downwards(document.properties) else -y
        lines.append(f"    position = ({_plain(x)} {_plain(y)});")
    for key, text in document.variable_properties.get(variable.name, {}).items():
        if key not in _TABLE_PROPERTIES:
            lines.append(f"    {_encode_key(key)} = {_value(key, text)};")
    return [*lines, "}"]


def _dump_potential(document: Document, index: int, names: list[str]) -> list[str]:
    network = document.network
    assert isinstance(network, BayesianNetwork)
    parents = " ".join(names[parent] for parent in network.parents[index])
    lines = ["", f"potential ({names[index]}{' | ' if parents else ''}{parents})", "{", "    data ="]
    lines += [f"        {row}" for row in _dump_rows(network.tables[index])]
    lines[-1] += ";"
    properties = document.variable_properties.get(network.variables[index].name, {})
    lines += [f"    {key} = {_value(key, properties[key])};" for key in _TABLE_PROPERTIES if key in properties]
    return [*lines, "}"]


def _dump_rows(table: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Iterator[str]:
    """The rows of a table with the parentheses that open before each and close after it."""
    parents = table.shape[:-1]
    for at in np.ndindex(parents):
        opened = closed = 1
        while opened <= len(at) and at[-opened] == 0:
            opened += 1
        while closed <= len(at) and at[-closed] == parents[-closed] - 1:
            closed += 1
        yield "(" * opened + " ".join(repr(float(value)) for value in table[at]) + ")" * closed


def _identifiers(names: list[str]) -> list[str]:
    """Distinct identifiers for variables: their names where these are identifiers already.

    >>> _identifiers(["a", "x ray", "x_ray", "1"])
    ['a', 'x_ray_2', 'x_ray', '_1']
    """
    taken = {name for name in names if _NAME.fullmatch(name)}
    numbers: dict[str, int] = {}
    identifiers = []
    for name in names:
        identifier = name
        if name not in taken:
            plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
            identifier = plain = plain if _NAME.fullmatch(plain) else f"_{plain}"
            while identifier in taken:
                numbers[plain] = numbers.get(plain, 1) + 1
                identifier = f"{plain}_{numbers[plain]}"
            taken.add(identifier)
        identifiers.append(identifier)
    return identifiers


def _encode_key(key: str) -> str:
    if _NAME.fullmatch(key) and key not in (*_OWN, _OWN_NAME) and not key.startswith(_OWN_KEY):
        return key
    return _OWN_KEY + key.encode().hex()


def _value(key: str, text: str) -> str:
    """A property's text as a value: lists of numbers and Hugin's keywords bare, the rest quoted."""
    if _is_list(text) or (key in _BARE and re.fullmatch(r"[\w.+-]+", text)):
        return text
    return _quote(text)


def _is_list(text: str) -> bool:
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    for k, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if (depth == 0 and k + 1 < len(words)) or not (word in "()" or _NUMBER.fullmatch(word)):
            return False
    # Only a list spelled as it would be read back; any other text is safe in quotes.
    return depth == 0 and _spell(words) == text


def _plain(number: float) -> str:
    """A coordinate, as a whole number where it is one, as Hugin writes it."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    for letter, character in _ESCAPES.items():
        escaped = escaped.replace(character, f"\\{letter}")
    return f'"{escaped}"'
