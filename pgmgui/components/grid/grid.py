"""A table of any length: our own Panel component that draws only the rows in view.

Python owns the cells. When the browser has mounted the component it sends ``ready`` and is answered with
``load``: the columns, the number of rows and the cells around the rows in view. As the user scrolls it asks
for others with ``ask`` and is sent ``cells``. What is typed comes as ``edit``; the row is then sent again,
as it is after the edit or, if that was refused, as it was before.

Not Tabulator, which Panel brings: it is sent every row or one page at a time, so that a million rows cannot be
scrolled, and tells a screen reader neither how many rows there are nor which one it is on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import param

from pgmgui.components.base import Component

_TALL = ("fixed", "stretch_height", "stretch_both")
BLOCK = 64
"""Rows that are sent before the browser has said which it shows."""
MOST_ROWS = 512
"""Rows that one message may ask for."""
MOST_CELLS = 40_000
"""Cells that one answer holds at most: a wide table is sent in fewer rows at a time."""


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
    """

    title: str
    kind: str = "text"
    about: str = ""
    width: int | None = None
    editable: bool = False


Cell = str | dict[str, Any]
"""A text; or ``text``, ``kind`` ("missing", "soft", "warn" or ""), ``bars`` (numbers from 0 to 1, for soft
cells), ``heat`` (a shade from −1 to 1) and ``about`` (the tooltip), each of which may be left out."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a grid shows.

    Attributes
    ----------
    cells : callable
        The rows from a first to a last one, both included and in range: a list of cells a row.
    label : str
        The accessible name of the table.
    """

    columns: tuple[Column, ...]
    n_rows: int
    cells: Callable[[int, int], list[list[Cell]]]
    label: str


class Grid(Component):
    """A table that can be scrolled, walked through with the keyboard, and edited where its columns allow it.

    Clicks and keys of the user become calls of ``on_pick(row)``, keys only on cells that cannot be edited, of
    ``on_edit(row, column, text)`` and of ``on_head(column)``; rows and columns count from 0.
    """

    source = param.ClassSelector(class_=Source, allow_None=True, doc="What is shown.")
    picked = param.List(default=[], item_type=int, doc="The highlighted rows.")
    shown = param.Integer(default=12, bounds=(1, None), doc="Rows in view at most, if no height is set.")
    on_edit = param.Callable(doc="Called with the row, the column and the text that the user gives a cell.")
    on_pick = param.Callable(doc="Called with the row that the user picks.")
    on_head = param.Callable(doc="Called with the column whose heading the user clicks.")

    _scripts = ("../filling.js", "grid_cells.js", "grid_editor.js", "grid_bring.js", "grid.js")
    _styles = ("grid.css",)
    _python = ("source", "picked", "shown", "on_edit", "on_pick", "on_head")

    def __init__(self, **params: Any) -> None:
        self._window = (0, BLOCK - 1)
        self._loads = 0
        self._since = 0
        self._shape: object = None
        super().__init__(**params)

    def bring(self, row: int) -> None:
        """Scroll the table, and the page around it, to a row."""
        self._send_msg({"type": "bring", "row": row})

    def _receive(self, message: dict[str, Any]) -> None:
        # What the user did to another table says nothing about this one.
        source, load = self.source, message.get("load")
        if source is None or not isinstance(load, int) or load < self._since:
            return
        if message.get("type") == "ask":
            self._answer(source, message.get("first"), message.get("last"))
            return
        act = self._find_action(source, message)
        if act is not None:
            self._do(act)

    def _find_action(self, source: Source, message: dict[str, Any]) -> Callable[[], Any] | None:
        """What the user asks for, if there is such a cell and anyone listens."""
        kind, text = message.get("type"), message.get("text")
        row = _read_place(message.get("row"), source.n_rows)
        column = _read_place(message.get("column"), len(source.columns))
        edit: Callable[[int, int, str], object] | None = self.on_edit
        pick: Callable[[int], object] | None = self.on_pick
        head: Callable[[int], object] | None = self.on_head
        if kind == "pick" and pick is not None and row >= 0:
            return partial(pick, row)
        if kind == "head" and head is not None and column >= 0:
            return partial(head, column)
        if kind == "edit" and edit is not None and row >= 0 and column >= 0 and isinstance(text, str):
            return partial(self._edit, edit, row, column, text) if source.columns[column].editable else None
        return None

    def _edit(self, edit: Callable[[int, int, str], object], row: int, column: int, text: str) -> None:
        loads = self._loads
        edit(row, column, text)
        if self._loads == loads and self.source is not None:
            self._send_cells(self.source, row, row)

    def _answer(self, source: Source, first: object, last: object) -> None:
        if isinstance(first, int) and isinstance(last, int) and 0 <= first <= last < source.n_rows:
            self._window = (first, min(last, first + MOST_ROWS - 1, first + _most_rows(source) - 1))
            self._send_cells(source, *self._window)

    def _send_cells(self, source: Source, first: int, last: int) -> None:
        rows = source.cells(first, last)
        self._send_msg({"type": "cells", "load": self._loads, "first": first, "rows": rows})

    @param.depends("source", watch=True)
    def _mounted(self) -> None:
        source: Source | None = self.source
        if source is None:
            return
        self._loads += 1
        if self._shape != (shape := (source.label, source.columns, source.n_rows)):
            self._shape, self._since = shape, self._loads
        # The rows in view come along, so that a changed table does not flicker.
        first, last = self._window
        first = max(0, min(first, source.n_rows - 1))
        last = min(last, source.n_rows - 1, first + _most_rows(source) - 1)
        self._send_msg(
            {
                "type": "load",
                "load": self._loads,
                "columns": [vars(column) for column in source.columns],
                "count": source.n_rows,
                "label": source.label,
                "shown": 0 if self.height or self.sizing_mode in _TALL else self.shown,
                "heads": self.on_head is not None,
                "picks": self.on_pick is not None,
                "first": first,
                "rows": source.cells(first, last) if source.n_rows else [],
                "picked": list(self.picked),
            }
        )

    @param.depends("picked", watch=True)
    def _repick(self) -> None:
        self._send_msg({"type": "picked", "rows": list(self.picked)})


def _most_rows(source: Source) -> int:
    return max(1, MOST_CELLS // max(1, len(source.columns)))


def _read_place(number: object, count: int) -> int:
    """A number below a count that the browser has sent; −1 if it is none."""
    return number if isinstance(number, int) and 0 <= number < count else -1
