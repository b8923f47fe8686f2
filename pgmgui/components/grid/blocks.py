"""Blocks of cells as a spreadsheet copies them: lines of texts between tabs, or commas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

MOST_BLOCK = 200_000
"""Cells that are copied, pasted or emptied at once."""
MOST_TEXT = 10_000_000
"""Characters that are pasted at once."""
_COMMA_NUMBER = re.compile(r"\s*[-+]?\d*,\d+\s*", re.ASCII)


class BlockError(ValueError):
    """A block that cannot be copied or pasted, and why, for the user."""


def read_block(text: str) -> list[list[str]]:
    """The cells of a text: between tabs if it has any, else between commas; a line for each row.

    >>> read_block("yes\\tno\\r\\n?\\t[0.4;0.8]\\r\\n")
    [['yes', 'no'], ['?', '[0.4;0.8]']]
    """
    if len(text) > MOST_TEXT:
        raise BlockError(f"what is pasted has {len(text):,} characters; at most {MOST_TEXT:,} can be")
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if "\n" not in text and "\t" not in text and _COMMA_NUMBER.fullmatch(text):
        return [[text]]  # a decimal comma: whoever reads the number can tell
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text else ","))
    except csv.Error as error:
        raise BlockError(f"what is pasted cannot be split into cells: {error}") from None
    block = [line or [""] for line in lines] or [[""]]
    for number, line in enumerate(block, 1):
        if len(line) != len(block[0]):
            raise BlockError(
                f"line {number:,} of what is pasted has {len(line):,} cells, the first has {len(block[0]):,}; "
                "copy a rectangle"
            )
    return block


def write_block(block: Sequence[Sequence[str]]) -> str:
    """Cells as a text that a spreadsheet takes apart again."""
    written = io.StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows(block)
    return written.getvalue()


def check_size(rows: int, columns: int) -> None:
    """Refuse blocks that are too large."""
    if rows * columns > MOST_BLOCK:
        raise BlockError(f"{rows * columns:,} cells at once are too many; choose at most {MOST_BLOCK:,}")
