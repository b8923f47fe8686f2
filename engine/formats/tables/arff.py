"""ARFF, the data format of Weka.

A nominal attribute becomes a variable with the attribute's own states in their order. The values of
numeric, string and date attributes are taken as text, each different one a state. In sparse rows, a
value that is left out is the first state (0 for a number), as in Weka. In other rows a target ``{0.3;0.7}`` may
stand without quotes: its semicolons tell it from a row's weight ``{2}`` and from a sparse row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.formats.limits import MOST_CELLS
from engine.formats.tables import text
from engine.formats.tables.cells import read_number, split_vector
from engine.formats.tables.delimited import Source, find_line, read_columns
from engine.formats.tables.table import MOST_COLUMNS, Column, Hints, Table, make_column
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.variable import list_names

_DATA = re.compile(rb"^[ \t]*@data\b[^\n]*\n?", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(rb"^[ \t]*%[^\n]*", re.MULTILINE)
_QUOTED = r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\""
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|[^\s{{'\"]++)\s*+(.*)", re.IGNORECASE | re.DOTALL)
_VALUE = re.compile(rf"\s*+({_QUOTED}|{{[^,;'\"{{}}]*+;[^,'\"{{}}]*+}}|[^,'\"{{}}]*+)\s*+(,|$)", re.DOTALL)
_PAIR = re.compile(rf"\s*+(\d{{1,9}})\s++({_QUOTED}|[^,'\"{{}}\s]++)\s*+(,|$)", re.DOTALL)
_QUOTED_OR_MARK = re.compile(rf"{_QUOTED}|}}|(?P<open>['\"].*)", re.DOTALL)
_REST = re.compile(r"\s*+\Z")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}

Cells = list[str | None]


@dataclass(frozen=True)
class _Attribute:
    name: str
    states: Sequence[str] | None
    kind: str
    line: int

    @property
    def default(self) -> str | None:
        """What a sparse row means by leaving the attribute out; None if it may not."""
        if self.states:
            return self.states[0]
        return "0" if self.kind in ("numeric", "real", "integer") else None


def parse(data: bytes, _hints: Hints) -> Table:
    """The table of an ARFF file."""
    data, encoding = text.clean(data)
    begin = _DATA.search(data)
    if begin is None:
        raise FormatError("no line '@data'; expected an ARFF file", data.count(b"\n") + 1)
    attributes = _read_header(data[: begin.start()].decode(encoding))
    lines = data.count(b"\n", 0, begin.end())
    body = _COMMENT.sub(b"", data[begin.end() :])
    if any(mark in body for mark in (b"'", b'"', b"\\", b"{")):
        table = _read_lines(body.decode(encoding), attributes, lines)
    else:
        # Line feeds in place of the header keep the numbers of the lines.
        padded = b"\n" * lines + body
        source = Source(padded, text.sniff_delimiter(body, ", ") if body.strip() else ",", encoding)
        columns, _ = read_columns(source, lines, len(attributes))
        width = len(columns)
        table = Table(columns, columns[0].codes.size, line_of=partial(find_line, source, lines, width))
    for column, attribute in zip(table.columns, attributes, strict=True):
        column.name, column.states = attribute.name, attribute.states
    plain = [attribute.name for attribute in attributes if attribute.states is None]
    if plain:
        table.notes.append(f"not nominal, so every different value is a state: {list_names(plain)}")
    return table


def _read_header(text: str) -> list[_Attribute]:
    attributes: dict[str, _Attribute] = {}
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("%") or line.lower().startswith("@relation"):
            continue
        match = _ATTRIBUTE.fullmatch(line)
        if match is None:
            raise FormatError(f"expected '@attribute name type', got {shorten(line)}", number)
        name = _unquote(match[1])
        if not name or name in attributes:
            raise FormatError(
                f"the attribute {shorten(name)} has no name or that of another; names must differ", number
            )
        attributes[name] = _Attribute(name, *_read_type(match[2], number), number)
        if len(attributes) > MOST_COLUMNS:
            raise FormatError(f"more than {MOST_COLUMNS:,} attributes", number)
    if not attributes:
        raise FormatError("no '@attribute' before '@data'; expected an ARFF file", number)
    return list(attributes.values())


def _read_type(text: str, line: int) -> tuple[Sequence[str] | None, str]:
    """The states of a nominal type, or None; and the type's name."""
    if not text.startswith("{"):
        kind = text.split()[0].lower() if text else ""
        if kind in ("numeric", "real", "integer", "string", "date"):
            return None, kind
        raise FormatError(f"expected states in braces, numeric, string or date, got {shorten(text)}", line)
    end = _find_brace(text, line)
    states = [value for value, quoted in _split(text[1:end], line) if value or quoted]
    if not states:
        raise FormatError("an attribute without states", line)
    return tuple(dict.fromkeys(states)), "nominal"


