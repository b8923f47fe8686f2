"""The data: read, simulate, match, look at."""

from __future__ import annotations

import panel as pn

from pgmgui.session import Session


class DataPanel(pn.viewable.Viewer):
    """The data: read, simulate, match, look at."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._view = pn.Column(sizing_mode="stretch_both", margin=0, scroll="y-auto")

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
