"""Columns and cells of a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    kind : {"text", "number", "head"}
        Numbers stand to the right. Heads name their row; the first ones stay in view.
    about : str
        The tooltip of the heading.
    width : int, optional
        Pixels; None is as wide as the heading and the first cells need.
    choices : tuple of pairs of texts
        What can be chosen from a list while a cell is edited, each with a word about it, or none.
    hint : str
        What else can be typed.
    clears : bool
        Whether Delete empties a cell at once.
    """

    title: str
    kind: str = "text"
    about: str = ""
    width: int | None = None
    editable: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    clears: bool = False


Cell = str | dict[str, Any]
"""A text; or ``text``, ``kind`` ("missing", "soft", "target", "warn", "absent" or ""), ``bars`` (numbers from 0 to 1,
for soft cells and targets), ``heat`` (a shade from −1 to 1), ``about`` (the tooltip), ``typed`` (what is edited and
copied instead of the text) and ``key`` (the number that it is sorted by), each of which may be left out. What is
absent has not come yet."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a grid shows.

    Attributes
    ----------
    cells : callable
        The rows from a first to a last one, both included and in range: a list of cells a row.
    label : str
        The accessible name of the table.
    order : callable, optional
        All rows sorted by a column, perhaps descending; without, they are sorted by what their cells show, if there
        are not too many and none of it can be edited.
    sorts : bool
        Whether a click on a heading sorts the rows.
    sequence : object
        Where another one is given, rows stand elsewhere: what the user did before is not meant for those of now.
    """

    columns: tuple[Column, ...]
    n_rows: int
    cells: Callable[[int, int], list[list[Cell]]]
    label: str
    order: Callable[[int, bool], Ints] | None = None
    sorts: bool = True
    sequence: object = None


def show_text(cell: Cell) -> str:
    """What a cell shows."""
    return cell if isinstance(cell, str) else str(cell.get("text", ""))


def copy_text(cell: Cell) -> str:
    """What a cell is when it is copied."""
    return cell if isinstance(cell, str) else str(cell.get("typed", cell.get("text", "")))
