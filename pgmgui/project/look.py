"""How a page looks, as its address says it: ``theme=dark&type=large&bars=1&open=guide&scene=local-optimum.2&side=520``.

A reload keeps it by that.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from engine.model.errors import PgmError
from engine.model.messages import shorten
from pgmgui.project.arrows import COLOURINGS
from pgmgui.project.lessons import list_steps

CHOICES = ("theme", "type", "bars", "open", "scene", "arrows")
PANES = ("side", "strip")
LOOKS = CHOICES + PANES
"""The parameters of an address that say how its page looks."""
LARGEST_PANE = 10_000
"""Pixels."""


@dataclass(frozen=True)
class Look:
    """Theme, type, bars beside the nodes, the tab that is open, the step of the guide, and how large panes are.

    Attributes
    ----------
    tab : str
        Its name; empty for the first.
    scene : str
        Where the guide is: a worked scene's id, a point and the number of its step; empty for the first.
    side, strip : int
        The width of the side panel and the height of the strip, in pixels; 0 for the usual one.
    arrows : str
        What the arrows are coloured by; empty for nothing.
    """

    dark: bool = False
    large: bool = False
    bars: bool = False
    tab: str = ""
    scene: str = ""
    side: int = 0
    strip: int = 0
    arrows: str = ""


def take_look(query: dict[str, str], tabs: Collection[str]) -> Look:
    """Take how a page looks out of the parameters of its address; the other parameters stay.

    Raises
    ------
    PgmError
        Naming the parameter that is wrong, and what it may be.
    """
    names = {name.lower(): name for name in tabs}
    said = [query.pop(key, "") for key in CHOICES]
    sizes = [_read_size(key, query.pop(key, "")) for key in PANES]
    known = ("default", "dark"), ("usual", "large"), ("0", "1"), tuple(names), list_steps(), COLOURINGS[1:]
    for key, value, values in zip(CHOICES, said, known, strict=True):
        if value and value not in values:
            raise PgmError(f"the link's {key!r} is {shorten(value)}; use one of {', '.join(values)}")
    theme, size, bars, tab, scene, arrows = said
    side, strip = sizes
    return Look(theme == "dark", size == "large", bars == "1", names.get(tab, ""), scene, side, strip, arrows)


def write_look(look: Look) -> str:
    """How a page looks, for its address; empty where it looks as at first."""
    choices = "dark" * look.dark, "large" * look.large, "1" * look.bars, look.tab.lower(), look.scene, look.arrows
    said = *choices, look.side, look.strip
    return urlencode({key: value for key, value in zip(LOOKS, said, strict=True) if value})


def _read_size(key: str, text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= LARGEST_PANE):
        raise PgmError(f"the link's {key!r} is {shorten(text)}; use a number of pixels, up to {LARGEST_PANE}")
    return int(text)
