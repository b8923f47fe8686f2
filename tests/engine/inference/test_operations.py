"""Products and sums of tables, recorded and run, equal those that NumPy finds at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.inference.operations import LARGE, SHORT, Operations, other_axes

CARDINALITIES = {2: 3, 5: 1, 1: 2, 7: 4, 0: 2, 3: 2, 4: 3, 6: 5}
SCOPE = tuple(CARDINALITIES)


def shape(scope, rows):
    return (*(CARDINALITIES[v] for v in scope), rows)


@pytest.mark.parametrize("rows", [1, 3, SHORT])
def test_sums_to_many_scopes_equal_those_of_each(rows):
    rng = np.random.default_rng(rows)
    table = rng.random(shape(SCOPE, rows))
    assert table.size >= LARGE
    scopes = [scope for size in (0, 1, 2, 3) for scope in itertools.combinations(SCOPE, size)]
    some = [SCOPE, SCOPE[1:], SCOPE[::2], *(scopes[k] for k in rng.permutation(len(scopes))[:40])]
    for wanted in (some, some[:1], some[1:2], [SCOPE[:3], SCOPE[3:]], []):
        operations, found = Operations(CARDINALITIES, rows), {}
        operations.sum_all(table, SCOPE, list(wanted), found)
        for _ in range(2):  # what was borrowed is written over
            operations.run()
            assert found.keys() == set(wanted)
            for scope in wanted:
                np.testing.assert_allclose(found[scope], table.sum(axis=other_axes(SCOPE, scope)), rtol=1e-12)


def test_few_sums_take_little_memory():
    """All pairs of many variables are summed from each other, in arrays that are used again."""
    scope = tuple(range(14))
    operations, found = Operations(dict.fromkeys(scope, 2), 1), {}
    table = np.random.default_rng(0).random((*(2,) * 14, 1))
    operations.sum_all(table, scope, list(itertools.combinations(scope, 2)), found)
    operations.run()
    for pair, marginal in found.items():
        np.testing.assert_allclose(marginal, table.sum(axis=other_axes(scope, pair)), rtol=1e-12)
    assert sum(array.size for arrays in operations._idle.values() for array in arrays) <= 2 * table.size


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("stands", [False, True], ids=["apart", "one in the table"])
def test_products_equal_those_one_by_one(rows, stands):
    rng = np.random.default_rng(7)
    for count in (0, 1, 2, 5, 40):
        table = np.empty(shape(SCOPE, rows))
        inputs = []
        for _ in range(count):
            held = set(rng.permutation(SCOPE)[: rng.integers(0, 4)].tolist())
            inputs.append(rng.random([CARDINALITIES[v] if v in held else 1 for v in SCOPE] + [rows]))
        values = rng.random(table.shape)
        expected = values.copy() if stands else np.ones(table.shape)
        for array in inputs:
            expected *= array
        operations = Operations(CARDINALITIES, rows)
        before = [array.copy() for array in inputs]
        operations.multiply([*inputs, *([table] if stands else [])], table)
        for _ in range(2):
            if stands:
                table[:] = values
            operations.run()
            np.testing.assert_allclose(table, expected, rtol=1e-12)
        assert all(np.array_equal(a, b) for a, b in zip(before, inputs, strict=True))
