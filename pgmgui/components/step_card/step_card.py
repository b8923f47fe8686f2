"""A card that leads through some steps, one at a time, and can be put away: our own Panel component."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent

_FOLDER = Path(__file__).parent


class StepCard(JSComponent):
    """Shows one of some texts; its buttons become calls of ``on_go(by)``, with −1 or 1.

    It takes room of its own, so that it covers nothing. The browser remembers that it was put away.
    """

    label = param.String(doc="Its accessible name, and what the browser remembers it by.")
    steps = param.List(default=[], item_type=str, doc="What the steps say; the last is said when all is done.")
    step = param.Integer(default=0, doc="Which of the steps is shown.")
    on_go = param.Callable(doc="Called with how many steps to go on.")

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = (_FOLDER / "step_card.js").read_text(encoding="utf-8")
    _stylesheets = [(_FOLDER / "step_card.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
    _rename = {"on_go": None}  # noqa: RUF012 (as Panel declares it)

    def open(self) -> None:
        """Show it, also if it was put away."""
        self._send_msg({"type": "open"})

    def _handle_msg(self, data: Any) -> None:
        by = data.get("by") if isinstance(data, dict) else None
        if by in (-1, 1) and self.on_go is not None:
            # A message may come while the document is not locked: what changes the page must wait for its turn.
            state.execute(partial(self.on_go, by), schedule=True)
