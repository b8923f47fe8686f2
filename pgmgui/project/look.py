"""How a page looks, as its address says it: ``theme=dark&type=large&bars=1&open=runs&side=520&strip=300``.

A reload keeps it by that.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from engine.model.errors import PgmError
from engine.model.messages import shorten

CHOICES = ("theme", "type", "bars", "open")
PANES = ("side", "strip")
LOOKS = CHOICES + PANES
"""The parameters of an address that say how its page looks."""
LARGEST_PANE = 10_000
"""Pixels."""


@dataclass(frozen=True)
class Look:
    """Theme, type, bars beside the nodes, the tab that is open, and how large panes are.

    Attributes
    ----------
    tab : str
        Its name; empty for the first.
    side, strip : int
        The width of the side panel and the height of the strip, in pixels; 0 for the usual one.
    """

    dark: bool = False
    large: bool = False
    bars: bool = False
    tab: str = ""
    side: int = 0
    strip: int = 0


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
    known = ("default", "dark"), ("usual", "large"), ("0", "1"), tuple(names)
    for key, value, values in zip(CHOICES, said, known, strict=True):
        if value and value not in values:
            raise PgmError(f"the link's {key!r} is {shorten(value)}; use one of {', '.join(values)}")
    theme, size, bars, tab = said
    return Look(theme == "dark", size == "large", bars == "1", names.get(tab, ""), *sizes)


def write_look(look: Look) -> str:
    """How a page looks, for its address; empty where it looks as at first."""
    said = "dark" * look.dark, "large" * look.large, "1" * look.bars, look.tab.lower(), look.side, look.strip
    return urlencode({key: value for key, value in zip(LOOKS, said, strict=True) if value})


def _read_size(key: str, text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= LARGEST_PANE):
        raise PgmError(f"the link's {key!r} is {shorten(text)}; use a number of pixels, up to {LARGEST_PANE}")
    return int(text)
