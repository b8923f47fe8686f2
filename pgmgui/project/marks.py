"""Marks: what the user says is known about a variable, as a view over the data that never changes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.model.arrays import Floats
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, Role
from engine.model.errors import ModelError, UnknownNameError
from engine.model.mechanism import ABSENT, Mechanism
from engine.model.soft_cells import count_vectors, read_as
from engine.model.source import Source
from engine.model.variable import Variable
from engine.simulation.missingness import apply_sensor, hide, remove_mar, remove_mcar, remove_nmar
from engine.simulation.removal import remove_by
from pgmgui.project.numbers import show_percent
from pgmgui.project.words import count

SEED = 0
"""Which cells a partial or soft mark touches is the same each time."""
MECHANISMS = {
    "mcar": "completely at random",
    "mar": "at random, given other variables",
    "nmar": "not at random: by the value itself",
}
"""How cells go missing, in words."""
MOST_CHANCES = 400
"""Combinations of the states of a mechanism's causes."""


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


@dataclass(frozen=True)
class Given:
    """What is learned of a Markov network is the others' likelihood given its values, which are seen in every row."""


@dataclass(frozen=True)
class Absent:
    """Values are missing by a mechanism: with a probability that the states of its causes decide.

    Attributes
    ----------
    causes : names of variables
        The variable's own among them if its value decides; none for completely at random.
    chances : tuple of float
        Pr(absent | causes), for each combination of their states, the last one's first; empty where values are missing
        in the data itself, and this says why.
    indicator : str
        The variable that tells in each row whether the value is there; empty while there is none.
    """

    causes: tuple[str, ...] = ()
    chances: tuple[float, ...] = ()
    indicator: str = ""


@dataclass(frozen=True)
class ReadAs:
    """What is uncertain of the variable is read as another kind of evidence: a key of :data:`READINGS`."""

    meaning: str


Mark = Hidden | Partial | Soft | Sensor | Given | ReadAs | Absent
READINGS = {
    "target": "its likelihoods are read as targets for the posterior",
    "likelihood": "its targets for the posterior are read as likelihoods",
}
"""How the numbers of cells can be read otherwise, in words."""
ROLES = {
    Role.OBSERVED: "observed",
    Role.HIDDEN: "hidden",
    Role.PARTIAL: "partly missing",
    Role.SOFT: "uncertain",
}
"""What the data says of a variable, in words."""


def apply_marks(dataset: Dataset, marks: Mapping[str, Mark]) -> Dataset:
    """The data as the marks let it be seen."""
    index = {variable.name: i for i, variable in enumerate(dataset.variables)}
    for name in marks:
        if name not in index:
            raise UnknownNameError(f"a mark on {name!r}, of which the data has no column")
    hidden = [name for name, mark in marks.items() if isinstance(mark, Hidden)]
    seen = hide(dataset, hidden) if hidden else dataset
    # What decides which cells are missing at random must itself stay observed, whatever is marked.
    roles = zip(dataset.variables, dataset.roles, strict=True)
    free = {name for name in index if isinstance(marks.get(name), Given | ReadAs | None)}
    causes = [v.name for v, role in roles if role is Role.OBSERVED and v.name in free]
    # By the data's order, so that what is seen does not depend on the order of clicking.
    for name in sorted(marks, key=index.__getitem__):
        mark, seed = marks[name], SEED + index[name]
        if isinstance(mark, Partial):
            seen = _remove(seen, name, mark, seed, causes)
        elif isinstance(mark, Soft | Sensor):
            if (dataset.codes[index[name]] <= FIRST_LIKELIHOOD).any():
                raise ModelError(
                    f"{name!r} has likelihoods or targets in the data already, and a sensor needs its states; "
                    "leave it as it is in the data, or hide it"
                )
            seen = apply_sensor(seen, name, confusion(dataset.variables[index[name]].cardinality, mark), seed)
        elif isinstance(mark, Absent) and mark.chances:
            seen = _take_away(seen, dataset, name, mark, seed)
        elif isinstance(mark, ReadAs):
            seen = read_as(seen, index[name], mark.meaning)
    return seen


