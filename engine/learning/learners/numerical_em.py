"""Numerical EM ([uncertain] §6): the M-step by Newton's method, for priors that have no closed form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, Words
from engine.learning.newton import take_steps
from engine.learning.parameters import SMALLEST, Sets
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints, xlogy
from engine.model.network import BayesianNetwork, Network

LogDensity = Callable[[Floats], Floats]
"""The logarithm of a prior on a parameter set, up to a constant: from parameters of shape (sets, states),
each set summing to one, to one number per set. It should be concave, or at least have one peak."""

DIFFERENCE = 1e-4
"""The step of the central differences by which a density is differentiated."""
MOST_STEPS = 50


@dataclass(frozen=True)
class Dirichlet:
    """Σ (ψ − 1) log θ, the prior that EM has a closed form for."""

    exponent: float

    def __call__(self, theta: Floats) -> Floats:
        return np.asarray(xlogy(self.exponent - 1, theta).sum(axis=1))


@dataclass(frozen=True)
class LogisticNormal:
    """A normal density on the logarithms of the parameters, centred: sets near uniform are likely.

    Attributes
    ----------
    scale : float
        The standard deviation of each log θ(x) − mean log θ.
    """

    scale: float

    def __call__(self, theta: Floats) -> Floats:
        logs = np.log(theta)
        centred = logs - logs.mean(axis=1, keepdims=True)
        return np.asarray(-0.5 * (centred**2).sum(axis=1) / self.scale**2)


@dataclass(frozen=True)
class NumericalEM:
    """EM whose M-step climbs Σ n log θ + log p(θ) of every parameter set by Newton's method.

    Derivatives are by η, θ = softmax(η), so that no step leaves the simplex. The problem itself must have
    no prior: this learner brings its own, and its objective is the log-likelihood plus Σ log p.
    """

    log_density: LogDensity
    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "The E-step is EM's. The M-step has no formula for this prior, so Newton's method climbs to its peak.",
            r"\theta \leftarrow \mathrm{arg}\max\limits_\theta \sum_x n_{xu} \log\theta_{x|u} "
            r"+ \log p(\theta_{\cdot|u})",
        ),
    }

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The E-step at the start."""
        return self._evaluate(work, theta, cancelled)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The numerical M-step, and the E-step at the new parameters."""
        theta, sets = state.theta.copy(), work.objective.geometry
        for size in np.unique(sets.sizes[sets.sizes > 1]):
            places = _places(sets, int(size))
            theta[places] = climb(self.log_density, state.counts[places], state.theta[places])
        return self._evaluate(work, sets.follow(theta), cancelled)

    def _evaluate(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        found = work.evaluate(theta, cancelled)
        objective, sets = work.objective, work.objective.geometry
        prior = np.zeros(objective.n_parameters)
        for size in np.unique(sets.sizes):
            places = _places(sets, int(size))
            prior[places[:, 0]] = self.log_density(np.maximum(theta[places], SMALLEST))
        if sets.lead is not None:  # a shared table has one prior
            prior[sets.lead != np.arange(len(prior))] = 0.0
        reached = found.log_likelihood + objective.sum(prior)
        return State(theta, found.log_likelihood, reached, found.counts, found.model_counts), Info(found.propagated)


def _places(sets: Sets, size: int) -> Ints:
    """Where the parameter sets of one size stand, shape (sets, size)."""
    return np.asarray(sets.starts[sets.sizes == size][:, None] + np.arange(size))


def climb(log_density: LogDensity, counts: Floats, theta: Floats) -> Floats:
    """The parameters of highest Σ n log θ + log p(θ), set by set, from ``theta`` on."""
    eta = np.log(np.maximum(theta, SMALLEST))
    moving = np.ones(len(eta), dtype=bool)
    for _ in range(MOST_STEPS):
        if not moving.any():
            break
        eta[moving], moving[moving] = _newton_step(log_density, counts[moving], eta[moving])
    return softmax(eta)


def softmax(eta: Floats) -> Floats:
    """Parameters of sets of η."""
    weights = np.exp(eta - eta.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _newton_step(log_density: LogDensity, counts: Floats, eta: Floats) -> tuple[Floats, Bools]:
    """A step for each set, halved until it gains, and whether it was worth it."""
    size = eta.shape[1]
    theta = softmax(eta)
    total = counts.sum(axis=1, keepdims=True)
    slope, bend = _differentiate(lambda at: log_density(softmax(at)), eta)
    gradient = counts - theta * total + slope
    curvature = total[:, :, None] * (theta[:, :, None] * np.eye(size) - theta[:, :, None] * theta[:, None, :]) - bend
    # η may be shifted as a whole without changing θ: hold its sum, and keep the matrix positive.
    scale = np.abs(np.trace(curvature, axis1=1, axis2=2))[:, None, None] + 1e-12
    curvature = curvature + scale / size + 1e-9 * scale * np.eye(size)
    direction = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
    promise = (gradient * direction).sum(axis=1)
    uphill = promise > 0
    direction = np.where(uphill[:, None], direction, gradient)
    promise = (gradient * direction).sum(axis=1)
    return take_steps(
        lambda at: _value(log_density, counts, at), eta, direction, np.ones(len(eta)), promise, 1 + total[:, 0]
    )


def _value(log_density: LogDensity, counts: Floats, eta: Floats) -> Floats:
    theta = np.maximum(softmax(eta), SMALLEST)
    return np.asarray((counts * np.log(theta)).sum(axis=1) + log_density(theta))


def _differentiate(function: Callable[[Floats], Floats], eta: Floats) -> tuple[Floats, Floats]:
    """The first and second derivatives of a function of sets, by central differences."""
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
