"""Bars that can be clicked and dragged, with the pointer and the keyboard: our own Panel component."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Card:
    """The bars of a variable.

    Attributes
    ----------
    states : tuple of str
        Those that are shown.
    before, after : tuple of float
        Their probabilities without and with evidence; empty where there are none.
    likelihood : tuple of float
        What is supposed, for every state; empty for nothing.
    hard : int
        The state that is supposed; −1 for none.
    more : int
        How many states are not shown.
    """

    name: str
    states: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    likelihood: tuple[float, ...]
    hard: int
    more: int


class Bars(JSComponent):
    """The states of some variables: how probable each is, and what is supposed of it.

    What the user does becomes a call of ``on_suppose(message)``. The messages come from the browser: they may
    hold anything.
    """

    cards = param.List(default=[], item_type=Card, doc="The variables that are shown.")
    on_suppose = param.Callable(doc="Called with what the user supposes.")

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = (_FOLDER / "bars.js").read_text(encoding="utf-8")
    _stylesheets = [(_FOLDER / "bars.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
    _rename = dict.fromkeys(("cards", "on_suppose"))

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        if data.get("type") == "ready":
            self._load()
        elif data.get("type") == "suppose" and self.on_suppose is not None:
            # A message may come while the document is not locked: what changes the page must wait for its turn.
            state.execute(partial(self._suppose, data), schedule=True)

    def _suppose(self, data: dict[str, Any]) -> None:
        self.on_suppose(data)
        self._send_msg({"type": "done"})

    @param.depends("cards", watch=True)
    def _load(self) -> None:
        self._send_msg({"type": "load", "cards": [asdict(card) for card in self.cards]})
