"""Opening and saving: the examples, files of this machine, new networks."""

from __future__ import annotations

import panel as pn

from pgmgui.panels.gallery import Gallery
from pgmgui.session import Session


class FilesPanel(pn.viewable.Viewer):
    """Where a network comes from and where it goes."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._view = pn.Column(Gallery(session), sizing_mode="stretch_both", margin=0, scroll="y-auto")

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
