"""Columns of texts → a dataset: which column is which variable, and which holds the weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from engine.formats.limits import MOST_LETTERS, MOST_STATES
from engine.formats.tables.cells import MISSING_CODES, read_number, split_vector
from engine.formats.tables.table import Column, Table
from engine.formats.tables.values import Decoded, Decoder, line_of
from engine.model.arrays import Codes, Floats
from engine.model.dataset import MISSING, Dataset, code_dtype, stack_vectors
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.variable import Variable, list_names

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


def build_dataset(
    table: Table,
    variables: Sequence[Variable] | None,
    missing: Sequence[str] = (),
    columns: Mapping[int, int] | None = None,
    values: Mapping[int, Mapping[str, str | None]] | None = None,
) -> DataDocument:
    """The dataset of a table, over the given variables or over ones made from its columns.

    Parameters
    ----------
    columns : mapping from variable index to column index, optional
        Which column holds a variable; found by their names (:func:`match_columns`) if not given.
    values : mapping from column index to (mapping from text to state), optional
        What texts mean that are not spelt like a state; None is missing.
    """
    notes = list(table.notes)
    codes = frozenset((*MISSING_CODES, *missing))
    if variables is None:
        return _build_from_columns(table, codes, notes)
    taken = match_columns(table, variables) if columns is None else columns
    if variables and not taken:
        _refuse(table, variables)
    for i, j in taken.items():
        if table.columns[j].name != variables[i].name:
            notes.append(
                f"column {shorten(table.columns[j].name)} is taken for the variable {shorten(variables[i].name)}"
            )
    weights, weight_column = find_weights(table, variables, taken.values(), notes)
    decoded = [
        Decoder(table, table.columns[taken[i]], variable, codes, (values or {}).get(taken[i])).decode(notes)
        if i in taken
        else None
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


def _build_from_columns(table: Table, missing: frozenset[str], notes: list[str]) -> DataDocument:
    weights, weight_column = find_weights(table, None, (), notes)
    decoded = []
    unmatched = []
    for j, column in enumerate(table.columns):
        if j == weight_column:
            continue
        variable, why = make_variable(table, column, missing)
        if variable is None:
            notes.append(f"column {shorten(column.name)} is left out: it {why}")
            unmatched.append(column.name)
        else:
            decoded.append(Decoder(table, column, variable, missing).decode(notes))
    if not decoded:
        raise FormatError("no column has a state; give the data together with a network, or add rows")
    if unmatched:
        notes.append(f"columns left out: {list_names(unmatched)}")
    variables = [each.variable for each in decoded]
    return DataDocument(_assemble(variables, decoded, table.rows, weights), tuple(notes), tuple(unmatched))


def match_columns(table: Table, variables: Sequence[Variable]) -> dict[int, int]:
    """For variables that have a column, which: by exact name, else by the only one equal but for case."""
    names = [column.name for column in table.columns]
    first = {name: j for j, name in reversed(list(enumerate(names)))}
    taken = {i: first[variable.name] for i, variable in enumerate(variables) if variable.name in first}
    columns = _by_folded_name(names, set(taken.values()))
    folded = _by_folded_name([variable.name for variable in variables], set(taken))
    for key, found in folded.items():
        if len(found) == 1 and len(columns.get(key, ())) == 1:
            taken[found[0]] = columns[key][0]
    return taken


def _refuse(table: Table, variables: Sequence[Variable]) -> NoReturn:
    names = list_names([column.name for column in table.columns])
    known = list_names([variable.name for variable in variables])
    raise FormatError(
        f"no column is a variable of the network; the columns are {names}, the variables {known}; "
        "rename the columns (a file without a header needs a known value for every variable in its first line)"
    )


def _by_folded_name(names: Sequence[str], without: set[int]) -> dict[str, list[int]]:
    folded: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        if k not in without:
            folded.setdefault(name.strip().casefold(), []).append(k)
    return folded


def find_weights(
    table: Table, variables: Sequence[Variable] | None, taken: Collection[int], notes: list[str]
) -> tuple[Floats, int]:
    """The rows' weights, and the column they come from (−1 if there is none)."""
    if table.weights is not None:
        return table.weights, -1
    for j in list_weight_columns(table, variables, taken):
        weights = _read_weights(table, table.columns[j], strict=variables is not None)
        if weights is not None:
            notes.append(describe_weights(table.columns[j].name))
            return weights, j
    return np.ones(table.rows), -1


def list_weight_columns(table: Table, variables: Sequence[Variable] | None, taken: Collection[int]) -> list[int]:
    """The columns that are named like weights and are no variables, the likeliest first."""
    own = {variable.name.strip().casefold() for variable in variables or ()}
    keys = {j: column.name.strip().casefold() for j, column in enumerate(table.columns) if j not in taken}
    return [j for name in WEIGHT_NAMES for j, key in keys.items() if key == name.casefold() and key not in own]


def describe_weights(name: str) -> str:
    """The note on a column of weights."""
    return f"column {shorten(name)} holds the weights of the rows"


def _read_weights(table: Table, column: Column, strict: bool) -> Floats | None:
    numbers = [read_number(text) for text in column.texts]
    for k, number in enumerate(numbers):
        if number is None or number < 0:
            if not strict:
                return None
            raise FormatError(
                f"column {shorten(column.name)} holds the weights of the rows but has {shorten(column.texts[k])}; "
                "expected numbers ≥ 0",
                line_of(table, column, k),
            )
    if (column.codes < 0).any():
        raise FormatError(f"column {shorten(column.name)} holds the weights of the rows but has missing cells")
    return np.array(numbers, dtype=np.float64)[column.codes]


def make_variable(table: Table, column: Column, missing: frozenset[str]) -> tuple[Variable | None, str]:
    """The variable of a column, with the states it declares or its texts; None, and why, if it makes none."""
    states = column.states
    if states is None:
        states = [text for text in column.texts if text not in missing]
        for text in states:
            if ";" in text and (found := split_vector(text)):
                raise FormatError(
                    f"column {shorten(column.name)} has the {found[0]} {shorten(text)}, which needs the order "
                    "of the states; give the data together with a network",
                    line_of(table, column, column.texts.index(text)),
                )
    if not column.name:
        return None, "has no name"
    if column.name.casefold() == CASE_NUMBER.casefold():
        return None, "numbers the cases"
    if not states:
        return None, "has no states"
    longest = max(len(column.name), *map(len, states))
    if longest > MOST_LETTERS:
        return None, f"has a name of {longest:,} characters, and at most {MOST_LETTERS:,} are supported"
    if len(states) > MOST_STATES:
        return None, f"has {len(states):,} different values, and at most {MOST_STATES:,} are supported"
    return Variable(column.name, tuple(states)), ""


def _assemble(variables: Sequence[Variable], decoded: Sequence[Decoded | None], rows: int, weights: Floats) -> Dataset:
    most = max((len(each.vectors) for each in decoded if each), default=0)
    codes: Codes = np.full((len(variables), rows), MISSING, dtype=code_dtype(variables, most))
    for row, each in zip(codes, decoded, strict=True):
        if each:
            # The last entry is what the code −1 of a null picks.
            meaning = np.append(each.codes, MISSING).astype(codes.dtype)
            np.take(meaning, each.column.codes, out=row, mode="wrap")
    stacked = {i: stack_vectors(each.vectors) for i, each in enumerate(decoded) if each and each.vectors}
    likelihoods = {i: vectors for i, (vectors, _) in stacked.items()}
    return Dataset(
        tuple(variables), codes, weights, likelihoods, {i: marks for i, (_, marks) in stacked.items() if marks.any()}
    )
