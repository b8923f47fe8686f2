"""Finding equal rows of integer columns: how datasets are compressed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.model.arrays import Codes, Ints

_LARGEST_KEY = 2**62
COUNTED = 16
"""Up to so many times more keys than rows are counted: sorting the rows takes longer."""


def distinct_rows(
    columns: Iterable[Codes], n_rows: int, ranges: Iterable[tuple[int, int]] | None = None
) -> tuple[Ints, Ints]:
    """The distinct rows of some columns.

    Rows are numbered by a mixed-radix key over their cells. Few keys are counted, not sorted.

    Parameters
    ----------
    columns : iterable of arrays (n_rows,) of small integers
        A matrix is taken as its rows: pass a table with one variable a row as it is.
    ranges : iterable of (int, int), optional
        The lowest and the highest cell of each column, where they are known.

    Returns
    -------
    representative : array (groups,)
        For each group of equal rows, the first of them.
    group : array (n_rows,)
        For each row, its group. Groups are ordered by their cells, the first column counting most.

    Examples
    --------
    >>> representative, group = distinct_rows([np.array([0, 1, 0]), np.array([2, 2, 2])], 3)
    >>> representative.tolist(), group.tolist()
    ([0, 1], [0, 1, 0])
    """
    key = np.zeros(n_rows, dtype=np.int64)
    if n_rows == 1:
        return key, key
    size = 1 if n_rows else 0
    if ranges is None:
        columns = list(columns)
        ranges = ((int(column.min()), int(column.max())) for column in columns)
    for column, (lowest, highest) in zip(columns, ranges, strict=True) if n_rows else ():
        radix = highest - lowest + 1
        if radix == 1:
            continue
        if size * radix > _LARGEST_KEY:  # before it overflows
            key, size = _renumber(key, size)
        if size > 1:
            key *= radix
        key += column
        if lowest:
            key -= lowest
        size *= radix
    group, groups = _renumber(key, size)
    representative = np.empty(groups, dtype=np.int64)
    representative[group[::-1]] = np.arange(n_rows - 1, -1, -1)
    return representative, group


def _renumber(key: Ints, size: int) -> tuple[Ints, int]:
    """Keys below ``size`` renumbered 0, 1, ... in the same order, and how many there are."""
    if size <= max(COUNTED * len(key), 1024):
        present = np.zeros(size, dtype=bool)
        present[key] = True
        found = present.nonzero()[0]
        number = np.empty(size, dtype=np.int64)
        number[found] = np.arange(len(found))
        return number[key], len(found)
    order = key.argsort()
    ordered = key[order]
    begins = np.ones(len(key), dtype=bool)  # where another key than before stands
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    number = np.cumsum(begins) - 1
    group = np.empty_like(number)
    group[order] = number
    return group, int(number[-1]) + 1
