"""Edits of data: what they do, against editing lists of cells; and that they are taken back exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.data_edits import InsertRows, RemoveRows, SetCells, Several, add_vectors, missing_rows
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, TargetCell, make_dataset
from engine.model.errors import ModelError
from engine.model.variable import Variable
from tests.plain import plain_data

RAIN, WIND = Variable("Rain", ("yes", "no")), Variable("Wind", ("calm", "breeze", "storm"))
ROWS = [["yes", "calm"], [None, "storm"], [(0.2, 0.8), None], ["no", "breeze"]]


def make() -> Dataset:
    return make_dataset([RAIN, WIND], ROWS, [1, 2, 3, 4])


def read(dataset: Dataset) -> list[list[object]]:
    """The cells of data, each row with its weight."""
    rows, weights = plain_data(dataset)
    return [[*row, weight] for row, weight in zip(rows, weights, strict=True)]


def code(rows: list[list[object]]) -> list[list[object]]:
    """Rows in words as rows of codes."""
    variables = [RAIN, WIND]
    return [
        [*(variables[i].code(cell) if isinstance(cell, str) else cell for i, cell in enumerate(row[:-1])), row[-1]]
        for row in rows
    ]


def check(edit, expected: list[list[object]]) -> None:
    before = make()
    words = read(before)
    after = edit.apply(before)
    assert read(after) == code(expected)
    back = edit.invert(before)
    assert read(back.apply(after)) == words == read(before)
    assert read(back.invert(after).apply(before)) == code(expected)


def test_cells_and_weights():
    edit = SetCells(np.array([0, 3]), [1], np.array([[MISSING, 2]]), weights=np.array([0.5, 7.0]))
    check(edit, [["yes", None, 0.5], [None, "storm", 2], [(0.2, 0.8), None, 3], ["no", "storm", 7]])


def test_a_likelihood_more():
    more = add_vectors(make(), 0, [(1, 0.5), (0.2, 0.8)])
    assert more.codes == [-3, -2]
    edit = SetCells(np.array([0, 1]), [0], np.array([more.codes]), {0: more.vectors})
    check(edit, [[(1, 0.5), "calm", 1], [(0.2, 0.8), "storm", 2], [(0.2, 0.8), None, 3], ["no", "breeze", 4]])


def test_a_likelihood_more_where_known_ones_are_equal():
    known = np.array([(0.2, 0.8), (0.2, 0.8), (0.5, 0.5)])
    data = Dataset((RAIN,), np.array([[-2, -3, -4]]), np.ones(3), {0: known})
    wanted = [(1, 0.5), (0.5, 0.5), (0.2, 0.8), (1, 0.5)]
    more = add_vectors(data, 0, wanted)
    np.testing.assert_array_equal(more.vectors, [*known, (1, 0.5)])
    assert [tuple(more.vectors[FIRST_LIKELIHOOD - code]) for code in more.codes] == wanted
    assert more.codes[0] == more.codes[3]
    assert more.targets is None


def test_a_target_more_beside_a_likelihood_of_the_same_numbers():
    wanted = [TargetCell((0.2, 0.8)), (0.2, 0.8), TargetCell((1, 0)), TargetCell((0.2, 0.8))]
    more = add_vectors(make(), 0, wanted)
    assert more.codes == [-3, -2, -4, -3]
    assert more.targets.tolist() == [False, True, True]
    edit = SetCells(np.arange(4), [0], np.array([more.codes]), {0: more.vectors}, {0: more.targets})
    check(edit, [[cell, row[1], weight] for cell, row, weight in zip(wanted, ROWS, (1, 2, 3, 4), strict=True)])


def test_the_first_vector_of_a_variable_is_a_target():
    more = add_vectors(make(), 1, [TargetCell((0.5, 0.25, 0.25))])
    edit = SetCells(np.array([0]), [1], np.array([more.codes]), {1: more.vectors}, {1: more.targets})
    check(edit, [["yes", TargetCell((0.5, 0.25, 0.25)), 1], *([*row, k + 2] for k, row in enumerate(ROWS[1:]))])
    assert not edit.invert(make()).apply(edit.apply(make())).targets


def test_rows_go_and_come():
    check(RemoveRows(np.array([0, 2])), [[None, "storm", 2], ["no", "breeze", 4]])
    check(missing_rows(make(), 1), [*([*row, w] for row, w in zip(ROWS, (1, 2, 3, 4), strict=True)), [None, None, 1]])
    insert = InsertRows(np.array([0, 2]), np.array([[0, 1], [2, 2]]), np.array([5.0, 6.0]))
    rows = [[*row, w] for row, w in zip(ROWS, (1, 2, 3, 4), strict=True)]
    check(insert, [["yes", "storm", 5], rows[0], ["no", "storm", 6], *rows[1:]])


def test_several_are_taken_back_in_turn():
    edit = Several([RemoveRows(np.array([1])), SetCells(np.array([1]), [0], np.array([[0]]))])
    check(edit, [["yes", "calm", 1], ["yes", None, 3], ["no", "breeze", 4]])


def test_rows_that_are_not_there():
    for edit in (RemoveRows(np.array([4])), SetCells(np.array([-1]), [0], np.array([[0]]))):
        with pytest.raises(ModelError, match="no such row"):
            edit.apply(make())


def test_many_likelihoods_need_wider_codes():
    """Of int8, 127 vectors are the most."""
    data = make_dataset([RAIN], [["yes"]] * 300)
    assert data.codes.dtype == np.int8
    more = add_vectors(data, 0, [(1, k + 1) for k in range(300)])
    after = SetCells(np.arange(300), [0], np.array([more.codes]), {0: more.vectors}).apply(data)
    assert [row[0] for row in read(after)] == [(1, k + 1) for k in range(300)]


def test_an_edit_holds_no_more_than_it_touches():
    """An edit of one cell of a million rows is a few numbers, and so is what takes it back."""
    data = Dataset((RAIN,), np.zeros((1, 1_000_000), dtype=np.int8), np.ones(1_000_000))
    edit = SetCells(np.array([5]), [0], np.array([[1]]))
    back = edit.invert(data)
    assert back.codes.nbytes + back.rows.nbytes < 100
    assert edit.apply(data).weights is data.weights


@given(st.lists(st.sets(st.integers(0, 9), max_size=4), max_size=4))
def test_random_removals_and_back(removals):
    data = make_dataset([WIND], [[WIND.states[k % 3]] for k in range(30)], np.arange(30.0))
    edit = Several([RemoveRows(np.array(sorted(rows), dtype=np.int64)) for rows in removals])
    rows = read(data)
    for gone in removals:
        rows = [row for k, row in enumerate(rows) if k not in gone]
    after = edit.apply(data)
    assert read(after) == rows
    assert read(edit.invert(data).apply(after)) == read(data)
