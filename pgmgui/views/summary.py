"""The strip above the canvas: what is open, what it shows, and its size."""

from __future__ import annotations

from html import escape

import panel as pn

from pgmgui.session import Session
from pgmgui.words import summarise

_STYLE = """
:host { color: var(--panel-on-surface-color); font-family: var(--bokeh-base-font); }
.strip { display: flex; flex-wrap: wrap; gap: 4px 32px; align-items: end; justify-content: space-between; }
h1 { font-size: 26px; font-weight: 600; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
p { font-size: 16px; margin: 4px 0 0; opacity: 0.78; }
ul { display: flex; flex-wrap: wrap; gap: 8px; list-style: none; margin: 0; padding: 0; }
li { border: 1px solid color-mix(in srgb, currentColor 28%, transparent); border-radius: 14px; font-size: 14px;
     padding: 3px 11px; overflow-wrap: anywhere; }
"""


class Summary(pn.viewable.Viewer):
    """The title of the open network, a line on it, and its numbers."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pane = pn.pane.HTML(sizing_mode="stretch_width", margin=(16, 24, 12, 24), stylesheets=[_STYLE])
        session.param.watch(lambda *_: self._update(), "scene")
        self._update()

    def _update(self) -> None:
        session = self._session
        facts = summarise(session.document.network, session.seen)
        items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
        heading = f"<div><h1>{escape(session.scene.title)}</h1><p>{escape(session.scene.note)}</p></div>"
        self._pane.object = f'<div class="strip">{heading}<ul aria-label="Summary">{items}</ul></div>'

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
