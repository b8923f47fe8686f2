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
