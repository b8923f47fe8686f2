"""A table of distributions that is typed, a row at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import panel as pn

from engine.model.arrays import Floats
from engine.model.errors import PgmError
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import parse_number
from pgmgui.state.session import Session
from pgmgui.tabs.variable.drafts import Draft
from pgmgui.tabs.variable.rows import SUM, find_decimals, number_cells, sum_cell


class DraftTable(pn.viewable.Viewer):
    """A grid, what is still to be done about its rows, and a button that normalises them.

    Parameters
    ----------
    normalise : str
        What the button is called.
    hint : str
        What is said while nothing is to be done.
    store : callable
        Called with a table whose rows are distributions: whether it was taken.
    shown : int
        Rows that are in view at once.
    """

    def __init__(
        self, session: Session, normalise: str, hint: str, store: Callable[[Floats], bool], shown: int = 6
    ) -> None:
        super().__init__()
        self._session, self._hint, self._store = session, hint, store
        self._label, self._heads = "", 1
        self._draft = Draft(np.empty((0, 0)))
        self._grid = Grid(on_edit=self._edit, shown=shown, sizing_mode="stretch_width", margin=(4, 0))
        self._status = PlainText(margin=(2, 0))
        self._normalise = make_narrow_button(
            normalise, "divide the rows that do not sum to 1 by their sums", self._finish
        )
        self._view = pn.Column(self._grid, self._status, self._normalise, sizing_mode="stretch_width", margin=(4, 0))

    def fill(
        self,
        label: str,
        table: Floats,
        heads: Sequence[Column],
        names: Sequence[Sequence[str]],
        states: Sequence[Column],
    ) -> None:
        """Show a table: its name, its numbers, its columns, and what stands before the numbers of each row."""
        if label != self._label or not np.array_equal(table, self._draft.table):
            self._draft = Draft(table)
        self._label, self._heads = label, len(heads)
        decimals = find_decimals(self._draft.table)
        self._grid.source = Source(
            (*heads, *states, SUM),
            len(names),
            lambda first, last: [
                [
                    *names[k],
                    *number_cells(self._draft.row(k), decimals),
                    sum_cell(self._draft, k, self._normalise.label),
                ]
                for k in range(first, last + 1)
            ],
            label,
        )
        self._tell()

    def clear(self) -> None:
        """Show none."""
        self._label, self._grid.source = "", None

    def _tell(self) -> None:
        self._status.write(self._draft.describe(self._normalise.label) or self._hint)
        self._normalise.disabled = not self._draft.open_rows

    def _edit(self, row: int, column: int, text: str) -> bool:
        try:
            draft = self._draft.edited(row, column - self._heads, parse_number(text, "a probability"))
        except PgmError as error:
            self._session.refuse(error)
            return False
        self._take(draft)
        return True

    def _finish(self) -> None:
        self._take(self._draft.normalised())

    def _take(self, draft: Draft) -> None:
        before, self._draft = self._draft, draft
        if draft.table is not before.table and not self._store(draft.table):
            self._draft = before
        self._tell()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
