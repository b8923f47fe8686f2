"""The data as seen: its rows, or its variables one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import panel as pn
import panel_material_ui as pmui

from engine.model.arrays import Ints
from engine.model.dataset import Dataset
from engine.sources.ibis_table import IbisTable
from pgmgui.board.beside import work_beside
from pgmgui.components.fields import make_field
from pgmgui.components.grid.grid import Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.counted_data import CountedData, Rows
from pgmgui.state.row_scores import RowScoring, Scored
from pgmgui.state.row_window import RowWindow
from pgmgui.state.session import Session
from pgmgui.tabs.data.data_editing import DataEditing
from pgmgui.tabs.data.table_rows import READ_ONLY, table_source
from pgmgui.tabs.data_rows import Beneath, data_source, describe_scores, states_source, summary_source

ROWS, VARIABLES = "Rows", "Variables"
AS_READ, BY_PROBABILITY = "as read", "by probability"
# The label beside the buttons rather than above them.
_ONE_LINE = (
    ".MuiFormControl-root { flex-direction: row !important; align-items: center; gap: 8px; }"
    ".MuiFormLabel-root { white-space: nowrap; }"
)


class DataGrid(pn.viewable.Viewer):
    """A grid of the rows, as read or the least probable first; or a summary of each variable, with the states of the
    selected one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: Rows | None = None
        self._drawn: tuple[Rows, Scored | None] | None = None
        self._outlived: Scored | None = None
        self._scoring = RowScoring(session, work_beside)
        self._window = RowWindow(session, work_beside)
        self._looked_at = self._picking = False
        self._look_at = _make_choice(
            "Look at", [ROWS, VARIABLES], "The rows of the data, or what it says of each variable.", 240
        )
        self._order = _make_choice(
            "Order",
            [AS_READ, BY_PROBABILITY],
            "By log-likelihood under the parameters that are shown, the lowest first.",
            280,
        )
        self._row = make_field("Row", "The number of a row; Enter goes there.", self._go_to, 100)
        self._said = PlainText(margin=(0, 8, 0, 0))
        wide = {"sizing_mode": "stretch_width", "margin": (4, 8, 4, 0)}
        self._rows = Grid(shown=12, on_head=self._select_column, on_pick=self._pick, **wide)
        self._editing = DataEditing(session, self._rows, self._find_rows)
        self._summary = Grid(shown=8, on_pick=self._select_row, **wide)
        self._states = Grid(shown=6, **wide)
        self._ordering = pn.Row(
            self._order, self._row, margin=0, styles={"align-items": "center"}, sizing_mode="stretch_width"
        )
        self._view = pn.Column(
            self._look_at,
            self._ordering,
            self._said,
            self._rows,
            self._editing,
            self._summary,
            self._states,
            visible=False,
            sizing_mode="stretch_width",
            margin=0,
        )
        for choice in (self._look_at, self._order):
            choice.param.watch(lambda *_: self._update(), "value")
        session.param.watch(lambda *_: self._update(), ["derived", "selected"])
        session.param.watch(lambda *_: self._show_row(), "row")
        self._scoring.param.watch(lambda *_: self._show_rows(), "scored")
        self._window.param.watch(lambda *_: self._show_arrived(), "arrived")
        self._update()

    def look(self, looked_at: bool) -> None:
        """Say whether the tab is in view: rows are scored only while it is."""
        self._looked_at = looked_at
        self._update()
        self._show_row()

    def _update(self) -> None:
        seen = self._session.seen
        rows = self._look_at.value == ROWS
        self._view.visible = seen is not None
        self._scoring.look(self._looked_at and rows and self._order.value == BY_PROBABILITY)
        if seen is None:
            self._shown = None
            return
        is_other = self._shown is not None and _is_other_table(seen, self._shown)
        if seen is not self._shown:
            # A cell that was typed does not move its row at once: only once it is known how probable that is now.
            stays = self._editing.is_taking and self._shown is not None and self._shown.n_rows == seen.n_rows
            self._outlived = self._scored if stays else None
            self._shown = seen
            self._summary.source = summary_source(seen)
        at_hand = isinstance(seen, Dataset)
        self._ordering.visible, self._order.visible = rows, at_hand
        if not at_hand:
            self._order.value = AS_READ
        self._editing.open(rows and at_hand)
        if is_other:
            self._session.look_at_row(None)
        self._show_rows()
        if is_other and self._looked_at and rows:
            self._rows.bring(0)
        places = {variable.name: i for i, variable in enumerate(seen.variables)}
        selected = [places[name] for name in self._session.selected if name in places]
        self._rows.visible, self._summary.visible = rows, not rows
        self._states.visible = not rows and len(selected) == 1
        if selected != self._summary.picked:
            self._summary.picked = selected
        if self._states.visible:
            self._states.source = states_source(seen, selected[0])

    @property
    def _scored(self) -> Scored | None:
        """The scores of the rows that are shown; None where they stand as read, or none have been found yet."""
        scored = self._scoring.scored
        if scored is None or self._order.value != BY_PROBABILITY:
            return None
        return scored if scored.dataset is self._shown or scored is self._outlived else None

    def _show_rows(self) -> None:
        """The rows in the order that was chosen, if they are not there yet."""
        seen, scored = self._shown, self._scored
        self._said.write(*self._describe(scored))
        if seen is not None and self._drawn != (seen, scored):
            self._drawn = seen, scored
            source = self._make_source(seen, scored)
            before = self._rows.source
            if self._editing.is_taking and before is not None and before.n_rows == source.n_rows:
                self._rows.update_source(source)
            else:
                self._rows.source = source
            self._show_row()

    def _make_source(self, seen: Rows, scored: Scored | None) -> Source:
        self._window.look_at(seen if isinstance(seen, IbisTable) else None)
        if isinstance(seen, IbisTable):
            return table_source(seen, self._window)
        data, marks = self._session.data, self._session.marks
        beneath = None if data is None or isinstance(data, CountedData) else Beneath(data.dataset, marks)
        return data_source(seen, None if scored is None else scored.scores, beneath)

    def _show_arrived(self) -> None:
        """Show rows that have come from where they lie."""
        source = self._rows.source
        if source is not None and isinstance(self._shown, IbisTable):
            self._rows.update_source(replace(source))

    def _describe(self, scored: Scored | None) -> list[str]:
        if isinstance(self._shown, IbisTable) and self._look_at.value == ROWS:
            return [READ_ONLY]
        if self._order.value == AS_READ or self._look_at.value != ROWS:
            return []
        if scored is None:
            return ["Finding how probable the rows are…"]
        return [scored.trouble] if scored.scores is None else describe_scores(scored.scores, scored.title)

    def _show_row(self) -> None:
        """Pick the row that is looked at, and bring it into view."""
        row, scored = self._session.row, self._scored
        self._row.value = "" if row is None else f"{row + 1}"
        if row is not None:
            self._look_at.value = ROWS
            if scored is not None and scored.scores is not None:
                row = int(np.flatnonzero(scored.scores.order == row)[0])
        self._rows.picked = [] if row is None else [row]
        if row is not None and self._looked_at and not self._picking:
            self._rows.bring(row)

    def _find_rows(self, places: Ints) -> Ints:
        """The rows of the data at places of the order that was chosen."""
        scored = self._scored
        return places if scored is None or scored.scores is None else scored.scores.order[places]

    def _pick(self, place: int) -> None:
        self._picking = True  # it is in view, and the user may have gone on since
        self._session.look_at_row(int(self._find_rows(np.array([place]))[0]))
        self._picking = False

    def _go_to(self, text: str) -> None:
        row = self._session.row
        if text == ("" if row is None else f"{row + 1}"):
            return
        number = text.strip().replace(",", "")
        known = 0 if self._shown is None else self._shown.n_rows
        if number.isdecimal() and len(number) < 16 and 0 < int(number) <= known:
            self._session.look_at_row(int(number) - 1)
        else:
            self._session.say(f"{text!r} is no row; type a number from 1 to {known:,}")
            self._row.value = "" if row is None else f"{row + 1}"

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


def _is_other_table(new: Rows, old: Rows) -> bool:
    """Whether rows have nothing to do with those before: not the same table, seen otherwise."""
    return isinstance(new, IbisTable) and not (isinstance(old, IbisTable) and old.counter is new.counter)


def _make_choice(label: str, options: list[str], about: str, width: int) -> pmui.RadioButtonGroup:
    return pmui.RadioButtonGroup(
        label=label,
        options=options,
        value=options[0],
        size="small",
        description=about,
        width=width,
        margin=(0, 8, 0, 0),
        sx={"& .MuiToggleButton-root": {"padding": "1px 8px", "textTransform": "none"}},
        stylesheets=[_ONE_LINE],
    )
