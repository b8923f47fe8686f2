"""A table of text cells: what every reader of data files produces, before it meets a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Codes, Floats, Ints
from engine.model.errors import ModelError
from engine.model.variable import Variable

MOST_COLUMNS = 100_000
"""The most columns a data file may have."""
MOST_TEXTS = 2_000_000
"""The most distinct cells a data file may have, added up over its columns."""
_FEW = 12


@dataclass(eq=False)
class Column:
    """A column: its distinct texts, in order of first appearance, and for each row which one it is.

    ``codes`` holds −1 where a format has a missing value of its own (a null in Parquet).
    """

    name: str
    texts: Sequence[str]
    codes: Codes
    states: Sequence[str] | None = None
    """The states the file itself declares (a nominal attribute in ARFF), in its order."""
    rows: Ints | None = None
    """How many rows have each text, where the rows themselves are not at hand."""


def _no_line(_row: int) -> None:
    """The line of a row where a format has no lines."""


@dataclass(eq=False)
class Table:
    """The columns of a file, and what is needed to speak of its rows. It can be pickled.

    ``line_of`` gives the line of a row (None where the format has no lines); it may read the file
    again and is for errors. ``indexed`` says that ``#2`` may stand for the third state (Netica).
    ``delimiter`` is what stands between the cells of a text file, and ``has_header`` whether its first line has names.
    """

    columns: list[Column]
    rows: int
    weights: Floats | None = None
    notes: list[str] = field(default_factory=list)
    line_of: Callable[[int], int | None] = _no_line
    indexed: bool = False
    delimiter: str = ""
    has_header: bool = True


@dataclass(frozen=True)
class Hints:
    """What is known of a table before it is read; a format that can tell by itself does without.

    Attributes
    ----------
    variables : sequence of Variable, optional
        What its columns are to be matched to.
    missing : sequence of str
        Further codes of missing cells.
    delimiter : str, optional
        What stands between cells.
    """

    variables: Sequence[Variable] | None = None
    missing: Sequence[str] = ()
    delimiter: str | None = None

    def __post_init__(self) -> None:
        given = self.delimiter
        if given is not None and (len(given) != 1 or not given.isascii() or given in '"\r\n\0'):
            raise ModelError(f"the delimiter {given!r} cannot be used; expected one character, such as ',' or ';'")


class Numbering:
    """Numbers distinct values 0, 1, … in order of first appearance, for arrays that come one by one.

    Exact: values are looked up in a sorted list, not hashed.
    """

    def __init__(self) -> None:
        self._known = np.empty(0, dtype=np.uint64)
        self._number = np.empty(0, dtype=np.int64)

    def number(self, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.integer[Any]]:
        """For each value, its number; values not seen before get the next ones."""
        numbers = self._look_up(values)
        if numbers is None:
            self._add(values)
            numbers = self._look_up(values)
            assert numbers is not None
        return numbers

    def copy(self) -> Numbering:
        """A numbering that goes on by itself from here."""
        other = Numbering()
        other._known, other._number = self._known, self._number
        return other

    def find(self, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.integer[Any]] | None:
        """For each value, its number; None if some were not seen before, which the first few mostly tell."""
        return None if self._look_up(values[:_FEW]) is None else self._look_up(values)

    def _look_up(self, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.integer[Any]] | None:
        """The numbers of the values; None if some are new."""
        if self._known.size > _FEW:
            at = np.minimum(np.searchsorted(self._known, values), self._known.size - 1)
            return self._number[at] if (self._known[at] == values).all() else None
        # With few known values, comparing all with each is several times faster than searching.
        numbers = np.zeros(values.size, dtype=np.uint8)
        found = 0
        for value, number in zip(self._known, self._number, strict=True):
            equal = values == value
            found += int(np.count_nonzero(equal))
            if number:
                numbers += equal.view(np.uint8) * np.uint8(number)
        return numbers if found == values.size else None

    def _add(self, values: npt.NDArray[np.uint64]) -> None:
        if self._known.size:
            values = values[~np.isin(values, self._known)]
        new, first = np.unique(values, return_index=True)
        number = np.empty(new.size, dtype=np.int64)
        number[np.argsort(first)] = np.arange(self._known.size, self._known.size + new.size)
        known = np.concatenate([self._known, new])
        order = np.argsort(known, kind="stable")
        self._known = known[order]
        self._number = np.concatenate([self._number, number])[order]


def smallest(codes: npt.NDArray[Any], values: int) -> Codes:
    """Codes below ``values`` in the smallest signed type that also holds −1."""
    return codes.astype(np.result_type(np.int8, np.min_scalar_type(-max(values, 1))), copy=False)


def make_column(name: str, cells: Sequence[str | None]) -> Column:
    """A column from its cells one by one, for formats that are not read in bulk; None is a missing cell."""
    number: dict[str, int] = {}
    codes = [-1 if cell is None else number.setdefault(cell, len(number)) for cell in cells]
    return Column(name, list(number), smallest(np.array(codes, dtype=np.int64), len(number)))
