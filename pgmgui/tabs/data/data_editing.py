"""Typing into the data: cells, blocks, weights, rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import panel as pn

from engine.model.arrays import Ints
from engine.model.data_edits import RemoveRows, missing_rows
from pgmgui.board.beside import work_beside
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import LATER, Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.project.counted_data import AnyData
from pgmgui.project.data_cells import WEIGHT, make_edit
from pgmgui.project.words import count
from pgmgui.state.data_changes import DataChanges
from pgmgui.state.session import Session

HINT = (
    "Type into a cell to change it (F2 or a double click for the list of states), Delete makes it missing; "
    "Shift+arrows or a drag choose several, Ctrl+C and Ctrl+V copy and paste them as in a spreadsheet."
)
REMOVES = "those of the chosen cells; Shift+arrows or a drag choose several"
NOTHING: Ints = np.empty(0, dtype=np.int64)


class DataEditing(pn.viewable.Viewer):
    """What is typed into a grid of the data, and buttons for whole rows.

    Parameters
    ----------
    find_rows : callable
        From rows of the grid's source to those of the data.
    """

    def __init__(self, session: Session, grid: Grid, find_rows: Callable[[Ints], Ints]) -> None:
        super().__init__()
        self._session, self._grid, self._find_rows = session, grid, find_rows
        self._changes = DataChanges(session, work_beside)
        self._chosen = NOTHING
        self._growing: AnyData | None = None  # what a row is being added to
        grid.param.update(on_edit=self._edit, on_paste=self._paste, on_choose=self._choose, on_trouble=session.say)
        self._add = make_narrow_button("Add a row", "after the last one; nothing is known of it yet", self._add_row)
        self._remove = make_narrow_button("Remove rows", REMOVES, self._remove_rows)
        self._hint = PlainText(margin=(0, 0))
        self._hint.write(HINT)
        self._view = pn.Column(
            pn.Row(self._add, self._remove, margin=0), self._hint, sizing_mode="stretch_width", margin=0
        )
        self._choose(NOTHING)
        session.param.watch(lambda *_: self._look_at_added(), "derived", precedence=2)  # once the grid shows the rows

    @property
    def is_taking(self) -> bool:
        """Whether the data changes because something was typed into it here."""
        return self._changes.is_taking

    def open(self, shown: bool) -> None:
        """Show the buttons, or hide them with the rows."""
        self._view.visible = shown

    # --- cells

    def _edit(self, place: int, column: int, text: str) -> object:
        rows = self._find_rows(np.array([place]))
        title = self._grid.source.columns[column].title if self._grid.source is not None else ""
        return self._change(f"change {title} in row {rows[0] + 1:,}", rows, [column], [[text]])

    def _paste(self, places: Ints, columns: Sequence[int], block: Sequence[Sequence[str]]) -> object:
        rows = self._find_rows(places)
        return self._change(f"change {count(len(rows) * len(columns), 'cell')} of the data", rows, columns, block)

    def _change(self, label: str, rows: Ints, columns: Sequence[int], block: Sequence[Sequence[str]]) -> object:
        source, data = self._grid.source, self._session.data
        if source is None or data is None:
            return False
        first = len(source.columns) - len(data.dataset.variables)
        meant = [WEIGHT if column < first else column - first for column in columns]
        if not self._changes.edit(label, lambda dataset: make_edit(dataset, rows, meant, block)):
            return False
        return LATER if self._changes.is_busy else True

    # --- rows

    def _choose(self, places: Ints) -> None:
        self._chosen = places
        rows = len(self._chosen)
        name = f"Remove {count(rows, 'row')}" if rows else "Remove rows"
        self._remove.param.update(disabled=not rows, label=name, description=f"{name}: {REMOVES}")

    def _add_row(self) -> None:
        before, self._growing = self._growing, self._session.data
        if not self._changes.edit("add a row", lambda dataset: missing_rows(dataset, 1)):
            self._growing = before

    def _look_at_added(self) -> None:
        """Look at the row that was asked for, once it is there."""
        before, data = self._growing, self._session.data
        if before is None or data is before:
            return
        self._growing = None
        if self._changes.is_taking:
            self._session.look_at_row(before.dataset.n_rows)

    def _remove_rows(self) -> None:
        rows = np.sort(self._find_rows(self._chosen))
        if len(rows):
            self._changes.edit(f"remove {count(len(rows), 'row')}", lambda _dataset: RemoveRows(rows))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
