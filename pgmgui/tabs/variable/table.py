"""The table of the selected variable: its conditional probabilities, or one of the factors that hold it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import panel as pn

from engine.model.arrays import Floats, Ints
from engine.model.editing import normalise
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from pgmgui.components.fields import make_narrow_button
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_switch
from pgmgui.project.numbers import parse_number
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.tabs.variable.drafts import Draft
from pgmgui.tabs.variable.fresh_tables import draw_table, level_table
from pgmgui.tabs.variable.rows import SUM, find_decimals, log_cells, number_cells, sum_cell, table_source, take_logs
from pgmgui.tabs.variable.seed_field import SeedField

_SCALES = {"Values": "values", "Logs": "logs", "Scale-free": "scale-free"}
_ABOUT_SCALES = (
    "Values are what is typed. Logs are their natural logarithms, −∞ for 0. Scale-free are the logs less their mean, "
    "so that they sum to 0: factors that differ only by a number, and so mean the same, look the same. Edit in Values."
)
_READ_ONLY = {
    "logs": "Natural logarithms, read-only: to edit, show values.",
    "scale-free": "Logarithms less their mean (they sum to 0), read-only: to edit, show values.",
}


class TableEditor(pn.viewable.Viewer):
    """An editable table.

    Only tables that are whole go to the session: rows of probabilities that do not sum to 1 yet are kept
    here, marked as such, until they do or are normalised. Parameters that were learned are shown, not edited; nor are
    logarithms.

    Parameters
    ----------
    of_factor : bool
        Show the selected factor, rather than the table of the selected variable.
    """

    def __init__(self, session: Session, of_factor: bool = False) -> None:
        super().__init__()
        self._session, self._of_factor = session, of_factor
        self._name, self._number = "", -1
        self._factors: list[int] = []
        self._draft = Draft(np.empty((0, 0)))
        self._logs = self._draft.table
        self._seed = SeedField(session.say)
        self._chooser = Grid(on_pick=self._choose, shown=3, sizing_mode="stretch_width", margin=(6, 0, 2, 0))
        self._choosing = pn.Column(self._chooser, sizing_mode="stretch_width", margin=0)
        self._caption = PlainText(margin=(6, 0, 0, 0))
        self._scale = make_switch("Show", list(_SCALES), _ABOUT_SCALES)
        self._scale.param.watch(lambda event: session.show_scale(_SCALES[event.new]), "value")
        self._grid = Grid(on_edit=self._edit, on_paste=self._paste, shown=9, sizing_mode="stretch_width")
        self._grid.param.update(on_trouble=session.say, margin=(4, 0, 2, 0))
        self._status = PlainText(margin=(2, 0))
        self._normalise = make_narrow_button("Normalise", "make rows sum to 1", self._finish)
        self._fill = make_narrow_button(
            "Fill", "what was typed of a row stays, its other numbers share the rest as before", self._complete
        )
        self._discard = make_narrow_button("Discard", "forget rows that do not sum to 1", self._forget)
        self._uniform = make_narrow_button("Uniform", "make all numbers of a row equal", self._level)
        self._random = make_narrow_button(
            "Randomise", "draw rows from all distributions alike, by the seed", self._draw
        )
        self._own = make_narrow_button(
            "Network's own", "show the network's own table again", lambda: session.view("current")
        )
        tools = pn.FlexBox(
            self._normalise,
            self._fill,
            self._discard,
            self._uniform,
            self._random,
            self._seed,
            self._own,
            margin=0,
            align_items="center",
        )
        self._editing = pn.Column(self._grid, self._status, tools, sizing_mode="stretch_width", margin=0)
        above = (self._choosing, self._caption, self._scale)
        self._view = pn.Column(*above, self._editing, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._update(), ["selected", "factor", "scene", "viewed", "scale"])
        session.param.watch(lambda *_: self._follow(), ["learned", "moment"])
        self._update()

    # --- what is shown

    @property
    def _is_learned(self) -> bool:
        return bool(self._session.viewed == "learned")

    def _follow(self) -> None:
        if self._is_learned:
            self._update()

    @property
    def _is_bayesian(self) -> bool:
        return isinstance(self._session.network, BayesianNetwork)

    @property
    def _table(self) -> Floats:
        return self._session.network.tables[self._number]

    @property
    def _titles(self) -> list[str]:
        return [] if self._grid.source is None else [column.title for column in self._grid.source.columns]

    @property
    def _is_read_only(self) -> bool:
        return self._is_learned or self._scale_shown != "values"

    @property
    def _scale_shown(self) -> str:
        """How the numbers are shown: probabilities always as they are."""
        return "values" if self._is_bayesian else str(self._session.scale)

    def _find_tables(self) -> tuple[str, list[int]]:
        """What the table is called, and the tables that there are to choose from."""
        session, network = self._session, self._session.network
        if self._of_factor:
            return ("", []) if session.factor is None else (f"factor {session.factor + 1}", [session.factor])
        if len(session.selected) != 1:
            return "", []
        (name,) = session.selected
        v = network.index[name]
        return name, [v] if self._is_bayesian else [f for f, scope in enumerate(network.scopes) if v in scope]

    def _update(self) -> None:
        session = self._session
        name, self._factors = self._find_tables()
        number = self._number if name == self._name and self._number in self._factors else -1
        if number < 0 and self._factors:
            number = self._factors[0]
        flat = np.empty((0, 0))
        if number >= 0:
            table = session.viewed_network.tables[number]
            flat = table.reshape(-1, table.shape[-1])
        if (name, number) != (self._name, self._number) or not np.array_equal(flat, self._draft.table):
            if self._draft.open_rows:
                session.say(f"The rows of {self._name!r} that did not sum to 1 are dropped: its table is as before.")
            self._name, self._number, self._draft = name, number, Draft(flat)
        self._draw_table()

    def _draw_table(self) -> None:
        self._choosing.visible = not self._is_bayesian and not self._of_factor and bool(self._factors)
        self._scale.visible = not self._is_bayesian and self._number >= 0
        self._scale.value = next(label for label, scale in _SCALES.items() if scale == self._session.scale)
        self._editing.visible = self._number >= 0
        if self._number < 0:
            self._grid.source = self._chooser.source = None
            self._caption.write(f"No factor holds {self._name}: all its states are alike." if self._name else "")
            return
        if self._choosing.visible:
            self._list_factors()
        network = self._session.network
        self._decimals = find_decimals(self._draft.table)
        more = (SUM,) if self._is_bayesian else ()
        what = "the probability" if self._is_bayesian else "the factor's value"
        if self._scale_shown != "values":
            what = "the logarithm of the factor's value"
            self._logs = take_logs(self._draft.table, self._scale_shown == "scale-free")
        self._grid.source = table_source(
            network,
            network.scopes[self._number],
            self._row_cells,
            f"Table of {self._name}",
            what,
            more,
            editable=not self._is_read_only,
        )
        whose = f"The parameters of {self._session.viewed_title}: to edit, show the network's own."
        notes = [whose] if self._is_learned else []
        notes += [_READ_ONLY[self._scale_shown]] if self._scale_shown in _READ_ONLY else []
        self._caption.write(self._describe(), *notes)
        self._tell()

    def _row_cells(self, row: int) -> list[Cell]:
        if self._scale_shown != "values":
            return log_cells(self._logs[row])
        cells = number_cells(self._draft.row(row), self._decimals)
        return [*cells, sum_cell(self._draft, row)] if self._is_bayesian else cells

    def _describe(self) -> str:
        names = [self._session.network.variables[v].name for v in self._session.network.scopes[self._number]]
        rows = count(len(self._draft.table), "row")
        if not self._is_bayesian:
            return f"Factor over {', '.join(names)}: {rows}; the columns are states of {names[-1]}"
        given = f" | {', '.join(names[:-1])}" if len(names) > 1 else ""
        return f"Pr({names[-1]}{given}): {rows}"

    def _list_factors(self) -> None:
        network, factors = self._session.network, self._factors

        def cells(first: int, last: int) -> list[list[Cell]]:
            shown: list[list[Cell]] = []
            for f in factors[first : last + 1]:
                names = ", ".join(network.variables[v].name for v in network.scopes[f])
                shown.append([f"{f + 1}", names, f"{network.tables[f].size:,}"])
            return shown

        columns = (Column("#", "head", width=48), Column("Factor over"), Column("Numbers", "number", width=86))
        self._chooser.source = Source(columns, len(factors), cells, f"Factors that hold {self._name}")
        self._chooser.picked = [factors.index(self._number)]

    def _tell(self) -> None:
        self._status.write(self._draft.describe())
        unfinished = bool(self._draft.open_rows)
        self._normalise.disabled = self._is_read_only or (self._is_bayesian and not unfinished)
        self._uniform.disabled = self._random.disabled = self._is_read_only
        self._seed.enable(not self._is_read_only)
        self._own.visible = self._is_learned
        self._discard.visible = self._fill.visible = unfinished

    # --- what the user does

    def _choose(self, row: int) -> None:
        self._number = self._factors[row]
        self._update()

    def _edit(self, row: int, column: int, text: str) -> bool:
        scope = self._session.network.scopes[self._number]
        try:
            value = parse_number(text, "a probability" if self._is_bayesian else "a number")
        except PgmError as error:
            self._session.refuse(error)
            return False
        if self._is_bayesian:
            self._take(self._draft.edited(row, column - len(scope) + 1, value))
        else:
            table = self._draft.table.copy()
            table[row, column - len(scope) + 1] = value
            self._take(Draft(table))
        return True

    def _paste(self, rows: Ints, columns: Sequence[int], block: Sequence[Sequence[str]]) -> None:
        """Give a block of cells other numbers, all of them or none."""
        try:
            values = self._read_block(rows, columns, block)
        except PgmError as error:
            self._session.refuse(error)
            return
        into = [column - len(self._session.network.scopes[self._number]) + 1 for column in columns]
        if self._is_bayesian:
            self._take(self._draft.pasted(rows, into, values))
        else:
            table = self._draft.table.copy()
            table[np.ix_(rows, np.array(into))] = values
            self._take(Draft(table))
        self._draw_table()

    def _read_block(self, rows: Ints, columns: Sequence[int], block: Sequence[Sequence[str]]) -> Floats:
        what = "a probability" if self._is_bayesian else "a number"
        values = np.empty((len(rows), len(columns)))
        for place, (row, texts) in enumerate(zip(rows.tolist(), block, strict=True)):
            for k, text in enumerate(texts):
                try:
                    values[place, k] = parse_number(text, what)
                except PgmError as error:
                    raise PgmError(f"row {row + 1:,}, {self._titles[columns[k]]!r}: {error}") from None
        return values

    def _complete(self) -> None:
        self._take(self._draft.filled())
        self._draw_table()
        if self._draft.open_rows:
            row = min(self._draft.open_rows)
            self._session.say(
                f"Row {row + 1:,} cannot be filled: what was typed leaves nothing for the others. Make it smaller."
            )

    def _take(self, draft: Draft) -> None:
        """Go on with a draft; where its table has changed, the session gets it."""
        before, self._draft = self._draft, draft
        shape = self._table.shape
        if draft.table is not before.table and not self._session.set_table(self._number, draft.table.reshape(shape)):
            self._draft = before
        self._tell()

    def _finish(self) -> None:
        if self._is_bayesian:
            self._take(self._draft.normalised())
        else:
            self._take(Draft(normalise(self._draft.table.reshape(1, -1)).reshape(self._draft.table.shape)))

    def _forget(self) -> None:
        self._draft = Draft(self._draft.table)
        self._draw_table()

    def _level(self) -> None:
        self._take(Draft(level_table(self._draft.table.shape, self._is_bayesian)))

    def _draw(self) -> None:
        generator = np.random.default_rng(self._seed.take())
        self._take(Draft(draw_table(self._draft.table.shape, self._is_bayesian, generator)))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
