"""A long list in sections that open and close, with a button for each entry: our own Panel component."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import param

from pgmgui.components.base import Component


@dataclass(frozen=True)
class Entry:
    """An entry of the list.

    Attributes
    ----------
    title, text : str
        Its name, and what it is about.
    note : str
        What else to know before the button is pressed; empty for nothing.
    button, about : str
        What its button says, and the button's tooltip.
    details : tuple of str
        Lines that are shown while it is the one that was chosen.
    is_chosen : bool
    """

    key: str
    title: str
    text: str
    note: str = ""
    button: str = "Open"
    about: str = ""
    details: tuple[str, ...] = ()
    is_chosen: bool = False


@dataclass(frozen=True)
class Section:
    """Entries under a title, which opens and closes them."""

    title: str
    entries: tuple[Entry, ...]


class Entries(Component):
    """Sections of entries. A click, or a key on an entry's button, becomes a call of ``on_press(key)``."""

    sections = param.List(default=[], item_type=Section, doc="The sections, all closed at first.")
    label = param.String(doc="The accessible name of all of them.")
    on_press = param.Callable(doc="Called with the key of the entry whose button the user presses.")
    drawn = param.Dict(default={}, doc="What the browser draws: it comes with the component, so that nothing moves.")

    _scripts = ("../holding.js", "entries.js")
    _styles = ("entries.css",)
    _python = ("sections", "label", "on_press")

    def _receive(self, message: dict[str, Any]) -> None:
        key = message.get("key")
        known = {entry.key for section in self.sections for entry in section.entries}
        action: Callable[[str], Any] | None = self.on_press
        if action is not None and message.get("type") == "press" and isinstance(key, str) and key in known:
            self._do(action, key)

    @param.depends("sections", "label", watch=True, on_init=True)
    def _write(self) -> None:
        self.drawn = {"sections": [asdict(section) for section in self.sections], "label": self.label}
