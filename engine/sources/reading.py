"""A table of an engine → a source: which column is which variable, and what its texts mean."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.formats.tables.cells import MISSING_CODES, read_number
from engine.formats.tables.columns import (
    DataDocument,
    build_dataset,
    describe_weights,
    list_weight_columns,
    match_columns,
)
from engine.formats.tables.table import MOST_TEXTS, Column, Table
from engine.formats.tables.values import Decoder
from engine.model.arrays import Ints
from engine.model.dataset import HEAVIEST, LIGHTEST, MISSING, Dataset
from engine.model.errors import FormatError
from engine.model.messages import count, shorten
from engine.model.source import Source
from engine.model.variable import Variable, list_names
from engine.sources.batches import SMALL, pack
from engine.sources.engine import Engine
from engine.sources.groups import Counter, TooManyGroupsError
from engine.sources.ibis_table import IbisTable

MOST_ROWS = 2_000_000
"""The most distinct rows that are fetched at a time, unless the user says otherwise."""
NOT_STATES = 1
"""Values of a column besides the states of its variable that are expected, such as codes of missing cells."""
MOST_TOLD = 3
"""Columns, and values of each, that a message quotes."""


@dataclass(frozen=True, eq=False)
class SourceDocument:
    """Data wherever it lies, and what its reader has to say: see :class:`~engine.formats.DataDocument`."""

    data: Source
    notes: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def read_source(
    engine: Engine,
    table: Any,
    variables: Sequence[Variable] | None,
    missing: Sequence[str] = (),
    most: int = MOST_ROWS,
    scopes: Sequence[Sequence[int]] = (),
    option: str = Counter.option,
) -> SourceDocument:
    """The source that a table of Ibis is, over the given variables or over ones made from its columns.

    The texts of all columns are counted first.

    Parameters
    ----------
    scopes : sequence of sets of variables
        What is likely to be asked for later, and may be counted together at once: those of a network's tables.
    missing : sequence of str
        Further codes of missing cells.
    most : int
        The most distinct rows that are fetched at a time.
    option : str
        As in :class:`~engine.sources.groups.Counter`.
    """
    names = list(table.columns)
    outline = Table([Column(name, (), np.empty(0, dtype=np.int8)) for name in names], 0)
    taken = {j: j for j in range(len(names))} if variables is None else match_columns(outline, variables)
    weight = _find_weight(engine, table, outline, variables, set(taken.values()))
    counter = Counter(engine, table, None if weight is None else _as_number(table[weight]), most, option=option)
    read = {names[j]: None if variables is None else variables[i] for i, j in taken.items() if names[j] != weight}
    _count_texts(counter, read, [[names[taken[v]] for v in scope if v in taken] for scope in scopes])
    counter.know()
    columns, order = _list_columns(counter, names, read, weight)
    values = Table(columns, max((len(column.texts) for column in columns), default=0))
    values.weights = np.ones(values.rows)
    try:
        _check_states(counter, values, read, missing)
        document = build_dataset(values, variables, missing)
    except FormatError as error:
        raise error.at(engine.name) from None
    found: tuple[str | None, ...]
    if variables is None:
        found = tuple(variable.name for variable in document.dataset.variables)
    else:
        found = tuple(names[taken[v]] if v in taken else None for v in range(len(variables)))
    notes = ((describe_weights(weight),) if weight else ()) + document.notes
    source = IbisTable(counter, found, _put_in_order(document.dataset, found, order))
    return _finish(source, replace(document, notes=notes))


def _finish(source: IbisTable, document: DataDocument) -> SourceDocument:
    """The source, or all of its distinct rows where it has targets."""
    source.counter.engine.rows = source.n_rows
    if not source.n_rows:
        raise FormatError("the table has no rows; there is nothing to learn from", path=source.name)
    if not source.targets:
        return SourceDocument(source, document.notes, document.unmatched, document.absent)
    note = "cells that are targets need whole rows: all distinct ones were fetched"
    return SourceDocument(source.rows(), (*document.notes, note), document.unmatched, document.absent)


def _put_in_order(found: Dataset, columns: Sequence[str | None], order: Mapping[str, Ints]) -> Dataset:
    """What the texts of each column mean, by their numbers instead of their places."""
    codes = np.full_like(found.codes, MISSING)
    for row, meaning, column in zip(codes, found.codes, columns, strict=True):
        if column is not None:
            row[: len(order[column])] = meaning[order[column]]
    return replace(found, codes=codes)


def _as_number(column: Any) -> Any:
    """A column of weights as numbers; what is none is null."""
    return column.try_cast("float64") if column.type().is_string() else column.cast("float64")


def _find_weight(
    engine: Engine, table: Any, outline: Table, variables: Sequence[Variable] | None, taken: Collection[int]
) -> str | None:
    """The column of weights, if there is one."""
    for j in list_weight_columns(outline, variables, taken if variables is not None else ()):
        name = outline.columns[j].name
        number = _as_number(table[name])
        is_good = (number == 0) | ((number >= LIGHTEST) & (number <= HEAVIEST))
        is_bad = ~is_good.fill_null(False)
        bad = int(engine.fetch_rows(table.aggregate(bad=is_bad.sum()))[0]["bad"] or 0)
        if not bad:
            return name
        if variables is not None:
            example = engine.fetch_rows(table.filter(is_bad).select(cell=table[name]).limit(1))[0]["cell"]
            raise FormatError(
                f"column {shorten(name)} holds the weights of the rows but has {shorten(str(example))} in "
                f"one of {_count_rows(bad)} without a weight; expected numbers ≥ 0",
                path=engine.name,
            )
    return None


def _count_texts(counter: Counter, read: Mapping[str, Variable | None], scopes: Sequence[Sequence[str]]) -> None:
    """Count the texts of columns: together where a model says that there are few combinations of them."""
    sizes = {
        name: SMALL + 1 if variable is None else variable.cardinality + NOT_STATES for name, variable in read.items()
    }
    most = min(SMALL, counter.most)
    small = [scope for scope in scopes if math.prod(sizes[name] for name in scope) <= most]
    batches = pack([*small, *([name] for name in read)], sizes, most)
    counter.engine.plan(len(batches))
    for batch in batches:
        try:
            counter.count(batch)
        except TooManyGroupsError:
            for name in batch:
                _count_alone(counter, name)


def _count_alone(counter: Counter, name: str) -> None:
    most = min(counter.most, MOST_TEXTS)
    try:
        replace(counter, most=most).count([name])
    except TooManyGroupsError:
        raise FormatError(
            f"column {shorten(name)} has more than {most:,} different values; leave it out of the network, or put "
            "its values into intervals",
            path=counter.engine.name,
        ) from None


def _list_columns(
    counter: Counter, names: Sequence[str], read: Mapping[str, Variable | None], weight: str | None
) -> tuple[list[Column], dict[str, Ints]]:
    """The columns but for the weights, with sorted texts, one a row; and where each text of those that are read stands.

    A table has no first row, so that texts are not in the order of appearance, but of their numbers or the alphabet.
    """
    texts = {name: sorted(counter.texts.get(name, {}), key=_sort_key) for name in read}
    longest = max(map(len, texts.values()), default=0)
    columns, order = [], {}
    for name in names:
        if name == weight:
            continue
        own = texts.get(name, [])
        codes = np.full(longest, -1)
        codes[: len(own)] = np.arange(len(own))
        columns.append(Column(name, own, codes))
        if name in read:
            place = {text: k for k, text in enumerate(own)}
            order[name] = np.array([place[text] for text in counter.texts.get(name, {})], dtype=np.int64)
    return columns, order


def _sort_key(text: str) -> tuple[float, str]:
    number = read_number(text)
    return math.inf if number is None else number, text


def _check_states(counter: Counter, table: Table, read: Mapping[str, Variable | None], missing: Sequence[str]) -> None:
    """Refuse values that are no states, with how many there are."""
    codes = frozenset((*MISSING_CODES, *missing))
    told, total = [], 0
    for column in table.columns:
        variable = read.get(column.name)
        if variable is None:
            continue
        unknown = Decoder(table, column, variable, codes).list_unknown()
        if unknown:
            rows, _ = counter.count_values(column.name)
            number = counter.texts[column.name]
            counts = {text: int(rows[number[text]]) for text in sorted(unknown, key=lambda text: -rows[number[text]])}
            total += sum(counts.values())
            told.append(_tell_unknown(column.name, variable, counts))
    if told:
        more = f"; and in {len(told) - MOST_TOLD} more columns" if len(told) > MOST_TOLD else ""
        way_out = "say with --missing-code which mean that a value is missing" if counter.option else "add states"
        raise FormatError(
            f"{count(total, 'cell')} with a value that is no state: {'; '.join(told[:MOST_TOLD])}{more}; mend them, or "
            f"{way_out}"
        )


def _tell_unknown(name: str, variable: Variable, counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{shorten(text)} in {_count_rows(rows)}" for text, rows in [*counts.items()][:MOST_TOLD])
    more = f" and {len(counts) - MOST_TOLD:,} more values" if len(counts) > MOST_TOLD else ""
    return (
        f"column {shorten(name)} has {shown}{more}, and {shorten(variable.name)} has the states "
        f"{list_names(variable.states, 6)}"
    )


def _count_rows(number: int) -> str:
    return count(number, "row")
