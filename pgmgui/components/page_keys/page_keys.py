"""Keys that work wherever the focus is, and the size of the page's type: our own Panel component, without a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent


class PageKeys(JSComponent):
    """Calls the action of a key that is pressed outside of text fields."""

    keys = param.List(default=[], item_type=str, doc="The keys that do something.")
    large = param.Boolean(default=False, doc="Whether the type is large, for the back rows.")
    actions = param.Dict(default={}, doc="From a key to what it does.")

    _esm = (Path(__file__).parent / "page_keys.js").read_text(encoding="utf-8")
    _rename = {"actions": None}  # noqa: RUF012 (as Panel declares it)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.keys = list(self.actions)

    def _handle_msg(self, data: Any) -> None:
        action = self.actions.get(data.get("key")) if isinstance(data, dict) else None
        if action is not None:
            # A message may come while the document is not locked: what changes the page must wait for its turn.
            state.execute(action, schedule=True)
