"""Equal rows are found alike by counting their keys and by sorting them."""

import numpy as np
import pytest

from engine.model.distinct import COUNTED, distinct_rows


@pytest.mark.parametrize("states", [2, 7, 300], ids=["few keys", "as many as are counted", "too many to count"])
def test_groups_are_those_of_numpy(states):
    columns = np.random.default_rng(states).integers(-1, states, (3, 60)).astype(np.int16)
    representative, group = distinct_rows(columns, 60)
    rows, first, inverse = np.unique(columns.T, axis=0, return_index=True, return_inverse=True)
    assert (columns.T[representative] == rows).all()
    assert representative.tolist() == first.tolist()
    assert group.tolist() == inverse.reshape(-1).tolist()


def test_both_ways_are_tried():
    assert (7 + 1) ** 3 <= max(COUNTED * 60, 1024) < (300 + 1) ** 3
