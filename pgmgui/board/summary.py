"""The line in the bar at the top: what is open, what it shows, and its size."""

from __future__ import annotations

import panel as pn

from pgmgui.components.headline.headline import Headline
from pgmgui.project.words import summarise
from pgmgui.state.editor import LONGEST_TITLE
from pgmgui.state.session import Session


class Summary(pn.viewable.Viewer):
    """The name of the open network, which can be changed there, a line on it, and its numbers."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._line = Headline(
            on_rename=session.rename_network,
            longest=LONGEST_TITLE,
            sizing_mode="stretch_width",
            margin=(0, 8, 0, 24),
            align="center",
        )
        session.param.watch(lambda *_: self._update(), ["scene", "derived"])
        self._update()

    def _update(self) -> None:
        scene = self._session.scene
        held_out = self._session.held_out_rows
        facts = summarise(scene.document.network, self._session.seen, scene.given, held_out, scene.ties)
        self._line.param.update(heading=scene.title, note=scene.note, facts=facts)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._line
