"""Buttons that can be pressed in or followed like links: our own Panel component, for names may hold anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent

_FOLDER = Path(__file__).parent


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


class Choices(JSComponent):
    """Groups of buttons. A click, or a key on a button, becomes a call of ``on_press(key)``."""

    groups = param.List(default=[], item_type=Group, doc="The groups of buttons.")
    label = param.String(doc="The accessible name of all of them.")
    on_press = param.Callable(doc="Called with the key of the button that the user presses.")

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = (_FOLDER / "choices.js").read_text(encoding="utf-8")
    _stylesheets = [(_FOLDER / "choices.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
    _rename = dict.fromkeys(("groups", "label", "on_press"))

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        if data.get("type") == "ready":
            self._load()
        elif data.get("type") == "press":
            key = data.get("key")
            live = {item.key for group in self.groups for item in group.items if not item.disabled}
            action: Callable[[str], None] | None = self.on_press
            if action is not None and isinstance(key, str) and key in live:
                # A message may come while the document is not locked: what changes the page must wait its turn.
                state.execute(partial(action, key), schedule=True)

    @param.depends("groups", "label", watch=True)
    def _load(self) -> None:
        self._send_msg({"groups": [asdict(group) for group in self.groups], "label": self.label})
