"""Bars that can be clicked and dragged, with the pointer and the keyboard: our own Panel component."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import param

from pgmgui.components.base import Component


@dataclass(frozen=True)
class Card:
    """The bars of a variable.

    Attributes
    ----------
    states : tuple of str
        Those that are shown.
    before, after : tuple of float
        Their probabilities without and with evidence; empty where there are none.
    kind : str
        What is supposed: a ``"state"``, a ``"likelihood"``, a ``"target"``, one of several variables ``"together"``, or
        nothing.
    numbers : tuple of float
        The likelihood, or the target, of every state; empty for other kinds.
    hard : int
        The state that is supposed; −1 for none.
    more : int
        How many states are not shown.
    margin : tuple of float
        What a target of several variables says of every state; empty for other kinds.
    """

    name: str
    states: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    kind: str
    numbers: tuple[float, ...]
    hard: int
    more: int
    margin: tuple[float, ...] = ()


class Bars(Component):
    """The states of some variables: how probable each is, and what is supposed of it.

    What the user does becomes a call of ``on_suppose(message)``: a state, the weight of one, or another kind of
    evidence. The messages come from the browser: they may hold anything.
    """

    cards = param.List(default=[], item_type=Card, doc="The variables that are shown.")
    on_suppose = param.Callable(doc="Called with what the user supposes.")

    _scripts = ("bars.js",)
    _styles = ("bars.css",)
    _python = ("cards", "on_suppose")

    def _receive(self, message: dict[str, Any]) -> None:
        if message.get("type") == "suppose" and self.on_suppose is not None:
            self._do(self._suppose, message)

    def _suppose(self, message: dict[str, Any]) -> None:
        self.on_suppose(message)
        self._send_msg({"type": "done"})

    @param.depends("cards", watch=True)
    def _mounted(self) -> None:
        self._send_msg({"type": "load", "cards": [asdict(card) for card in self.cards]})
