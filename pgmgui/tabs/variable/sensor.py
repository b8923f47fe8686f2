"""The confusion table of a sensor: what it reports of each true state."""

from __future__ import annotations

import numpy as np
import panel as pn

from engine.model.arrays import Floats
from pgmgui.components.grid.grid import Column
from pgmgui.project.marks import Sensor
from pgmgui.state.session import Session
from pgmgui.tabs.variable.draft_table import DraftTable


class SensorTable(pn.viewable.Viewer):
    """An editable table, shown while the one selected variable is marked with a sensor of its own."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = ""
        self._table = DraftTable(
            session, "Normalise sensor", "Each row is what the sensor reports of one true state.", self._store
        )
        self._view = pn.Column(self._table, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    def _update(self) -> None:
        session = self._session
        self._name = session.selected[0] if len(session.selected) == 1 else ""
        mark = session.marks.get(self._name)
        self._view.visible = isinstance(mark, Sensor)
        if not isinstance(mark, Sensor):
            self._table.clear()
            return
        states = session.network.variables[session.network.index[self._name]].states
        self._table.fill(
            f"Sensor of {self._name}: Pr(reported | true)",
            np.array(mark.confusion),
            [Column("True state", "head")],
            [[state] for state in states],
            [Column(state, "number", f"how often {state!r} is reported", editable=True) for state in states],
        )

    def _store(self, table: Floats) -> bool:
        return self._session.mark([self._name], Sensor(tuple(tuple(row) for row in table.tolist())))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
