"""Geometries of parameters: what a flat vector of them may be, how it moves, and what a prior says of it.

Two kinds, with the same methods, so that learners need not know which they serve:

- :class:`Simplex`: sets of parameters that sum to one, with Dirichlet priors: Bayesian networks.
- :class:`LogLinear`: factors of any scale, with Gaussian or Laplace priors on log θ: Markov networks.

A learner sees the data as *counts* (Σ w Pr(x_f | row) over what the objective adds) and *model counts* (the
same over what it subtracts; zero in a Bayesian network). Their difference is the slope of the log-likelihood
by log θ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.model.arrays import Bools, Floats, Ints, xlogy
from engine.model.errors import ModelError
from engine.model.layout import Layout

SMALLEST = 1e-300
"""Stands for a parameter of zero where its logarithm must be finite."""
MOST_STEPS = 1000
PERTURBATION = 0.01
"""How far a uniform start is from uniform: relative, at most."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Parameters that belong together, as ranges of a flat vector that they fill without gaps.

    Attributes
    ----------
    starts, sizes : array (sets,)
    """

    starts: Ints
    sizes: Ints

    @cached_property
    def set_of(self) -> Ints:
        """Per parameter, its set."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def n_parameters(self) -> int:
        return len(self.set_of)

    def sums(self, values: Floats) -> Floats:
        """Per parameter, the sum of the values of its set."""
        return np.add.reduceat(values, self.starts)[self.set_of] if values.size else values

    def largest(self, values: Floats) -> Floats:
        """Per parameter, the largest value of its set."""
        return np.maximum.reduceat(values, self.starts)[self.set_of] if values.size else values

    def normalise(self, weights: Floats, otherwise: Floats) -> Floats:
        """Weights divided by the sum of their set; sets that sum to 0 are taken from ``otherwise``."""
        sums = self.sums(weights)
        seen = sums > 0
        if seen.all():
            return np.asarray(weights / sums)
        normalised: Floats = np.divide(weights, sums, out=otherwise.copy(), where=seen)
        return normalised

    def _repeat_sets(self, times: int) -> tuple[Ints, Ints]:
        """Starts and sizes for several parameter vectors laid end to end."""
        shift = np.repeat(np.arange(times) * self.n_parameters, len(self.starts))
        return np.tile(self.starts, times) + shift, np.tile(self.sizes, times)


@dataclass(frozen=True, eq=False)
class Simplex(Sets):
    """Sets of parameters ≥ 0 that sum to one: the states of a variable given its parents' states.

    Attributes
    ----------
    exponents : array (parameters,)
        Dirichlet exponents ψ; the log prior is Σ (ψ − 1) log θ.
    """

    exponents: Floats

    @classmethod
    def of(cls, layout: Layout, exponents: Floats) -> Simplex:
        """The geometry of a Bayesian network's tables."""
        sizes = [np.full(math.prod(shape[:-1]), shape[-1]) for shape in layout.shapes]
        every = np.concatenate([np.empty(0, dtype=np.int64), *sizes])
        return cls(np.cumsum(every) - every, every, exponents)

    @cached_property
    def prior_counts(self) -> Floats:
        """ψ − 1: what the prior adds to counts."""
        return self.exponents - 1

    @cached_property
    def has_prior(self) -> bool:
        return bool(self.prior_counts.any())

    def maximise(self, counts: Floats, model_counts: Floats, theta: Floats) -> Floats:
        """The best parameters for counts: normalised with the prior; sets with neither stay."""
        return self.normalise(self._with_prior(counts), otherwise=theta)

    def _with_prior(self, counts: Floats) -> Floats:
        return counts + self.prior_counts if self.has_prior else counts

    def to_free(self, theta: Floats) -> Floats:
        """η = log θ, of which θ is the softmax."""
        return np.log(np.maximum(theta, SMALLEST))

    def from_free(self, eta: Floats) -> Floats:
        """θ = softmax(η), set by set."""
        return self.normalise(np.exp(eta - self.largest(eta)), otherwise=eta)

    def pull_back(self, theta: Floats, counts: Floats, model_counts: Floats) -> Floats:
        """The derivative of the objective by η: n + ψ − 1 − θ Σ (n + ψ − 1)."""
        weights = self._with_prior(counts)
        return np.asarray(weights - theta * self.sums(weights))

    def log_prior(self, theta: Floats) -> Floats | None:
        """(ψ − 1) log θ of each parameter; None where there is no prior."""
        return np.asarray(xlogy(self.prior_counts, theta)) if self.has_prior else None

    def change(self, theta: Floats, before: Floats) -> Floats:
        """How far each parameter has moved."""
        return np.abs(theta - before)

    def random(self, generator: np.random.Generator) -> Floats:
        """Every set uniform over its simplex."""
        weights = generator.exponential(size=self.n_parameters)
        return self.normalise(weights, otherwise=weights)

    def uniform(self, generator: np.random.Generator) -> Floats:
        """Uniform sets, with a small perturbation so that hidden states differ."""
        weights = 1.0 + PERTURBATION * generator.uniform(-1, 1, self.n_parameters)
        return self.normalise(weights, otherwise=weights)

    def repeated(self, times: int) -> Simplex:
        """For several parameter vectors laid end to end."""
        return Simplex(*self._repeat_sets(times), np.tile(self.exponents, times))


