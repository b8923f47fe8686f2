"""Likelihoods read as targets and targets as likelihoods."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.dataset import Dataset, TargetCell, make_dataset
from engine.model.soft_cells import count_vectors, read_as, scale
from engine.model.variable import Variable
from tests.plain import plain_rows

RAIN, WIND = Variable("Rain", ("yes", "no")), Variable("Wind", ("calm", "breeze", "storm"))
CELLS = ["yes", None, (0.5, 1.5), TargetCell((0.25, 0.75)), (1.0, 3.0), (0.25, 0.75), TargetCell((1.0, 0.0))]


def make() -> Dataset:
    return make_dataset([RAIN, WIND], [[cell, (1.0, 2.0, 3.0)] for cell in CELLS])


def test_likelihoods_and_targets_are_counted():
    assert [count_vectors(make(), i) for i in range(2)] == [(3, 2), (7, 0)]
    assert count_vectors(make_dataset([RAIN], [["yes"]]), 0) == (0, 0)
    assert count_vectors(make().take(np.array([3])), 0) == (0, 1)


def test_likelihoods_of_equal_ratios_are_one_target():
    read = read_as(make(), 0, "target")
    same = TargetCell((0.25, 0.75))
    assert [row[0] for row in plain_rows(read)] == [0, None, same, same, same, same, TargetCell((1.0, 0.0))]
    assert len(set(read.codes[0, 2:6].tolist())) == 1
    assert not read.target_cells[1].any()


def test_targets_become_likelihoods_of_the_same_numbers():
    read = read_as(make(), 0, "likelihood")
    assert [row[0] for row in plain_rows(read)] == [0, None, *CELLS[2:3], (0.25, 0.75), *CELLS[4:6], (1.0, 0.0)]
    assert read.codes[0, 3] == read.codes[0, 5]
    assert not read.targets
    assert read.project([0]).n_rows == 6


def test_what_has_no_vectors_stays():
    data = make_dataset([RAIN], [["yes"], [None]])
    assert read_as(data, 0, "target") is data


@given(st.lists(st.lists(st.floats(0, 1e308), min_size=3, max_size=3).filter(any), min_size=1, max_size=5))
def test_any_likelihood_can_be_read_as_a_target_and_that_as_a_likelihood(vectors):
    data = make_dataset([WIND], [[tuple(vector)] for vector in vectors])
    targets = read_as(data, 0, "target")
    for (cell,), vector in zip(plain_rows(targets), vectors, strict=True):
        largest = max(vector)
        expected = np.array([number / largest for number in vector])
        assert cell.shares == pytest.approx(expected / expected.sum(), abs=1e-12)
    again = read_as(targets, 0, "likelihood")
    assert [row[0] for row in plain_rows(again)] == [row[0].shares for row in plain_rows(targets)]


def test_scaled_zeros_stay_zeros():
    assert scale(np.zeros((1, 2))).tolist() == [[0, 0]]
    assert scale(np.empty((0, 2))).shape == (0, 2)
