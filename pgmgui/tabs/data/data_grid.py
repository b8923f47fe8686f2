"""The data as seen: its rows, or its variables one by one."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from engine.model.dataset import Dataset
from pgmgui.components.grid.grid import Grid
from pgmgui.state.session import Session
from pgmgui.tabs.data_rows import data_source, states_source, summary_source

ROWS, VARIABLES = "Rows", "Variables"
# The label beside the buttons rather than above them.
_ONE_LINE = ".MuiFormControl-root { flex-direction: row !important; align-items: center; gap: 8px; }"


class DataGrid(pn.viewable.Viewer):
    """A grid of the rows; or a summary of each variable, with the states of the selected one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: Dataset | None = None
        self._look_at = pmui.RadioButtonGroup(
            label="Look at",
            options=[ROWS, VARIABLES],
            value=ROWS,
            size="small",
            description="The rows of the data, or what it says of each variable.",
            margin=(0, 0),
            sx={"& .MuiToggleButton-root": {"padding": "1px 8px", "textTransform": "none"}},
            stylesheets=[_ONE_LINE],
        )
        wide = {"sizing_mode": "stretch_width", "margin": (4, 8, 4, 0)}
        self._rows = Grid(shown=12, on_head=self._select_column, **wide)
        self._summary = Grid(shown=8, on_pick=self._select_row, **wide)
        self._states = Grid(shown=6, **wide)
        self._view = pn.Column(
            self._look_at, self._rows, self._summary, self._states, visible=False, sizing_mode="stretch_width", margin=0
        )
        self._look_at.param.watch(lambda *_: self._update(), "value")
        session.param.watch(lambda *_: self._update(), ["derived", "selected"])
        self._update()

    def _update(self) -> None:
        seen = self._session.seen
        rows = self._look_at.value == ROWS
        self._view.visible = seen is not None
        if seen is None:
            self._shown = None
            return
        if seen is not self._shown:
            self._shown = seen
            self._rows.source, self._summary.source = data_source(seen), summary_source(seen)
        places = {variable.name: i for i, variable in enumerate(seen.variables)}
        selected = [places[name] for name in self._session.selected if name in places]
        self._rows.visible, self._summary.visible = rows, not rows
        self._states.visible = not rows and len(selected) == 1
        if selected != self._summary.picked:
            self._summary.picked = selected
        if self._states.visible:
            self._states.source = states_source(seen, selected[0])

    def _select_column(self, column: int) -> None:
        source = self._rows.source
        if self._shown is None or source is None:
            return
        first = len(source.columns) - len(self._shown.variables)
        if column >= first:
            self._session.select([self._shown.variables[column - first].name])

    def _select_row(self, row: int) -> None:
        if self._shown is not None:
            self._session.select([self._shown.variables[row].name])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
