"""The selected variable: its name, neighbours, states, table, prior and mark; or the selected factor."""

from __future__ import annotations

import panel as pn

from engine.model.network import BayesianNetwork
from pgmgui.components.choices.choices import Choice, Choices, Group
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import make_area, make_field
from pgmgui.components.grid.grid import Cell, Column, Grid, Source
from pgmgui.components.lazy_tabs import LazyTabs
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_switch
from pgmgui.project.marks import ROLES, describe_mark
from pgmgui.project.notes import LONGEST_NOTE, find_note
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.tabs.variable.all_tables import AllTables
from pgmgui.tabs.variable.compare import ComparePanel
from pgmgui.tabs.variable.mark_details import MarkDetails
from pgmgui.tabs.variable.noisy import NoisyEditor
from pgmgui.tabs.variable.prior_form import PriorEditor
from pgmgui.tabs.variable.ranking_view import RankingView
from pgmgui.tabs.variable.states import StatesEditor
from pgmgui.tabs.variable.table import TableEditor
from pgmgui.tabs.variable.tie_buttons import TieButtons

ALL, MOVED = "All variables", "What moved"
_TABS = {
    "& .MuiTabs-root": {"minHeight": "36px"},
    "& .MuiTab-root": {"minHeight": "36px", "minWidth": "0", "padding": "6px 10px", "textTransform": "none"},
}
_COLUMNS = (
    Column("Variable", "head", "click, or press Enter, to select it"),
    Column("States", "number", "how many states it has"),
    Column("In the data", "text", "what the data says of it"),
    Column("Mark", "text", "what you say is known of it"),
)


class VariablePanel(pn.viewable.Viewer):
    """Nothing selected: a list of all variables; several: their marks; one, or a factor: all there is to it."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._hint = PlainText(margin=(0, 0, 6, 0))
        self._list = Grid(on_pick=self._pick, shown=14, sizing_mode="stretch_width", margin=0)
        self._ranking = RankingView(session, self._compare)
        self._moved = Drawer(self._ranking)
        self._switch = make_switch(
            "Show",
            [ALL, MOVED],
            "All variables; or all tables by how far they are from the true, learned or earlier ones.",
        )
        self._switch.param.watch(lambda *_: self._update(), "value")
        self._tables = pn.Column(AllTables(session), sizing_mode="stretch_width", margin=0)
        self._all = pn.Column(
            self._switch, self._hint, self._list, self._moved, self._tables, sizing_mode="stretch_width", margin=0
        )
        self._many = Drawer(MarkDetails(session, several=True), TieButtons(session, several=True))
        self._name = make_field("Name", "The variable's name; Enter changes it.", self._rename)
        self._note = make_area(
            "Note", "What you want to remember of it; kept in files.", LONGEST_NOTE, self._write_note
        )
        self._around = Choices(label="Neighbours", on_press=lambda name: session.select([name]), margin=(2, 0))
        self._sections = LazyTabs(
            {
                "Table": lambda: TableEditor(session),
                "States": lambda: StatesEditor(session),
                "Known": lambda: MarkDetails(session),
                "Prior": lambda: PriorEditor(session),
                "Compare": lambda: ComparePanel(session),
                "Noisy-MAX": lambda: NoisyEditor(session),
            },
            "stretch_width",
            sx=_TABS,
        )
        self._one = Drawer(self._name, self._note, self._around, TieButtons(session), self._sections)
        self._scope = Choices(
            label="Variables of the factor", on_press=lambda name: session.select([name]), margin=(2, 0)
        )
        self._factor = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)
        parts = (self._all, self._many, self._one, self._factor)
        self._view = pn.Column(*parts, sizing_mode="stretch_both", margin=(8, 12), scroll="y-auto")
        session.param.watch(lambda *_: self._update(), ["selected", "factor", "scene"])
        self._update()

    def _update(self) -> None:
        chosen, factor = len(self._session.selected), self._session.factor
        self._all.visible = chosen == 0 and factor is None
        self._show_factor(factor)
        self._many.open(chosen > 1)
        self._one.open(chosen == 1)
        moved = self._switch.value == MOVED
        self._moved.open(moved)
        self._ranking.look(self._all.visible and moved)
        self._list.visible = not moved
        if self._all.visible:
            self._tables.visible = self._switch.visible = bool(self._session.network.variables)
            self._list_all()
        elif chosen == 1:
            self._name.value = self._session.selected[0]
            self._note.value = find_note(self._session.document, self._session.selected[0])
            self._around.groups = self._neighbours()

    # --- nothing selected

    def _list_all(self) -> None:
        network, data = self._session.network, self._session.data
        marks = self._session.marks

        def cells(first: int, last: int) -> list[list[Cell]]:
            rows: list[list[Cell]] = []
            for v in range(first, last + 1):
                variable = network.variables[v]
                role = "–" if data is None else ROLES[data.dataset.roles[v]]
                mark = describe_mark(marks[variable.name]) if variable.name in marks else "–"
                rows.append([variable.name, f"{variable.cardinality:,}", role, mark])
            return rows

        self._list.source = Source(_COLUMNS, len(network.variables), cells, "Variables")
        if self._switch.value == MOVED:
            self._hint.write("")
        elif network.variables:
            self._hint.write(
                f"{count(len(network.variables), 'variable')}. Click one here or on the canvas to edit it."
            )
        else:
            self._hint.write("No variables yet: double-click on the canvas to draw one.")

    def _pick(self, row: int) -> None:
        self._session.select([self._session.network.variables[row].name])

    def _compare(self, name: str) -> None:
        self._sections.open("Compare")
        self._session.select([name])

    # --- a factor selected

    def _show_factor(self, factor: int | None) -> None:
        if factor is not None:
            if not len(self._factor):  # made when it is first wanted, so that the rest opens sooner
                self._factor[:] = [self._scope, TableEditor(self._session, of_factor=True)]
            network = self._session.network
            names = [network.variables[v].name for v in network.scopes[factor]]
            choices = tuple(Choice(name, name, f"Select {name}") for name in names)
            self._scope.groups = [Group(f"Factor {factor + 1} over:", choices)]
        self._factor.visible = factor is not None

    # --- one selected

    def _rename(self, name: str) -> None:
        session = self._session
        if len(session.selected) == 1 and name != session.selected[0]:
            session.rename(session.selected[0], name)
            self._update()

    def _write_note(self, text: str) -> None:
        session = self._session
        if len(session.selected) == 1 and text != find_note(session.document, session.selected[0]):
            session.set_note(session.selected[0], text)
            self._update()

    def _neighbours(self) -> list[Group]:
        network = self._session.network
        v = network.index[self._session.selected[0]]
        if isinstance(network, BayesianNetwork):
            children = [child for parent, child in network.edges if parent == v]
            groups = {"Parents:": network.parents[v], "Children:": children}
        else:
            groups = {"Neighbours:": [a + b - v for a, b in network.edges if v in (a, b)]}
        names = {title: [network.variables[u].name for u in found] for title, found in groups.items()}
        return [
            Group(title if found else f"{title} none", tuple(Choice(name, name, f"Select {name}") for name in found))
            for title, found in names.items()
        ]

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
