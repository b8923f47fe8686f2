"""Geometries of parameters: free coordinates and back, priors and their slopes, steps that gain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from engine.learning.parameters import LogLinear, Simplex
from engine.model.errors import ModelError

pytestmark = pytest.mark.filterwarnings("error")

SIZES = np.array([2, 4, 3])
STARTS = np.array([0, 2, 6])


def simplex(exponents=1.0):
    return Simplex(STARTS, SIZES, np.broadcast_to(np.asarray(exponents, dtype=float), 9).copy())


def log_linear(sigma=math.inf, scale=math.inf, is_free=None):
    free = np.ones(9, dtype=bool) if is_free is None else np.array(is_free)
    return LogLinear(STARTS, SIZES, free, sigma, scale)


GEOMETRIES = [simplex(), simplex(2.5), log_linear(), log_linear(sigma=0.7), log_linear(scale=0.4)]


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

    def value(at):
        prior = geometry.log_prior(geometry.from_free(at))
        return 0.0 if prior is None else prior.sum()

    for k in range(9):
        step = h * (np.arange(9) == k)
        assert slope[k] == pytest.approx((value(eta + step) - value(eta - step)) / (2 * h), rel=1e-5, abs=1e-6)


def test_a_laplace_prior_holds_zeros_unless_the_data_pulls_harder():
    geometry = log_linear(scale=0.5)
    slope = geometry.pull_back(np.ones(9), np.array([2.5, 1.0, *[0.0] * 7]), np.array([0.0, 0.0, 3.0, *[0.0] * 6]))
    np.testing.assert_allclose(slope, [0.5, 0.0, -1.0, *[0.0] * 6])


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0, 50),
    st.floats(1e-6, 50),
    st.floats(-3, 3),
    st.integers(1, 6),
    st.sampled_from(["none", "l2", "l1"]),
    st.floats(0.05, 20),
)
def test_a_step_of_a_factor_is_the_best_of_its_bound(counts, model_counts, w, coupled, kind, scale):
    """n δ − (m / F) e^{Fδ} + log prior(w + δ), maximised by SciPy."""
    if kind == "none" and counts == 0:
        return
    options = {"none": {}, "l2": {"sigma": scale}, "l1": {"scale": scale}}[kind]
    geometry = LogLinear(np.array([0]), np.array([1]), np.ones(1, dtype=bool), np.array([float(coupled)]), **options)

    def loss(delta):
        prior = geometry.log_prior(np.exp([w + delta]))
        with np.errstate(over="ignore"):
            value = counts * delta - model_counts / coupled * np.exp(coupled * delta)
        return -(value + (0.0 if prior is None else prior[0]))

    found = geometry._best_step(np.array([w]), np.array([counts]), np.array([model_counts]), geometry.coupled)[0]
    best = minimize_scalar(loss, bracket=(-1.0, 1.0), options={"xtol": 1e-12})
    if np.isneginf(found):  # a Laplace prior and no count: all the way down
        assert kind == "l1"
        assert counts + 1 / scale <= 0 or loss(-40.0) <= best.fun + 1e-9
    else:
        assert loss(found) <= best.fun + 1e-9 * max(1.0, abs(best.fun))


def test_best_parameters_of_a_simplex():
    geometry, theta = simplex([1.0] * 6 + [2.0] * 3), simplex().random(np.random.default_rng(2))
    counts = np.array([3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    found = geometry.maximise(counts, np.zeros(9), theta)
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
    moved = geometry.maximise(np.full(9, 2.0), np.full(9, 1.0), theta)
    assert (moved[~np.array(free)] == 0).all()
    np.testing.assert_array_equal(geometry.from_free(geometry.to_free(theta)) == 0, ~np.array(free))


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_repeated_geometries_are_the_same_side_by_side(geometry):
    generator = np.random.default_rng(6)
    thetas, counts, model = (generator.uniform(0.2, 2, (3, 9)) for _ in range(3))
    many = geometry.repeated(3)
    found = many.maximise(counts.reshape(-1), model.reshape(-1), thetas.reshape(-1)).reshape(3, 9)
    slope = many.pull_back(thetas.reshape(-1), counts.reshape(-1), model.reshape(-1)).reshape(3, 9)
    for k in range(3):
        np.testing.assert_allclose(found[k], geometry.maximise(counts[k], model[k], thetas[k]), rtol=1e-12)
        np.testing.assert_allclose(slope[k], geometry.pull_back(thetas[k], counts[k], model[k]), rtol=1e-12)


@pytest.mark.parametrize(
    "options", [{"sigma": 0.0}, {"scale": -1.0}, {"sigma": math.nan}, {"sigma": 1.0, "scale": 1.0}]
)
def test_impossible_priors_are_refused(options):
    with pytest.raises(ModelError, match=r"above 0|not both"):
        log_linear(**options)
