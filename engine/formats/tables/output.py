"""Datasets as text between delimiters, and as Parquet.

A cell is a state's name, a missing code (the first of ``? NA * N/A NaN`` and nothing that is not a state
of the variable), a likelihood ``[0.4;0.8]``, or a target ``{0.3;0.7}``. Weights are written, in a last
column, when they are not all 1. Read again with the same variables, the dataset is the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from engine.formats.tables import parquet
from engine.formats.tables.cells import MISSING_CODES, show_vector
from engine.formats.tables.columns import WEIGHT_NAMES
from engine.formats.tables.text import DELIMITERS
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset
from engine.model.errors import ModelError
from engine.model.messages import shorten
from engine.model.soft_cells import list_vectors

_ROWS = 2**14


def dump_texts(chunks: Iterable[Dataset], delimiter: str) -> Iterator[str]:
    """The pieces of a text file, whose rows come in chunks."""
    for k, dataset in enumerate(chunks):
        yield from itertools.islice(dump_text(dataset, delimiter), int(k > 0), None)


def dump_text(dataset: Dataset, delimiter: str) -> Iterator[str]:
    """The pieces of a text file, the header first."""
    _check_names(dataset)
    weights = _weight_column(dataset)
    names = [variable.name for variable in dataset.variables] + ([weights] if weights else [])
    # A comma splits no line of a single column, so there other delimiters could be taken for it.
    special = f'{DELIMITERS if len(names) == 1 else delimiter}"\r\n'
    yield delimiter.join(_quote(name, special) for name in names) + "\n"
    texts = [
        np.array([_quote(text, special) for text in _cell_texts(dataset, i)], dtype=object)
        for i in range(len(dataset.variables))
    ]
    for start in range(0, dataset.n_rows, _ROWS):
        part = slice(start, start + _ROWS)
        columns = [text[codes].tolist() for text, codes in zip(texts, dataset.codes[:, part], strict=True)]
        if weights:
            columns.append([repr(float(weight)).removesuffix(".0") for weight in dataset.weights[part]])
        yield "".join(f"{line}\n" for line in map(delimiter.join, zip(*columns, strict=True)))


def dump_parquet(chunks: Iterable[Dataset]) -> Iterator[bytes]:
    """The pieces of a Parquet file, whose rows come in chunks; a missing cell is null."""
    return parquet.dump(map(_list_columns, chunks))


def _list_columns(dataset: Dataset) -> parquet.Columns:
    _check_names(dataset)
    columns = []
    for i, variable in enumerate(dataset.variables):
        *hard_and_soft, _ = _cell_texts(dataset, i)
        soft = hard_and_soft[: variable.cardinality - 1 : -1]
        codes = dataset.codes[i].astype(np.int64)
        codes = np.where(codes <= FIRST_LIKELIHOOD, variable.cardinality + FIRST_LIKELIHOOD - codes, codes)
        columns.append((variable.name, [*variable.states, *soft], codes))
    weights = _weight_column(dataset)
    return columns, (weights, dataset.weights) if weights else None


def _cell_texts(dataset: Dataset, i: int) -> list[str]:
    """The text of each code of a variable, to be picked by it: states, then from the end missing and vectors."""
    variable = dataset.variables[i]
    missing = [code for code in MISSING_CODES if code not in variable.states]
    if not missing and (dataset.codes[i] == MISSING).any():
        raise ModelError(
            f"variable {shorten(variable.name)} has states named like every missing code; rename one to write it"
        )
    soft = [show_vector(vector, variable) for vector in list_vectors(dataset, i)]
    return [*variable.states, *reversed(soft), missing[0] if missing else ""]


def _weight_column(dataset: Dataset) -> str:
    """The name for the column of weights; empty if none is needed."""
    if dataset.variables and (dataset.weights == 1).all():
        return ""
    taken = {variable.name.strip().casefold() for variable in dataset.variables}
    free = [name for name in WEIGHT_NAMES if name.casefold() not in taken]
    if not free:
        raise ModelError(f"variables are named like every column of weights ({', '.join(WEIGHT_NAMES)}); rename one")
    return free[0]


def _check_names(dataset: Dataset) -> None:
    names = [variable.name for variable in dataset.variables]
    if len(set(names)) < len(names):
        raise ModelError("two variables of the dataset have the same name; names must differ to write them")
    for variable in dataset.variables:
        if any("\0" in text for text in (variable.name, *variable.states)):
            raise ModelError(
                f"variable {shorten(variable.name)} has a NUL character in a name; rename it to write the data"
            )


def _quote(text: str, special: str) -> str:
    """A cell in quotes if it would be read as something else without."""
    plain = text and text == text.strip() and not text.startswith(("#", "%", "//", "\ufeff"))
    if plain and not any(character in text for character in special):
        return text
    return '"' + text.replace('"', '""') + '"'
