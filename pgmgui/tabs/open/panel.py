"""Opening and saving: new networks, files of this machine, the examples."""

from __future__ import annotations

import panel as pn

from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.tabs.open.gallery import Gallery
from pgmgui.tabs.open.opening import Opening
from pgmgui.tabs.open.saving import Saving

_STYLE = """
h2 { color: var(--panel-on-surface-color); font: 600 0.9375rem/1.3 var(--bokeh-base-font); margin: 0; }
"""


class OpenPanel(pn.viewable.Viewer):
    """Where a network comes from and where it goes."""

    def __init__(self, session: Session, race: Race) -> None:
        super().__init__()
        self._view = pn.Column(
            _heading("Open a network"),
            Opening(session, race),
            _heading("Save the network"),
            Saving(session),
            _heading("Examples"),
            Gallery(session),
            sizing_mode="stretch_both",
            margin=(4, 8, 0, 12),
            scroll="y-auto",
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _heading(text: str) -> pn.pane.HTML:
    return pn.pane.HTML(f"<h2>{text}</h2>", margin=(8, 0, 2, 0), sizing_mode="stretch_width", stylesheets=[_STYLE])
