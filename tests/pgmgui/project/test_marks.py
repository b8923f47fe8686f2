"""Marks: a view over the data that leaves it as it is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model.dataset import Role, TargetCell, make_dataset
from engine.model.errors import ModelError, UnknownNameError
from engine.model.variable import Variable
from engine.simulation.missingness import remove_mar
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import (
    MECHANISMS,
    Given,
    Hidden,
    Partial,
    ReadAs,
    Sensor,
    Soft,
    apply_marks,
    confusion,
    describe_mark,
    describe_role,
    list_readings,
)
from tests.plain import plain_rows


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


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("fraction", [0.0, 0.25, 1.0])
def test_the_fraction_is_that_of_the_cells(data, mechanism, fraction):
    name = data.variables[1].name
    seen = apply_marks(data, {name: Partial(fraction, mechanism)})
    missing = seen.codes[1] < 0
    # Five standard deviations of a fraction of that many cells.
    assert missing.mean() == pytest.approx(fraction, abs=5 * (fraction * (1 - fraction) / data.n_rows) ** 0.5)
    np.testing.assert_array_equal(seen.codes[1][~missing], data.codes[1][~missing])
    np.testing.assert_array_equal(np.delete(seen.codes, 1, axis=0), np.delete(data.codes, 1, axis=0))


def test_what_makes_cells_missing_at_random_stays_observed(data):
    """Whatever else is marked, by the data's order before or after."""
    names = [v.name for v in data.variables]
    marks = {names[0]: Partial(0.5), names[1]: Partial(0.5, "mar"), names[2]: Soft(0.7), names[3]: Hidden()}
    seen = apply_marks(data, marks)
    expected = remove_mar(data, 0.5, 1, [names[1]], [names[4]])
    np.testing.assert_array_equal(seen.codes[1], expected.codes[1])
    with pytest.raises(ModelError, match=f"'{names[1]}' cannot be missing at random.*choose another mechanism"):
        apply_marks(data, {**marks, names[4]: Hidden()})


def test_no_rows_have_nothing_to_lose():
    empty = make_dataset([Variable("A", ("a", "b"))], [])
    for mark in (Hidden(), *(Partial(0.5, mechanism) for mechanism in MECHANISMS), Soft(0.8)):
        assert apply_marks(empty, {"A": mark}).n_rows == 0


def test_a_confusion_table_reports_as_often_as_it_says():
    sensor = Sensor(((0.9, 0.1), (0.4, 0.6)))
    rows = [["a"]] * 4000 + [["b"]] * 4000 + [[None]]
    data = make_dataset([Variable("A", ("a", "b"))], rows)
    seen = apply_marks(data, {"A": sensor})
    assert seen.codes[0, -1] == -1
    vectors = seen.likelihoods[0][-2 - seen.codes[0, :-1]]
    reported_a = vectors[:, 0] == 0.9
    np.testing.assert_array_equal(vectors[reported_a], [[0.9, 0.4]] * reported_a.sum())
    np.testing.assert_array_equal(vectors[~reported_a], [[0.1, 0.6]] * (~reported_a).sum())
    for share, half in ((0.9, reported_a[:4000]), (0.4, reported_a[4000:])):
        assert half.mean() == pytest.approx(share, abs=5 * (share * (1 - share) / 4000) ** 0.5)


def test_a_reliability_is_a_confusion_table_alike_for_the_others():
    np.testing.assert_allclose(confusion(3, Soft(0.8)), [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    np.testing.assert_array_equal(confusion(1, Soft(0.8)), [[1.0]])
    np.testing.assert_array_equal(confusion(2, Sensor(((0.9, 0.1), (0.4, 0.6)))), [[0.9, 0.1], [0.4, 0.6]])


def test_marks_that_cannot_be_say_why():
    coin = Variable("A", ("a", "b"))
    soft = make_dataset([coin, Variable("B", ("a", "b"))], [[(0.2, 0.8), "a"], ["a", "b"]])
    for mark in (Soft(0.8), Sensor(((1.0, 0.0), (0.0, 1.0)))):
        with pytest.raises(ModelError, match=r"'A' has likelihoods or targets in the data already.*hide it"):
            apply_marks(soft, {"A": mark})
    with pytest.raises(UnknownNameError, match="a mark on 'C'"):
        apply_marks(soft, {"C": Hidden()})
    assert apply_marks(soft, {"A": Hidden()}).roles == (Role.HIDDEN, Role.OBSERVED)


def test_what_is_given_is_seen_as_it_was_and_still_decides_what_is_missing(data):
    first, second = data.variables[0].name, data.variables[1].name
    alone = apply_marks(data, {first: Partial(0.5, "mar")})
    beside = apply_marks(data, {first: Partial(0.5, "mar"), second: Given()})
    np.testing.assert_array_equal(alone.codes, beside.codes)
    assert describe_mark(Given()) == "given, so that the others are learned given it"


COIN = Variable("A", ("a", "b"))
LIKELIHOOD, TARGET = (0.5, 1.5), TargetCell((0.25, 0.75))


def test_likelihoods_are_read_as_targets_and_targets_as_likelihoods():
    data = make_dataset([COIN], [["a"], [None], [LIKELIHOOD], [TARGET]])
    assert plain_rows(apply_marks(data, {"A": ReadAs("target")})) == [[0], [None], [TARGET], [TARGET]]
    assert plain_rows(apply_marks(data, {"A": ReadAs("likelihood")})) == [[0], [None], [LIKELIHOOD], [TARGET.shares]]
    assert plain_rows(data) == [[0], [None], [LIKELIHOOD], [TARGET]]
    assert describe_mark(ReadAs("target")) == "its likelihoods are read as targets for the posterior"


def test_a_variable_is_read_otherwise_only_where_it_has_something_to_read():
    for cells, expected in (
        (["a", None], []),
        ([LIKELIHOOD, "a"], ["target"]),
        ([TARGET], ["likelihood"]),
        ([TARGET, LIKELIHOOD], ["target", "likelihood"]),
    ):
        data = make_dataset([COIN], [[cell] for cell in cells])
        assert list_readings(data, 0) == expected
    hard = make_dataset([COIN], [["a"]])
    assert apply_marks(hard, {"A": ReadAs("target")}) is hard


def test_roles_tell_likelihoods_and_targets_apart():
    data = make_dataset([COIN], [["a"], [LIKELIHOOD], [TARGET], [TARGET]])
    assert describe_role(data, 0) == "uncertain: likelihoods in 1 and targets in 2 of 4 rows"
    assert describe_role(data.take(np.array([0, 3])), 0) == "uncertain: targets in 1 of 2 rows"


def test_what_is_read_otherwise_may_decide_what_is_missing_at_random(data):
    first, second = data.variables[0].name, data.variables[1].name
    beside = apply_marks(data, {first: Partial(0.5, "mar"), second: ReadAs("target")})
    np.testing.assert_array_equal(beside.codes, apply_marks(data, {first: Partial(0.5, "mar")}).codes)
