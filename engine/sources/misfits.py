"""Values of a table that are no states, and columns that are no variables: with how many rows have each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.formats.tables.cells import MISSING_CODES
from engine.formats.tables.matching import list_strangers
from engine.formats.tables.table import Column, Table
from engine.formats.tables.values import Decoder
from engine.model.arrays import Ints
from engine.model.errors import FormatError
from engine.model.messages import count, shorten
from engine.model.variable import Variable, list_names
from engine.sources.groups import Counter, TooManyGroupsError

MOST_TOLD = 3
"""Columns, and values of each, that a message quotes."""
LOOKED_AT = 1000
"""Rows at the beginning of a table that tell which columns number the rows."""
MOST_ASKED = 5_000
"""Values of a column that is no variable up to which the user is asked what it means."""
Given = Mapping[str, Mapping[str, str | None]]
"""By column, what the user says that texts mean: a state, or None for missing."""


class MisfitError(FormatError):
    """A table of an engine that does not fit the variables.

    Attributes
    ----------
    table : Table
        Its columns with their texts and how many rows have each, but without the rows.
    """

    def __init__(self, message: str, table: Table, path: str) -> None:
        super().__init__(message, path=path)
        self.table = table


def _find_given(table: Table, read: Mapping[str, Variable | None], given: Given) -> dict[int, dict[str, str | None]]:
    """By the place of a column, what its texts mean; a state that its variable no longer has means nothing."""
    found = {}
    for j, column in enumerate(table.columns):
        variable, texts = read.get(column.name), given.get(column.name)
        if variable is not None and texts:
            found[j] = {text: state for text, state in texts.items() if state is None or state in variable.states}
    return found


def check_fit(
    counter: Counter,
    table: Table,
    read: Mapping[str, Variable | None],
    missing: Sequence[str],
    given: Given,
    asks: bool,
) -> dict[int, dict[str, str | None]]:
    """Refuse values that are no states, and, if the user is to be asked about them, columns that are no variables.

    What is given counts, and is returned by the places of columns.

    Parameters
    ----------
    read : mapping from column to Variable
        The columns that are read; without a variable, one is made of it.
    """
    codes = frozenset((*MISSING_CODES, *missing))
    meanings = _find_given(table, read, given)
    unknown: dict[str, list[str]] = {}
    variables = {name: variable for name, variable in read.items() if variable is not None}
    for j, column in enumerate(table.columns):
        if column.name in variables:
            decoder = Decoder(table, column, variables[column.name], codes, meanings.get(j))
            unknown[column.name] = decoder.list_unknown()
    strangers = _find_strangers(counter, table, list(variables.values())) if asks else {}
    if not strangers and not any(unknown.values()):
        return meanings
    rows = {column.name: _count_rows(counter, column) for column in table.columns if column.name in variables}
    known = {column.name: replace(column, rows=rows[column.name]) for column in table.columns if column.name in rows}
    columns = {**known, **strangers}
    found = [columns[column.name] for column in table.columns if column.name in columns]
    # It has weights, though none are asked for: else a column of them would be looked for.
    survey = Table(found, int(counter.count([]).rows.sum()), np.empty(0))
    told, total = [], 0
    for name, texts in unknown.items():
        counts = dict(zip(known[name].texts, rows[name].tolist(), strict=True))
        total += sum(counts[text] for text in texts)
        if texts:
            told.append(_tell_unknown(name, variables[name], {text: counts[text] for text in texts}))
    raise MisfitError(_tell(counter, told, total, list(strangers)), survey, counter.engine.name)


def _count_rows(counter: Counter, column: Column) -> Ints:
    """Per text of a column, how many rows have it."""
    rows, number = counter.count_values(column.name)[0], counter.texts[column.name]
    return rows[[number[text] for text in column.texts]]


def _find_strangers(counter: Counter, table: Table, variables: Sequence[Variable]) -> dict[str, Column]:
    """The columns that are no variables, but might be: those with very many values are left out without a question.

    Most of these have another value in each of the first rows, which spares the engine counting them.
    """
    names = [table.columns[j].name for j in list_strangers(table, variables)]
    names = [name for name in names if _has_texts(counter.table[name].type())]
    first = Counter(counter.engine, counter.table, None, LOOKED_AT)
    rows = len(first.fetch_window(names, 0, LOOKED_AT).rows) if names else 0
    if not rows:
        return {}
    names = [name for name in names if rows < LOOKED_AT or len(first.texts[name]) < rows]
    counter.engine.plan(len(names))
    found = {}
    for name in names:
        own = Counter(counter.engine, counter.table, None, MOST_ASKED)
        try:
            own.count([name])
        except TooManyGroupsError:
            continue
        column = Column(name, own.list_texts(name), np.empty(0, dtype=np.int8))
        found[name] = replace(column, rows=_count_rows(own, column))
    return found


def _has_texts(kind: Any) -> bool:
    """Whether the cells of a column of a type can be written as texts, which lists and the like cannot."""
    return bool(kind.is_string() or kind.is_boolean() or kind.is_numeric() or kind.is_temporal())


def _tell(counter: Counter, told: Sequence[str], total: int, strangers: list[str]) -> str:
    if not told:
        return f"columns that are no variables: {list_names(strangers, MOST_TOLD)}; say what they mean"
    more = f"; and in {len(told) - MOST_TOLD} more columns" if len(told) > MOST_TOLD else ""
    way_out = (
        "say with --missing-code which mean that a value is missing"
        if counter.option
        else "add states, or say in the Data tab what they mean"
    )
    return (
        f"{count(total, 'cell')} with a value that is no state: {'; '.join(told[:MOST_TOLD])}{more}; mend them, or "
        f"{way_out}"
    )


def _tell_unknown(name: str, variable: Variable, counts: Mapping[str, int]) -> str:
    most = sorted(counts, key=lambda text: -counts[text])
    shown = ", ".join(f"{shorten(text)} in {count(counts[text], 'row')}" for text in most[:MOST_TOLD])
    more = f" and {len(counts) - MOST_TOLD:,} more values" if len(counts) > MOST_TOLD else ""
    return (
        f"column {shorten(name)} has {shown}{more}, and {shorten(variable.name)} has the states "
        f"{list_names(variable.states, 6)}"
    )
