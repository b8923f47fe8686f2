"""A table of any length: our own Panel component that draws only the rows in view.

Python owns the cells. When the browser has mounted the component it sends ``ready`` and is answered with
``load``: the columns, the number of rows and the cells around the rows in view. There is room for them before they
come, so that nothing below moves. As the user scrolls it asks for others with ``ask`` and is sent ``cells``. What is
typed comes as ``edit``; the row is then sent again, as it is after the edit or, if that was refused, as it was before,
with what was typed.

Sorting is a view: the browser sees rows by their *place*, whoever listens by their number in the source.

Not Tabulator, which Panel brings: it is sent every row or one page at a time, so that a million rows cannot be
scrolled, and tells a screen reader neither how many rows there are nor which one it is on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import param

from pgmgui.components.base import Component
from pgmgui.components.grid.blocks import MOST_BLOCK, BlockError, check_size, read_block, write_block
from pgmgui.components.grid.cells import Cell, Column, Ints, Source, copy_text
from pgmgui.components.grid.sorting import MOST_SORTED, sort_cells

__all__ = ["Cell", "Column", "Grid", "Source"]

LATER = object()
"""What ``on_edit`` returns if the edit is made in a moment."""
_TALL = ("fixed", "stretch_height", "stretch_both")
BLOCK = 64
"""Rows that are sent before the browser has said which it shows."""
MOST_ROWS = 512
"""Rows that one message may ask for."""
MOST_CELLS = 40_000
"""Cells that one answer holds at most: a wide table is sent in fewer rows at a time."""
UNCOPIED = "The browser does not lend its clipboard; choose fewer rows, which it copies by itself."


class Grid(Component):
    """A table that can be scrolled, walked through with the keyboard, sorted, and edited where its columns allow it.

    Clicks and keys of the user become calls of ``on_pick(row)``, keys only on cells that cannot be edited, of
    ``on_edit(row, column, text)`` and of ``on_head(column)``; rows and columns count from 0. A block that is pasted,
    or emptied, becomes a call of ``on_paste(rows, columns, block)``. Where ``on_edit`` returns False the text is
    refused, and offered again to be mended; where it returns LATER, the cell shows it until the source changes.
    """

    source = param.ClassSelector(class_=Source, allow_None=True, doc="What is shown.")
    picked = param.List(default=[], item_type=int, doc="The highlighted rows.")
    shown = param.Integer(default=12, bounds=(1, None), doc="Rows in view at most, if no height is set.")
    room = param.List(default=[0, 0], doc="Rows to keep room for until they come; the most in view, 0 for any.")
    on_edit = param.Callable(doc="Called with the row, the column and the text that the user gives a cell.")
    on_paste = param.Callable(doc="Called with the rows, the columns and the texts that the user gives them.")
    on_pick = param.Callable(doc="Called with the row that the user picks.")
    on_head = param.Callable(doc="Called with the column whose heading the user clicks.")
    on_choose = param.Callable(doc="Called with the rows of the chosen cells, in their order; perhaps none.")
    on_trouble = param.Callable(doc="Called with a sentence where a block cannot be copied or pasted.")

    _scripts = (
        *("../filling.js", "../holding.js", "grid_cells.js", "grid_choices.js", "grid_editor.js", "grid_bring.js"),
        *("grid_blocks.js", "grid_keys.js", "grid.js"),
    )
    _styles = ("grid.css",)
    _python = (
        *("source", "picked", "shown", "on_edit", "on_paste", "on_pick", "on_head", "on_choose"),
        "on_trouble",
    )

    def __init__(self, **params: Any) -> None:
        self._window = (0, BLOCK - 1)
        self._loads = 0
        self._since = self._began = 0
        self._shape: object = None
        self._sort: tuple[int, bool] | None = None
        self._order: Ints | None = None
        self._titles: object = None
        self._is_steady = False
        super().__init__(**params)

    def bring(self, row: int) -> None:
        """Scroll the table, and the page around it, to a row."""
        self._send_msg({"type": "bring", "row": self._places([row])[0]})

    def update_source(self, source: Source) -> None:
        """Show other cells of the same rows: these stay where they are, though they may no longer be sorted."""
        self._is_steady = True
        self.source = source
        self._is_steady = False

    @property
    def _is_tall(self) -> bool:
        """Whether it is as high as it is told to be, however many rows there are."""
        return bool(self.height) or self.sizing_mode in _TALL

    # --- places and rows

    def _rows(self, first: int, last: int) -> Ints:
        """The rows at some places."""
        return np.arange(first, last + 1) if self._order is None else self._order[first : last + 1]

    def _places(self, rows: list[int]) -> list[int]:
        """Where some rows stand."""
        if self._order is None:
            return list(rows)
        return [int(place) for row in rows for place in np.flatnonzero(self._order == row)]

    def _cells(self, source: Source, first: int, last: int) -> list[list[Cell]]:
        if self._order is None:
            return source.cells(first, last)
        return [source.cells(row, row)[0] for row in self._rows(first, last).tolist()]

    def _is_sortable(self, source: Source) -> bool:
        if source.order is None and (source.n_rows > MOST_SORTED or any(column.editable for column in source.columns)):
            return False
        return source.sorts and source.n_rows > 1

    def _find_order(self, source: Source) -> Ints | None:
        if self._sort is None or not self._is_sortable(source):
            return None
        column, descending = self._sort
        if source.order is not None:
            return source.order(column, descending)
        return sort_cells([row[column] for row in source.cells(0, source.n_rows - 1)], descending)

    # --- what the user does

    def _receive(self, message: dict[str, Any]) -> None:
        # What the user did to another table says nothing about this one.
        source, load = self.source, message.get("load")
        since = self._began if message.get("type") == "head" else self._since
        if source is None or not isinstance(load, int) or load < since:
            return
        if message.get("type") == "ask":
            self._answer(source, message.get("first"), message.get("last"))
            return
        act = self._find_action(source, message) or self._find_block_action(source, message)
        if act is not None:
            self._do(act)

    def _find_action(self, source: Source, message: dict[str, Any]) -> Callable[[], Any] | None:
        """What the user asks for, if there is such a cell and anyone listens."""
        kind, text = message.get("type"), message.get("text")
        place = _read_place(message.get("row"), source.n_rows)
        column = _read_place(message.get("column"), len(source.columns))
        edit: Callable[[int, int, str], object] | None = self.on_edit
        pick: Callable[[int], object] | None = self.on_pick
        if kind == "pick" and pick is not None and place >= 0:
            return partial(pick, int(self._rows(place, place)[0]))
        if kind == "uncopied":
            return partial(self._complain, UNCOPIED)
        if kind == "unchosen":
            return self._forget_chosen
        if kind == "head" and column >= 0:
            return partial(self._press_head, source, column)
        if kind == "edit" and edit is not None and place >= 0 and column >= 0 and isinstance(text, str):
            return partial(self._edit, edit, place, column, text) if source.columns[column].editable else None
        return None

    def _find_block_action(self, source: Source, message: dict[str, Any]) -> Callable[[], Any] | None:
        """What the user asks for a block of cells, if there are such cells."""
        kind, text = message.get("type"), message.get("text")
        top = _read_place(message.get("row"), source.n_rows)
        bottom = _read_place(message.get("last_row"), source.n_rows)
        left = _read_place(message.get("column"), len(source.columns))
        right = _read_place(message.get("last_column"), len(source.columns))
        if min(top, left) < 0 or bottom < top or right < left:
            return None
        if kind == "chosen" and self.on_choose is not None:
            return partial(self.on_choose, self._rows(top, bottom))
        if kind == "copy":
            return partial(self._try, partial(self._copy, source, (top, bottom), (left, right)))
        if kind == "clear":
            return partial(self._try, partial(self._clear, source, (top, bottom), (left, right)))
        if kind == "paste" and isinstance(text, str):
            return partial(self._try, partial(self._paste, source, (top, bottom), (left, right), text))
        return None

    def _press_head(self, source: Source, column: int) -> None:
        """Sort by a column: rising, then falling, then not at all."""
        head: Callable[[int], object] | None = self.on_head
        if self._is_sortable(source):
            turns = {None: (column, False), (column, False): (column, True), (column, True): None}
            self._sort = turns.get(self._sort, (column, False))
            self._mounted()
        if head is not None:
            head(column)

    def _forget_chosen(self) -> None:
        choose: Callable[[Ints], object] | None = self.on_choose
        if choose is not None:
            choose(np.empty(0, dtype=np.int64))

    def _edit(self, edit: Callable[[int, int, str], object], place: int, column: int, text: str) -> None:
        loads = self._loads
        answer = edit(int(self._rows(place, place)[0]), column, text)
        if self._loads == loads and self.source is not None and answer is not LATER:
            self._send_cells(self.source, place, place)
        if answer is False:
            self._send_msg({"type": "refused", "load": self._loads, "row": place, "column": column, "text": text})

    # --- blocks

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except BlockError as error:
            said = str(error)
            self._complain(f"{said[:1].upper()}{said[1:]}.")

    def _complain(self, said: str) -> None:
        trouble: Callable[[str], object] | None = self.on_trouble
        if trouble is not None:
            trouble(said)

    def _copy(self, source: Source, rows: tuple[int, int], columns: tuple[int, int]) -> None:
        height, most = rows[1] - rows[0] + 1, MOST_BLOCK // len(source.columns)
        if height > most:  # whole rows are made, while the page waits
            raise BlockError(f"{height:,} rows at once are too many to copy; choose at most {most:,}")
        cells = self._cells(source, *rows)
        if any(isinstance(cell, dict) and cell.get("kind") == "absent" for row in cells for cell in row):
            raise BlockError("some of these rows have not come yet; choose rows that are in view")
        block = [[copy_text(cell) for cell in row[columns[0] : columns[1] + 1]] for row in cells]
        self._send_msg({"type": "copied", "text": write_block(block)})

    def _clear(self, source: Source, rows: tuple[int, int], columns: tuple[int, int]) -> None:
        paste: Callable[[Ints, list[int], list[list[str]]], object] | None = self.on_paste
        among = [c for c in range(columns[0], columns[1] + 1) if source.columns[c].clears]
        height = rows[1] - rows[0] + 1
        check_size(height, len(among))
        if among and paste is not None:
            paste(self._rows(*rows), among, [[""] * len(among)] * height)

    def _paste(self, source: Source, rows: tuple[int, int], columns: tuple[int, int], text: str) -> None:
        """Give a block to cells, from the first chosen one on; one cell to all that are chosen."""
        paste: Callable[[Ints, list[int], list[list[str]]], object] | None = self.on_paste
        if paste is None:
            return
        block = read_block(text)
        if len(block) == len(block[0]) == 1:
            height, width = rows[1] - rows[0] + 1, columns[1] - columns[0] + 1
            check_size(height, width)
            block = [block[0] * width] * height
        height, width = len(block), len(block[0])
        check_size(height, width)
        where = f"row {rows[0] + 1:,}, {source.columns[columns[0]].title!r}"
        _check_room(source, rows[0], columns[0], height, width, where)
        wrong = [c for c in range(columns[0], columns[0] + width) if not source.columns[c].editable]
        if wrong:
            raise BlockError(f"the column {source.columns[wrong[0]].title!r} cannot be edited; nothing was pasted")
        paste(self._rows(rows[0], rows[0] + height - 1), list(range(columns[0], columns[0] + width)), block)

    # --- what is sent

    def _answer(self, source: Source, first: object, last: object) -> None:
        if isinstance(first, int) and isinstance(last, int) and 0 <= first <= last < source.n_rows:
            self._window = (first, min(last, first + MOST_ROWS - 1, first + _most_rows(source) - 1))
            self._send_cells(source, *self._window)

    def _send_cells(self, source: Source, first: int, last: int) -> None:
        rows = self._cells(source, first, last)
        self._send_msg({"type": "cells", "load": self._loads, "first": first, "rows": rows})

    @param.depends("source", watch=True)
    def _mounted(self) -> None:
        source: Source | None = self.source
        if source is None:
            return
        # One more than are in view, if there are: it is then as high as with all of them.
        self.room = [0, 0] if self._is_tall else [min(source.n_rows, self.shown + 1), self.shown]
        titles = [column.title for column in source.columns]
        if titles != self._titles:  # another table stands in its own order
            self._titles, self._sort, self._began = titles, None, self._loads + 1
        stays = self._is_steady and self._order is not None and len(self._order) == source.n_rows
        order = self._order if stays else self._find_order(source)
        if not _is_same_order(order, self._order):
            self._order, self._shape = order, None
        self._load(source)

    def _load(self, source: Source) -> None:
        self._loads += 1
        kinds = [(column.title, column.kind, column.editable) for column in source.columns]
        if self._shape != (shape := (source.label, kinds, source.n_rows, source.sequence)):
            self._shape, self._since = shape, self._loads
            self._forget_chosen()  # as the browser does
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
                "heads": self.on_head is not None or self._is_sortable(source),
                "sortable": self._is_sortable(source),
                "sort": self._sort,
                "since": self._since,
                "chooses": self.on_choose is not None,
                "picks": self.on_pick is not None,
                "first": first,
                "rows": self._cells(source, first, last) if source.n_rows else [],
                "picked": self._places(self.picked),
            }
        )

    @param.depends("picked", watch=True)
    def _repick(self) -> None:
        self._send_msg({"type": "picked", "rows": self._places(self.picked)})


def _check_room(source: Source, row: int, column: int, height: int, width: int, where: str) -> None:
    """Refuse a block that does not fit between a cell and the end of the table."""
    if row + height > source.n_rows:
        raise BlockError(
            f"{height:,} rows are pasted at {where}, and there are {source.n_rows - row:,} from there on; "
            "nothing was pasted: add rows, or paste further up"
        )
    if column + width > len(source.columns):
        raise BlockError(
            f"{width:,} columns are pasted at {where}, and there are {len(source.columns) - column:,} from there on; "
            "nothing was pasted"
        )


def _is_same_order(a: Ints | None, b: Ints | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _most_rows(source: Source) -> int:
    return max(1, MOST_CELLS // max(1, len(source.columns)))


def _read_place(number: object, count: int) -> int:
    """A number below a count that the browser has sent; −1 if it is none."""
    return number if isinstance(number, int) and 0 <= number < count else -1
