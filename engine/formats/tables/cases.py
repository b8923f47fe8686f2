"""Case files (``.cas``) of Netica and of CaMML.

Netica's begin with a line ``// ~->[CASE-1]->~`` or not, and go on with names and cases between spaces,
tabs or commas; ``*`` is missing, ``#2`` is the third state, ``//`` begins a comment. CaMML's begin with
the numbers of variables and cases, the names and the numbers of states; ``%`` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from engine.formats.limits import MOST_STATES
from engine.formats.tables import text
from engine.formats.tables.delimited import Source, find_line, read_columns, read_first_row
from engine.formats.tables.table import Hints, Table
from engine.model.errors import FormatError
from engine.model.messages import shorten

_CAMML = re.compile(rb"\s*\d+[ \t]*%")
_PERCENT = re.compile(rb"%[^\r\n]*")
_SLASHES = re.compile(rb"//[^\r\n]*")


def parse(data: bytes, hints: Hints) -> Table:
    """The table of a case file."""
    data, _ = text.clean(data)
    if _CAMML.match(data):
        return _parse_camml(data)
    table = text.parse(_SLASHES.sub(b"", data), hints, ", ")
    table.indexed = True
    return table


def _parse_camml(data: bytes) -> Table:
    data, encoding = text.clean(_PERCENT.sub(b"", data))
    source = Source(data, " ", encoding)
    offset = 0
    header = []
    for what in ("the number of variables", "the number of cases", "the names", "the numbers of states"):
        try:
            cells, line, offset = read_first_row(source, offset)
        except FormatError:
            raise FormatError(f"the file ends where {what} was expected", data.count(b"\n") + 1) from None
        header.append((cells, line))
    width, rows = (_read_whole(cells, line) for cells, line in header[:2])
    (names, names_line), (sizes, sizes_line) = header[2:]
    for cells, line in header[2:]:
        if len(cells) != width:
            raise FormatError(f"the line has {len(cells)} cells; expected {width}, one per variable", line)
    states = [range(_read_whole([size], sizes_line, MOST_STATES)) for size in sizes]
    columns, _ = read_columns(source, offset, width)
    for column, name, known in zip(columns, names, states, strict=True):
        column.name, column.states = name, [str(k) for k in known]
    if len(set(names)) < width:
        raise FormatError("two columns have the same name; names must differ", names_line)
    if columns[0].codes.size != rows:
        raise FormatError(f"the file declares {rows:,} cases but has {columns[0].codes.size:,}", header[1][1])
    return Table(columns, rows, line_of=partial(find_line, source, offset, width))


def _read_whole(cells: Sequence[str], line: int, most: int = 10**9) -> int:
    """A whole number from 1 to ``most``, alone on its line."""
    if len(cells) == 1 and cells[0].isascii() and cells[0].isdigit() and len(cells[0]) < 11:
        number = int(cells[0])
        if 0 < number <= most:
            return number
    raise FormatError(f"expected a whole number from 1 to {most:,}, got {shorten(' '.join(cells))}", line)
