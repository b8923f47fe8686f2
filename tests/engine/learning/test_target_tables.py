"""Fitting many small tables at once: to margins that can be met, and whether they can, against linear programming."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from engine.learning.targets.solving import solve_tables

pytestmark = pytest.mark.filterwarnings("error")
TINY = np.array([1e-12, 1e-6, 1e-3, 0.1, 1.0])


def draw(shape, values, tables=60):
    """Tables of a few values that are far apart, and margins."""
    generator = np.random.default_rng(len(shape) + len(values))
    shares = np.zeros((tables, len(shape), max(shape)))
    for k, size in enumerate(shape):
        shares[:, k, :size] = generator.dirichlet(np.ones(size), size=tables)
    shares[: tables // 4, 0] = np.eye(max(shape))[0]  # a target of one state for sure
    return values[generator.integers(0, len(values), size=(tables, *shape))], shares


def log(tables):
    with np.errstate(divide="ignore"):
        return np.log(tables)


def can_be_met(table, shares):
    """Whether a distribution with these margins is nowhere positive where the table is not."""
    cells = np.argwhere(table > 0)
    if not len(cells):
        return False
    wanted = [(k, x) for k, size in enumerate(table.shape) for x in range(size)]
    sums = np.array([cells[:, k] == x for k, x in wanted], dtype=float)
    return linprog(np.zeros(len(cells)), A_eq=sums, b_eq=[shares[k, x] for k, x in wanted]).status == 0


@pytest.mark.parametrize("shape", [(2,), (2, 2), (3, 3), (2, 3, 4), (2, 2, 2, 2)])
@pytest.mark.parametrize("values", [TINY, np.append(TINY, 0.0)], ids=["positive", "zeros"])
def test_margins_are_met_wherever_they_can_be(shape, values):
    tables, shares = draw(shape, values)
    logs, residuals = solve_tables(log(tables), shares)
    for table, wanted, own, residual in zip(tables, shares, logs, residuals, strict=True):
        is_met = residual <= 1e-9
        assert is_met == can_be_met(table, wanted)
        if is_met:
            fitted = table.copy()
            for k, size in enumerate(shape):
                factor = np.exp(own[k, :size] - own[k, :size].max())
                fitted *= factor.reshape([-1 if axis == k else 1 for axis in range(len(shape))])
            fitted /= fitted.sum()
            for k, size in enumerate(shape):
                margin = fitted.sum(axis=tuple(axis for axis in range(len(shape)) if axis != k))
                np.testing.assert_allclose(margin, wanted[k, :size], atol=1e-9)


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (2, 3, 4), (2, 2, 2, 2)])
def test_margins_that_cannot_be_met_are_given_up(shape):
    """As soon as that is known, and not after hundreds of rounds; of a few tables it is not found out."""
    tables, shares = draw(shape, np.append(TINY, [0.0, 0.0]))
    _, residuals = solve_tables(log(tables), shares)
    never = residuals > 1e-9
    assert never.any()
    assert np.isinf(residuals[never]).mean() > 0.9
