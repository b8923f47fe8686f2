"""The one place where the page says that something went wrong, and that something still is."""

from __future__ import annotations

from html import escape

import panel as pn
import panel_material_ui as pmui

from pgmgui.components.fields import make_button
from pgmgui.components.plain_text import HtmlText
from pgmgui.state.keeper import Keeper
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
    "border": "1px solid #b26a00",
    "border-radius": "6px",
    "background": "#fff4e0",
    "box-shadow": "0 2px 8px rgb(0 0 0 / 30%)",
}


_BROWN = {"color": "#7a4300", "whiteSpace": "nowrap"}
UNKEPT = (
    "What you do on this page is not kept: {trouble}. Until it is, which is tried again and again, save the session "
    "as a file in the Share tab."
)


class Message(pn.viewable.Viewer):
    """The session's message, and nothing when there is none. Its text is text: names may hold anything.

    What can be done about it at once is a button beside it. While what is done on the page cannot be kept, that is
    said too, and cannot be dismissed.
    """

    def __init__(self, session: Session, keeper: Keeper | None = None) -> None:
        super().__init__()
        self._text, self._trouble = _make_text(), _make_text()
        dismiss = pmui.Button(
            label="Dismiss",
            description="Dismiss: close this message",
            description_delay=700,
            variant="text",
            size="small",
            margin=(4, 8),
            sx=_BROWN,
        )
        dismiss.on_click(lambda *_: session.say(""))
        self._session = session
        self._act = make_button("", "", self._take_way_out, margin=(4, 0), sx={**_BROWN, "borderColor": "#b26a00"})
        self._said = pn.Row(
            self._text, self._act, dismiss, margin=0, sizing_mode="stretch_width", styles={"align-items": "center"}
        )
        self._box = pn.Column(self._said, self._trouble, visible=False, margin=0, styles=_BOX)
        self._view = pn.Column(self._box, margin=0, height=0, sizing_mode="stretch_width", styles=_PLACE)
        session.param.watch(lambda event: self._tell(event.new), "message")
        self._warn("" if keeper is None else keeper.trouble)
        self._tell(session.message)
        if keeper is not None:
            keeper.param.watch(lambda event: self._warn(event.new), "trouble")

    async def _take_way_out(self, _event: object) -> None:
        way_out = self._session.way_out
        done = None if way_out is None else way_out.action()
        if done is not None:
            await done

    def _tell(self, text: str) -> None:
        _write(self._text, text)
        way_out = self._session.way_out
        self._act.visible = way_out is not None and bool(text) and way_out.message == text
        if way_out is not None:
            self._act.param.update(label=way_out.label, description=f"{way_out.label}: {way_out.about}")
        self._said.visible = bool(text)
        self._box.visible = self._said.visible or self._trouble.visible

    def _warn(self, trouble: str) -> None:
        _write(self._trouble, UNKEPT.format(trouble=trouble) if trouble else "")
        self._trouble.visible = bool(trouble)
        self._box.visible = self._said.visible or self._trouble.visible

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _make_text() -> HtmlText:
    return HtmlText("", sizing_mode="stretch_width", margin=(8, 12), stylesheets=[_STYLE])


def _write(view: HtmlText, text: str) -> None:
    view.object = f'<div class="message" role="alert">{escape(text)}</div>' if text else ""
