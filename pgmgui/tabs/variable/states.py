"""The states of the selected variable: add, rename, reorder, remove."""

from __future__ import annotations

from functools import partial

import numpy as np
import panel as pn

from engine.model.variable import Variable
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.numbers import show_number
from pgmgui.state.session import Session

_COLUMNS = (
    Column("#", "head", "pick a state with a click or Enter", 48),
    Column("State", "text", "its name; type to change it", editable=True),
    Column("In the data", "number", "rows with this state, by their weights", 110),
)


class StatesEditor(pn.viewable.Viewer):
    """A table of the states, and buttons for the picked one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = ""
        self._counts: list[str] = []
        self._grid = Grid(
            on_edit=self._rename, on_pick=self._pick, shown=8, sizing_mode="stretch_width", margin=(6, 0, 2, 0)
        )
        self._text = PlainText(margin=(2, 0))
        self._add = make_narrow_button("Add state", "one more, after the last", self._append)
        self._up = make_narrow_button("Up", "move the picked state up", partial(self._move, -1))
        self._down = make_narrow_button("Down", "move the picked state down", partial(self._move, 1))
        self._remove = make_narrow_button(
            "Remove state", "the picked one; cells of the data with it become missing", self._drop
        )
        buttons = pn.Row(self._add, self._up, self._down, self._remove, margin=0)
        self._view = pn.Column(self._grid, self._text, buttons, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["selected", "scene"])
        self._update()

    # --- what is shown

    @property
    def _variable(self) -> Variable:
        return self._session.network.variables[self._session.network.index[self._name]]

    def _update(self) -> None:
        session = self._session
        name = session.selected[0] if len(session.selected) == 1 else ""
        if name != self._name:
            self._name, self._grid.picked = name, []
        if not name:
            self._grid.source = None
            return
        states = self._variable.states
        self._counts = self._count()
        self._grid.source = Source(_COLUMNS, len(states), self._cells, f"States of {name}")
        if self._picked is None:
            self._grid.picked = []
        self._tell()

    def _cells(self, first: int, last: int) -> list[list[Cell]]:
        states = self._variable.states
        return [[f"{k + 1}", states[k], self._counts[k]] for k in range(first, last + 1)]

    def _count(self) -> list[str]:
        data, states = self._session.data, self._variable.cardinality
        if data is None:
            return ["–"] * states
        column = self._session.network.index[self._name]
        gathered, weights = data.dataset.gather([column])
        codes = gathered[column]
        hard = codes >= 0
        counts = np.bincount(codes[hard], weights[hard], states)
        return [f"{number:,.0f}" if float(number).is_integer() else show_number(number) for number in counts.tolist()]

    @property
    def _picked(self) -> int | None:
        """The picked state, if there still is one."""
        picked = [row for row in self._grid.picked if self._name and row < self._variable.cardinality]
        return picked[0] if picked else None

    def _tell(self) -> None:
        picked, states = self._picked, self._variable.states
        self._up.disabled = picked is None or picked == 0
        self._down.disabled = picked is None or picked == len(states) - 1
        self._remove.disabled = picked is None or len(states) == 1
        if picked is None:
            self._text.write("Click a state to move or remove it; type over its name to change it.")
        else:
            self._text.write(f"Picked: {states[picked]}")

    # --- what the user does

    def _pick(self, row: int) -> None:
        self._grid.picked = [row]
        self._tell()

    def _rename(self, row: int, column: int, text: str) -> None:
        states = list(enumerate(self._variable.states))
        states[row] = (row, text)
        self._session.set_states(self._name, states)

    def _append(self) -> None:
        states = self._variable.states
        new = next(name for k in range(len(states) + 1) if (name := f"state{len(states) + 1 + k}") not in states)
        if self._session.set_states(self._name, [*enumerate(states), (None, new)]):
            self._pick(len(states))

    def _move(self, step: int) -> None:
        picked = self._picked
        states = list(enumerate(self._variable.states))
        if picked is None or not 0 <= picked + step < len(states):
            return
        states.insert(picked + step, states.pop(picked))
        if self._session.set_states(self._name, states):
            self._pick(picked + step)

    def _drop(self) -> None:
        picked = self._picked
        if picked is not None:
            states = [(k, state) for k, state in enumerate(self._variable.states) if k != picked]
            self._grid.picked = []
            self._session.set_states(self._name, states)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
