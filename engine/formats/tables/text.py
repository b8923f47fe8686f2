"""Tables in text files: encoding, delimiter and header, found out by looking at the file."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from engine.formats.tables.cells import MISSING_CODES, read_number
from engine.formats.tables.delimited import Source, find_line, read_block, read_columns, read_first_row
from engine.formats.tables.gathering import Positions
from engine.formats.tables.table import Column, Hints, Table
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.variable import Variable

DELIMITERS = ",;\t| "
"""What may stand between cells, the likeliest first; a space means any run of spaces and tabs."""
MOST_LINE = 4 * 2**20
"""The longest line that is read, in bytes."""
_SAMPLE = 2**18
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}


def clean(data: bytes) -> tuple[bytes, str]:
    """The bytes without byte order mark and with line feeds, and their encoding: UTF-8, or Latin-1 if they are not."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise FormatError("the file begins as UTF-16 text but is not; save it as UTF-8") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    if not data or data.isspace():
        raise FormatError("the file is empty; expected a table with names of variables in its first line")
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise FormatError("a NUL byte: this is not a text file; save the table as CSV in UTF-8", line)
    _check_lines(data)
    return data, "utf-8" if _is_utf8(data) else "latin-1"


def _check_lines(data: bytes) -> None:
    """Refuse enormous lines before anything is made of their cells."""
    start = 0
    while len(data) - start > MOST_LINE:
        end = data.rfind(b"\n", start, start + MOST_LINE)
        if end < 0:
            line = data.count(b"\n", 0, start) + 1
            raise FormatError(f"a line longer than {MOST_LINE >> 20} MB; is this a table, a row per line?", line)
        start = end + 1


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 2**20):
            decoder.decode(data[start : start + 2**20])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def sniff_delimiter(data: bytes, candidates: str = DELIMITERS) -> str:
    """The delimiter that gives the most of the first lines, and at least half, the width of the very first.

    A comma if there is none: a table of one column.
    """
    sample = data[:_SAMPLE]
    if len(data) > _SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or data[: data.find(b"\n") + 1]
    best, most = ",", 0.0
    for delimiter in candidates:
        widths = _sample_widths(Source(sample, delimiter))
        agreement = float(np.mean(widths == widths[0])) if widths.size and widths[0] > 1 else 0.0
        if agreement >= 0.5 and agreement > most:
            best, most = delimiter, agreement
    return best


def _sample_widths(source: Source) -> Positions:
    """Cells per line, an empty last one not counted; nothing where quotes do not fit the delimiter."""
    try:
        block = read_block(source, 0, len(source.data))
    except FormatError:
        return np.empty(0, dtype=np.intp)
    lines = block.lines_with_text()[:200]
    last = block.first[lines] + block.counts[lines] - 1
    widths: Positions = block.counts[lines] - (block.starts[last] == block.ends[last])
    return widths


def parse(data: bytes, hints: Hints, candidates: str = DELIMITERS) -> Table:
    """The table of a text file.

    With variables, the first line is a header unless its cells are values of the variables, one for
    each, in their order. Without, it is one unless a cell of it is a missing code, or appears again
    below in its column, or all are numbers (but 0, 1, 2, … are names).
    """
    data, encoding = clean(data)
    variables = hints.variables
    found = hints.delimiter or sniff_delimiter(data, candidates)
    source = Source(data, found, encoding)
    first, line, after = read_first_row(source)
    codes = {*MISSING_CODES, *hints.missing}
    notes = []
    if hints.delimiter is None and found != ",":
        notes.append(f"cells are separated by {_NAMES[found]}")
    if variables is None:
        table = _read_rows(source, _header_names(first), after)
        reason = _why_values(first, table.columns, codes)
    else:
        reason = _why_values_of(first, variables, codes, notes)
    if reason:
        names = [f"V{j + 1}" for j in range(len(first))] if variables is None else [v.name for v in variables]
        given = "columns are named V1, V2, …" if variables is None else "columns are taken in the variables' order"
        notes.append(f"no header: {reason}; {given}")
        table = _read_rows(source, names, 0)
    elif variables is not None:
        table = _read_rows(source, _header_names(first), after)
    if not reason:
        _check_names(table.columns, line, variables)
    table.notes[:0] = notes
    table.delimiter, table.has_header = found, not reason
    return table


def parse_tabs(data: bytes, hints: Hints) -> Table:
    """The table of a text file with tabs between cells, unless something else is said to stand there."""
    return parse(data, hints if hints.delimiter else replace(hints, delimiter="\t"))


def _header_names(first: Sequence[str]) -> list[str]:
    """The names of a header, without the empty one after a delimiter at its end."""
    return list(first[:-1]) if len(first) > 1 and not first[-1] else list(first)


def _read_rows(source: Source, names: Sequence[str], offset: int) -> Table:
    columns, comments = read_columns(source, offset, len(names))
    for column, name in zip(columns, names, strict=True):
        column.name = name
    notes = [f"lines skipped as comments: {comments}"] if comments else []
    rows = columns[0].codes.size
    return Table(columns, rows, notes=notes, line_of=partial(find_line, source, offset, len(names)))


def _why_values(first: Sequence[str], columns: Sequence[Column], missing: set[str]) -> str:
    """Why the first line must be a row of values, when no model is given; empty if it is a header."""
    inner = [cell for cell in first if cell in missing and cell]
    if inner:
        return f"the first line has the missing code {shorten(inner[0])}"
    if len(first) > 2 and list(first) == [str(k) for k in range(len(first))]:
        return ""
    for cell, column in zip(first, columns, strict=False):
        if cell and cell in column.texts:
            return f"{shorten(cell)} of the first line appears again below it"
    if all(read_number(cell) is not None for cell in first):
        return "the first line has only numbers"
    return ""


def _why_values_of(first: Sequence[str], variables: Sequence[Variable], missing: set[str], notes: list[str]) -> str:
    """Why the first line must be a row of values of these variables; empty if it is a header."""
    fits = len(first) == len(variables) and all(
        cell in variable.states or cell in missing for cell, variable in zip(first, variables, strict=True)
    )
    if not fits or not first:
        return ""
    names = {variable.name for variable in variables}
    if len(set(first)) == len(first) and names.issuperset(first):
        notes.append("the first line is read as names of variables, though it could be a row of values")
        return ""
    return "the first line has a value for every variable"


def _check_names(columns: Sequence[Column], line: int, variables: Sequence[Variable] | None) -> None:
    """No two columns with one name; among columns that are left out anyway it does not matter."""
    wanted = None if variables is None else {variable.name for variable in variables}
    seen = set()
    for column in columns:
        if column.name in seen and column.name and (wanted is None or column.name in wanted):
            raise FormatError(f"two columns are named {shorten(column.name)}; names must differ", line)
        seen.add(column.name)
