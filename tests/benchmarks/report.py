"""Where studies print: Markdown tables, a line as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO

FIRST_WIDTH, NUMBER_WIDTH = 44, 8
"""Rows are written one by one, so widths cannot follow the cells."""


class Report:
    """Titles, notes and tables, written to a stream as Markdown."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def title(self, text: str) -> None:
        self._write(f"## {text}\n")

    def note(self, text: str) -> None:
        self._write(f"{text}\n")

    def table(self, columns: Sequence[str]) -> Table:
        """A table whose rows are still to come. Close it (``with``) before anything else is written."""
        return Table(columns, self._write)

    def _write(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


class Table:
    """A Markdown table, the first column text and the others numbers."""

    def __init__(self, columns: Sequence[str], write: Callable[[str], None]) -> None:
        self._write = write
        self._widths = [max(len(name), FIRST_WIDTH if k == 0 else NUMBER_WIDTH) for k, name in enumerate(columns)]
        self.row(*columns)
        lines = ["-" * width if k == 0 else "-" * (width - 1) + ":" for k, width in enumerate(self._widths)]
        self.row(*lines)

    def row(self, *cells: str) -> None:
        """Write a row of as many cells as there are columns."""
        if len(cells) != len(self._widths):
            raise ValueError(f"a row of {len(cells)} cells; the table has {len(self._widths)} columns")
        padded = [
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(cells, self._widths, strict=True))
        ]
        self._write(f"| {' | '.join(padded)} |")

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")


def seconds(value: float) -> str:
    """A duration in the unit that suits it.

    >>> seconds(0.0000123), seconds(0.0456), seconds(12.34), seconds(1234.5)
    ('12.3 µs', '45.6 ms', '12.3 s', '1,234 s')
    """
    for unit, size in (("µs", 1e-6), ("ms", 1e-3)):
        if value < 1000 * size:
            return f"{three_digits(value / size)} {unit}"
    return f"{three_digits(value)} s"


def ratio(value: float) -> str:
    """How many times as fast.

    >>> ratio(7812.3), ratio(0.912), ratio(31.41)
    ('7,812×', '0.91×', '31.4×')
    """
    return f"{value:,.2f}×" if value < 10 else f"{three_digits(value)}×"


def three_digits(value: float) -> str:
    """About three digits of a number, with all before the point."""
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"
