"""Numbers as people type and read them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from engine.model.errors import PgmError

_NUMBER = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?", re.ASCII)
_COMMA = re.compile(r"[-+]?\d*,\d+", re.ASCII)


def parse_number(text: str, what: str = "a number") -> float:
    """The number ≥ 0 that a text stands for; where it does not, an error that says why.

    >>> parse_number(" .5 "), parse_number("1e-3")
    (0.5, 0.001)
    """
    text = text.strip()
    if _COMMA.fullmatch(text):
        raise PgmError(f"{text!r} has a comma; write {what} with a point, as {text.replace(',', '.')}")
    if not _NUMBER.fullmatch(text):
        raise PgmError(f"{text!r} is no number; type {what} such as 0.25")
    value = float(text)
    if math.isinf(value):
        raise PgmError(f"{text!r} is too large; type {what} such as 0.25")
    if value < 0:
        raise PgmError(f"{text!r} is negative; type {what} of 0 or more")
    return value


def parse_fraction(text: str, what: str = "a number") -> float:
    """The number from 0 to 1 that a text stands for."""
    value = parse_number(text, what)
    if value > 1:
        raise PgmError(f"{text.strip()!r} is above 1; type {what} from 0 to 1")
    return value


def show_number(value: float) -> str:
    """A number in six digits, without those that say nothing.

    >>> show_number(0.25), show_number(1 / 3), show_number(1e-12), show_number(2)
    ('0.25', '0.333333', '1e-12', '2')
    """
    return f"{value:.6g}"


def show_decimals(value: float, decimals: int = 6) -> str:
    """A number for a column in which digits stand below each other; one that would be nothing but zeros as it is.

    >>> show_decimals(0.25), show_decimals(0.0), show_decimals(1e-12), show_decimals(1234.5, 4)
    ('0.250000', '0.000000', '1e-12', '1,234.5000')
    """
    shown = f"{value:,.{decimals}f}"
    return shown if not value or abs(value) >= 0.5 * 10.0**-decimals else show_number(value)


def show_percent(fraction: float) -> str:
    """A fraction as a percentage.

    >>> show_percent(0.5), show_percent(0.125)
    ('50%', '12.5%')
    """
    return f"{100 * fraction:.4g}%"


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
