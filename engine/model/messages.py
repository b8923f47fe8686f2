"""Pieces of a file in messages, and numbers with their nouns."""

from __future__ import annotations

MOST_QUOTED = 60
"""Characters of a piece that a message quotes."""


def shorten(text: str, most: int = MOST_QUOTED) -> str:
    """A piece of a file for a message: quoted, on one line, cut when long.

    >>> shorten("a" * 50, most=5)
    "'aaaaa…'"
    """
    return repr(str(text) if len(text) <= most else f"{text[:most]}…")


def count(number: float, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> count(1, "row"), count(1200, "row"), count(2.5, "row")
    ('1 row', '1,200 rows', '2.5 rows')
    """
    shown = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
    return f"{shown} {one if number == 1 else many or one + 's'}"


def format_seconds(seconds: float) -> str:
    """A time to two digits, in the unit that reads best.

    >>> format_seconds(0.01234), format_seconds(3.21), format_seconds(4321)
    ('12 ms', '3.2 s', '72 min')
    """
    for most, size, unit in ((1e-3, 1e-6, "µs"), (1.0, 1e-3, "ms"), (600.0, 1.0, "s"), (36_000.0, 60.0, "min")):
        if seconds < most:
            return f"{two_digits(seconds / size)} {unit}"
    return f"{two_digits(seconds / 3600)} h"


def two_digits(number: float) -> str:
    """A number to two digits, or whole."""
    return f"{number:.2g}" if number < 10 or number >= 10**6 else f"{number:,.0f}"
