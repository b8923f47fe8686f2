"""The rows of a table that is counted where it lies, for the grid: those that are there, and dots for the others."""

from __future__ import annotations

from functools import lru_cache

from engine.model.dataset import Dataset
from engine.sources.ibis_table import IbisTable
from pgmgui.components.grid.grid import Cell, Source
from pgmgui.state.row_window import BLOCK, MOST_BLOCKS, RowWindow
from pgmgui.tabs.data_rows import data_source, list_columns

ABSENT: Cell = {"text": "…", "kind": "absent", "about": "being fetched"}
READ_ONLY = (
    "Read-only: these rows are counted where they lie, and fetched as you scroll, in the order in which they come "
    "from there."
)


def table_source(table: IbisTable, window: RowWindow) -> Source:
    """The rows of a table: numbers from 1, weights if it has some, and a column for each variable."""
    weighted = table.counter.weight is not None
    columns = list_columns(table, weighted)
    absent: list[Cell] = [ABSENT] * (len(columns) - 1)

    @lru_cache(maxsize=MOST_BLOCKS)
    def show(block: Dataset) -> list[list[Cell]]:
        return data_source(block, weighted=weighted).cells(0, block.n_rows - 1)

    def cells(first: int, last: int) -> list[list[Cell]]:
        found = {start: show(block) for start, block in window.find(first, last).items()}
        shown: list[list[Cell]] = []
        for row in range(first, last + 1):
            block = found.get(row - row % BLOCK, [])
            place = row % BLOCK
            shown.append([f"{row + 1:,}", *(block[place][1:] if place < len(block) else absent)])
        return shown

    return Source(tuple(columns), table.n_rows, cells, "Data", sorts=False, sequence=table)
