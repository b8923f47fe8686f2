"""Marks: what the user says is known about a variable, as a view over the data that never changes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.dataset import Dataset
from engine.missingness import apply_sensor, hide, remove_mcar

SEED = 0
"""Which cells a partial or soft mark touches is the same each time."""


@dataclass(frozen=True)
class Hidden:
    """No value of the variable is seen."""


@dataclass(frozen=True)
class Partial:
    """A fraction of the values is missing, completely at random."""

    fraction: float


@dataclass(frozen=True)
class Soft:
    """Seen through a sensor that reports the true state with this probability."""

    reliability: float


Mark = Hidden | Partial | Soft


def apply_marks(dataset: Dataset, marks: Mapping[str, Mark]) -> Dataset:
    """The data as the marks let it be seen."""
    hidden = [name for name, mark in marks.items() if isinstance(mark, Hidden)]
    seen = hide(dataset, hidden) if hidden else dataset
    index = {variable.name: i for i, variable in enumerate(dataset.variables)}
    for name, mark in marks.items():
        if isinstance(mark, Partial):
            seen = remove_mcar(seen, mark.fraction, SEED + index[name], [name])
        elif isinstance(mark, Soft) and index[name] not in seen.likelihoods:
            states = dataset.variables[index[name]].cardinality
            seen = apply_sensor(seen, name, _confusion(states, mark.reliability), SEED + index[name])
    return seen


def _confusion(states: int, reliability: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Pr(reported | true): the true state with the reliability, the others alike."""
    if states == 1:
        return np.ones((1, 1))
    wrong = (1 - reliability) / (states - 1)
    return np.full((states, states), wrong) + (reliability - wrong) * np.eye(states)
