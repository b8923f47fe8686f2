"""Marks: a view over the data that leaves it as it is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.dataset import Role
from pgmgui.examples import load_gallery
from pgmgui.marks import Hidden, Partial, Soft, apply_marks


@pytest.fixture
def data():
    example = next(item for item in load_gallery() if item.id == "cancer")
    return example.read()[1].dataset


def role(dataset, name):
    return dataset.roles[[v.name for v in dataset.variables].index(name)]


def test_each_mark_gives_its_role_and_the_data_stays(data):
    name = data.variables[0].name
    before = data.codes.copy()
    for mark, expected in ((Hidden(), Role.HIDDEN), (Partial(0.5), Role.PARTIAL), (Soft(0.8), Role.SOFT)):
        assert role(apply_marks(data, {name: mark}), name) is expected
    assert role(apply_marks(data, {}), name) is role(data, name)
    np.testing.assert_array_equal(data.codes, before)


def test_marks_are_the_same_each_time_and_independent(data):
    first, second = data.variables[0].name, data.variables[1].name
    one = apply_marks(data, {first: Partial(0.3)})
    both = apply_marks(data, {second: Hidden(), first: Partial(0.3)})
    np.testing.assert_array_equal(one.codes[0], both.codes[0])


def test_a_sensor_of_full_reliability_says_what_is_true(data):
    seen = apply_marks(data, {data.variables[0].name: Soft(1.0)})
    vectors = seen.likelihoods[0][-2 - seen.codes[0]]
    np.testing.assert_array_equal(vectors.argmax(axis=1), data.codes[0])
    np.testing.assert_allclose(vectors.max(axis=1), 1.0)
