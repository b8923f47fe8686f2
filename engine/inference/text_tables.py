"""Tables of text: how plans and trees print themselves."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model.messages import two_digits

MOST_LINES = 12
"""Longer tables are cut."""


def format_table(heads: Sequence[str], lines: Sequence[Sequence[str]], most: int = MOST_LINES) -> str:
    """A table with columns set flush right; of a long one the first lines, and how many more there are.

    >>> print(format_table(["parts", "cells"], [["1", "1,024"], ["12", "8"], ["3", "4"]], most=2))
    parts  cells
        1  1,024
       12      8
    … 1 more
    """
    shown = [heads, *lines[:most]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in shown]
    return "\n".join(text + ([f"… {len(lines) - most:,} more"] if len(lines) > most else []))


def format_bytes(size: float) -> str:
    """An amount of memory to two digits, in the unit that reads best.

    >>> format_bytes(24), format_bytes(5_000_000), format_bytes(3 * 2**30), format_bytes(1e30)
    ('24 B', '4.8 MB', '3 GB', '9.3e+20 GB')
    """
    for most, unit in ((2**10, "B"), (2**20, "kB"), (2**30, "MB")):
        if size < most:
            return f"{two_digits(size / (most // 2**10))} {unit}"
    return f"{two_digits(size / 2**30)} GB"


def format_count(number: float) -> str:
    """A number in full, or to three digits where nobody would read them all.

    >>> format_count(1234567), format_count(2**40)
    ('1,234,567', '1.1e+12')
    """
    return f"{number:,}" if number < 10**10 else f"{number:.3g}"
