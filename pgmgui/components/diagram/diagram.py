"""A diagram: boxes, lines and frames at given places, in a sheet that scrolls and zooms. Our own Panel component, for
names may hold anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import param

from pgmgui.components.base import Component


@dataclass(frozen=True)
class Box:
    """A box with a line or two of text.

    Attributes
    ----------
    key : str
        What is told when it is pressed; a box without one cannot be.
    x, y, width, height : float
        Its left and top, and its size, in pixels of usual type.
    text, detail : str
        The detail stands below, in small type.
    about : str
        Its tooltip and accessible name.
    look : str
        Classes of diagram.css: ``round``, ``known``, ``strong``, ``picked``, ``more``, ``soft``, ``faint``.
    """

    key: str
    x: float
    y: float
    width: float
    height: float
    text: str
    detail: str = ""
    about: str = ""
    look: str = ""


@dataclass(frozen=True)
class Line:
    """A line through points, which may end in an arrow, with a text beside its middle or where it is told.

    Attributes
    ----------
    look : str
        Classes of diagram.css: ``cut`` (taken away), ``faint``.
    """

    points: tuple[tuple[float, float], ...]
    arrow: bool = False
    text: str = ""
    at: tuple[float, float] | None = None
    look: str = ""


@dataclass(frozen=True)
class Frame:
    """An outline around what belongs together, with a title."""

    x: float
    y: float
    width: float
    height: float
    title: str = ""
    look: str = ""


@dataclass(frozen=True)
class Drawing:
    """What a diagram shows."""

    boxes: tuple[Box, ...] = ()
    lines: tuple[Line, ...] = ()
    frames: tuple[Frame, ...] = ()
    label: str = ""


class Diagram(Component):
    """Draws a :class:`Drawing`. A click or Enter on a box that has a key becomes a call of ``on_press(key)``."""

    drawing = param.ClassSelector(default=Drawing(), class_=Drawing, allow_None=False, doc="What is shown.")
    fitted = param.Boolean(default=False, doc="Whether another drawing is made as wide as there is room.")
    on_press = param.Callable(doc="Called with the key of the box that the user presses.")

    _scripts = ("diagram.js",)
    _styles = ("diagram.css",)
    _python = ("drawing", "fitted", "on_press")

    def _receive(self, message: dict[str, Any]) -> None:
        key = message.get("key")
        action: Callable[[str], None] | None = self.on_press
        live = {box.key for box in self.drawing.boxes if box.key}
        if action is not None and message.get("type") == "press" and isinstance(key, str) and key in live:
            self._do(action, key)

    @param.depends("drawing", watch=True)
    def _mounted(self) -> None:
        self._send_msg({**asdict(self.drawing), "fitted": self.fitted})
