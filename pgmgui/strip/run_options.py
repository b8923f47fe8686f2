"""How the next run is started: from where, with what prior, and when it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import panel as pn

from engine.model.errors import PgmError
from engine.model.network import MarkovNetwork
from pgmgui.components.fields import make_field
from pgmgui.components.popup import make_popup_button
from pgmgui.components.switch import make_switch
from pgmgui.project.numbers import parse_number, show_number
from pgmgui.project.settings import RANGES
from pgmgui.state.session import Session

STARTS = {"random": "random", "nearly uniform": "uniform", "current parameters": "current"}
CRITERIA = {"objective": "likelihood", "parameters": "parameters"}


@dataclass(frozen=True)
class Number:
    """A number that can be set."""

    label: str
    about: str
    lowest: float = 0
    highest: float = math.inf
    whole: bool = True

    def parse(self, text: str) -> float:
        """The number that a text stands for."""
        kind = "a whole number" if self.whole else "a number"
        value = parse_number(text.replace(",", "") if self.whole else text, kind)
        if self.whole and not value.is_integer():
            raise PgmError(f"{text!r} is no whole number; type one such as 10")
        if not self.lowest <= value <= self.highest:
            limits = (
                f"from {self.lowest:g} on" if math.isinf(self.highest) else f"from {self.lowest:g} to {self.highest:g}"
            )
            raise PgmError(f"{text!r} is out of range; type {kind} {limits}")
        return int(value) if self.whole else value


NUMBERS = {
    "seed": Number("Seed", "The same seed gives the same starts.", *RANGES["seed"]),
    "restarts": Number("Restarts", "How many starts; the best one is drawn.", *RANGES["restarts"]),
    "tol": Number(
        "Tolerance",
        "What has changed by no more than this twice in a row has converged. 0: go on to the limit.",
        *RANGES["tol"],
        whole=False,
    ),
    "max_iter": Number("Iteration limit", "No learner makes more iterations than this.", 1, RANGES["max_iter"][1]),
    "prior": Number(
        "Prior",
        "The Dirichlet exponent of variables without their own: 1 for maximum likelihood, 2 to smooth.",
        *RANGES["prior"],
        whole=False,
    ),
}


class RunOptions(pn.viewable.Viewer):
    """A button that opens the options."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._choices = {
            "start": (make_switch("Start from", list(STARTS), "Where every learner starts."), STARTS),
            "criterion": (make_switch("Change of", list(CRITERIA), "What the tolerance is compared with."), CRITERIA),
        }
        self._fields = {
            name: make_field(number.label, number.about, partial(self._type, name), 192)
            for name, number in NUMBERS.items()
        }
        for name, (choice, meanings) in self._choices.items():
            choice.param.watch(
                lambda event, name=name, meanings=meanings: self._set(name, meanings[event.new]), "value"
            )
        (start, _), (criterion, _) = self._choices.values()
        form = pn.Column(start, pn.GridBox(*self._fields.values(), ncols=2), criterion, margin=12)
        self._button = make_popup_button(
            "Options", "Options: start, prior, tolerance, restarts", form, (440, 262), margin=(4, 0, 0, 0)
        )
        session.param.watch(lambda *_: self._show(), ["settings", "scene"])
        self._show()

    def _type(self, name: str, text: str) -> None:
        try:
            value = NUMBERS[name].parse(text)
        except PgmError as error:
            self._session.say(f"{NUMBERS[name].label}: {error}.")
        else:
            self._set(name, value)
        self._show()

    def _set(self, name: str, value: Any) -> None:
        if value == self._values[name]:
            return
        if name == "prior":
            self._session.set_common_prior(value)
        else:
            self._session.configure(**{name: value})

    @property
    def _values(self) -> dict[str, Any]:
        return {**vars(self._session.settings), "prior": self._session.scene.common_prior}

    def _show(self) -> None:
        values = self._values
        for name, (choice, meanings) in self._choices.items():
            choice.value = next(word for word, meaning in meanings.items() if meaning == values[name])
        for name, field in self._fields.items():
            field.value = f"{values[name]}" if NUMBERS[name].whole else show_number(values[name])
        self._fields["prior"].disabled = isinstance(self._session.network, MarkovNetwork)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._button
