"""The examples to choose from."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui

from pgmgui.project.examples import load_gallery
from pgmgui.state.session import Session

_STYLE = {
    "& .MuiListItemButton-root": {"paddingTop": "2px", "paddingBottom": "2px"},
    "& .MuiListItemText-primary": {"fontSize": "0.9375rem", "lineHeight": 1.35},
    "& .MuiListItemText-secondary": {"fontSize": "0.8125rem", "lineHeight": 1.35},
}


class Gallery(pn.viewable.Viewer):
    """A list of the examples; choosing one opens it, also if it is open and was changed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._list = pmui.MenuList(
            items=[{"label": item.title, "secondary": item.shows, "icon": None} for item in load_gallery()],
            sizing_mode="stretch_width",
            sx=_STYLE,
        )
        self._list.on_click(self._open)  # type: ignore[arg-type]
        session.param.watch(lambda *_: self._look(), "scene")
        self._look()

    def _open(self, item: dict[str, Any]) -> None:
        example = next(example for example in load_gallery() if example.title == item["label"])
        self._session.open_example(example)

    def _look(self) -> None:
        """Show which example is open, if one is."""
        scene = self._session.scene
        places = [k for k, item in enumerate(load_gallery()) if (item.title, item.shows) == (scene.title, scene.note)]
        self._list.active = (places[0],) if places else None

    def __panel__(self) -> pn.viewable.Viewable:
        return self._list
