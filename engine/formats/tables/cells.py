"""What the text of a cell in a data file may mean, apart from a state."""

from __future__ import annotations

import math

from engine.model.dataset import LOOSE_SUM, TargetCell, Vector
from engine.model.variable import Variable

MISSING_CODES = ("?", "NA", "*", "N/A", "NaN", "")
"""How a missing cell is spelt, unless the variable has a state of that name."""
ROUNDED = 0.01
"""How far the sum of a target may be from 1 where it is written: ``{0.33;0.33;0.33}`` was rounded."""
_KINDS = {"[]": "likelihood", "{}": "target"}


def read_number(text: str) -> float | None:
    """A finite number, or None if the text is not one.

    >>> read_number("1.50"), read_number("1_0"), read_number("nan")
    (1.5, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def split_vector(text: str) -> tuple[str, tuple[float, ...]] | None:
    """The numbers of a likelihood ``[0.4;0.8]`` or of a target ``{0.3;0.7}``, after which of these it looks like.

    None if it looks like neither.

    >>> split_vector("[0.4; 0.8]"), split_vector("{0.3;0.7}"), split_vector("[low;high]")
    (('likelihood', (0.4, 0.8)), ('target', (0.3, 0.7)), None)
    """
    kind = _KINDS.get(text[:1] + text[-1:])
    if kind is None:
        return None
    numbers = []
    for part in text[1:-1].split(";"):
        number = read_number(part)
        if number is None:
            return None
        numbers.append(number)
    return kind, tuple(numbers)


def read_vector(text: str, states: int) -> Vector | None:
    """The likelihood or target that a text is, for a variable with so many states; None if it is neither.

    The numbers of a target whose sum is within :data:`ROUNDED` of 1 are scaled.

    >>> read_vector("[0.4;0.8]", 2), read_vector("{0.4;0.8}", 2), read_vector("{0.3;0.7}", 2)
    ((0.4, 0.8), None, TargetCell(shares=(0.3, 0.7)))
    """
    kind, numbers = split_vector(text) or ("", ())
    if len(numbers) != states or min(numbers) < 0 or max(numbers) <= 0:
        return None
    if kind == "likelihood":
        return numbers
    total = sum(numbers)
    # Half of what data allows is exact, for sums are rounded; the rest of ROUNDED is written with a few digits.
    if abs(total - 1) <= LOOSE_SUM / 2:
        return TargetCell(numbers)
    return TargetCell(tuple(number / total for number in numbers)) if abs(total - 1) <= ROUNDED + LOOSE_SUM else None


def show_vector(vector: Vector, variable: Variable) -> str:
    """A likelihood or target of a variable as it is written, to the last bit.

    With white space inside where a state is spelt like that.

    >>> rain = Variable("Rain", ("yes", "[0.4;1]"))
    >>> show_vector((0.4, 1.0), rain), show_vector(TargetCell((0.3, 0.7)), rain)
    ('[0.4;1 ]', '{0.3;0.7}')
    """
    numbers = vector.shares if isinstance(vector, TargetCell) else vector
    text = ";".join(repr(number).removesuffix(".0") for number in numbers)
    first, last = "{}" if isinstance(vector, TargetCell) else "[]"
    while f"{first}{text}{last}" in variable.states:
        text += " "
    return f"{first}{text}{last}"


def describe_vector(kind: str, states: int) -> str:
    """What a likelihood or a target is made of, in words."""
    if kind == "target":
        return f"{states} numbers of 0 or more that sum to 1"
    return f"{states} numbers of 0 or more, not all 0"
