"""A card that leads through some steps, one at a time, and can be put away: our own Panel component."""

from __future__ import annotations

from typing import Any

import param

from pgmgui.components.base import Component


class StepCard(Component):
    """Shows one of some texts; its buttons become calls of ``on_go(by)``, with −1 or 1.

    It takes room of its own, so that it covers nothing. The browser remembers that it was put away.
    """

    label = param.String(doc="Its accessible name, and what the browser remembers it by.")
    steps = param.List(default=[], item_type=str, doc="What the steps say; the last is said when all is done.")
    step = param.Integer(default=0, doc="Which of the steps is shown.")
    on_go = param.Callable(doc="Called with how many steps to go on.")

    _scripts = ("step_card.js",)
    _styles = ("step_card.css",)
    _python = ("on_go",)

    def open(self) -> None:
        """Show it, also if it was put away."""
        self._send_msg({"type": "open"})

    def _receive(self, message: dict[str, Any]) -> None:
        by = message.get("by")
        if by in (-1, 1) and self.on_go is not None:
            self._do(self.on_go, by)
