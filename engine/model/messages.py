"""Pieces of a file in messages."""

from __future__ import annotations

MOST_QUOTED = 60
"""Characters of a piece that a message quotes."""


def shorten(text: str, most: int = MOST_QUOTED) -> str:
    """A piece of a file for a message: quoted, on one line, cut when long.

    >>> shorten("a" * 50, most=5)
    "'aaaaa…'"
    """
    return repr(str(text) if len(text) <= most else f"{text[:most]}…")
