"""The one place where the page says that something went wrong."""

from __future__ import annotations

from html import escape

import panel as pn
import panel_material_ui as pmui

from pgmgui.components.plain_text import HtmlText
from pgmgui.state.session import Session

_STYLE = """
:host { color: #4d2c00; font: 0.9375rem/1.4 var(--bokeh-base-font); min-width: 0; }
.message { overflow-wrap: anywhere; }
.message::before { content: "⚠"; margin-right: 8px; }
"""
# Over the canvas, not above it: the canvas must not jump under the pointer when something is refused.
_PLACE = {"position": "relative", "z-index": "20", "height": "0", "min-height": "0", "overflow": "visible"}
_BOX = {
    "position": "absolute",
    "top": "8px",
    "left": "12px",
    "width": "calc(100% - 24px)",
    "max-height": "none",
    "align-items": "center",
    "border": "1px solid #b26a00",
    "border-radius": "6px",
    "background": "#fff4e0",
    "box-shadow": "0 2px 8px rgb(0 0 0 / 30%)",
}


class Message(pn.viewable.Viewer):
    """The session's message, and nothing when there is none. Its text is text: names may hold anything."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._text = HtmlText("", sizing_mode="stretch_width", margin=(8, 12), stylesheets=[_STYLE])
        dismiss = pmui.Button(
            label="Dismiss",
            description="Dismiss: close this message",
            description_delay=700,
            variant="text",
            size="small",
            margin=(4, 8),
            sx={"color": "#7a4300"},
        )
        dismiss.on_click(lambda *_: session.say(""))
        self._box = pn.Row(self._text, dismiss, visible=False, margin=0, styles=_BOX)
        self._view = pn.Column(self._box, margin=0, height=0, sizing_mode="stretch_width", styles=_PLACE)
        session.param.watch(lambda event: self._tell(event.new), "message")
        self._tell(session.message)

    def _tell(self, text: str) -> None:
        self._text.object = f'<div class="message" role="alert">{escape(text)}</div>' if text else ""
        self._box.visible = bool(text)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
