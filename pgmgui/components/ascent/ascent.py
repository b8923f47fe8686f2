"""A score that climbs step by step under its upper bound: our own Panel component."""

from __future__ import annotations

import param

from pgmgui.components.base import Component


class Ascent(Component):
    """The score after each step, the best so far, and what none can pass."""

    points = param.List(default=[], item_type=tuple, doc="Per step: its number, the score then, the best so far.")
    bound = param.Number(default=None, allow_None=True, doc="No score is above this; None while that is not known.")
    across = param.String(default="step", doc="What is counted from left to right.")
    label = param.String(doc="The accessible name of the plot: what it shows, in words.")

    _scripts = ("ascent.js",)
    _styles = ("ascent.css",)
    _python = ("points", "bound", "across", "label")

    @param.depends("points", "bound", "across", "label", watch=True)
    def _mounted(self) -> None:
        points = [list(point) for point in self.points]
        self._send_msg({"points": points, "bound": self.bound, "across": self.across, "label": self.label})
