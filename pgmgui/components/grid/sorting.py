"""The order of a table's rows by what its cells show."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from pgmgui.components.grid.cells import Cell, Ints, show_text

MOST_SORTED = 20_000
"""Rows that are sorted by their cells; a longer table has to know its orders itself."""
_NUMBER = re.compile(r"[<>±≈]?\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(%|nats?|s|ms)?", re.IGNORECASE | re.ASCII)
_BLANK = ("", "?", "–", "—", "-")
_ENDLESS = {"∞": np.inf, "+∞": np.inf, "-∞": -np.inf}


def sort_cells(cells: Sequence[Cell], descending: bool) -> Ints:
    """The places of cells, sorted: numbers as numbers, then texts; what is empty or missing last, either way.

    Cells that are alike stay as they are.

    >>> sort_cells(["10", "9", "?", "1,000", "b"], descending=False).tolist()
    [1, 0, 3, 4, 2]
    """
    keys = [_read_key(cell) for cell in cells]
    ranks = {key: rank for rank, key in enumerate(sorted({key for key in keys if key is not None}))}
    last = len(ranks)
    found = [last if key is None else last - 1 - ranks[key] if descending else ranks[key] for key in keys]
    return np.argsort(np.array(found, dtype=np.int64), kind="stable")


def _read_key(cell: Cell) -> tuple[int, float, str] | None:
    """Numbers before texts; None for what is empty."""
    if isinstance(cell, dict) and "key" in cell:
        return 0, float(cell["key"]), ""
    if isinstance(cell, dict) and cell.get("kind") == "missing":
        return None
    text = show_text(cell).strip()
    if text in _BLANK:
        return None
    plain = text.replace(",", "").replace("−", "-")
    number = _ENDLESS.get(plain)
    if number is None and (match := _NUMBER.fullmatch(plain)):
        try:
            number = float(match[1])
        except ValueError:
            number = None
    return (1, 0.0, text.casefold()) if number is None else (0, number, "")
