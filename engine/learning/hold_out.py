"""Holding rows out: learn from a part of the data, to see what was learned on the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.model.arrays import Floats, Ints
from engine.model.dataset import Dataset
from engine.model.errors import ModelError, PgmError
from engine.model.randomness import make_generator

MOST_SHARE = 0.9
"""Of the rows that may be held out: some must be left to learn from."""
MOST_COUNTED = 10**8
"""Rows that are drawn one by one; where counts add up to more, a line is held out whole. NumPy draws from 10⁹."""


@dataclass(frozen=True)
class HoldOut:
    """Which rows are held out: a share of them, drawn by a seed."""

    share: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= MOST_SHARE:
            raise PgmError(
                f"the share of rows held out is {self.share:g}; expected more than 0, at most {MOST_SHARE:g}"
            )
        if self.seed < 0:
            raise PgmError(f"the seed of the rows held out is {self.seed}; expected a whole number from 0 on")


@dataclass(frozen=True, eq=False)
class Split:
    """A dataset in two parts, neither of them empty.

    Attributes
    ----------
    train, test : Dataset
        What is learned from, and what is held out. A line with a count may be in both, with a part of it in each.
    train_rows, test_rows : array
        Which lines of the whole they are, in its order.
    """

    train: Dataset
    test: Dataset
    train_rows: Ints
    test_rows: Ints


def split_rows(dataset: Dataset, hold_out: HoldOut) -> Split:
    """The rows that are learned from, and those that are held out; the same for the same seed.

    A line that counts n times is n rows, which are drawn one by one. Where weights are not whole (or add up to more
    than :data:`MOST_COUNTED`), lines are drawn whole, each with its weight. Lines of weight 0 are in neither part.

    Raises
    ------
    ModelError
        If a part would be empty.

    Examples
    --------
    >>> from engine.model.dataset import make_dataset
    >>> from engine.model.variable import Variable
    >>> rain = Variable("Rain", ("yes", "no"))
    >>> split = split_rows(make_dataset([rain], [["yes"], ["no"]], [60, 40]), HoldOut(0.2))
    >>> split.train.total_weight, split.test.total_weight
    (80.0, 20.0)
    """
    weights = dataset.weights
    is_counted = dataset.total_weight <= MOST_COUNTED and bool((weights == np.floor(weights)).all())
    units = weights.astype(np.int64) if is_counted else (weights > 0).astype(np.int64)
    total = int(units.sum())
    wanted = round(hold_out.share * total)
    if not 0 < wanted < total:
        raise ModelError(
            f"of {total:,} rows, a share of {hold_out.share:g} leaves {wanted:,} held out and {total - wanted:,} to "
            "learn from; hold out another share, or none"
        )
    drawn = make_generator(hold_out.seed).multivariate_hypergeometric(units, wanted, method="marginals")
    held = drawn.astype(np.float64) if is_counted else weights * drawn
    test_rows, train_rows = np.flatnonzero(drawn), np.flatnonzero(units - drawn)
    kept = weights - held
    return Split(_take(dataset, train_rows, kept), _take(dataset, test_rows, held), train_rows, test_rows)


def _take(dataset: Dataset, rows: Ints, weights: Floats) -> Dataset:
    return replace(dataset, codes=dataset.codes[:, rows], weights=weights[rows])
