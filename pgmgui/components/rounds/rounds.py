"""How far something is from where it shall be, round after round, on a log scale: our own Panel component.

A log scale has no place for 0, which has a row of its own below it, and a hollow dot.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import param

from pgmgui.components.base import Component


@dataclass(frozen=True)
class Line:
    """A line of the plot: what it is of, and a number ≥ 0 after each round."""

    title: str
    values: tuple[float, ...]


class Rounds(Component):
    """Lines that fall from left to right, and the round that is looked at.

    A click, a drag or a key on the plot becomes a call of ``on_step(number of the round)``.
    """

    lines = param.List(default=[], item_type=Line, doc="The lines; all have as many values.")
    number = param.Integer(default=0, doc="The round that is looked at.")
    least = param.Number(default=1e-12, doc="What is not above this counts as 0: it is what rounding leaves.")
    label = param.String(doc="The accessible name of the plot.")
    told = param.String(doc="What is to be said of the round that is looked at.")
    on_step = param.Callable(doc="Called with the round that the user goes to.")

    _scripts = ("rounds.js",)
    _styles = ("rounds.css",)
    _python = ("lines", "number", "least", "label", "told", "on_step")

    def _receive(self, message: dict[str, Any]) -> None:
        number = message.get("number")
        last = max((len(line.values) for line in self.lines), default=0) - 1
        if message.get("type") != "step" or isinstance(number, bool) or not isinstance(number, int):
            return
        if 0 <= number <= last and self.on_step is not None:
            self._do(self.on_step, number)

    @param.depends("lines", "number", "least", "label", "told", watch=True)
    def _mounted(self) -> None:
        lines = [asdict(line) for line in self.lines]
        words = {"label": self.label, "told": self.told}
        self._send_msg({"lines": lines, "number": self.number, "least": self.least, **words})
