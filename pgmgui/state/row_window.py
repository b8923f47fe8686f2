"""The rows of a table around those in view, fetched beside the page as the user scrolls."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import param

from engine.model.dataset import Dataset
from engine.sources.ibis_table import IbisTable
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session

BLOCK = 256
"""Rows that are fetched and forgotten together."""
MOST_BLOCKS = 64
"""Blocks that are remembered."""


@dataclass(frozen=True, eq=False)
class _Question:
    table: IbisTable
    first: int
    last: int


class RowWindow(Newest):
    """Blocks of rows of the table that is looked at; those that were not looked at for longest are forgotten."""

    arrived = param.Event(doc="Happens when rows have come that were asked for.")
    doing = "Fetching rows"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._table: IbisTable | None = None
        self._blocks: OrderedDict[int, Dataset] = OrderedDict()

    def look_at(self, table: IbisTable | None) -> None:
        """Have the rows of another table ready, or of none."""
        if table is not self._table:
            self._table = table
            self._blocks.clear()

    def find(self, first: int, last: int) -> dict[int, Dataset]:
        """The blocks, by their first row, in which rows from a first to a last one lie, as far as they are there.

        Others are asked for.
        """
        starts = range(first - first % BLOCK, last + 1, BLOCK)
        absent = [start for start in starts if start not in self._blocks]
        if absent and self._table is not None:
            self._ask(_Question(self._table, absent[0], absent[-1] + BLOCK - 1))
        for start in starts:
            if start in self._blocks:
                self._blocks.move_to_end(start)
        return {start: self._blocks[start] for start in starts if start in self._blocks}

    def _find(self, question: _Question) -> tuple[_Question, Dataset]:
        return question, question.table.fetch_window(question.first, question.last - question.first + 1)

    def _take(self, found: tuple[_Question, Dataset]) -> None:
        question, rows = found
        if question.table is not self._table:
            return
        for start in range(0, rows.n_rows, BLOCK):
            block = range(start, min(start + BLOCK, rows.n_rows))
            self._blocks[question.first + start] = rows.take(np.array(block))
        while len(self._blocks) > MOST_BLOCKS:
            self._blocks.popitem(last=False)
        if rows.n_rows:
            self.param.trigger("arrived")
