"""One line on what is open: its name, which can be changed there, a note, and facts."""

from __future__ import annotations

from typing import Any

import param

from pgmgui.components.base import Component


class Headline(Component):
    """A name that a click (or Enter) on it makes a text field. What is typed becomes a call of ``on_rename(text)``."""

    heading = param.String(doc="The name.")
    note = param.String(doc="A line on it.")
    facts = param.List(default=[], item_type=str, doc="Its numbers, in words.")
    longest = param.Integer(default=200, doc="Characters that a name may have.")
    on_rename = param.Callable(doc="Called with another name.")

    _scripts = ("headline.js",)
    _styles = ("headline.css",)
    _python = ("heading", "note", "facts", "longest", "on_rename")

    def _receive(self, message: dict[str, Any]) -> None:
        text = message.get("text")
        if message.get("type") == "rename" and isinstance(text, str) and self.on_rename is not None:
            self._do(self._change, text)

    def _change(self, text: str) -> None:
        self.on_rename(text)
        self._mounted()  # where it was refused, the old name is to be seen

    @param.depends("heading", "note", "facts", watch=True)
    def _mounted(self) -> None:
        values = {"heading": self.heading, "note": self.note, "facts": self.facts, "longest": self.longest}
        self._send_msg(values)
