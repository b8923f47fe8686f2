"""The components of the learning problem: what each is, what it has reached, and its data."""

from __future__ import annotations

from dataclasses import replace

import panel as pn

from engine.model.network import MarkovNetwork
from pgmgui.components.fields import make_button
from pgmgui.components.grid.grid import Grid
from pgmgui.components.plain_text import PlainText
from pgmgui.components.switch import make_switch
from pgmgui.project.held_out_words import describe_split
from pgmgui.project.tying import describe_ties
from pgmgui.project.words import count, describe_component, describe_savings
from pgmgui.state.session import Session
from pgmgui.tabs.data_rows import data_source
from pgmgui.tabs.parts.bound_view import BoundView
from pgmgui.tabs.parts.component_table import ComponentTable
from pgmgui.tabs.parts.course_view import CourseView
from pgmgui.tabs.parts.iterations import Iterations

COLOURS = {"components": "component", "gap": "gap"}


class ComponentsView(pn.viewable.Viewer):
    """The table of components, and the sub-network and data of the one that is looked at."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._savings = PlainText(margin=(8, 8, 4, 0))
        self._words = PlainText(margin=(4, 8, 0, 0))
        self._data = Grid(shown=8, sizing_mode="stretch_width", margin=(4, 8, 8, 0))
        self._show_all = make_button("Show all", "the whole network again", lambda *_: session.look_at(None))
        self._colour = make_switch(
            "Colour",
            list(COLOURS),
            "The colours of the components on the canvas: one each, or darker where the gap is larger; "
            "of a component that is looked at alone, also its variables'.",
        )
        self._colour.param.watch(lambda event: session.colour_by(COLOURS[event.new]), "value")
        self._iterations = Iterations(session)
        self._one = pn.Column(self._words, BoundView(session), self._data, sizing_mode="stretch_width", margin=0)
        self._all = pn.Column(
            pn.Row(self._colour, self._show_all, margin=0, styles={"align-items": "center"}),
            ComponentTable(session),
            CourseView(session),
            self._one,
            self._iterations,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._view = pn.Column(self._savings, self._all, sizing_mode="stretch_both", margin=0, scroll="y-auto")
        session.param.watch(lambda *_: self._update(), ["derived", "component", "colour"])
        self._update()

    def look(self, looked_at: bool) -> None:
        """Say whether the view is in sight."""
        self._iterations.look(looked_at)

    def _update(self) -> None:
        session, parts = self._session, self._session.parts
        looked_at = session.component if parts is not None else None
        self._colour.value = next(word for word, key in COLOURS.items() if key == session.colour)
        self._colour.visible = not isinstance(session.network, MarkovNetwork)
        self._show_all.disabled = looked_at is None
        self._all.visible, self._one.visible = parts is not None, looked_at is not None
        if parts is None:
            self._savings.write(session.derived.obstacle or "Components are those of a network with data.")
            return
        self._savings.write(*describe_split(parts.split), describe_savings(parts.task), *describe_ties(parts.task))
        if looked_at is not None:
            decomposition = parts.task.decomposition
            data = decomposition.project(decomposition.components[looked_at])
            rows = f"Its data: {count(data.n_rows, 'distinct row')}, counted."
            self._words.write(*describe_component(parts.task, looked_at), rows)
            self._data.source = replace(data_source(data), label=f"Data of component {looked_at + 1}")

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
