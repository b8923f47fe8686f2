"""The line in the bar at the top: what is open, what it shows, and its size."""

from __future__ import annotations

from html import escape

import panel as pn

from pgmgui.components.plain_text import HtmlText
from pgmgui.project.words import summarise
from pgmgui.state.session import Session

# One line that never wraps: where it is narrow the note is cut first, then the facts; the tooltip has all of it.
_STYLE = """
:host { color: #ffffff; font-family: var(--bokeh-base-font); min-width: 0; }
.strip { display: flex; align-items: baseline; gap: 0 18px; white-space: nowrap; overflow: hidden; }
h1, p, ul { margin: 0; overflow: hidden; text-overflow: ellipsis; }
h1 { font-size: 1.25rem; font-weight: 600; line-height: 1.4; flex: 0 1 auto; max-width: 45%; }
p { font-size: 0.875rem; opacity: 0.85; flex: 1 1000 0; min-width: 0; }
ul { font-size: 0.875rem; list-style: none; padding: 0; flex: 0 1000 auto; }
li { display: inline; }
li + li::before { content: " · " / ""; }
"""


class Summary(pn.viewable.Viewer):
    """The title of the open network, a line on it, and its numbers."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pane = HtmlText(sizing_mode="stretch_width", margin=(0, 8, 0, 24), align="center", stylesheets=[_STYLE])
        session.param.watch(lambda *_: self._update(), ["scene", "derived"])
        self._update()

    def _update(self) -> None:
        scene = self._session.scene
        facts = summarise(scene.document.network, self._session.seen, scene.given)
        items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
        everything = escape(". ".join([scene.title, scene.note, ", ".join(facts)]))
        self._pane.object = (
            f'<div class="strip" title="{everything}"><h1>{escape(scene.title)}</h1><p>{escape(scene.note)}</p>'
            f'<ul aria-label="Summary">{items}</ul></div>'
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
