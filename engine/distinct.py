"""Finding equal columns of an integer matrix: how datasets are compressed."""

from __future__ import annotations

import numpy as np

from engine.arrays import Codes, Ints

_LARGEST_KEY = 2**62


def distinct_columns(codes: Codes) -> tuple[Ints, Ints]:
    """The distinct columns of a matrix.

    Columns are numbered by a mixed-radix key over their cells. While the keys are few they are
    counted rather than sorted; before they would overflow they are renumbered.

    Parameters
    ----------
    codes : array (digits, columns) of small integers

    Returns
    -------
    representative : array (groups,)
        For each group of equal columns, the first of them.
    group : array (columns,)
        For each column, its group. Groups are ordered by their keys.

    Examples
    --------
    >>> representative, group = distinct_columns(np.array([[0, 1, 0], [2, 2, 2]]))
    >>> representative.tolist(), group.tolist()
    ([0, 1], [0, 1, 0])
    """
    columns = codes.shape[1]
    key = np.zeros(columns, dtype=np.int64)
    size = 1 if columns else 0
    for digits in codes:
        if not columns:
            break
        lowest = int(digits.min())
        radix = int(digits.max()) - lowest + 1
        if radix == 1:
            continue
        if size * radix > _LARGEST_KEY:
            key, size = _renumber(key, size)
        key *= radix
        key += digits
        key -= lowest
        size *= radix
    group, groups = _renumber(key, size)
    representative = np.empty(groups, dtype=np.int64)
    representative[group[::-1]] = np.arange(columns - 1, -1, -1)
    return representative, group


def _renumber(key: Ints, size: int) -> tuple[Ints, int]:
    """Keys below ``size`` renumbered 0, 1, ... in the same order, and how many there are."""
    if size <= max(4 * len(key), 1024):
        present = np.zeros(size, dtype=bool)
        present[key] = True
        number = np.cumsum(present) - 1
        return number[key], int(present.sum())
    values, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64, copy=False), len(values)
