"""What the chosen learners compute, as equations."""

from __future__ import annotations

from html import escape

import panel as pn

from engine.learning.methods import METHODS
from pgmgui.components.mathml import to_mathml
from pgmgui.components.plain_text import HtmlText
from pgmgui.project.words import LEARNERS
from pgmgui.state.session import Session

DECOMPOSED = "Each component is learned from its own rows, and stops on its own."
SYMBOLS = (
    "θ are the parameters, x a state of a variable given the states u of its parents, d the rows of data, "
    "and ψ the prior's exponents."
)
_STYLE = """
:host { color: var(--panel-on-surface-color); font: 0.875rem/1.4 var(--bokeh-base-font); }
h3 { font-size: 0.9375rem; margin: 4px 0 2px; } p { margin: 0 0 4px; overflow-wrap: anywhere; }
math { font-size: 1.0625rem; margin: 6px 0 10px; overflow-x: auto; overflow-y: hidden; }
"""


class Equations(pn.viewable.Viewer):
    """The update of each chosen learner, with what it does in words."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._view = HtmlText(sizing_mode="stretch_width", margin=0, stylesheets=[_STYLE])
        session.param.watch(lambda *_: self._update(), "settings")
        self._update()

    def _update(self) -> None:
        methods = self._session.settings.methods
        shown = [describe_learner(method) for method in methods]
        self._view.object = "".join([*shown, f"<p>{SYMBOLS}</p>"]) if shown else "<p>Choose a learner.</p>"

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def describe_learner(method: str) -> str:
    """A learner as HTML: its name, what it does, and its equations, one to a line."""
    chosen = METHODS[method]
    about = f"{chosen.learner.explanation} {DECOMPOSED if chosen.decomposed else ''}".strip()
    lines = "".join(to_mathml(line) for line in chosen.learner.equations.split(r"\qquad"))
    return f"<h3>{escape(LEARNERS[method])}</h3><p>{escape(about)}</p>{lines}"
