"""Array types used throughout the engine, and the one way to freeze an array."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

A = TypeVar("A", bound=npt.NDArray[Any])

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.signedinteger[Any]]
"""States of variables in data: the smallest signed integers that hold them."""


def frozen(array: A) -> A:
    """The array itself, made read-only."""
    array.setflags(write=False)
    return array


def weighted_counts(index: Ints, weights: Floats | Ints, size: int) -> Floats:
    """Per number below ``size``, the sum of the weights where it stands in the index."""
    return cast("Floats", np.bincount(index, weights, size))


def xlogy(x: Floats | float, y: Floats) -> Floats:
    """x log y, and 0 where x is 0 whatever y is."""
    from scipy import special  # takes a third of a second to import, and many commands do without

    return cast("Floats", special.xlogy(x, y))


def find_ranges(starts: Ints, lengths: Ints) -> Ints:
    """The numbers from each start on, so many as its length, one range after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
