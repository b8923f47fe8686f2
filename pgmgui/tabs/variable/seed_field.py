"""The number that the next random tables are drawn by."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn

from pgmgui.components.fields import make_field


class SeedField(pn.viewable.Viewer):
    """A field for a seed, which goes up with each use.

    Parameters
    ----------
    say : callable
        Told what is wrong with what was typed.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        super().__init__()
        self._say, self._seed = say, 0
        self._field = make_field("Seed", "The same seed draws the same tables; it goes up by itself.", self._read, 90)
        self._field.value = "0"

    def enable(self, enabled: bool) -> None:
        """Let it be typed into, or not."""
        self._field.disabled = not enabled

    def take(self) -> int:
        """The seed; the next one will be another."""
        seed, self._seed = self._seed, self._seed + 1
        self._field.value = str(self._seed)
        return seed

    def _read(self, text: str) -> None:
        if text.strip().isdecimal() and len(text) < 16:
            self._seed = int(text)
        elif text:
            self._say(f"{text!r} is no seed; type a whole number such as 7")
        self._field.value = str(self._seed)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._field
