"""Removing values by a mechanism that is said: whose states decide, and how probably."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.model.dataset import MISSING, Dataset, Role
from engine.model.errors import ModelError
from engine.model.mechanism import Mechanism
from engine.model.randomness import RandomState, make_generator
from engine.simulation.missingness import check_rate, check_strength, draw_chances, find_columns


def draw_mechanism(
    dataset: Dataset,
    target: str,
    causes: Sequence[str],
    rate: float,
    strength: float = 2.0,
    random_state: RandomState = 0,
) -> Mechanism:
    """A mechanism with chances that are drawn so that on average, over the rows, values are missing at a rate.

    Each cause moves the log-odds from −strength to +strength, its states in random order.
    """
    check_rate(rate)
    check_strength(strength)
    columns = find_columns(dataset, causes)
    _check_told(dataset, target, columns)
    return Mechanism(
        target, tuple(causes), draw_chances(dataset, columns, rate, strength, make_generator(random_state))
    )


def remove_by(
    dataset: Dataset, mechanism: Mechanism, random_state: RandomState = 0, complete: Dataset | None = None
) -> Dataset:
    """The data without the values that a mechanism takes.

    Where the target's own value is a cause, only cells with a state can go; the others stay as they are.

    Parameters
    ----------
    complete : Dataset, optional
        The rows as they are before anything goes missing: what the causes decide by. The data itself if not given.
    """
    told = dataset if complete is None else complete
    (target,) = find_columns(dataset, [mechanism.target])
    columns = find_columns(told, mechanism.causes)
    mechanism.check(told.variables)
    others = [i for i in columns if i != target]
    _check_told(told, mechanism.target, others)
    combination = np.zeros(told.n_rows, dtype=np.int64)
    decided = np.ones(told.n_rows, dtype=bool)
    for i in columns:
        decided &= told.codes[i] >= 0
        combination = combination * told.variables[i].cardinality + np.maximum(told.codes[i], 0)
    draws = make_generator(random_state).random(told.n_rows)
    codes = dataset.codes.copy()
    codes[target, decided & (draws < mechanism.chances.reshape(-1)[combination])] = MISSING
    return replace(dataset, codes=codes)


def _check_told(dataset: Dataset, target: str, columns: Sequence[int]) -> None:
    for i in columns:
        if dataset.n_rows and dataset.roles[i] is not Role.OBSERVED and dataset.variables[i].name != target:
            raise ModelError(
                f"{dataset.variables[i].name!r} cannot decide which values of {target!r} are missing: "
                "it lacks a state in some rows; choose a cause that has one in every row"
            )
