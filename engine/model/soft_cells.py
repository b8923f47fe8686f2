"""Cells with a vector: likelihoods and targets, told apart, and read as each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.model.arrays import Bools, Codes, Floats, Ints
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, TargetCell, Vector
from engine.model.source import Source


def find_targets(dataset: Source, variable: int) -> Bools:
    """Which of a variable's vectors are targets."""
    return dataset.targets.get(variable, np.zeros(len(dataset.likelihoods.get(variable, ())), dtype=bool))


def list_vectors(dataset: Source, variable: int) -> list[Vector]:
    """The vectors of a variable."""
    values = dataset.likelihoods.get(variable, np.empty((0, 0))).tolist()
    marks = find_targets(dataset, variable).tolist()
    return [TargetCell(tuple(each)) if mark else tuple(each) for each, mark in zip(values, marks, strict=True)]


def count_vectors(dataset: Source, variable: int) -> tuple[int, int]:
    """How many cells of a variable are likelihoods, and how many are targets."""
    codes, cells = dataset.count_codes(variable)
    soft = codes <= FIRST_LIKELIHOOD
    number = FIRST_LIKELIHOOD - codes[soft].astype(np.int64)
    targets = int(cells[soft][find_targets(dataset, variable)[number]].sum()) if number.size else 0
    return int(cells[soft].sum()) - targets, targets


def scale(vectors: Floats) -> Floats:
    """Vectors (vectors, states) of the same ratios that sum to 1; one of zeros stays."""
    # By the largest first, for the sum of huge numbers is infinite.
    largest = vectors.max(axis=1, keepdims=True, initial=0.0)
    scaled = vectors / np.where(largest > 0, largest, 1.0)
    return np.asarray(scaled / np.maximum(scaled.sum(axis=1, keepdims=True), 1.0), dtype=np.float64)


def merge_equal(codes: Codes, vectors: Floats, targets: Bools) -> tuple[Ints, Floats, Bools]:
    """A column whose equal vectors have equal codes; one of zeros says nothing, and its cells become missing.

    A target never equals a likelihood.
    """
    distinct, number = np.unique(np.column_stack([targets, vectors]), axis=0, return_inverse=True)
    useful = distinct[:, 1:].max(axis=1, initial=0.0) > 0
    code = np.where(useful, FIRST_LIKELIHOOD - (np.cumsum(useful) - 1), MISSING)
    merged = codes.astype(np.int64)
    soft = codes <= FIRST_LIKELIHOOD
    merged[soft] = code[number.reshape(-1)][FIRST_LIKELIHOOD - merged[soft]]
    return merged, distinct[useful, 1:], distinct[useful, 0] > 0


def read_as(dataset: Dataset, variable: int, meaning: str) -> Dataset:
    """The data with all vectors of a variable read as targets ("target"), or all as likelihoods ("likelihood").

    A likelihood becomes the target of the same ratios, which sums to 1; a target the likelihood of the same numbers.
    """
    vectors = dataset.likelihoods.get(variable)
    if vectors is None:
        return dataset
    marks = np.full(len(vectors), meaning == "target")
    given = find_targets(dataset, variable)
    read = np.where((marks & ~given)[:, np.newaxis], scale(vectors), vectors)
    column, found, marks = merge_equal(dataset.codes[variable], read, marks)
    codes = dataset.codes.copy()
    codes[variable] = column  # no more vectors than before
    others = {i: known for i, known in dataset.targets.items() if i != variable}
    return replace(
        dataset,
        codes=codes,
        likelihoods={**dataset.likelihoods, variable: found},
        targets={**others, variable: marks} if marks.any() else others,
    )
