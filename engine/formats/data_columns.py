"""Columns of texts → a dataset: which column is which variable, and what each text means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from engine.arrays import Codes, Floats
from engine.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, code_dtype
from engine.errors import FormatError
from engine.formats.cells import MISSING_CODES, read_likelihood, read_number
from engine.formats.data_table import Column, Table
from engine.formats.draft import MOST_STATES
from engine.formats.tokens import shorten
from engine.variable import Variable, list_names

WEIGHT_NAMES = ("_weight", "weight", "NumCases", "freq", "count")
"""A column with one of these names (the first that is there, in any case) holds the rows' weights."""
CASE_NUMBER = "IDnum"
"""The column that numbers the cases in Netica's files; it is left out."""


@dataclass(frozen=True, eq=False)
class DataDocument:
    """A data file: the dataset, and what the reader has to say about it.

    Attributes
    ----------
    dataset : Dataset
    notes : tuple of str
        What the reader found out, changed or left out, for the user to see.
    unmatched : tuple of str
        Columns that became no variable.
    absent : tuple of str
        Variables without a column: hidden.
    """

    dataset: Dataset
    notes: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Decoded:
    """A variable with its column: the code of each text, and the likelihood vectors among them."""

    variable: Variable
    codes: npt.NDArray[np.int64]
    vectors: Sequence[tuple[float, ...]]
    column: Column


def build_dataset(table: Table, variables: Sequence[Variable] | None, missing: Sequence[str]) -> DataDocument:
    """The dataset of a table, over the given variables or over ones made from its columns."""
    notes = list(table.notes)
    codes = frozenset((*MISSING_CODES, *missing))
    taken = {} if variables is None else _match(table, variables, notes)
    weights, weight_column = _find_weights(table, variables, taken, notes)
    decoded: list[_Decoded | None]
    if variables is None:
        rest = [j for j in range(len(table.columns)) if j != weight_column]
        made = {j: _make_variable(table, table.columns[j], codes, notes) for j in rest}
        taken = dict(enumerate(j for j in rest if made[j]))
        decoded = [made[j] for j in taken.values()]
        variables = [each.variable for each in decoded if each]
        if not variables:
            raise FormatError("no column has a state; give the data together with a network, or add rows")
    else:
        decoded = [
            _Decoder(table, table.columns[taken[i]], variable).decode(codes, notes) if i in taken else None
            for i, variable in enumerate(variables)
        ]
    used = {*taken.values(), weight_column}
    unmatched = tuple(column.name for j, column in enumerate(table.columns) if j not in used)
    absent = tuple(variable.name for i, variable in enumerate(variables) if i not in taken)
    if unmatched:
        notes.append(f"columns left out: {list_names(unmatched)}")
    if absent:
        notes.append(f"variables without a column are hidden: {list_names(absent)}")
    return DataDocument(_assemble(variables, decoded, table.rows, weights), tuple(notes), unmatched, absent)


def _match(table: Table, variables: Sequence[Variable], notes: list[str]) -> dict[int, int]:
    """For variables that have a column, which: by exact name, else by the only one equal but for case."""
    names = [column.name for column in table.columns]
    taken = {i: names.index(variable.name) for i, variable in enumerate(variables) if variable.name in names}
    columns = _by_folded_name(names, set(taken.values()))
    folded = _by_folded_name([variable.name for variable in variables], set(taken))
    for key, found in folded.items():
        if len(found) == 1 and len(columns.get(key, ())) == 1:
            i, j = found[0], columns[key][0]
            taken[i] = j
            notes.append(f"column {names[j]!r} is taken for the variable {variables[i].name!r}")
    if variables and not taken:
        known = list_names([variable.name for variable in variables])
        raise FormatError(
            f"no column is a variable of the network; the columns are {list_names(names)}, the variables {known}; "
            "rename the columns (a file without a header needs a known value for every variable in its first line)"
        )
    return taken


def _by_folded_name(names: Sequence[str], without: set[int]) -> dict[str, list[int]]:
    folded: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        if k not in without:
            folded.setdefault(name.strip().casefold(), []).append(k)
    return folded


def _find_weights(
    table: Table, variables: Sequence[Variable] | None, taken: Mapping[int, int], notes: list[str]
) -> tuple[Floats, int]:
    """The rows' weights, and the column they come from (−1 if there is none)."""
    if table.weights is not None:
        return table.weights, -1
    own = {variable.name.strip().casefold() for variable in variables or ()}
    for name in WEIGHT_NAMES:
        for j, column in enumerate(table.columns):
            key = column.name.strip().casefold()
            if key != name.casefold() or key in own or j in taken.values():
                continue
            weights = _read_weights(table, column, strict=variables is not None)
            if weights is not None:
                notes.append(f"column {column.name!r} holds the weights of the rows")
                return weights, j
    return np.ones(table.rows), -1


def _read_weights(table: Table, column: Column, strict: bool) -> Floats | None:
    numbers = [read_number(text) for text in column.texts]
    for k, number in enumerate(numbers):
        if number is None or number < 0:
            if not strict:
                return None
            raise FormatError(
                f"column {column.name!r} holds the weights of the rows but has {shorten(column.texts[k])}; "
                "expected numbers ≥ 0",
                _line_of(table, column, k),
            )
    if (column.codes < 0).any():
        raise FormatError(f"column {column.name!r} holds the weights of the rows but has missing cells")
    return np.array(numbers, dtype=np.float64)[column.codes]


