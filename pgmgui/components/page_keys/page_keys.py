"""Keys that work wherever the focus is, and the size of the page's type: our own Panel component, without a picture."""

from __future__ import annotations

from typing import Any

import param

from pgmgui.components.base import Component


class PageKeys(Component):
    """Calls the action of a key that is pressed outside of text fields."""

    keys = param.List(default=[], item_type=str, doc="The keys that do something.")
    large = param.Boolean(default=False, doc="Whether the type is large, for the back rows.")
    actions = param.Dict(default={}, doc="From a key to what it does.")

    _scripts = ("page_keys.js",)
    _python = ("actions",)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.keys = list(self.actions)

    def _receive(self, message: dict[str, Any]) -> None:
        key = message.get("key")
        if isinstance(key, str) and key in self.actions:
            self._do(self.actions[key])
