"""Edits of data: other cells, other weights, rows that come and go; each knows what takes it back.

An edit holds no more than what it touches, so that a page can take back many of them without keeping as many copies
of its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np

from engine.model.arrays import Bools, Codes, Floats, Ints
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, Vector, code_dtype, stack_vectors
from engine.model.errors import ModelError
from engine.model.soft_cells import find_targets, list_vectors

T = TypeVar("T")


class DataEdit(Protocol):
    """Something that makes other data of data."""

    def apply(self, dataset: Dataset) -> Dataset:
        """The data after the edit."""
        ...

    def invert(self, dataset: Dataset) -> DataEdit:
        """What takes the edit back, if this is the data before it."""
        ...


@dataclass(frozen=True, eq=False)
class SetCells:
    """Other cells in some columns of some rows, and perhaps other weights of these rows.

    Attributes
    ----------
    rows : array (rows,), each at most once
    columns : the variables, each at most once
    codes : array (columns, rows)
    likelihoods : mapping from variable to array (vectors, states), or None for no vectors
        The vectors of a variable after the edit, where they are others than before.
    targets : mapping from variable to array (vectors,) of bool, or None for no targets
        Which of these are targets.
    weights : array (rows,), optional
    """

    rows: Ints
    columns: Sequence[int]
    codes: Codes
    likelihoods: Mapping[int, Floats | None] = field(default_factory=dict)
    targets: Mapping[int, Bools | None] = field(default_factory=dict)
    weights: Floats | None = None

    def apply(self, dataset: Dataset) -> Dataset:
        """The data after the edit."""
        _check_rows(self.rows, dataset.n_rows)
        kept = _update(dataset.likelihoods, self.likelihoods)
        codes = dataset.codes
        if self.columns:
            most = max((len(vectors) for vectors in kept.values()), default=0)
            codes = codes.astype(np.result_type(codes, code_dtype(dataset.variables, most)), copy=True)
            codes[np.ix_(np.array(self.columns), self.rows)] = self.codes
        weights = dataset.weights
        if self.weights is not None:
            weights = weights.copy()
            weights[self.rows] = self.weights
        return Dataset(dataset.variables, codes, weights, kept, _update(dataset.targets, self.targets))

    def invert(self, dataset: Dataset) -> SetCells:
        """What takes the edit back, if this is the data before it."""
        return SetCells(
            self.rows,
            self.columns,
            dataset.codes[np.ix_(np.array(self.columns, dtype=np.int64), self.rows)],
            {i: dataset.likelihoods.get(i) for i in self.likelihoods},
            {i: dataset.targets.get(i) for i in self.targets},
            None if self.weights is None else dataset.weights[self.rows],
        )


@dataclass(frozen=True, eq=False)
class RemoveRows:
    """Some rows less.

    Attributes
    ----------
    rows : array (rows,), rising
    """

    rows: Ints

    def apply(self, dataset: Dataset) -> Dataset:
        """The data after the edit."""
        _check_rows(self.rows, dataset.n_rows)
        return dataset.take(np.delete(np.arange(dataset.n_rows), self.rows))

    def invert(self, dataset: Dataset) -> InsertRows:
        """What takes the edit back, if this is the data before it."""
        return InsertRows(self.rows, dataset.codes[:, self.rows], dataset.weights[self.rows])


@dataclass(frozen=True, eq=False)
class InsertRows:
    """Some rows more.

    Attributes
    ----------
    rows : array (rows,), rising
        The places that they have afterwards.
    codes : array (variables, rows)
    weights : array (rows,)
    """

    rows: Ints
    codes: Codes
    weights: Floats

    def apply(self, dataset: Dataset) -> Dataset:
        """The data after the edit."""
        after = dataset.n_rows + len(self.rows)
        _check_rows(self.rows, after)
        is_old = np.ones(after, dtype=bool)
        is_old[self.rows] = False
        codes = np.empty((len(dataset.variables), after), dtype=np.result_type(dataset.codes, self.codes))
        weights = np.empty(after)
        codes[:, is_old], codes[:, self.rows] = dataset.codes, self.codes
        weights[is_old], weights[self.rows] = dataset.weights, self.weights
        return replace(dataset, codes=codes, weights=weights)

    def invert(self, dataset: Dataset) -> RemoveRows:
        """What takes the edit back, if this is the data before it."""
        return RemoveRows(self.rows)


@dataclass(frozen=True, eq=False)
class Several:
    """Edits one after another."""

    edits: Sequence[DataEdit]

    def apply(self, dataset: Dataset) -> Dataset:
        """The data after the edits."""
        for edit in self.edits:
            dataset = edit.apply(dataset)
        return dataset

    def invert(self, dataset: Dataset) -> Several:
        """What takes the edits back, if this is the data before them."""
        back: list[DataEdit] = []
        for edit in self.edits:
            back.append(edit.invert(dataset))
            dataset = edit.apply(dataset)
        return Several(back[::-1])


def missing_rows(dataset: Dataset, count: int) -> InsertRows:
    """Rows after the last one, of which nothing is known yet."""
    places = np.arange(dataset.n_rows, dataset.n_rows + count)
    return InsertRows(places, np.full((len(dataset.variables), count), MISSING, dtype=np.int8), np.ones(count))


@dataclass(frozen=True, eq=False)
class MoreVectors:
    """The vectors of a variable with some more.

    Attributes
    ----------
    vectors : array (vectors, states)
    targets : array (vectors,) of bool, or None if none is a target
    codes : of each that was to be added; equal ones have equal codes
    """

    vectors: Floats
    targets: Bools | None
    codes: list[int]


def add_vectors(dataset: Dataset, variable: int, more: Sequence[Vector]) -> MoreVectors:
    """The likelihoods and targets of a variable with some more."""
    known = dataset.likelihoods.get(variable, np.empty((0, dataset.variables[variable].cardinality)))
    marks = find_targets(dataset, variable)
    count = len(known)
    places = {vector: k for k, vector in enumerate(list_vectors(dataset, variable))}
    new = [vector for vector in dict.fromkeys(more) if vector not in places]
    places |= {vector: count + k for k, vector in enumerate(new)}  # known ones may be equal: they keep their codes
    if new:
        values, are_targets = stack_vectors(new)
        known, marks = np.concatenate([known, values]), np.concatenate([marks, are_targets])
    return MoreVectors(known, marks if marks.any() else None, [FIRST_LIKELIHOOD - places[vector] for vector in more])


def _update(known: Mapping[int, T], changes: Mapping[int, T | None]) -> dict[int, T]:
    """A mapping with changes, of which None leaves a key out."""
    return {i: value for i, value in {**known, **changes}.items() if value is not None}


def _check_rows(rows: Ints, count: int) -> None:
    if len(rows) and (int(rows.min()) < 0 or int(rows.max()) >= count):
        raise ModelError(f"row {int(rows.max()) + 1:,} of {count:,}: there is no such row")
