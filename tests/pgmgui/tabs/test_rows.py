"""Tables of numbers as rows of a grid: logarithms of factors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pgmgui.tabs.variable.rows import log_cells, take_logs

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
