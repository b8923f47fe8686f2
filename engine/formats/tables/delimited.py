"""Cells between delimiters, split in bulk: the bytes of a CSV file → columns of distinct texts.

Nothing here loops over rows. The bytes are taken in blocks of a few megabytes that end with a row. In
a block the delimiters and line ends outside quotes are found at once, which also tells rows with too
few or too many cells; then each column's cells are compared eight bytes at a time, as integers.
(``pandas.read_csv(dtype="category")`` is slower, pads short rows silently, and from pandas 3.1 on
reads the texts "1", "01" and "1.0" as one category.)

A delimiter of " " means any run of spaces and tabs. A cell in double quotes is taken as it stands
(a quote inside is doubled); other cells are stripped of white space. Blank lines are skipped, as are
comments: lines that begin with ``#``, ``%`` or ``//`` and do not have the table's number of cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.formats.tables.gathering import RECENT, Bytes, Gatherer, Positions, read_first_words
from engine.formats.tables.table import MOST_COLUMNS, MOST_TEXTS, Column, Numbering
from engine.model.errors import FormatError
from engine.model.messages import shorten

_BLOCK = 4 * 2**20
_LARGEST_BLOCK = 16 * 2**20
_ROWS = 2_000
"""A block holds about this many rows or more, so that wide tables do not spend their time on blocks."""
_QUOTE, _NEWLINE, _RETURN, _SPACE, _TAB = b'"\n\r \t'


@dataclass(frozen=True)
class Source:
    """The bytes of a text file, how they are to be decoded, and what stands between cells."""

    data: bytes
    delimiter: str
    encoding: str = "utf-8"

    def line_at(self, position: int) -> int:
        return self.data.count(b"\n", 0, position) + 1

    def text_of(self, raw: bytes) -> str:
        """A cell without its quotes, or without the white space around it."""
        text = raw.decode(self.encoding, errors="replace").strip()
        if len(text) >= 2 and text[0] == text[-1] == '"':
            return text[1:-1].replace('""', '"')
        return text


@dataclass(frozen=True, eq=False)
class Block:
    """Some whole lines of a file, split into cells.

    Attributes
    ----------
    offset : int
        Where the block begins in the file; ``end`` is where the next one does.
    buffer : array of bytes
        The block, with eight zeros after it.
    starts, ends : arrays (cells,)
        Where each cell begins and ends in ``buffer``.
    first, counts : arrays (lines,)
        For each line, its first cell and how many it has.
    """

    offset: int
    end: int
    buffer: Bytes
    starts: Positions
    ends: Positions
    first: Positions
    counts: Positions

    def raw(self, cell: int) -> bytes:
        return self.buffer[self.starts[cell] : self.ends[cell]].tobytes()

    def lines_with_text(self) -> Positions:
        """The lines that are neither blank nor begin as a comment."""
        if not self.starts.size:
            return np.empty(0, dtype=np.intp)
        blank, comment = _classify_lines(self)
        return np.flatnonzero(~blank & ~comment)


def read_block(source: Source, offset: int, size: int = _BLOCK) -> Block:
    """The lines of a file from ``offset`` on: about ``size`` bytes of them, at least one."""
    data = source.data
    while True:
        end = min(offset + size, len(data))
        taken = np.frombuffer(data, dtype=np.uint8, count=end - offset, offset=offset)
        tail = b"\n" if end == len(data) and not data.endswith(b"\n") else b""
        buffer = np.concatenate([taken, np.frombuffer(tail + bytes(8), dtype=np.uint8)])
        inside = _inside_quotes(buffer)
        newline = buffer == _NEWLINE
        if inside is not None:
            newline &= ~inside
        lines = np.flatnonzero(newline)
        if lines.size:
            break
        if end == len(data) or size > 4 * _LARGEST_BLOCK:
            _check_quotes(source, offset, buffer, buffer.size - 8)
            start = offset + int(np.flatnonzero(buffer == _QUOTE)[-1])
            raise FormatError("a quote that is opened here is never closed", source.line_at(start))
        size *= 2
    stop = int(lines[-1]) + 1
    buffer = np.concatenate([buffer[:stop], np.zeros(8, dtype=np.uint8)])
    if inside is not None:
        inside = inside[:stop]
        _check_quotes(source, offset, buffer, stop)
    split = _split_at_spaces if source.delimiter == " " else _split_at_delimiters
    starts, ends, first, counts = split(buffer[:stop], inside, lines, ord(source.delimiter))
    return Block(offset, min(offset + stop, len(data)), buffer, starts, ends, first, counts)


def _inside_quotes(buffer: Bytes) -> npt.NDArray[np.bool_] | None:
    """For each byte, whether an odd number of quotes stands at or before it; None without quotes."""
    quotes = buffer == _QUOTE
    return np.logical_xor.accumulate(quotes) if quotes.any() else None


def _check_quotes(source: Source, offset: int, buffer: Bytes, stop: int) -> None:
    """Every quote opens a cell, closes one, or is doubled inside one."""
    quotes = np.flatnonzero(buffer[:stop] == _QUOTE)
    edge = np.zeros(256, dtype=bool)
    edge[[ord(source.delimiter), _NEWLINE, _QUOTE, _RETURN]] = True
    if source.delimiter == " ":
        edge[_TAB] = True
    opening, closing = quotes[::2], quotes[1::2]
    before = buffer[opening - 1]
    spaced = (before == _SPACE) & ((opening == 1) | edge[buffer[opening - 2]])
    good = np.ones(quotes.size, dtype=bool)
    good[::2] = edge[before] | (opening == 0) | spaced
    good[1::2] = edge[buffer[closing + 1]] | ((buffer[closing + 1] == _SPACE) & edge[buffer[closing + 2]])
    if not good.all():
        wrong = int(quotes[~good][0])
        near = buffer[wrong : wrong + 12].tobytes().split(b"\n")[0].rstrip(b"\0")
        shown = shorten(near.decode(source.encoding, errors="replace"))
        raise FormatError(
            f"a quote in the middle of a cell, at {shown}; put the whole cell in quotes and double those inside",
            source.line_at(offset + wrong),
        )


def _split_at_delimiters(
    buffer: Bytes, inside: npt.NDArray[np.bool_] | None, lines: Positions, delimiter: int
) -> tuple[Positions, Positions, Positions, Positions]:
    separates = (buffer == delimiter) | (buffer == _NEWLINE)
    if inside is not None:
        separates &= ~inside
    ends = np.flatnonzero(separates)
    starts = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=starts[1:])
    last = np.searchsorted(ends, lines)
    first = np.concatenate([[0], last[:-1] + 1])
    counts = last - first + 1
    line_ends = ends[last]
    ends[last] -= (buffer[line_ends - 1] == _RETURN) & (line_ends > starts[last])
    return starts, ends, first, counts


def _split_at_spaces(
    buffer: Bytes, inside: npt.NDArray[np.bool_] | None, lines: Positions, delimiter: int
) -> tuple[Positions, Positions, Positions, Positions]:
    space = (buffer == delimiter) | (buffer == _TAB) | (buffer == _NEWLINE) | (buffer == _RETURN)
    if inside is not None:
        space &= ~inside
    changes = np.flatnonzero(np.diff(space, prepend=True))
    starts, ends = changes[::2], changes[1::2]
    before = np.concatenate([[0], np.searchsorted(starts, lines)])
    return starts, ends, before[:-1], np.diff(before)


def iterate_blocks(source: Source, offset: int, size: int = 2**16) -> Iterator[Block]:
    """All blocks from an offset on, the first of about a size."""
    while offset < len(source.data):
        block = read_block(source, offset, size)
        yield block
        size = _fit_block((block.end - offset) / block.counts.size)
        offset = block.end


def _fit_block(row: float) -> int:
    """How many bytes a block shall have, where a row has so many."""
    return int(np.clip(_ROWS * row, _BLOCK, _LARGEST_BLOCK))


def read_first_row(source: Source, offset: int = 0) -> tuple[list[str], int, int]:
    """The cells of the first line that is neither blank nor a comment, its line, and where the next one begins."""
    for block in iterate_blocks(source, offset):
        for line in block.lines_with_text()[:1]:
            first, count = int(block.first[line]), int(block.counts[line])
            number = source.line_at(block.offset + int(block.starts[first]))
            if count > MOST_COLUMNS:
                raise FormatError(f"{count:,} columns; at most {MOST_COLUMNS:,} are supported", number)
            cells = [source.text_of(block.raw(cell)) for cell in range(first, first + count)]
            end = source.data.find(b"\n", block.offset + int(block.ends[first + count - 1]))
            return cells, number, len(source.data) if end < 0 else end + 1
    raise FormatError("the file has no rows and no header; expected names of variables in its first line")


def read_columns(source: Source, offset: int, width: int) -> tuple[list[Column], int]:
    """The columns of the rows from an offset on, and how many comments were skipped.

    Every row must have ``width`` cells; one empty cell more, after a delimiter at the end of a line, is
    allowed.
    """
    recent: deque[Numbering] = deque(maxlen=RECENT)
    gatherers = [Gatherer(recent) for _ in range(width)]
    comments = 0
    for block in iterate_blocks(source, offset, _fit_block(source.data.find(b"\n", offset) - offset)):
        rows, skipped = _find_rows(source, block, width)
        comments += skipped
        starts, ends = _take_rows(block, rows, width)
        words, longest = read_first_words(block.buffer, starts, ends)
        for j, gatherer in enumerate(gatherers):
            gatherer.add(block.buffer, words[j], starts[:, j], ends[:, j], longest[j])
        if sum(len(gatherer.raws) for gatherer in gatherers) > MOST_TEXTS:
            raise FormatError(f"more than {MOST_TEXTS:,} distinct cells; only discrete data is supported")
    return [gatherer.column(source.text_of) for gatherer in gatherers], comments


def find_line(source: Source, offset: int, width: int, row: int) -> int | None:
    """The line of a row of :func:`read_columns`."""
    for block in iterate_blocks(source, offset):
        rows, _ = _find_rows(source, block, width)
        if row < rows.size:
            return source.line_at(block.offset + int(block.starts[block.first[rows[row]]]))
        row -= rows.size
    return None


def _find_rows(source: Source, block: Block, width: int) -> tuple[Positions, int]:
    """The lines of a block that are rows of the table, and how many are comments."""
    counts = block.counts
    if not block.starts.size:
        return np.empty(0, dtype=np.intp), 0
    if width > 1 and (counts == width).all():
        return np.arange(counts.size), 0
    last = block.first + counts - 1
    empty = (counts == 0) | (block.ends[last] == block.starts[last])
    blank, comment = _classify_lines(block)
    comment &= (counts != width) | (width == 1)
    is_row = ((counts == width) | ((counts == width + 1) & empty)) & ~blank & ~comment
    wrong = np.flatnonzero(~(is_row | blank | comment))
    if wrong.size:
        line = int(wrong[0])
        number = source.line_at(block.offset + int(block.starts[block.first[line]]))
        raise FormatError(f"the row has {counts[line]:,} cells; expected {width:,}, as the first line has", number)
    return np.flatnonzero(is_row), int(comment.sum())


def _classify_lines(block: Block) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each line, whether it has nothing but white space in at most one cell, and whether it begins as a comment."""
    first = np.minimum(block.first, block.starts.size - 1)
    solid = np.append(np.flatnonzero(~np.isin(block.buffer, list(b" \t\r"))), block.buffer.size - 1)
    begin = solid[np.searchsorted(solid, block.starts[first])]
    blank = (block.counts == 0) | ((block.counts == 1) & (begin >= block.ends[first]))
    slashes = (block.buffer[begin] == ord("/")) & (
        block.buffer[np.minimum(begin + 1, block.buffer.size - 1)] == ord("/")
    )
    comment = ~blank & (np.isin(block.buffer[begin], list(b"#%")) | slashes)
    return blank, comment


def _take_rows(block: Block, rows: Positions, width: int) -> tuple[Positions, Positions]:
    """Where the cells of some lines begin and end, each (rows, columns)."""
    if rows.size * width == block.starts.size:
        return block.starts.reshape(-1, width), block.ends.reshape(-1, width)
    cells = block.first[rows][:, np.newaxis] + np.arange(width)
    return block.starts[cells], block.ends[cells]