def _find_brace(text: str, line: int) -> int:
    """Where the brace that opens a text is closed, outside quotes."""
    for match in _QUOTED_OR_MARK.finditer(text):
        if match[0] == "}":
            return match.start()
        if match["open"]:
            raise FormatError(f"a quote that is never closed: {shorten(match['open'])}", line)
    raise FormatError("a brace that is never closed", line)


def _split(text: str, line: int) -> Iterator[tuple[str, bool]]:
    """The values between commas, and whether each was quoted."""
    position = 0
    while True:
        match = _VALUE.match(text, position)
        if match is None:
            raise FormatError(f"expected a value and a comma, got {shorten(text[position:].lstrip())}", line)
        yield _unquote(match[1]), match[1][:1] in ("'", '"')
        position = match.end()
        if match[2] != ",":
            return


def _unquote(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text.strip()
    return _ESCAPE.sub(lambda match: _CONTROL.get(match[1], match[1]), text[1:-1])


def _read_lines(text: str, attributes: Sequence[_Attribute], before: int) -> Table:
    """Rows one by one: with quotes, sparse, or with weights."""
    rows: list[Cells] = []
    weights, numbers = [], []
    for number, raw in enumerate(text.split("\n"), start=before + 1):
        line = raw.strip()
        if not line:
            continue
        if (len(rows) + 1) * len(attributes) > MOST_CELLS:
            raise FormatError(f"more than {MOST_CELLS:,} cells with quotes or braces; write the data as CSV", number)
        values, weight = _split_weight(line, number)
        is_sparse = values.startswith("{") and not _is_target(values[: values.find("}") + 1])
        read = _read_sparse if is_sparse else _read_dense
        rows.append(read(values, attributes, number))
        weights.append(weight)
        numbers.append(number)
    columns: list[Column] = [
        make_column(attribute.name, [row[k] for row in rows]) for k, attribute in enumerate(attributes)
    ]
    table = Table(columns, len(rows), line_of=numbers.__getitem__)
    if any(weight != 1 for weight in weights):
        table.weights = np.array(weights, dtype=np.float64)
        table.notes.append("the rows have weights")
    return table


def _split_weight(line: str, number: int) -> tuple[str, float]:
    """A row and its weight: ``a,b,{2}``."""
    start = line.rfind("{")
    if not line.endswith("}") or start <= 0 or _is_target(line[start:]):
        return line, 1.0
    weight = read_number(line[start + 1 : -1].strip())
    if weight is None or weight < 0:
        expected = "a weight ≥ 0 or a target such as {0.3;0.7} in braces"
        raise FormatError(f"expected {expected}, got {shorten(line[start:])}", number)
    return line[:start].rstrip().removesuffix(",").rstrip(), weight


def _is_target(text: str) -> bool:
    return ";" in text and split_vector(text) is not None


def _read_dense(line: str, attributes: Sequence[_Attribute], number: int) -> Cells:
    cells: Cells = [None if value == "?" and not quoted else value for value, quoted in _split(line, number)]
    if len(cells) != len(attributes):
        raise FormatError(f"the row has {len(cells):,} cells; expected {len(attributes):,}, one per attribute", number)
    return cells


def _read_sparse(line: str, attributes: Sequence[_Attribute], number: int) -> Cells:
    """``{0 a, 3 b}``: an attribute's index from 0, and its value."""
    end = _find_brace(line, number)
    if line[end + 1 :].strip():
        raise FormatError(f"unexpected text after a sparse row: {shorten(line[end + 1 :])}", number)
    found: dict[int, str | None] = {}
    inner, position = line[1:end], 0
    while not _REST.match(inner, position):
        match = _PAIR.match(inner, position)
        if match is None or int(match[1]) >= len(attributes):
            shown = shorten(inner[position:].strip())
            raise FormatError(f"expected an index below {len(attributes)} and a value, got {shown}", number)
        found[int(match[1])] = None if match[2] == "?" else _unquote(match[2])
        position = match.end()
    for k, attribute in enumerate(attributes):
        if k not in found and attribute.default is None:
            raise FormatError(f"a sparse row without {shorten(attribute.name)}, which has no default value", number)
    return [found.get(k, attribute.default) for k, attribute in enumerate(attributes)]
