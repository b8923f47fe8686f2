"""All tables of the network at once: drawn anew, or made uniform."""

from __future__ import annotations

import panel as pn

from pgmgui.components.fields import make_narrow_button
from pgmgui.state.session import Session
from pgmgui.tabs.variable.fresh_tables import draw_tables, level_tables
from pgmgui.tabs.variable.seed_field import SeedField


class AllTables(pn.viewable.Viewer):
    """Buttons for all tables, each one step to undo."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._seed = SeedField(session.say)
        self._random = make_narrow_button(
            "Randomise all tables", "draw every row from all distributions alike, by the seed", self._draw
        )
        self._uniform = make_narrow_button("Uniform all tables", "make all numbers of every row equal", self._level)
        self._view = pn.FlexBox(self._random, self._uniform, self._seed, margin=0, align_items="center")

    def _draw(self) -> None:
        self._session.set_tables("randomise all tables", draw_tables(self._session.network, self._seed.take()))

    def _level(self) -> None:
        self._session.set_tables("make all tables uniform", level_tables(self._session.network))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
