"""What falls apart: the components of the learning problem, the cliques of a junction tree, the islands of EDML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import panel as pn

from pgmgui.state.session import Session
from pgmgui.tabs.parts.components_view import ComponentsView
from pgmgui.tabs.parts.meta_view import MetaView
from pgmgui.tabs.parts.tree_view import TreeView
from pgmgui.tabs.switched import SwitchedViews

VIEWS: Mapping[str, Callable[[Session], pn.viewable.Viewer]] = {
    "decomposition": ComponentsView,
    "junction tree": TreeView,
    "meta-network": MetaView,
}
"""What the tab can show, and how it is made."""


class PartsPanel(SwitchedViews):
    """One of the views, and a switch to turn to another."""

    def __init__(self, session: Session) -> None:
        what = "What learning falls into, the tree that inference works on, or what EDML makes of learning."
        super().__init__({name: partial(make, session) for name, make in VIEWS.items()}, what)
