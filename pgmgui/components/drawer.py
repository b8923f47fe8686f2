"""What is shown only at times: the browser is sent it when it is first wanted, so that the rest opens sooner."""

from __future__ import annotations

import panel as pn


class Drawer(pn.viewable.Viewer):
    """A column that is closed at first."""

    def __init__(self, *parts: pn.viewable.Viewable | pn.viewable.Viewer) -> None:
        super().__init__()
        self._parts = parts
        self._view = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)

    @property
    def is_open(self) -> bool:
        return bool(self._view.visible)

    def open(self, is_open: bool = True) -> None:
        """Show the parts, or hide them."""
        if is_open and not len(self._view):
            self._view[:] = list(self._parts)
        self._view.visible = is_open

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
