"""A table of an engine → a source: which column is which variable, and what its texts mean."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.formats.tables.cells import MISSING_CODES, split_vector
from engine.formats.tables.columns import (
    DataDocument,
    build_dataset,
    describe_weights,
    list_weight_columns,
    match_columns,
)
from engine.formats.tables.table import MOST_TEXTS, Column, Table
from engine.model.arrays import Ints
from engine.model.dataset import HEAVIEST, LIGHTEST, MISSING, Dataset
from engine.model.errors import FormatError
from engine.model.messages import count, shorten
from engine.model.source import Source
from engine.model.variable import Variable, list_names
from engine.sources.batches import SMALL, Columns, pack
from engine.sources.engine import Engine
from engine.sources.groups import Counter, TooManyGroupsError
from engine.sources.guessing import Look, guess_scopes
from engine.sources.ibis_table import IbisTable
from engine.sources.misfits import MOST_TOLD, Given, check_fit

MOST_ROWS = 2_000_000
"""The most distinct rows that are fetched at a time, unless the user says otherwise."""
LOOKED_AT = 1000
"""Rows at the beginning of a table that tell what is missing."""
NOT_STATES = 1
"""Values of a column besides the states of its variable that are expected, such as codes of missing cells."""
FEWEST_NUMBERED = 20
"""Rows from which on a column with another value in each is taken for their number."""


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
    given: Given | None = None,
    asks: bool = False,
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
    given : mapping from column to (mapping from text to state), optional
        What texts mean that are not spelt like a state; None is missing.
    asks : bool
        Whether columns that are no variables are refused, too, for the user to say what they mean.
    """
    names = list(table.columns)
    outline = Table([Column(name, (), np.empty(0, dtype=np.int8)) for name in names], 0)
    taken = {j: j for j in range(len(names))} if variables is None else match_columns(outline, variables)
    weight = _find_weight(engine, table, outline, variables, set(taken.values()))
    counter = Counter(engine, table, None if weight is None else _as_number(table[weight]), most, option=option)
    read = {names[j]: None if variables is None else variables[i] for i, j in taken.items() if names[j] != weight}
    found_in = {i: names[j] for i, j in taken.items() if names[j] != weight}
    _count_texts(counter, variables, found_in, scopes, frozenset((*MISSING_CODES, *missing)))
    counter.know()
    values, order = _list_values(counter, names, read, weight)
    try:
        meanings = check_fit(counter, values, read, missing, given or {}, asks)
        document = build_dataset(values, variables, missing, values=meanings)
    except FormatError as error:
        raise error.at(engine.name) from None
    made = document.dataset.variables
    found = [v.name for v in made] if variables is None else [found_in.get(v) for v in range(len(made))]
    notes = ((describe_weights(weight),) if weight else ()) + document.notes
    source = IbisTable(counter, tuple(found), _put_in_order(document.dataset, found, order))
    return _finish(source, replace(document, notes=notes))


def _finish(source: IbisTable, document: DataDocument) -> SourceDocument:
    """The source, or all of its distinct rows where it has targets."""
    source.counter.engine.rows = source.n_rows
    if not source.n_rows:
        raise FormatError("the table has no rows; there is nothing to learn from", path=source.name)
    document = replace(document, notes=(*document.notes, *_tell_identifiers(source)))
    if not source.targets:
        return SourceDocument(source, document.notes, document.unmatched, document.absent)
    note = "cells that are targets need whole rows: all distinct ones were fetched"
    return SourceDocument(source.rows(), (*document.notes, note), document.unmatched, document.absent)


def _tell_identifiers(source: IbisTable) -> list[str]:
    """Columns that tell every row from the others, and so nothing about any."""
    found = [name for name in source.columns if name is not None and len(source.counter.texts[name]) == source.n_rows]
    if source.n_rows < FEWEST_NUMBERED or not found:
        return []
    has = "has" if len(found) == 1 else "have"
    return [
        f"{list_names(found, MOST_TOLD)} {has} another value in every row, as the number of a case has: leave it out"
    ]


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


def _count_texts(
    counter: Counter,
    variables: Sequence[Variable] | None,
    columns: Mapping[int, str],
    scopes: Sequence[Sequence[int]],
    missing: frozenset[str],
) -> None:
    """Count the texts of columns: together where a model says that there are few combinations of them.

    Where that takes several questions, a look at the first rows tells what else will be asked for.
    """
    if variables is None:
        batches = pack([[name] for name in columns.values()], dict.fromkeys(columns.values(), SMALL + 1))
    else:
        sizes = {v: variable.cardinality + NOT_STATES if v in columns else 1 for v, variable in enumerate(variables)}
        batches = _pack_scopes(counter, columns, scopes, sizes)
        if len(batches) > 1 and scopes:
            look = _look(counter, variables, columns, missing)
            sizes = {v: 1 if v in look.hidden else variables[v].cardinality + (v in look.open) for v in sizes}
            guessed = guess_scopes(scopes, look, sizes, counter.most)
            batches = _pack_scopes(counter, columns, guessed, sizes, counter.most)
    counter.engine.plan(len(batches))
    for batch in batches:
        try:
            counter.count(batch)
        except TooManyGroupsError:
            for name in batch:
                _count_alone(counter, name)


def _pack_scopes(
    counter: Counter,
    columns: Mapping[int, str],
    scopes: Iterable[Collection[int]],
    sizes: Mapping[int, int],
    most: int = SMALL,
) -> list[Columns]:
    """The columns of scopes with at most so many combinations of values, and each on its own, in few sets."""
    small = [scope for scope in scopes if math.prod(sizes[v] for v in scope) <= min(most, counter.most)]
    wanted = [*([columns[v] for v in scope if v in columns] for scope in small), *([name] for name in columns.values())]
    return pack(wanted, {name: sizes[v] for v, name in columns.items()}, min(SMALL, counter.most))


def _look(counter: Counter, variables: Sequence[Variable], columns: Mapping[int, str], missing: frozenset[str]) -> Look:
    """What the first rows say of the variables."""
    rows = counter.fetch_window(columns.values(), 0, LOOKED_AT)
    hidden, is_open = set(range(len(variables))) - columns.keys(), set(range(len(variables))) - columns.keys()
    for v, name in columns.items():
        states, present = set(variables[v].states), set(rows.codes[name].tolist())
        texts = [text for text, number in counter.texts[name].items() if number in present]
        bare = [text if text in states else text.strip() for text in texts]
        gone = [text for text in bare if text not in states and text in missing]
        unsure = [text for text in bare if text not in states and text not in missing and split_vector(text)]
        if gone or unsure or -1 in present:
            is_open.add(v)
        if len(gone) == len(texts):
            hidden.add(v)
    return Look(frozenset(hidden), frozenset(is_open))


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


def _list_values(
    counter: Counter, names: Sequence[str], read: Mapping[str, Variable | None], weight: str | None
) -> tuple[Table, dict[str, Ints]]:
    """The columns but for the weights, with sorted texts, one a row; and where each text of those that are read stands.

    A table has no first row, so that texts are not in the order of appearance, but of their numbers or the alphabet.
    """
    texts = {name: counter.list_texts(name) for name in read}
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
    return Table(columns, longest, np.ones(longest)), order


def _count_rows(number: int) -> str:
    return count(number, "row")