@dataclass(frozen=True, eq=False)
class LogLinear(Sets):
    """Factors of a Markov network, one a set: any positive numbers, with w = log θ as free coordinates.

    Scaling a factor changes nothing (its *gauge*), except what a prior on w says. Cells that are zero at
    the start are no parameters, and stay zero.

    Attributes
    ----------
    is_free : array (parameters,) of bool
        False for structural zeros.
    coupled : array (parameters,)
        How many factors the parameter's own is coupled with through the partition function, itself included.
    sigma : float
        The standard deviation of a Gaussian prior on w: −Σ w² / (2σ²). Infinite for none.
    scale : float
        b of a Laplace prior: −Σ |w| / b. Infinite for none.
    """

    is_free: Bools
    coupled: Floats
    sigma: float = math.inf
    scale: float = math.inf

    def __post_init__(self) -> None:
        if not (self.sigma > 0 and self.scale > 0):
            raise ModelError(f"a prior's scale must be above 0; got {self.sigma} (Gaussian), {self.scale} (Laplace)")
        if self.has_prior and math.isfinite(self.sigma) and math.isfinite(self.scale):
            raise ModelError("give a Gaussian prior or a Laplace prior, not both")

    @classmethod
    def of(cls, layout: Layout, coupled: Ints, sigma: float = math.inf, scale: float = math.inf) -> LogLinear:
        """The geometry of a Markov network's factors; ``coupled`` is per factor."""
        sizes = np.diff(layout.starts)
        theta = layout.flatten(layout.network.tables)
        return cls(layout.starts[:-1], sizes, theta > 0, np.repeat(coupled, sizes).astype(np.float64), sigma, scale)

    @property
    def has_prior(self) -> bool:
        return math.isfinite(self.sigma) or math.isfinite(self.scale)

    def maximise(self, counts: Floats, model_counts: Floats, theta: Floats) -> Floats:
        """A step towards the best factors for counts that never loses: generalised iterative scaling.

        With F coupled factors, log Z(w + δ) ≤ log Z(w) + Σ P(x_f) (e^{F δ(x_f)} − 1) / F, so that maximising
        Σ n δ − (n_model / F) e^{F δ} + log prior(w + δ) for each parameter alone gains at least as much as it says.
        Without a prior that is θ ← θ (n / n_model)^{1/F}.
        """
        free = self.is_free & (theta > 0)
        w = np.log(theta, out=np.zeros_like(theta), where=free)
        step = np.zeros_like(theta)
        step[free] = self._best_step(w[free], counts[free], model_counts[free], self.coupled[free])
        with np.errstate(over="ignore"):
            moved = np.where(free, theta * np.exp(step), theta)
        return moved if self.has_prior else self._fix_gauge(moved)

    def _best_step(self, w: Floats, counts: Floats, model_counts: Floats, coupled: Floats) -> Floats:
        """δ that maximises n δ − (m / F) e^{F δ} + log prior(w + δ), element by element."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if math.isfinite(self.scale):
                pressed = counts[:, None] - np.array([1.0, -1.0]) / self.scale  # towards larger, smaller w
                up, down = (np.log(np.maximum(pressed / model_counts[:, None], 0.0)) / coupled[:, None]).T
                return np.where(w + up > 0, up, np.where(w + down < 0, down, -w))
            if math.isfinite(self.sigma):
                return self._newton_step(w, counts, model_counts, coupled)
            step = np.log(counts / model_counts) / coupled
        return np.where(counts == model_counts, 0.0, step)

    def _newton_step(self, w: Floats, counts: Floats, model_counts: Floats, coupled: Floats) -> Floats:
        """The same with the Gaussian prior, whose slope has one zero: Newton's method on it from the right side.

        n − m e^{Fδ} − (w + δ)/σ² is concave and falls: from where it is negative, Newton's steps do not overshoot.
        """
        precision = 1.0 / self.sigma**2
        # Two places where it is negative for sure: m e^{Fδ} ≥ n + |w|/σ², and (w + δ)/σ² ≥ n.
        room = np.log(np.maximum(counts + np.abs(w) * precision, SMALLEST))
        step = np.maximum((room - np.log(np.maximum(model_counts, SMALLEST))) / coupled, 0.0)
        step = np.minimum(step, np.maximum(counts / precision - w, 0.0))
        for _ in range(MOST_STEPS):
            grown = model_counts * np.exp(coupled * step)
            slope = counts - grown - (w + step) * precision
            moved = slope / (coupled * grown + precision)
            step = step + moved
            if np.abs(moved).max(initial=0.0) <= 1e-14:
                break
        return step

    def to_free(self, theta: Floats) -> Floats:
        """w = log θ; 0 at structural zeros."""
        return np.where(self.is_free, np.log(np.maximum(theta, SMALLEST)), 0.0)

    def from_free(self, eta: Floats) -> Floats:
        """θ = e^w. Without a prior every factor is scaled to a largest cell of 1, so that nothing overflows."""
        if self.has_prior:
            return np.where(self.is_free, np.exp(eta), 0.0)
        highest = self.largest(np.where(self.is_free, eta, -np.inf))
        return np.where(self.is_free, np.exp(eta - np.where(np.isfinite(highest), highest, 0.0)), 0.0)

    def pull_back(self, theta: Floats, counts: Floats, model_counts: Floats) -> Floats:
        """The derivative of the objective by w: n − n_model, and the prior's.

        With a Laplace prior, where w = 0, the slope of the side that climbs; 0 if none does.
        """
        slope = np.where(self.is_free, counts - model_counts, 0.0)
        if not self.has_prior:
            return slope
        w = self.to_free(theta)
        if math.isfinite(self.sigma):
            return np.where(self.is_free, slope - w / self.sigma**2, 0.0)
        press = 1.0 / self.scale
        at_zero = np.sign(slope) * np.maximum(np.abs(slope) - press, 0.0)
        return np.where(w == 0, at_zero, slope - np.sign(w) * press)

    def log_prior(self, theta: Floats) -> Floats | None:
        """−w² / (2σ²) or −|w| / b of each parameter; None where there is no prior."""
        if not self.has_prior:
            return None
        w = self.to_free(theta)
        return -(w**2) / (2 * self.sigma**2) if math.isfinite(self.sigma) else -np.abs(w) / self.scale

    def change(self, theta: Floats, before: Floats) -> Floats:
        """How far each parameter has moved, with every factor scaled to a sum of 1: the gauge does not count."""
        return np.abs(self.normalise(theta, otherwise=theta) - self.normalise(before, otherwise=before))

    def random(self, generator: np.random.Generator) -> Floats:
        """Every factor uniform over the simplex of its free cells."""
        return self._fix_gauge(np.where(self.is_free, generator.exponential(size=self.n_parameters), 0.0))

    def uniform(self, generator: np.random.Generator) -> Floats:
        """Free cells all alike, but for a small perturbation so that hidden states differ."""
        weights = 1.0 + PERTURBATION * generator.uniform(-1, 1, self.n_parameters)
        return self._fix_gauge(np.where(self.is_free, weights, 0.0))

    def _fix_gauge(self, theta: Floats) -> Floats:
        """Every factor scaled to a largest cell of 1."""
        highest = self.largest(theta)
        scaled: Floats = np.divide(theta, highest, out=theta.copy(), where=highest > 0)
        return scaled

    def repeated(self, times: int) -> LogLinear:
        """For several parameter vectors laid end to end."""
        starts, sizes = self._repeat_sets(times)
        return LogLinear(
            starts, sizes, np.tile(self.is_free, times), np.tile(self.coupled, times), self.sigma, self.scale
        )


Geometry = Simplex | LogLinear
