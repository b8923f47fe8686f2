"""Geometries of parameters: free coordinates and back, priors and their slopes, steps that gain."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.parameters import LogLinear, Simplex
from engine.model.prior import Gaussian, Laplace

pytestmark = pytest.mark.filterwarnings("error")

SIZES = np.array([2, 4, 3])
STARTS = np.array([0, 2, 6])


def simplex(exponents=1.0):
    return Simplex(STARTS, SIZES, np.broadcast_to(np.asarray(exponents, dtype=float), 9).copy())


def log_linear(prior=None, is_free=None):
    free = np.ones(9, dtype=bool) if is_free is None else np.array(is_free)
    return LogLinear(STARTS, SIZES, free, prior)


GEOMETRIES = [simplex(), simplex(2.5), log_linear(), log_linear(Gaussian(0.7)), log_linear(Laplace(0.4))]


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_free_coordinates_and_back(geometry):
    theta = geometry.random(np.random.default_rng(0))
    np.testing.assert_allclose(geometry.from_free(geometry.to_free(theta)), theta, rtol=1e-12)
    assert geometry.change(theta, theta).max() == 0


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_the_slope_of_the_prior(geometry):
    """With no data, what is pulled back is the derivative of the log prior by the free coordinates."""
    theta = geometry.random(np.random.default_rng(1)) * (1 if isinstance(geometry, Simplex) else 1.7)
    eta, nothing, h = geometry.to_free(theta), np.zeros(9), 1e-6
    slope = geometry.pull_back(theta, nothing, nothing)
    orthant = geometry.find_orthant(eta, slope)
    slope = slope if orthant is None else orthant.climb

    def value(at):
        prior = geometry.log_prior(geometry.from_free(at))
        return 0.0 if prior is None else prior.sum()

    for k in range(9):
        step = h * (np.arange(9) == k)
        assert slope[k] == pytest.approx((value(eta + step) - value(eta - step)) / (2 * h), rel=1e-5, abs=1e-6)


def test_a_laplace_prior_holds_zeros_unless_the_data_pulls_harder():
    geometry, at = log_linear(Laplace(0.5)), np.zeros(9)
    slope = geometry.pull_back(np.ones(9), np.array([2.5, 1.0, *[0.0] * 7]), np.array([0.0, 0.0, 3.0, *[0.0] * 6]))
    orthant = geometry.find_orthant(at, slope)
    np.testing.assert_allclose(orthant.climb, [0.5, 0.0, -1.0, *[0.0] * 6])
    np.testing.assert_array_equal(orthant.project(np.full(9, 0.1)), [0.1, *[0.0] * 8])


def test_a_factor_moves_in_the_simplex_of_its_marginal():
    """θ ← θ t / Pr(x_f): the model's marginals come from its counts, and what is impossible stays so."""
    geometry = log_linear(is_free=[True, False, *[True] * 7])
    theta = np.array([0.5, 0.0, 1.0, 2.0, 3.0, 4.0, 1.0, 1.0, 2.0])
    counts = np.array([8.0, 0.0, 1.0, 2.0, 4.0, 1.0, 2.0, 2.0, 4.0])
    local = geometry.to_local(theta, counts)
    np.testing.assert_allclose(local, [1, 0, 0.125, 0.25, 0.5, 0.125, 0.25, 0.25, 0.5])
    moved = np.array([1.0, 0.0, 0.25, 0.25, 0.25, 0.25, 1.0, 0.0, 0.0])
    np.testing.assert_allclose(geometry.from_local(theta, local, moved), [0.5, 0.0, 2.0, 2.0, 1.5, 8.0, 4.0, 0.0, 0.0])


def test_best_parameters_of_a_simplex():
    geometry, theta = simplex([1.0] * 6 + [2.0] * 3), simplex().random(np.random.default_rng(2))
    counts = np.array([3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    found = geometry.maximise(counts, theta)
    np.testing.assert_allclose(found[:2], [0.75, 0.25])
    np.testing.assert_array_equal(found[2:6], theta[2:6])  # neither data nor prior
    np.testing.assert_allclose(found[6:], [0.5, 0.25, 0.25])


def test_the_gauge_of_a_factor_does_not_count():
    geometry = log_linear()
    theta = geometry.random(np.random.default_rng(4))
    scaled = theta * np.repeat([2.0, 1e-5, 7.0], SIZES)
    np.testing.assert_allclose(geometry.change(scaled, theta), 0, atol=1e-15)
    np.testing.assert_allclose(geometry.from_free(geometry.to_free(scaled) + 900), theta, rtol=1e-9)


def test_structural_zeros_are_no_parameters():
    free = [True, False, True, True, False, True, True, True, True]
    geometry = log_linear(is_free=free)
    theta = geometry.random(np.random.default_rng(5))
    assert (theta[~np.array(free)] == 0).all()
    assert (geometry.pull_back(theta, np.ones(9), np.zeros(9))[~np.array(free)] == 0).all()
    np.testing.assert_array_equal(geometry.from_free(geometry.to_free(theta)) == 0, ~np.array(free))


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_repeated_geometries_are_the_same_side_by_side(geometry):
    generator = np.random.default_rng(6)
    thetas, counts, model = (generator.uniform(0.2, 2, (3, 9)) for _ in range(3))
    many = geometry.repeated(3)
    local = many.to_local(thetas.reshape(-1), model.reshape(-1)).reshape(3, 9)
    slope = many.pull_back(thetas.reshape(-1), counts.reshape(-1), model.reshape(-1)).reshape(3, 9)
    for k in range(3):
        np.testing.assert_allclose(local[k], geometry.to_local(thetas[k], model[k]), rtol=1e-12)
        np.testing.assert_allclose(slope[k], geometry.pull_back(thetas[k], counts[k], model[k]), rtol=1e-12)


def test_a_step_that_goes_too_far_is_a_number_all_the_same():
    geometry = log_linear(Laplace(0.5))
    assert np.isfinite(geometry.from_free(np.full(9, 1e6))).all()
    assert np.isfinite(geometry.log_prior(geometry.from_free(np.full(9, 1e6)))).all()
