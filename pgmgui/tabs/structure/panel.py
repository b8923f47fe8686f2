"""The tab of structure: looking for arrows, and what is known of those that are there."""

from __future__ import annotations

from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.session import Session
from pgmgui.state.structuring import Structuring
from pgmgui.tabs.structure.arrows_view import ArrowsView
from pgmgui.tabs.structure.search_view import SearchView
from pgmgui.tabs.switched import SwitchedViews


class StructurePanel(SwitchedViews):
    """The search, or the arrows, and a switch to turn to the other."""

    def __init__(self, session: Session, structuring: Structuring, arrow_facts: ArrowFacts) -> None:
        makers = {
            "search": lambda: SearchView(session, structuring),
            "arrows": lambda: ArrowsView(session, arrow_facts),
        }
        about = "Looking for arrows in the data; or what those on the canvas are worth, and how sure they are."
        super().__init__(makers, about, margin=0)
