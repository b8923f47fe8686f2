"""Text on the page that is only text, whatever names it holds."""

from __future__ import annotations

from html import escape

import panel as pn

_STYLE = """
:host { color: var(--panel-on-surface-color); font-family: var(--bokeh-base-font); font-size: 14px; line-height: 1.35;
        overflow: hidden; }
p { margin: 0 0 2px; overflow-wrap: anywhere; }
"""


class PlainText(pn.viewable.Viewer):
    """Lines of text. Material's own text pane would take names with angle brackets for HTML."""

    def __init__(self, margin: tuple[int, ...]) -> None:
        super().__init__()
        self._pane = pn.pane.HTML(sizing_mode="stretch_width", margin=margin, stylesheets=[_STYLE])

    def write(self, *lines: str) -> None:
        """Show these lines instead."""
        self._pane.object = "".join(f"<p>{escape(line)}</p>" for line in lines)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
