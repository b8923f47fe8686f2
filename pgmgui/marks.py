"""Marks: what the user says is known about a variable, as a view over the data that never changes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.dataset import FIRST_LIKELIHOOD, Dataset
from engine.errors import ModelError
from engine.missingness import apply_sensor, hide, remove_mar, remove_mcar, remove_nmar

SEED = 0
"""Which cells a partial or soft mark touches is the same each time."""
MECHANISMS = {
    "mcar": "completely at random",
    "mar": "at random, given other variables",
    "nmar": "not at random: by the value itself",
}
"""How cells go missing, in words."""


@dataclass(frozen=True)
class Hidden:
    """No value of the variable is seen."""


@dataclass(frozen=True)
class Partial:
    """A fraction of the values is missing, by one of :data:`MECHANISMS`."""

    fraction: float
    mechanism: str = "mcar"


@dataclass(frozen=True)
class Soft:
    """Seen through a sensor that reports the true state with this probability, and others alike."""

    reliability: float


@dataclass(frozen=True)
class Sensor:
    """Seen through a sensor with this confusion table: Pr(reported | true), a row per state."""

    confusion: tuple[tuple[float, ...], ...]


Mark = Hidden | Partial | Soft | Sensor


def apply_marks(dataset: Dataset, marks: Mapping[str, Mark]) -> Dataset:
    """The data as the marks let it be seen."""
    hidden = [name for name, mark in marks.items() if isinstance(mark, Hidden)]
    seen = hide(dataset, hidden) if hidden else dataset
    index = {variable.name: i for i, variable in enumerate(dataset.variables)}
    # By the data's order, so that what is seen does not depend on the order of clicking.
    for name in sorted(marks, key=index.__getitem__):
        mark, seed = marks[name], SEED + index[name]
        if isinstance(mark, Partial):
            seen = _remove(seen, name, mark, seed)
        elif isinstance(mark, Soft | Sensor):
            if (dataset.codes[index[name]] <= FIRST_LIKELIHOOD).any():
                raise ModelError(f"{name!r} has likelihoods in the data already; a sensor needs its states")
            seen = apply_sensor(seen, name, confusion(dataset.variables[index[name]].cardinality, mark), seed)
    return seen


def _remove(seen: Dataset, name: str, mark: Partial, seed: int) -> Dataset:
    if mark.mechanism == "mcar":
        return remove_mcar(seen, mark.fraction, seed, [name])
    if mark.mechanism == "mar":
        return remove_mar(seen, mark.fraction, seed, [name])
    if mark.mechanism == "nmar":
        return remove_nmar(seen, mark.fraction, seed, [name])
    raise ModelError(f"the mechanism {mark.mechanism!r} is not known; use one of {', '.join(MECHANISMS)}")


def confusion(states: int, mark: Soft | Sensor) -> Floats:
    """Pr(reported | true) of a sensor for a variable with that many states."""
    if isinstance(mark, Sensor):
        return np.array(mark.confusion, dtype=np.float64)
    if states == 1:
        return np.ones((1, 1))
    if not 0 <= mark.reliability <= 1:
        raise ModelError(f"a reliability of {mark.reliability}; expected from 0 to 1")
    wrong = (1 - mark.reliability) / (states - 1)
    return np.full((states, states), wrong) + (mark.reliability - wrong) * np.eye(states)
