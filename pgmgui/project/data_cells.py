"""What is typed or pasted into data, as edits of it: texts that mean nothing are refused, and why is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from engine.formats.tables.cells import MISSING_CODES, describe_vector, read_number, read_vector, show_vector
from engine.model.arrays import Bools, Floats, Ints
from engine.model.data_edits import DataEdit, SetCells, add_vectors
from engine.model.dataset import HEAVIEST, LIGHTEST, MISSING, Dataset, Vector
from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.variable import Variable, list_names

T = TypeVar("T")
GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")
"""A number whose thousands are set apart by commas."""
WEIGHT = -1
"""The column of the rows' weights, in place of a variable's."""


def read_cell(variable: Variable, text: str) -> int | Vector:
    """What a text means for a variable: the code of a state, missing, a likelihood, or a target.

    A state may be spelt in other letter case, where that tells it. An empty cell is missing.

    >>> rain = Variable("Rain", ("yes", "no"))
    >>> read_cell(rain, "No"), read_cell(rain, "?"), read_cell(rain, "[0.4;0.8]"), read_cell(rain, "{0.3;0.7}")
    (1, -1, (0.4, 0.8), TargetCell(shares=(0.3, 0.7)))
    """
    for spelt in (text, text.strip()):
        if spelt in variable.states:
            return variable.states.index(spelt)
    text = text.strip()
    if text in MISSING_CODES:
        return MISSING
    vector = read_vector(text, variable.cardinality)
    if vector is not None:
        return vector
    alike = [code for code, state in enumerate(variable.states) if state.casefold() == text.casefold()]
    if len(alike) == 1:
        return alike[0]
    raise PgmError(f"{shorten(text)} is nothing that {shorten(variable.name)} can be; {describe_allowed(variable)}")


def describe_allowed(variable: Variable) -> str:
    """What may be typed for a variable, in words."""
    states = variable.cardinality
    return (
        f"type a state ({list_names(variable.states)}), ? for missing, a likelihood as {show_likelihood(states)} "
        f"({describe_vector('likelihood', states)}), or a target for the posterior as {show_target(states)} "
        f"({describe_vector('target', states)})"
    )


def show_likelihood(states: int) -> str:
    """How a likelihood is typed, by an example.

    >>> show_likelihood(2), show_likelihood(9)
    ('[0.4;0.8]', '[0.4;0.8;0.1;0.1;…]')
    """
    numbers = ["0.4", "0.8", *["0.1"] * max(0, states - 2)][:states]
    return f"[{';'.join(numbers if states <= 4 else [*numbers[:4], '…'])}]"


def show_target(states: int) -> str:
    """How a target is typed, by an example.

    >>> show_target(2), show_target(3), show_target(9)
    ('{0.3;0.7}', '{0.3;0.5;0.2}', '{0.3;0.5;0.1;0.1;…}')
    """
    few = {1: ["1"], 2: ["0.3", "0.7"], 3: ["0.3", "0.5", "0.2"]}
    numbers = few.get(states, ["0.3", "0.5", "0.1", "0.1"])
    return f"{{{';'.join(numbers if states <= 4 else [*numbers, '…'])}}}"


def show_text(dataset: Dataset, column: int, code: int) -> str:
    """What a cell of a variable with this code is, as it can be typed."""
    variable = dataset.variables[column]
    if code >= 0:
        return variable.states[code]
    if code == MISSING:
        return next(text for text in (*MISSING_CODES, "(missing)") if text not in variable.states)
    return show_vector(dataset.vector(column, code), variable)


def read_weight(text: str) -> float:
    """The weight that a text stands for."""
    # A comma that groups thousands means nothing; another may stand for a point, and is not guessed at.
    number = read_number(text.replace(",", "") if GROUPED.fullmatch(text.strip()) else text.strip())
    if number is None or not (number == 0 or LIGHTEST <= number <= HEAVIEST):
        raise PgmError(f"{shorten(text)} is no weight; type how many times the row counts, such as 1 or 2.5")
    return number


def make_edit(dataset: Dataset, rows: Ints, columns: Sequence[int], block: Sequence[Sequence[str]]) -> DataEdit | None:
    """The edit that gives cells other texts; None if they mean what is there.

    Parameters
    ----------
    rows : the rows of the data that the lines of the block are for
    columns : the variables that its columns are for, or :data:`WEIGHT`
    block : a list of texts for each row
    """
    codes: list[list[int]] = []
    likelihoods: dict[int, Floats | None] = {}
    targets: dict[int, Bools | None] = {}
    weights: Floats | None = None
    texts_of = list(zip(*block, strict=True))
    for place, column in enumerate(columns):
        texts = texts_of[place]
        if column == WEIGHT:
            weights = np.array(_read_column(texts, rows, "weight", read_weight))
            continue
        variable = dataset.variables[column]
        read = _read_column(texts, rows, variable.name, partial(read_cell, variable))
        vectors = [meaning for meaning in read if not isinstance(meaning, int)]
        numbers = iter(list[int]())
        if vectors:
            found = add_vectors(dataset, column, vectors)
            numbers = iter(found.codes)
            if found.vectors is not dataset.likelihoods.get(column):
                likelihoods[column], targets[column] = found.vectors, found.targets
        codes.append([meaning if isinstance(meaning, int) else next(numbers) for meaning in read])
    variables = [column for column in columns if column != WEIGHT]
    cells = np.array(codes, dtype=np.int64).reshape(-1, len(rows))
    edit = SetCells(rows, variables, cells, likelihoods, targets, weights)
    return edit if _changes(edit, dataset) else None


def _read_column(texts: Sequence[str], rows: Ints, name: str, read: Callable[[str], T]) -> list[T]:
    """What the texts of a column mean, each different one read once; an error names the cell."""
    meaning: dict[str, T] = {}
    for place, text in enumerate(texts):
        if text not in meaning:
            try:
                meaning[text] = read(text)
            except PgmError as error:
                raise PgmError(f"row {int(rows[place]) + 1:,}, {shorten(name)}: {error}") from None
    return [meaning[text] for text in texts]


def _changes(edit: SetCells, dataset: Dataset) -> bool:
    before = edit.invert(dataset)
    if not np.array_equal(before.codes, edit.codes):
        return True
    return edit.weights is not None and not np.array_equal(dataset.weights[edit.rows], edit.weights)
