"""The best parameters for counts under any prior: every parameter set climbs by Newton's method ([uncertain] §6).

Derivatives are by η, θ = softmax(η), so that no step leaves the simplex.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.learning.newton import take_steps
from engine.learning.parameters import SMALLEST, Simplex
from engine.model.arrays import Bools, Floats
from engine.model.table_prior import InstalledPrior, LogisticNormal, TablePrior

DIFFERENCE = 1e-4
"""The step of the central differences by which a density is differentiated that says nothing of its slope."""
MOST_STEPS = 100
FARTHEST = 4.0
"""How far a step may move η: where θ is all but 0 or 1 nothing bends, and Newton's step would be beyond all numbers."""
LEAST = 1e-30
"""Where a set begins that has a parameter of zero, at which it would never move."""
MOST_CELLS = 200_000
"""Of the second derivatives that are held at a time: some hundredths of a second."""


def find_peak(geometry: Simplex, counts: Floats, theta: Floats, check: Callable[[], object] = lambda: None) -> Floats:
    """The parameters of highest Σ n log θ + log p(θ), from ``theta`` on; sets with neither data nor prior stay.

    Parameters
    ----------
    check : callable
        Called often; it may raise.
    """
    found, weights = theta.copy(), geometry.with_prior(counts)
    for places in geometry.places_by_size:
        step = max(1, MOST_CELLS // places.shape[1] ** 2)
        for first in range(0, len(places), step):
            some = places[first : first + step]
            found[some] = climb(geometry.prior, weights[some], theta[some], check)
    return geometry.follow(found)


def climb(
    prior: TablePrior | None, counts: Floats, theta: Floats, check: Callable[[], object] = lambda: None
) -> Floats:
    """The peaks of sets of one size, arrays of shape (sets, size)."""
    eta = np.log(np.maximum(theta, LEAST))
    moving = np.ones(len(eta), dtype=bool)
    for _ in range(MOST_STEPS):
        check()
        eta[moving], moving[moving] = _newton_step(prior, counts[moving], eta[moving])
        if not moving.any():
            break
    return softmax(eta)


def softmax(eta: Floats) -> Floats:
    """Parameters of sets of η."""
    weights = np.exp(eta - eta.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _newton_step(prior: TablePrior | None, counts: Floats, eta: Floats) -> tuple[Floats, Bools]:
    """A step for each set, halved until it gains, and whether it was worth it."""
    size = eta.shape[1]
    theta = softmax(eta)
    total = counts.sum(axis=1, keepdims=True)
    slope, bend = _differentiate(prior, eta)
    gradient = counts - theta * total + slope
    # θ(1 − θ) as what θ has with all others: 1 − θ would round to 0.
    shared = theta[:, :, None] * theta[:, None, :] * (1 - np.eye(size))
    curvature = total[:, :, None] * (shared.sum(axis=2)[:, :, None] * np.eye(size) - shared) - bend
    # η may be shifted as a whole without changing θ: hold its sum, and keep the matrix regular.
    scale = np.abs(np.trace(curvature, axis1=1, axis2=2))[:, None, None] + 1e-100
    curvature = curvature + scale / size + 1e-9 * scale * np.eye(size)
    if isinstance(prior, InstalledPrior):
        curvature = _make_positive(curvature)
    direction = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
    promise = (gradient * direction).sum(axis=1)
    length = np.minimum(1.0, FARTHEST / np.maximum(np.abs(direction).max(axis=1), FARTHEST))
    return take_steps(lambda at: _value(prior, counts, at), eta, direction, length, promise, 1 + total[:, 0])


def _make_positive(curvature: Floats) -> Floats:
    """The matrices with the magnitudes of their eigenvalues: a density need not be concave, and a step must climb."""
    values, vectors = np.linalg.eigh(curvature)
    values = np.abs(values)
    values = np.maximum(values, 1e-9 * values.max(axis=1, keepdims=True))
    return np.asarray((vectors * values[:, None, :]) @ vectors.swapaxes(1, 2))


def _value(prior: TablePrior | None, counts: Floats, eta: Floats) -> Floats:
    """Σ n log θ + log p(θ) of each set."""
    raised = eta - eta.max(axis=1, keepdims=True)
    logs = raised - np.log(np.exp(raised).sum(axis=1, keepdims=True))
    likelihood = np.asarray((counts * logs).sum(axis=1))
    return likelihood if prior is None else likelihood + _log_density(prior, eta)


def _log_density(prior: TablePrior, eta: Floats) -> Floats:
    return prior.at_logs(eta) if isinstance(prior, LogisticNormal) else prior.log_density(_inside(eta))


def _inside(eta: Floats) -> Floats:
    """Parameters of sets of η, none of them zero."""
    return np.maximum(softmax(eta), SMALLEST)


def _differentiate(prior: TablePrior | None, eta: Floats) -> tuple[Floats, Floats]:
    """The first and second derivatives of log p by η, shapes (sets, size) and (sets, size, size)."""
    n, size = eta.shape
    if prior is None:
        return np.zeros((n, size)), np.zeros((n, size, size))
    if isinstance(prior, LogisticNormal):
        bend = (1 / size - np.eye(size)) / prior.width**2
        return eta @ bend, np.broadcast_to(bend, (n, size, size))
    return _differentiate_numerically(lambda at: prior.log_density(_inside(at)), eta)


def _differentiate_numerically(function: Callable[[Floats], Floats], eta: Floats) -> tuple[Floats, Floats]:
    """The same of any function of sets, by central differences."""
    n, size = eta.shape
    h = DIFFERENCE
    slope, bend = np.empty((n, size)), np.empty((n, size, size))
    unit = h * np.eye(size)
    middle = function(eta)
    for a in range(size):
        above, below = function(eta + unit[a]), function(eta - unit[a])
        slope[:, a] = (above - below) / (2 * h)
        bend[:, a, a] = (above - 2 * middle + below) / h**2
        for b in range(a):
            corners = (
                function(eta + unit[a] + unit[b])
                - function(eta + unit[a] - unit[b])
                - function(eta - unit[a] + unit[b])
                + function(eta - unit[a] - unit[b])
            )
            bend[:, a, b] = bend[:, b, a] = corners / (4 * h**2)
    return slope, bend
