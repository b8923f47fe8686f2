"""Holding rows out: both parts together are the whole, whatever counts and weights it has."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.hold_out import HoldOut, split_rows
from engine.model.dataset import Dataset, TargetCell, make_dataset
from engine.model.errors import ModelError, PgmError
from engine.model.variable import Variable

A, B = Variable("A", ("x", "y")), Variable("B", ("x", "y", "z"))


def make_rows(weights):
    generator = np.random.default_rng(0)
    codes = np.stack([generator.integers(0, 2, len(weights)), generator.integers(-2, 3, len(weights))])
    return Dataset((A, B), codes, np.array(weights, dtype=float), {1: np.array([[0.2, 0.8, 0.5]])})


def join(split, size):
    """The weight of each line of the whole, put together again."""
    found = np.zeros(size)
    found[split.train_rows] += split.train.weights
    found[split.test_rows] += split.test.weights
    return found


@pytest.mark.parametrize("weights", [[1] * 50, [7, 0, 3, 40, 1, 9], [0.5, 2.5, 1.0, 0.0, 3.25, 1.5]])
def test_both_parts_together_are_the_whole(weights):
    data = make_rows(weights)
    split = split_rows(data, HoldOut(0.3, 1))
    np.testing.assert_allclose(join(split, len(weights)), weights, rtol=1e-15)
    for part, rows in ((split.train, split.train_rows), (split.test, split.test_rows)):
        np.testing.assert_array_equal(part.codes, data.codes[:, rows])
        assert part.likelihoods[1].tolist() == [[0.2, 0.8, 0.5]]
        assert (part.weights > 0).all()
    if all(float(weight).is_integer() for weight in weights):
        assert split.test.total_weight == round(0.3 * sum(weights))
    else:
        assert len(split.test_rows) == round(0.3 * np.count_nonzero(weights))
        assert not set(split.test_rows) & set(split.train_rows)


def test_a_line_that_counts_n_times_is_n_rows():
    split = split_rows(make_dataset([A], [["x"], ["y"]], [90_000, 10_000]), HoldOut(0.2, 3))
    assert split.train.weights.sum() == 80_000
    # Hypergeometric: 20,000 · 0.1 with a standard deviation of 38.
    assert abs(split.test.weights[1] - 2000) < 4 * 38


def test_the_seed_says_which_rows():
    data = make_rows([1] * 200)
    rows = [split_rows(data, HoldOut(0.5, seed)).test_rows.tolist() for seed in (0, 0, 1)]
    assert rows[0] == rows[1] != rows[2]


def test_targets_stay_with_their_rows():
    data = make_dataset([A], [["x"], [(0.25, 0.75)], [TargetCell((0.25, 0.75))], ["y"]] * 10)
    split = split_rows(data, HoldOut(0.5, 1))
    for part, rows in ((split.train, split.train_rows), (split.test, split.test_rows)):
        assert part.target_cells[0].tolist() == [row % 4 == 2 for row in rows.tolist()]


def test_a_part_without_rows_is_refused_with_what_to_do():
    with pytest.raises(ModelError, match=r"of 3 rows, a share of 0\.1 leaves 0 held out and 3 to learn from; hold out"):
        split_rows(make_rows([1, 1, 1]), HoldOut(0.1))
    with pytest.raises(ModelError, match="leaves 1 held out and 0 to learn from"):
        split_rows(make_rows([1]), HoldOut(0.9))
    with pytest.raises(ModelError, match="of 0 rows"):
        split_rows(make_rows([0, 0]), HoldOut(0.5))


@pytest.mark.parametrize(("share", "seed"), [(0, 0), (0.91, 0), (-1, 0), (float("nan"), 0), (0.5, -1)])
def test_shares_and_seeds_out_of_range_are_refused(share, seed):
    with pytest.raises(PgmError, match="expected"):
        HoldOut(share, seed)
