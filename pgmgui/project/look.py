"""How a page looks, as its address says it: ``theme=dark&type=large&bars=1&open=runs``. A reload keeps it by that."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from engine.model.errors import PgmError
from engine.model.messages import shorten

LOOKS = ("theme", "type", "bars", "open")
"""The parameters of an address that say how its page looks."""


@dataclass(frozen=True)
class Look:
    """Theme, type, bars beside the nodes, and the name of the tab that is open; empty for the first."""

    dark: bool = False
    large: bool = False
    bars: bool = False
    tab: str = ""


def take_look(query: dict[str, str], tabs: Collection[str]) -> Look:
    """Take how a page looks out of the parameters of its address; the other parameters stay.

    Raises
    ------
    PgmError
        Naming the parameter that is wrong, and what it may be.
    """
    names = {name.lower(): name for name in tabs}
    said = [query.pop(key, "") for key in LOOKS]
    known = ("default", "dark"), ("usual", "large"), ("0", "1"), tuple(names)
    for key, value, values in zip(LOOKS, said, known, strict=True):
        if value and value not in values:
            raise PgmError(f"the link's {key!r} is {shorten(value)}; use one of {', '.join(values)}")
    theme, size, bars, tab = said
    return Look(theme == "dark", size == "large", bars == "1", names.get(tab, ""))


def write_look(look: Look) -> str:
    """How a page looks, for its address; empty where it looks as at first."""
    said = "dark" * look.dark, "large" * look.large, "1" * look.bars, look.tab.lower()
    return urlencode({key: value for key, value in zip(LOOKS, said, strict=True) if value})
