"""Equations with what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import panel as pn

from pgmgui.components.mathml import to_mathml
from pgmgui.components.plain_text import HtmlText

_STYLE = """
:host { color: var(--panel-on-surface-color); font: 0.875rem/1.4 var(--bokeh-base-font); }
h3 { font-size: 0.9375rem; margin: 4px 0 2px; } p { margin: 0 0 4px; overflow-wrap: anywhere; }
math { font-size: 1.0625rem; margin: 6px 0 10px; overflow-x: auto; overflow-y: hidden; }
"""


@dataclass(frozen=True)
class Explanation:
    """What something computes.

    Attributes
    ----------
    about : str
        What it does, in words.
    equations : tuple of str
        In LaTeX.
    """

    title: str
    about: str
    equations: tuple[str, ...]


class Equations(pn.viewable.Viewer):
    """Explanations, one below the other, and a line that says what the symbols stand for."""

    def __init__(self) -> None:
        super().__init__()
        self._view = HtmlText(sizing_mode="stretch_width", margin=0, stylesheets=[_STYLE])

    def explain(self, explanations: Sequence[Explanation], symbols: str, otherwise: str) -> None:
        """Show these; if there are none, what to do instead."""
        words = symbols if explanations else otherwise
        self._view.object = "".join([*map(to_html, explanations), f"<p>{escape(words)}</p>"])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def to_html(explanation: Explanation) -> str:
    """The title, what it does, and the equations, one to a line."""
    lines = "".join(map(to_mathml, explanation.equations))
    return f"<h3>{escape(explanation.title)}</h3><p>{escape(explanation.about)}</p>{lines}"