def _take_away(seen: Dataset, dataset: Dataset, name: str, mark: Absent, seed: int) -> Dataset:
    """The data without the values that a mechanism takes; where a variable tells which, without these."""
    mechanism = make_mechanism(dataset.variables, name, mark)
    index = {variable.name: i for i, variable in enumerate(dataset.variables)}
    if mark.indicator not in index:
        return remove_by(seen, mechanism, seed, dataset)
    codes = seen.codes.copy()
    codes[index[name], dataset.codes[index[mark.indicator]] == ABSENT] = MISSING
    return replace(seen, codes=codes)


def make_mechanism(variables: Sequence[Variable], name: str, mark: Absent) -> Mechanism:
    """The mechanism by which a mark takes values of a variable."""
    sizes = {variable.name: variable.cardinality for variable in variables}
    unknown = [cause for cause in mark.causes if cause not in sizes]
    if unknown:
        raise UnknownNameError(f"{unknown[0]!r} is said to decide which values of {name!r} are missing, and is unknown")
    shape = tuple(sizes[cause] for cause in mark.causes)
    if len(mark.chances) != math.prod(shape):
        raise ModelError(
            f"which values of {name!r} are missing is decided by {len(mark.chances):,} probabilities; "
            f"expected {math.prod(shape):,}, one for each combination of its causes' states"
        )
    return Mechanism(name, mark.causes, np.array(mark.chances, dtype=np.float64).reshape(shape))


def list_readings(dataset: Source, column: int) -> list[str]:
    """As what cells of a variable can be read that they are not: keys of :data:`READINGS`."""
    if dataset.roles[column] is not Role.SOFT or not isinstance(dataset, Dataset):
        return []
    return [meaning for meaning, number in zip(READINGS, count_vectors(dataset, column), strict=True) if number]


def _remove(seen: Dataset, name: str, mark: Partial, seed: int, causes: Sequence[str]) -> Dataset:
    if mark.mechanism == "mcar":
        return remove_mcar(seen, mark.fraction, seed, [name])
    if mark.mechanism == "mar":
        if not causes and seen.n_rows:
            raise ModelError(
                f"{name!r} cannot be missing at random given others: no other variable stays observed; "
                "choose another mechanism"
            )
        return remove_mar(seen, mark.fraction, seed, [name], causes)
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


def describe_mark(mark: Mark | None) -> str:
    """A mark in words; None is none.

    >>> describe_mark(Partial(0.25, "nmar"))
    '25% missing, not at random: by the value itself'
    """
    if mark is None:
        return "as in the data"
    if isinstance(mark, Hidden):
        return "hidden"
    if isinstance(mark, Given):
        return "given, so that the others are learned given it"
    if isinstance(mark, ReadAs):
        return READINGS[mark.meaning]
    if isinstance(mark, Partial):
        return f"{show_percent(mark.fraction)} missing, {MECHANISMS.get(mark.mechanism, mark.mechanism)}"
    if isinstance(mark, Absent):
        by = f"decided by {' and '.join(mark.causes)}" if mark.causes else MECHANISMS["mcar"]
        return f"missing by a mechanism, {by}" if mark.chances else f"as in the data, its absence {by}"
    if isinstance(mark, Soft):
        return f"a sensor that is right {show_percent(mark.reliability)} of the time"
    return "a sensor with its own table"


def describe_role(dataset: Source, column: int) -> str:
    """What data says of a variable, in words and numbers."""
    role, rows = dataset.roles[column], count(dataset.n_rows, "row")
    if role is Role.HIDDEN:
        return f"hidden: no value in any of {rows}" if dataset.n_rows else "hidden: there are no rows"
    if role is Role.OBSERVED:
        return f"observed: a state in every one of {rows}"
    if role is Role.PARTIAL:
        codes, cells = dataset.count_codes(column)
        return f"partly missing: no value in {cells[codes < 0].sum():,} of {rows}"
    kinds = zip(("likelihoods", "targets"), count_vectors(dataset, column), strict=True)
    told = [f"{kind} in {number:,}" for kind, number in kinds if number]
    return f"uncertain: {' and '.join(told)} of {rows}"
