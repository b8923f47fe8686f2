"""The numbers of a link: read, and refused where they are out of range."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.model.errors import PgmError
from engine.model.messages import shorten
from pgmgui.project.factor_prior import PRIORS
from pgmgui.project.settings import RANGES

_RANGES = {
    **RANGES,
    "partial": (0.0, 1.0),
    "max-iter": RANGES["max_iter"],
    "hold-out": RANGES["hold_out"],
    "hold-out-seed": RANGES["hold_out_seed"],
    **dict.fromkeys(PRIORS, RANGES["width"]),
}


def read_number(query: Mapping[str, str], key: str, default: float) -> float:
    """A number of a link; the default where it has none."""
    words = query.get(key, "")
    if not words:
        return default
    least, most = _RANGES[key]
    try:
        value = float(words)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise PgmError(f"the link's {key!r} is {shorten(words)}; expected a number from {least:,g} to {most:,g}")
    return value


def read_whole(query: Mapping[str, str], key: str, default: int) -> int:
    """A whole number of a link; the default where it has none."""
    value = read_number(query, key, default)
    if value != int(value):
        raise PgmError(f"the link's {key!r} is {shorten(query[key])}; expected a whole number")
    return int(value)
