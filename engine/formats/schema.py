"""What a file of ours may hold: every value is checked once, and what is refused is told with its place in the file.

A check takes a value as JSON has it and its place, and gives the value to work with::

    settings.restarts: expected a whole number from 1 to 1,000, got 1000000000

What is absent is checked as null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from engine.model.errors import FormatError
from engine.model.messages import MOST_QUOTED

Check = Callable[[Any, str], Any]
LONGEST = 1_000_000
"""Characters of a text, unless another number is said."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_WORDS: Mapping[type, str] = {dict: "an object", list: "a list", type(None): "null"}


def load(text: str) -> Any:
    """The JSON value of a text, in which every text can be written again."""
    try:
        root = json.loads(text)
        if _HALF.search(text) or _has_half(text):
            _check_texts(root, "")
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", error.lineno) from None
    except ValueError:
        raise FormatError("a number of thousands of digits") from None
    except RecursionError:
        raise FormatError("nested too deeply") from None
    return root


def _check_texts(value: Any, place: str) -> None:
    """Refuse half of a surrogate pair, which JSON can spell and no file can hold."""
    if isinstance(value, str):
        _encode(value, place)
    elif isinstance(value, list):
        for k, item in enumerate(value):
            if isinstance(item, str | list | dict):
                _check_texts(item, f"{place}[{k}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            _encode(name, place)
            _check_texts(item, _inside(place, name))


def _encode(value: str, place: str) -> None:
    if _has_half(value):
        refuse(value, place or "the file", "text without half of a character")


def _has_half(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def refuse(value: Any, place: str, expected: str) -> NoReturn:
    """Say what was expected, and what is there."""
    got = _WORDS.get(type(value)) or repr(value)
    raise FormatError(
        f"{place}: expected {expected}, got {got if len(got) <= MOST_QUOTED else got[:MOST_QUOTED] + '…'}"
    )


def number(least: float, most: float) -> Check:
    """A number from one to another."""
    expected = f"a number from {least:,g} to {most:,g}"

    def check(value: Any, place: str) -> float:
        return float(value) if _is_number(value, least, most) else refuse(value, place, expected)

    return check


def whole(least: float, most: float) -> Check:
    """A whole number from one to another; 3.0 is one."""
    expected = f"a whole number from {least:,.0f} to {most:,.0f}"

    def check(value: Any, place: str) -> int:
        fits = _is_number(value, least, most) and value == int(value)
        return int(value) if fits else refuse(value, place, expected)

    return check


def numbers(least: float, most: float) -> Check:
    """Any number of numbers."""
    one = number(least, most)

    def check(value: Any, place: str) -> tuple[float, ...]:
        if not isinstance(value, list):
            refuse(value, place, "a list of numbers")
        for k, item in enumerate(value):
            if not _is_number(item, least, most):
                one(item, f"{place}[{k}]")
        return tuple(map(float, value))

    return check


def _is_number(value: Any, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def text(longest: int = LONGEST) -> Check:
    """A text."""

    def check(value: Any, place: str) -> str:
        if not isinstance(value, str) or len(value) > longest:
            refuse(value, place, f"a text of at most {longest:,} characters")
        return value

    return check


def anything(value: Any, _place: str) -> Any:
    """What is checked elsewhere."""
    return value


def flag(value: Any, place: str) -> bool:
    """True or false."""
    return value if isinstance(value, bool) else refuse(value, place, "true or false")


def one_of(choices: Collection[str]) -> Check:
    """One of some texts."""

    def check(value: Any, place: str) -> str:
        if not isinstance(value, str) or value not in choices:
            refuse(value, place, f"one of {', '.join(map(repr, choices))}")
        return value

    return check


def optional(check: Check, default: Any) -> Check:
    """What may be null or absent."""
    return lambda value, place: default if value is None else check(value, place)


def list_of(item: Check, least: int = 0, most: int = LONGEST) -> Check:
    """A list of things of a kind."""
    expected = f"a list of {least:,} to {most:,} items"

    def check(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            if isinstance(value, list):
                raise FormatError(f"{place}: expected {expected}, got {len(value):,}")
            refuse(value, place, expected)
        return tuple(item(one, f"{place}[{k}]") for k, one in enumerate(value))

    return check


def map_of(item: Check) -> Check:
    """Things of a kind by their names."""

    def check(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(value, place, "an object")
        return {name: item(one, _inside(place, name)) for name, one in value.items()}

    return check


def record(fields: Mapping[str, Check]) -> Check:
    """An object with these fields; others are left out."""

    def check(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(value, place, "an object")
        return {name: check(value.get(name), _inside(place, name)) for name, check in fields.items()}

    return check


def _inside(place: str, name: str) -> str:
    short = name if len(name) <= MOST_QUOTED else f"{name[:MOST_QUOTED]}…"
    return f"{place}.{short}" if place else short
