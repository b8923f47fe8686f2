"""What is typed or pasted into data, as edits of it: texts that mean nothing are refused, and why is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from engine.formats.tables.cells import MISSING_CODES, read_likelihood, read_number
from engine.model.arrays import Floats, Ints
from engine.model.data_edits import DataEdit, SetCells, add_vectors
from engine.model.dataset import FIRST_LIKELIHOOD, HEAVIEST, LIGHTEST, MISSING, Dataset
from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.variable import Variable, list_names

T = TypeVar("T")
GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")
"""A number whose thousands are set apart by commas."""
WEIGHT = -1
"""The column of the rows' weights, in place of a variable's."""


def read_cell(variable: Variable, text: str) -> int | tuple[float, ...]:
    """What a text means for a variable: the code of a state, missing, or a likelihood.

    A state may be spelt in other letter case, where that tells it. An empty cell is missing.

    >>> rain = Variable("Rain", ("yes", "no"))
    >>> read_cell(rain, "No"), read_cell(rain, "?"), read_cell(rain, "[0.4;0.8]")
    (1, -1, (0.4, 0.8))
    """
    for spelt in (text, text.strip()):
        if spelt in variable.states:
            return variable.states.index(spelt)
    text = text.strip()
    if text in MISSING_CODES:
        return MISSING
    vector = read_likelihood(text)
    if vector is not None and len(vector) == variable.cardinality and min(vector) >= 0 and max(vector) > 0:
        return vector
    alike = [code for code, state in enumerate(variable.states) if state.casefold() == text.casefold()]
    if len(alike) == 1:
        return alike[0]
    raise PgmError(f"{shorten(text)} is nothing that {shorten(variable.name)} can be; {describe_allowed(variable)}")


def describe_allowed(variable: Variable) -> str:
    """What may be typed for a variable, in words."""
    return (
        f"type a state ({list_names(variable.states)}), ? for missing, or a likelihood: "
        f"{variable.cardinality} numbers of 0 or more, not all 0, one for each state, "
        f"as {show_likelihood(variable.cardinality)}"
    )


def show_likelihood(states: int) -> str:
    """How a likelihood is typed, by an example.

    >>> show_likelihood(2), show_likelihood(9)
    ('[0.4;0.8]', '[0.4;0.8;0.1;0.1;…]')
    """
    numbers = ["0.4", "0.8", *["0.1"] * max(0, states - 2)][:states]
    return f"[{';'.join(numbers if states <= 4 else [*numbers[:4], '…'])}]"


def show_text(variable: Variable, code: int, vectors: Floats | None) -> str:
    """What a cell is, as it can be typed."""
    if code >= 0:
        return variable.states[code]
    if code == MISSING:
        return next(text for text in (*MISSING_CODES, "(missing)") if text not in variable.states)
    assert vectors is not None
    return f"[{';'.join(repr(value).removesuffix('.0') for value in vectors[FIRST_LIKELIHOOD - code].tolist())}]"


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
    weights: Floats | None = None
    texts_of = list(zip(*block, strict=True))
    for place, column in enumerate(columns):
        texts = texts_of[place]
        if column == WEIGHT:
            weights = np.array(_read_column(texts, rows, "weight", read_weight))
            continue
        variable = dataset.variables[column]
        read = _read_column(texts, rows, variable.name, partial(read_cell, variable))
        vectors = [meaning for meaning in read if isinstance(meaning, tuple)]
        numbers = iter(list[int]())
        if vectors:
            known = dataset.likelihoods.get(column)
            found, new = add_vectors(known, vectors, variable.cardinality)
            numbers = iter(new)
            if found is not known:
                likelihoods[column] = found
        codes.append([next(numbers) if isinstance(meaning, tuple) else meaning for meaning in read])
    variables = [column for column in columns if column != WEIGHT]
    edit = SetCells(rows, variables, np.array(codes, dtype=np.int64).reshape(-1, len(rows)), likelihoods, weights)
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
