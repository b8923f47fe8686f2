"""Safeguarded steps for many small concave problems at once: one row of an array each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.model.arrays import Bools, Floats

TOLERANCE = 1e-20
"""How little a step may promise, relative to the weight of the data, and still be taken: parameters are
then right to about its square root."""
SURE = 1e-9
"""A promise this small is not checked: the gain would drown in rounding, and Newton's step is right as it is."""
SUFFICIENT = 1e-4
"""The part of its promise that a step must deliver."""
MOST_HALVINGS = 40


def take_steps(
    value: Callable[[Floats], Floats],
    start: Floats,
    direction: Floats,
    length: Floats,
    promise: Floats,
    weight: Floats,
) -> tuple[Floats, Bools]:
    """Step along directions, each halved until it gains enough.

    Parameters
    ----------
    value : callable
        From rows to what is maximised, per row.
    start, direction : array (rows, size)
    length, promise, weight : array (rows,)
        How far to try first; the directional derivative; what promises are relative to.

    Returns
    -------
    moved : array (rows, size)
    worth : array (rows,) of bool
        Whether the row moved, so that another step may be worth while.
    """
    wanted = promise > TOLERANCE * weight
    sure = wanted & (promise < SURE * weight)
    moved = np.where(sure[:, None], start + length[:, None] * direction, start)
    undecided = wanted & ~sure
    before = value(start)
    for _ in range(MOST_HALVINGS):
        if not undecided.any():
            break
        trial = start + length[:, None] * direction
        gained = undecided & (value(trial) >= before + SUFFICIENT * length * promise)
        moved = np.where(gained[:, None], trial, moved)
        undecided &= ~gained
        length = np.where(undecided, length / 2, length)
    return moved, wanted & ~undecided