def _make_variable(table: Table, column: Column, missing: frozenset[str], notes: list[str]) -> _Decoded | None:
    """The variable of a column, with the states it declares or its texts; None if it is left out."""
    states = column.states
    if states is None:
        states = [text for text in column.texts if text not in missing]
        for text in states:
            if ";" in text and read_likelihood(text):
                raise FormatError(
                    f"column {column.name!r} has the likelihood {shorten(text)}, which needs the order of the states; "
                    "give the data together with a network",
                    _line_of(table, column, column.texts.index(text)),
                )
    if not column.name or column.name.casefold() == CASE_NUMBER.casefold():
        why = "has no name" if not column.name else "numbers the cases"
    elif not states:
        why = "has no states"
    elif len(states) > MOST_STATES:
        why = f"has {len(states):,} different values, and at most {MOST_STATES:,} are supported"
    else:
        return _Decoder(table, column, Variable(column.name, tuple(states))).decode(missing, notes)
    notes.append(f"column {column.name!r} is left out: it {why}")
    return None


class _Decoder:
    """What each text of a column means for a variable.

    In this order: a state; a missing code; the same without white space around; a likelihood; a state's
    index (Netica); the one state that is the same number.
    """

    def __init__(self, table: Table, column: Column, variable: Variable) -> None:
        self.table, self.column, self.variable = table, column, variable
        self.vectors: dict[tuple[float, ...], int] = {}
        self.respelt: list[str] = []

    def decode(self, missing: frozenset[str], notes: list[str]) -> _Decoded:
        code_of = {state: code for code, state in enumerate(self.variable.states)}
        codes = np.empty(len(self.column.texts), dtype=np.int64)
        for k, text in enumerate(self.column.texts):
            bare = text.strip()
            if text in code_of or text in missing:
                codes[k] = code_of.get(text, MISSING)
            elif bare in code_of or bare in missing:
                codes[k] = code_of.get(bare, MISSING)
            elif (vector := read_likelihood(bare)) is not None:
                codes[k] = self._add_vector(k, vector)
            else:
                codes[k] = self._find_state(k, bare)
        if self.respelt:
            more = f" (and {len(self.respelt) - 1} like it)" if len(self.respelt) > 1 else ""
            notes.append(f"column {self.column.name!r}: {self.respelt[0]}{more}")
        return _Decoded(self.variable, codes, list(self.vectors), self.column)

    def _add_vector(self, k: int, vector: tuple[float, ...]) -> int:
        states = self.variable.states
        if len(vector) != len(states) or min(vector) < 0 or max(vector) <= 0:
            self._fail(
                k,
                f"a likelihood of {self.variable.name!r}: {len(states)} numbers ≥ 0, not all 0, for "
                f"{list_names(states)}",
            )
        return FIRST_LIKELIHOOD - self.vectors.setdefault(vector, len(self.vectors))

    def _find_state(self, k: int, text: str) -> int:
        """The code of the state a text means without being spelt like it."""
        if self.table.indexed and re.fullmatch("#[0-9]{1,9}", text) and int(text[1:]) < self.variable.cardinality:
            return int(text[1:])
        number = read_number(text)
        same = () if number is None else self._states_by_number.get(number, ())
        if len(same) != 1:
            self._fail(k, f"a state of {self.variable.name!r}; it has {list_names(self.variable.states)}")
        self.respelt.append(f"{shorten(text)} is read as the state {self.variable.states[same[0]]!r}")
        return same[0]

    @cached_property
    def _states_by_number(self) -> dict[float, list[int]]:
        found: dict[float, list[int]] = {}
        for code, state in enumerate(self.variable.states):
            number = read_number(state)
            if number is not None:
                found.setdefault(number, []).append(code)
        return found

    def _fail(self, k: int, expected: str) -> NoReturn:
        raise FormatError(
            f"column {self.column.name!r} has {shorten(self.column.texts[k])}, which is not {expected}",
            _line_of(self.table, self.column, k),
        )


def _line_of(table: Table, column: Column, k: int) -> int | None:
    rows = np.flatnonzero(column.codes == k)
    return table.line_of(int(rows[0])) if rows.size else None


def _assemble(variables: Sequence[Variable], decoded: Sequence[_Decoded | None], rows: int, weights: Floats) -> Dataset:
    most = max((len(each.vectors) for each in decoded if each), default=0)
    codes: Codes = np.full((len(variables), rows), MISSING, dtype=code_dtype(variables, most))
    for row, each in zip(codes, decoded, strict=True):
        if each:
            # The last entry is what the code −1 of a null picks.
            meaning = np.append(each.codes, MISSING).astype(codes.dtype)
            np.take(meaning, each.column.codes, out=row, mode="wrap")
    likelihoods = {
        i: np.array(each.vectors, dtype=np.float64) for i, each in enumerate(decoded) if each and each.vectors
    }
    return Dataset(tuple(variables), codes, weights, likelihoods)
