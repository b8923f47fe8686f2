"""The examples to choose from."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from pgmgui.examples import load_gallery
from pgmgui.session import Session

_STYLE = {
    "& .MuiListItemButton-root": {"paddingTop": "2px", "paddingBottom": "2px"},
    "& .MuiListItemText-primary": {"fontSize": "15px", "lineHeight": 1.35},
    "& .MuiListItemText-secondary": {"fontSize": "13px", "lineHeight": 1.35},
}


class Gallery(pn.viewable.Viewer):
    """A list of the examples; choosing one opens it.

    Parameters
    ----------
    active : int, optional
        The example that is open already, if one is.
    """

    def __init__(self, session: Session, active: int | None = None) -> None:
        super().__init__()
        self._session = session
        self._list = pmui.MenuList(
            items=[{"label": item.title, "secondary": item.shows, "icon": None} for item in load_gallery()],
            active=None if active is None else (active,),
            sizing_mode="stretch_width",
            sx=_STYLE,
        )
        self._list.param.watch(self._open, "active")

    def _open(self, event: object) -> None:
        if self._list.active is not None:
            self._session.open_example(load_gallery()[self._list.active[0]])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._list
