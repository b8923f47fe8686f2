"""Opening and saving: new networks, files of this machine, the examples."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn

from pgmgui.panels.gallery import Gallery
from pgmgui.panels.opening import Opening
from pgmgui.panels.saving import Saving
from pgmgui.scene import Derived
from pgmgui.session import Session
from pgmgui.session_file import Saved

_STYLE = """
h2 { color: var(--panel-on-surface-color); font: 600 0.9375rem/1.3 var(--bokeh-base-font); margin: 0; }
"""


class FilesPanel(pn.viewable.Viewer):
    """Where a network comes from and where it goes.

    Parameters
    ----------
    open_saved : callable
        Opens a session, given what follows from its scene.
    """

    def __init__(self, session: Session, open_saved: Callable[[Saved, Derived], bool]) -> None:
        super().__init__()
        self._view = pn.Column(
            _heading("Open a network"),
            Opening(session, open_saved),
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
