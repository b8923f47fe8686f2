"""Tables of numbers as rows of a grid: their decimals, and logarithms of factors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pgmgui.tabs.variable.rows import find_decimals, log_cells, number_cells, take_logs

TABLES = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.floats(0, 1e6, width=32))


@given(TABLES, st.floats(1e-3, 1e3))
def test_scale_free_logs_sum_to_zero_and_do_not_see_a_scale(table, scale):
    logs, free = take_logs(table, False), take_logs(table, True)
    assert np.array_equal(np.isneginf(logs), table == 0)
    np.testing.assert_allclose(np.exp(logs), table, rtol=1e-12)
    finite = table > 0
    np.testing.assert_allclose(free[finite].sum(), 0, atol=1e-9)
    np.testing.assert_allclose(take_logs(table * scale, True)[finite], free[finite], atol=1e-9)
    if finite.any():
        differences = logs[finite] - free[finite]
        np.testing.assert_allclose(differences, differences[0], atol=1e-9)


def test_a_zero_reads_minus_infinity_and_says_why():
    first, second = log_cells(take_logs(np.array([0.0, 1.0]), False))
    assert isinstance(first, dict)
    assert (first["text"], second) == ("−∞", "0")
    assert "zero" in first["about"]


def texts(table):
    decimals = find_decimals(table)
    return [[c["text"] if isinstance(c, dict) else c for c in number_cells(row, decimals)] for row in table]


def test_digits_of_a_table_stand_below_each_other():
    assert texts(np.array([[0.9, 0.1], [1.0, 0.0], [0.75, 0.25]])) == [
        ["0.90", "0.10"],
        ["1.00", "0.00"],
        ["0.75", "0.25"],
    ]
    assert texts(np.array([[1 / 3, 2 / 3], [0.5, 0.5]])) == [["0.333333", "0.666667"], ["0.500000", "0.500000"]]
    assert texts(np.array([[1.0, 1.0], [2.0, 3.0]])) == [["1", "1"], ["2", "3"]]


def test_what_equal_decimals_would_hide_is_shown_as_it_is():
    assert texts(np.array([[1e-12, 1.0]])) == [["1e-12", "1"]]
    assert texts(np.array([[0.5, 12345.678]])) == [["0.5", "12345.7"]]
    # A row that is being typed may say more than its table.
    assert number_cells(np.array([0.875, 0.2]), 1) == ["0.875", "0.200"]


@given(TABLES)
def test_every_digit_is_edited(table):
    decimals = find_decimals(table)
    for row in table:
        cells = number_cells(row, decimals)
        assert [float(c["typed"] if isinstance(c, dict) else c) for c in cells] == row.tolist()
