"""The line between two panes of the page, which can be moved: our own Panel component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from pgmgui.components.base import Component


class Divider(Component):
    """A line before a pane that gives it more or less room.

    ``on_move(size)`` is called with the pane's pixels, 0 for as usual. The pane's style says with ``variable``, which
    is one of the whole page's, what it does with that.
    """

    label = param.String(doc="What of the pane it changes: its accessible name.")
    upright = param.Boolean(default=False, doc="Whether the pane is right of it, not below.")
    variable = param.String(doc="The CSS variable that has the size.")
    size = param.Integer(default=0, bounds=(0, None), doc="The size at first, in pixels; 0 is the usual one.")
    on_move = param.Callable(doc="Called with the size that the user has chosen.")

    _scripts = ("divider.js",)
    _styles = ("divider.css",)
    _python = ("on_move",)

    def __init__(self, **params: Any) -> None:
        side = {"width": 1, "sizing_mode": "stretch_height"}
        super().__init__(
            margin=0, **(side if params.get("upright") else {"height": 1, "sizing_mode": "stretch_width"}), **params
        )

    def _receive(self, message: dict[str, Any]) -> None:
        size = message.get("size")
        action: Callable[[int], None] | None = self.on_move
        if action is not None and isinstance(size, int) and not isinstance(size, bool) and size >= 0:
            self._do(action, size)
