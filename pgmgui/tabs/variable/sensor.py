"""The confusion table of a sensor: what it reports of each true state."""

from __future__ import annotations

import numpy as np
import panel as pn

from engine.model.errors import PgmError
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.marks import Sensor
from pgmgui.project.numbers import parse_number
from pgmgui.state.session import Session
from pgmgui.tabs.variable.drafts import Draft
from pgmgui.tabs.variable.rows import SUM, number_cells, sum_cell


class SensorTable(pn.viewable.Viewer):
    """An editable table, shown while the one selected variable is marked with a sensor of its own."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = ""
        self._draft = Draft(np.empty((0, 0)))
        self._grid = Grid(on_edit=self._edit, shown=6, sizing_mode="stretch_width", margin=(4, 0))
        self._status = PlainText(margin=(2, 0))
        self._normalise = make_narrow_button(
            "Normalise sensor", "divide the rows that do not sum to 1 by their sums", self._finish
        )
        self._view = pn.Column(self._grid, self._status, self._normalise, sizing_mode="stretch_width", margin=(4, 0))
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    def _update(self) -> None:
        session = self._session
        name = session.selected[0] if len(session.selected) == 1 else ""
        mark = session.marks.get(name)
        self._view.visible = isinstance(mark, Sensor)
        if not isinstance(mark, Sensor):
            self._name, self._grid.source = "", None
            return
        table = np.array(mark.confusion)
        if name != self._name or not np.array_equal(table, self._draft.table):
            self._name, self._draft = name, Draft(table)
        states = session.network.variables[session.network.index[name]].states
        columns = [Column(state, "number", f"how often {state!r} is reported", editable=True) for state in states]
        self._grid.source = Source(
            (Column("True state", "head"), *columns, SUM),
            len(states),
            lambda first, last: [
                [states[k], *number_cells(self._draft.row(k)), sum_cell(self._draft, k)] for k in range(first, last + 1)
            ],
            f"Sensor of {name}: Pr(reported | true)",
        )
        self._tell()

    def _tell(self) -> None:
        self._status.write(self._draft.describe() or "Each row is what the sensor reports of one true state.")
        self._normalise.disabled = not self._draft.open_rows

    def _edit(self, row: int, column: int, text: str) -> None:
        try:
            draft = self._draft.edited(row, column - 1, parse_number(text, "a probability"))
        except PgmError as error:
            self._session.refuse(error)
        else:
            self._take(draft)

    def _finish(self) -> None:
        self._take(self._draft.normalised())

    def _take(self, draft: Draft) -> None:
        before, self._draft = self._draft, draft
        mark = Sensor(tuple(tuple(row) for row in draft.table.tolist()))
        if draft.table is not before.table and not self._session.mark([self._name], mark):
            self._draft = before
        self._tell()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
