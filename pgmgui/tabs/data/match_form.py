"""What does not fit when data meets a network: a list, and for each entry what it is to mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import panel as pn
import panel_material_ui as pmui

from engine.formats.tables.table import Table
from engine.model.network import Network
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import make_button
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.plain_text import PlainText
from pgmgui.project.data_matching import Item, Matching, Meaning, Special
from pgmgui.project.words import count, cut

COLUMN_WORDS = {Special.NOTHING: "left out", Special.NEW: "a new variable"}
VALUE_WORDS = {Special.NOTHING: "missing", Special.NEW: "a new state"}
SHOWN_TEXTS = 6
"""Values of a column in its tooltip."""


class MatchingPanel(pn.viewable.Viewer):
    """The columns and values in question; the picked one can be given another meaning.

    ``on_use(matching)``, ``on_build()`` and ``on_cancel()`` are called for the three ways out.
    """

    def __init__(
        self,
        on_use: Callable[[Matching], Awaitable[None]],
        on_build: Callable[[], Awaitable[None]],
        on_cancel: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__()
        self._matching: Matching | None = None
        self._name = ""
        self._picked: Item | None = None
        self._on_use, self._on_build, self._on_cancel = on_use, on_build, on_cancel
        self._text = PlainText(margin=(4, 0))
        self._grid = Grid(shown=8, on_pick=self._pick, sizing_mode="stretch_width", margin=(4, 8, 4, 0))
        self._make_controls()
        self._view = Drawer(
            self._text,
            self._grid,
            self._means,
            pn.Row(self._all_out, self._all_new, margin=0),
            pn.Row(self._use, self._build, margin=0),
            self._cancel,
        )

    def _make_controls(self) -> None:
        self._means = pmui.Select(
            label="Means",
            description="What the picked column or value is taken for.",
            size="small",
            sizing_mode="stretch_width",
            margin=(8, 8, 4, 0),
        )
        self._means.param.watch(lambda event: self._choose(event.new), "value")
        self._all_out = make_button("", "", partial(self._choose_alike, Special.NOTHING))
        self._all_new = make_button("", "", partial(self._choose_alike, Special.NEW))
        self._use = make_button("Use with these fixes", "open the data as listed", self._finish, "contained")
        self._build = make_button(
            "Build variables from the columns",
            "a new network without arrows, in place of the one on the page",
            self._build_new,
        )
        self._cancel = make_button("Do not open it", "the page stays as it is", self._end)

    # --- what is shown

    @property
    def matching(self) -> Matching | None:
        """What is being asked; None if nothing is."""
        return self._matching

    def ask(self, matching: Matching, name: str) -> None:
        """Show what does not fit of a file."""
        self._name = name
        self._view.open()
        self._update(matching, matching.items[0] if matching.items else None)

    def ask_again(self, network: Network) -> None:
        """Show what does not fit of the same file with another network."""
        if self._matching is not None:
            self.ask(self._matching.again(network), self._name)

    def close(self) -> None:
        """Ask nothing any more."""
        self._matching = self._picked = None
        self._view.open(False)

    def _update(self, matching: Matching, picked: Item | None) -> None:
        self._matching, self._picked = matching, picked
        self._text.write(*describe(matching, self._name))
        self._grid.source = matching_source(matching)
        if picked is None:
            return
        self._grid.picked = [matching.items.index(picked)]
        words, noun = (COLUMN_WORDS, "columns") if picked.text is None else (VALUE_WORDS, "values of the column")
        options = {_word(choice, words): choice for choice in matching.options(picked)}
        label = f"{_name_item(matching, picked)} means"
        self._means.param.update(label=label, options=options, value=matching.choices[picked])
        for button, special in ((self._all_out, Special.NOTHING), (self._all_new, Special.NEW)):
            name = f"All: {words[special]}"
            button.param.update(label=name, description=f"{name}: for all {noun} in the list")

    # --- what the controls do

    def _pick(self, row: int) -> None:
        if self._matching is not None and row < len(self._matching.items):
            self._update(self._matching, self._matching.items[row])

    def _choose(self, choice: Meaning | None) -> None:
        matching, picked = self._matching, self._picked
        if matching is not None and picked is not None and choice is not None and choice != matching.choices[picked]:
            self._update(matching.choose(picked, choice), picked)

    def _choose_alike(self, choice: Special, _event: object) -> None:
        if self._matching is not None and self._picked is not None:
            self._update(self._matching.choose_alike(self._picked, choice), self._picked)

    async def _finish(self, _event: object) -> None:
        if self._matching is not None:
            await self._on_use(self._matching)

    async def _build_new(self, _event: object) -> None:
        await self._on_build()

    async def _end(self, _event: object) -> None:
        await self._on_cancel()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view.__panel__()


# --- in words


def describe(matching: Matching, name: str) -> list[str]:
    """What fits and what does not, in sentences."""
    columns = [item for item in matching.items if item.text is None]
    values = len(matching.items) - len(columns)
    others = count(len(columns), "column") + (f" and {count(values, 'value')}" if values else "")
    does = "does" if len(matching.items) == 1 else "do"
    table: Table = matching.table
    lines = [f"{name}: {count(len(matching.fitting), 'column fits', 'columns fit')} the network; {others} {does} not."]
    if not matching.taken:
        names = cut([column.name for column in table.columns], 5)
        known = cut([variable.name for variable in matching.network.variables], 5)
        lines.append(f"No column is a variable of the network. Columns: {names}. Variables: {known}.")
    return [*lines, "Pick an entry of the list to change what it means. The page stays as it is until you use it."]


def matching_source(matching: Matching) -> Source:
    """The entries in question, and what each is taken for."""
    items = matching.items

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [_make_row(matching, item) for item in items[first : last + 1]]

    columns = (
        Column("In the data", "head", about="a column; or, indented, a value of it", width=160),
        Column("Rows", "number", about="how many rows have the value", width=72),
        Column("Is taken for"),
    )
    return Source(columns, len(items), cells, "What does not fit", sorts=False)  # values stand below their column


def _make_row(matching: Matching, item: Item) -> list[Cell]:
    words = COLUMN_WORDS if item.text is None else VALUE_WORDS
    choice = matching.choices[item]
    column = matching.table.columns[item.column]
    kind = "warn" if choice is Special.NOTHING else ""
    about = f"values: {cut(list(column.texts[:1000]), SHOWN_TEXTS)}" if item.text is None else f"in {column.name}"
    name = column.name if item.text is None else f"    {item.text}"
    return [
        {"text": name, "about": f"{name.strip()}: {about}"},
        f"{matching.count_rows(item):,}",
        {"text": _word(choice, words), "kind": kind, "about": "what is lost: choose another meaning to keep it"}
        if kind
        else _word(choice, words),
    ]


def _name_item(matching: Matching, item: Item) -> str:
    column = matching.table.columns[item.column].name
    return f"Column {column}" if item.text is None else f"Value {item.text} of {column}"


def _word(choice: Meaning, words: dict[Special, str]) -> str:
    return f"({words[choice]})" if isinstance(choice, Special) else choice
