"""What falls apart: the components of the learning problem, the cliques of a junction tree, the islands of EDML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import panel as pn

from pgmgui.components.switch import make_wrapped_switch
from pgmgui.state.session import Session
from pgmgui.tabs.parts.components_view import ComponentsView
from pgmgui.tabs.parts.meta_view import MetaView
from pgmgui.tabs.parts.tree_view import TreeView


class PartsView(Protocol):
    """Something that the tab can show."""

    def look(self, looked_at: bool) -> None:
        """Say whether it is in view."""


VIEWS: Mapping[str, Callable[[Session], PartsView]] = {
    "decomposition": ComponentsView,
    "junction tree": TreeView,
    "meta-network": MetaView,
}
"""What the tab can show, and how it is made."""


class PartsPanel(pn.viewable.Viewer):
    """One of the views, and a switch to turn to another."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._looked_at = False
        what = "What learning falls into, the tree that inference works on, or what EDML makes of learning."
        self._shown = make_wrapped_switch("Show", list(VIEWS), what, (8, 0, 0, 0))
        self._shown.param.watch(lambda _: self._turn(), "value")
        self._made: dict[str, PartsView] = {}
        self._place = pn.Column(sizing_mode="stretch_both", margin=0)
        self._view = pn.Column(self._shown, self._place, sizing_mode="stretch_both", margin=(0, 0, 0, 12))
        self._turn()

    def look(self, looked_at: bool) -> None:
        """Say whether the panel is in view."""
        self._looked_at = looked_at
        for name, view in self._made.items():
            view.look(looked_at and name == self._shown.value)

    def _turn(self) -> None:
        """Show a view, which is made when it is first asked for."""
        name = self._shown.value
        if name not in self._made:
            self._made[name] = VIEWS[name](self._session)
        self._place[:] = [self._made[name]]
        self.look(self._looked_at)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
