"""A tornado: ranges around a line, one below the other. Our own Panel component, for names may hold anything."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import param

from pgmgui.components.base import Component


@dataclass(frozen=True)
class Range:
    """A bar of a tornado.

    Attributes
    ----------
    text, detail : str
        What it is about; the detail stands below, in small type.
    about : str
        Its tooltip.
    start, end : float
        Where the bar goes from and to.
    told : str
        That in words, beside it.
    """

    text: str
    detail: str
    about: str
    start: float
    end: float
    told: str


class Tornado(Component):
    """Bars from a start to an end each, all to one scale, with a line through them where nothing is changed.

    A click on a heading sorts them in the browser: rising, falling, and as they came.
    """

    ranges = param.List(default=[], item_type=Range, doc="The bars, from above.")
    middle = param.Number(default=0.0, doc="Where the line is.")
    heads = param.List(default=["", "", ""], item_type=str, doc="Headings of what it is about, its width, its words.")
    label = param.String(doc="The accessible name of the list.")

    _scripts = ("tornado.js",)
    _styles = ("tornado.css",)
    _python = ("ranges", "middle", "heads", "label")

    @param.depends("ranges", "middle", "heads", "label", watch=True)
    def _mounted(self) -> None:
        ranges = [asdict(one) for one in self.ranges]
        self._send_msg({"ranges": ranges, "middle": self.middle, "heads": self.heads, "label": self.label})
