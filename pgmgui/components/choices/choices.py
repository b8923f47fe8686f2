"""Buttons that can be pressed in or followed like links: our own Panel component, for names may hold anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import param

from pgmgui.components.base import Component


@dataclass(frozen=True)
class Choice:
    """A button.

    Attributes
    ----------
    about : str
        Its tooltip.
    pressed : bool, optional
        None for what is never pressed in.
    look : {"link", "plain", "main"}
        How that looks: a link, a button, or the button that matters most.
    """

    key: str
    text: str
    about: str = ""
    pressed: bool | None = None
    disabled: bool = False
    look: str = "link"


@dataclass(frozen=True)
class Group:
    """Buttons under a title; an empty title is not shown."""

    title: str
    items: tuple[Choice, ...]


class Choices(Component):
    """Groups of buttons. A click, or a key on a button, becomes a call of ``on_press(key)``."""

    groups = param.List(default=[], item_type=Group, doc="The groups of buttons.")
    label = param.String(doc="The accessible name of all of them.")
    on_press = param.Callable(doc="Called with the key of the button that the user presses.")
    drawn = param.Dict(default={}, doc="What the browser draws: it comes with the component, so that nothing moves.")

    _scripts = ("choices.js",)
    _styles = ("choices.css",)
    _python = ("groups", "label", "on_press")

    def _receive(self, message: dict[str, Any]) -> None:
        key = message.get("key")
        live = {item.key for group in self.groups for item in group.items if not item.disabled}
        action: Callable[[str], None] | None = self.on_press
        pressed = message.get("type") == "press" and isinstance(key, str) and key in live
        if action is not None and pressed:
            self._do(action, key)

    @param.depends("groups", "label", watch=True, on_init=True)
    def _write(self) -> None:
        self.drawn = {"groups": [asdict(group) for group in self.groups], "label": self.label}
