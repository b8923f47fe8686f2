"""Grids by themselves, for their tests."""

from __future__ import annotations

import numpy as np
import panel as pn

from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText

HOSTILE = "<img src=x onerror=alert(1)>"


def long_source(rows: int) -> Source:
    """Rows that say their number, the third column hostile, missing or soft."""
    special: tuple[Cell, ...] = (
        HOSTILE,
        {"kind": "missing"},
        {"kind": "soft", "bars": [0.2, 0.8], "about": "no 0.2, yes 0.8"},
        {"text": "odd", "kind": "warn", "about": "not a number"},
    )

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [[f"{row + 1}", f"{row * row}", special[row % 4]] for row in range(first, last + 1)]

    columns = (Column("Row", "head"), Column("Square", "number", about="the row times itself"), Column(HOSTILE))
    return Source(columns, rows, cells, "Long")


def table_source(table: list[list[str]]) -> Source:
    """A heading and two columns of numbers to edit."""
    columns = (Column("State", "head"), Column("yes", "number", editable=True), Column("no", "number", editable=True))
    return Source(columns, len(table), lambda first, last: [list(row) for row in table[first : last + 1]], "Table")


def wide_source() -> Source:
    """More columns than fit."""
    columns = (Column("Row", "head"), *(Column(f"C{c}") for c in range(1, 401)))
    return Source(
        columns, 300, lambda a, b: [[f"{r}", *(f"{r}.{c}" for c in range(1, 401))] for r in range(a, b + 1)], "Wide"
    )


def make_grids() -> pn.viewable.Viewable:
    """A long, an editable and a wide grid, and what was done with them."""
    table = [["a", "0.1", "0.9"], ["b", "0.2", "0.8"], ["c", "0.3", "0.7"]]
    said = PlainText(margin=(4, 4))
    grids = {
        "long": Grid(source=long_source(1_000_000), height=300, sizing_mode="stretch_width"),
        "table": Grid(source=table_source(table), sizing_mode="stretch_width"),
        "wide": Grid(source=wide_source(), shown=5, sizing_mode="stretch_width"),
    }

    def pick(row: int) -> None:
        grids["long"].picked = [row]
        said.write(f"picked {row}")

    def edit(row: int, column: int, text: str) -> None:
        said.write(f"edited {row} {column} {text}")
        if text.replace(".", "").isdigit():
            table[row][column] = text
            grids["table"].source = table_source(table)

    def shorten(column: int) -> None:
        grids["long"].source = long_source(10)
        said.write(f"heading {column}")

    grids["long"].on_pick, grids["long"].on_head, grids["table"].on_edit = pick, shorten, edit
    return pn.Column(said, *grids.values(), width=480)


def make_sheet() -> pn.viewable.Viewable:
    """A sheet of states to type, choose, paste and empty, and what was done with it."""
    states = (("yes", ""), ("no", ""), ("?", "missing"))
    sheet = [[f"{row + 1}", "yes", "no"] for row in range(6)]
    said, chosen = PlainText(margin=(4, 4)), PlainText(margin=(4, 4))
    columns = (
        Column("Row", "head"),
        *(Column(name, editable=True, choices=states, hint="or more", clears=True) for name in ("Rain", "Wind")),
    )

    def order(column: int, descending: bool) -> np.ndarray:
        found = sorted(range(6), key=lambda row: sheet[row][column], reverse=descending)
        return np.array(found)

    def show() -> None:
        cells = lambda first, last: [list(row) for row in sheet[first : last + 1]]  # noqa: E731
        grid.update_source(Source(columns, 6, cells, "Sheet", order))

    def edit(row: int, column: int, text: str) -> bool:
        if text not in ("yes", "no", "?", ""):
            said.write(f"refused {text}")
            return False
        sheet[row][column] = text or "?"
        show()
        return True

    def paste(rows: np.ndarray, columns: list[int], block: list[list[str]]) -> None:
        for row, texts in zip(rows.tolist(), block, strict=True):
            for column, text in zip(columns, texts, strict=True):
                sheet[row][column] = text or "?"
        show()

    grid = Grid(on_edit=edit, on_paste=paste, on_trouble=said.write, sizing_mode="stretch_width")
    grid.on_choose = lambda rows: chosen.write(f"chosen {rows.tolist()}")
    show()
    return pn.Column(said, chosen, grid, width=480)
