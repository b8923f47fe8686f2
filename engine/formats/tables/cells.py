"""What the text of a cell in a data file may mean, apart from a state."""

from __future__ import annotations

import math

MISSING_CODES = ("?", "NA", "*", "N/A", "NaN", "")
"""How a missing cell is spelt, unless the variable has a state of that name."""


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


def read_likelihood(text: str) -> tuple[float, ...] | None:
    """The numbers of ``[0.4;0.8]``; None if the text does not look like that.

    >>> read_likelihood("[0.4; 0.8]"), read_likelihood("[low;high]")
    ((0.4, 0.8), None)
    """
    if not (text.startswith("[") and text.endswith("]")):
        return None
    values = [read_number(part) for part in text[1:-1].split(";")]
    return None if None in values else tuple(value for value in values if value is not None)
