"""The one place where the page says that something went wrong."""

from __future__ import annotations

from html import escape

import panel as pn
import panel_material_ui as pmui

from pgmgui.session import Session


class Message(pn.viewable.Viewer):
    """The session's message, and nothing when there is none."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._alert = pmui.Alert("", severity="warning", visible=False, sizing_mode="stretch_width", margin=(0, 16))
        session.param.watch(lambda event: self._show(event.new), "message")

    def _show(self, text: str) -> None:
        self._alert.param.update(object=escape(text), visible=bool(text))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._alert
