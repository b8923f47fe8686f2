"""The small table of a noisy-MAX: what each parent causes on its own, and the leak."""

from __future__ import annotations

import numpy as np
import panel as pn

from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.noisy_max import SAME, NoisyMax, fit_noisy_max, stack, unstack
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import parse_number
from pgmgui.state.session import Session
from pgmgui.tabs.variable.drafts import Draft
from pgmgui.tabs.variable.rows import SUM, number_cells, sum_cell

LEAK = "Leak"
"""What the last row is called."""


class NoisyEditor(pn.viewable.Viewer):
    """Declares the one selected variable a noisy-MAX, and edits its numbers; the whole table follows."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = ""
        self._draft = Draft(np.empty((0, 0)))
        self._about, self._status = PlainText(margin=(2, 0)), PlainText(margin=(2, 0))
        self._grid = Grid(on_edit=self._edit, shown=12, sizing_mode="stretch_width", margin=(4, 0))
        self._make = make_narrow_button("Make noisy-MAX", "a small table in place of the whole one", self._declare)
        self._normalise = make_narrow_button(
            "Normalise causes", "divide the rows that do not sum to 1 by their sums", self._finish
        )
        self._drop = make_narrow_button("Keep the whole table", "and forget the small one", self._forget)
        self._small = pn.Column(
            self._grid,
            self._status,
            pn.Row(self._normalise, self._drop, margin=0),
            sizing_mode="stretch_width",
            margin=0,
        )
        self._view = pn.Column(self._about, self._make, self._small, sizing_mode="stretch_width", margin=(4, 0))
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    @property
    def _noisy(self) -> NoisyMax | None:
        return self._session.document.noisy.get(self._name)

    def _update(self) -> None:
        selected = self._session.selected
        self._name = selected[0] if len(selected) == 1 else ""
        noisy, lines = self._noisy, self._describe()
        self._make.visible = noisy is None and len(lines) > 1
        self._small.visible = noisy is not None
        self._about.write(*lines)
        if noisy is None:
            self._grid.source = None
            return
        rows = stack(noisy)
        if rows.shape != self._draft.table.shape or not np.array_equal(rows, self._draft.table):
            self._draft = Draft(rows)
        self._show_rows()

    def _describe(self) -> list[str]:
        """What there is to say; more than a line where it can be made a noisy-MAX, or is one."""
        network = self._session.network
        if not self._name:
            return []
        if not isinstance(network, BayesianNetwork):
            return ["A Markov network has factors and no tables given parents: it has no noisy-MAX."]
        v = network.index[self._name]
        if not network.parents[v]:
            return ["A noisy-MAX needs causes: draw arrows to this variable first."]
        *strong, weakest = network.variables[v].states
        meaning = (
            f"Each parent causes a state by itself, and the strongest is seen: {', '.join(strong)} before {weakest}. "
            "A row that is 1 in the last column does nothing."
        )
        if self._noisy is not None:
            return [meaning, "The Table section shows the whole table that follows; to change it there makes it plain."]
        table = network.tables[v]
        apart = float(np.abs(fit_noisy_max(table).expand() - table).max())
        change = "Its table is one already."
        if apart > SAME:
            change = f"Its table would change by up to {apart:.4f}."
        return [meaning, f"{change} Last states of parents do nothing. Undo brings the table back."]

    def _show_rows(self) -> None:
        network = self._session.network
        v = network.index[self._name]
        names = [
            (network.variables[p].name, state) for p in network.scopes[v][:-1] for state in network.variables[p].states
        ]
        names.append((LEAK, "all else"))
        states = network.variables[v].states
        columns = [Column(state, "number", f"how often it causes {state!r}", editable=True) for state in states]
        self._grid.source = Source(
            (Column("Cause", "head"), Column("State", "text"), *columns, SUM),
            len(names),
            lambda first, last: [
                [*names[k], *number_cells(self._draft.row(k)), sum_cell(self._draft, k)] for k in range(first, last + 1)
            ],
            f"Noisy-MAX of {self._name}: what each parent causes on its own",
        )
        self._tell()

    def _tell(self) -> None:
        self._status.write(self._draft.describe())
        self._normalise.disabled = not self._draft.open_rows

    # --- what the user does

    def _declare(self) -> None:
        network = self._session.network
        self._session.set_noisy(self._name, fit_noisy_max(network.tables[network.index[self._name]]))

    def _forget(self) -> None:
        self._session.set_noisy(self._name, None)

    def _edit(self, row: int, column: int, text: str) -> None:
        try:
            draft = self._draft.edited(row, column - 2, parse_number(text, "a probability"))
        except PgmError as error:
            self._session.refuse(error)
        else:
            self._take(draft)

    def _finish(self) -> None:
        self._take(self._draft.normalised())

    def _take(self, draft: Draft) -> None:
        before, self._draft = self._draft, draft
        noisy = self._noisy
        if draft.table is not before.table and noisy is not None:
            try:
                new = unstack(draft.table, [len(cause) for cause in noisy.causes])
            except PgmError as error:
                self._session.refuse(error)
                self._draft = before
            else:
                if not self._session.set_noisy(self._name, new):
                    self._draft = before
        self._tell()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
