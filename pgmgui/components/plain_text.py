"""Text on the page that is only text, whatever names it holds."""

from __future__ import annotations

from html import escape

import panel as pn
from bokeh.model import Model

_STYLE = """
:host { color: var(--panel-on-surface-color); font-family: var(--bokeh-base-font); font-size: 0.875rem;
        line-height: 1.35; overflow: hidden; font-variant-numeric: tabular-nums; }
p { margin: 0 0 2px; overflow-wrap: anywhere; }
"""
_CUT = """
:host { container-type: inline-size; }
p:not(:only-child) { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
@container (min-width: 26rem) { p:not(:only-child) { display: inline; white-space: normal; } }
"""


class HtmlText(pn.pane.HTML):
    """A pane that sends its text alone when it changes.

    Panel's would send its style sheets too, at times with addresses in the net, and look through the whole page.
    """

    def _update(self, ref: str, model: Model) -> None:
        model.update(text=self._get_properties(model.document)["text"])


class PlainText(pn.viewable.Viewer):
    """Lines of text. Material's own text pane would take names with angle brackets for HTML.

    Parameters
    ----------
    cut : bool
        Where there is little room, cut lines that are too long instead of wrapping them; where there is much, let one
        follow the other.
    """

    def __init__(self, margin: tuple[int, ...], cut: bool = False) -> None:
        super().__init__()
        sheets = [_STYLE, _CUT] if cut else [_STYLE]
        self._pane = HtmlText(sizing_mode="stretch_width", margin=margin, stylesheets=sheets)

    def write(self, *lines: str, about: str = "") -> None:
        """Show these lines instead, with a tooltip if there is more to tell."""
        text = " ".join(f"<p>{escape(line)}</p>" for line in lines)
        self._pane.object = f'<div title="{escape(about)}">{text}</div>' if about else text

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
