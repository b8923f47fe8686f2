"""Geometries of parameters: what a flat vector of them may be, how it moves, and what a prior says of it.

Two kinds, with the same methods, so that learners need not know which they serve:

- :class:`Simplex`: sets of parameters that sum to one, with Dirichlet priors or others: Bayesian networks.
- :class:`LogLinear`: factors of any scale, with Gaussian or Laplace priors on log θ: Markov networks.

A learner sees the data as *counts* (Σ w Pr(x_f | row) over what the objective adds) and *model counts* (the
same over what it subtracts; zero in a Bayesian network). Their difference is the slope of the log-likelihood
by log θ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from engine.model.arrays import Bools, Floats, Ints, weighted_counts, xlogy
from engine.model.errors import ModelError
from engine.model.layout import Layout
from engine.model.messages import shorten
from engine.model.prior import Gaussian, Laplace, Prior
from engine.model.table_prior import TablePrior

SMALLEST = 1e-300
"""Stands for a parameter of zero where its logarithm must be finite."""
HIGHEST = 600.0
"""The logarithm of the largest factor that is reckoned with."""
LOWEST = -15.0
"""The logarithm of a factor's cell that is as good as zero, beside a largest one of 1."""
LEAST_BEND = 1e-3
PERTURBATION = 0.01
"""How far a uniform start is from uniform: relative, at most."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Parameters that belong together, as ranges of a flat vector that they fill without gaps.

    Sets can be tied: some *follow* others, which *lead* them. Those that lead carry the counts, the prior and the slope
    of all that follow them, who have none and are copies.

    Attributes
    ----------
    starts, sizes : array (sets,)
    lead : array (parameters,), optional
        The parameter that each follows; its own number where it follows none. None if nothing is tied.
    """

    starts: Ints
    sizes: Ints
    lead: Ints | None = field(default=None, kw_only=True)

    @cached_property
    def set_of(self) -> Ints:
        """Per parameter, its set."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def n_parameters(self) -> int:
        return len(self.set_of)

    def gather(self, counts: Floats) -> Floats:
        """Counts where they matter: those of sets that follow are added to the ones that lead."""
        return counts if self.lead is None else weighted_counts(self.lead, counts, len(counts))

    def follow(self, values: Floats) -> Floats:
        """Values of parameters, of one vector or of several: those that follow have what leads them."""
        return values if self.lead is None else values[..., self.lead]

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
        if np.count_nonzero(seen) == len(seen):  # in a third of the time of all()
            return np.asarray(weights / sums)
        normalised: Floats = np.divide(weights, sums, out=otherwise.copy(), where=seen)
        return normalised

    @cached_property
    def places_by_size(self) -> tuple[Ints, ...]:
        """Where the parameters of sets of one size stand, shape (sets, size): for every size above 1."""
        return tuple(
            self.starts[self.sizes == size][:, None] + np.arange(size) for size in np.unique(self.sizes[self.sizes > 1])
        )

    def _repeat_lead(self, times: int) -> Ints | None:
        """What leads each parameter of several vectors laid end to end."""
        if self.lead is None:
            return None
        return np.tile(self.lead, times) + np.repeat(np.arange(times) * self.n_parameters, self.n_parameters)

    def _repeat_sets(self, times: int) -> tuple[Ints, Ints]:
        """Starts and sizes for several parameter vectors laid end to end."""
        shift = np.repeat(np.arange(times) * self.n_parameters, len(self.starts))
        return np.tile(self.starts, times) + shift, np.tile(self.sizes, times)


@dataclass(frozen=True, eq=False)
class Orthant:
    """Where no free coordinate changes its sign.

    Attributes
    ----------
    climb : array (parameters,)
        The slope of the objective; at 0, that of the side that climbs, and 0 if none does.
    signs : array (parameters,)
        Of the coordinates; 0 for those that stay at 0.
    """

    climb: Floats
    signs: Floats

    def project(self, eta: Floats) -> Floats:
        """Coordinates that have left the orthant, put on its border."""
        return np.where(eta * self.signs > 0, eta, 0.0)


@dataclass(frozen=True, eq=False)
class Simplex(Sets):
    """Sets of parameters ≥ 0 that sum to one: the states of a variable given its parents' states.

    Attributes
    ----------
    exponents : array (parameters,)
        Dirichlet exponents ψ; the log prior is Σ (ψ − 1) log θ. Sets that follow others have none: 1.
    prior : TablePrior, optional
        Another on every set that follows none, beside which the exponents are 1. It has no counts: who would need them
        refuses it (:mod:`methods`).
    """

    exponents: Floats
    prior: TablePrior | None = None

    @classmethod
    def of(
        cls, layout: Layout, exponents: Floats, lead: Ints | None = None, prior: TablePrior | None = None
    ) -> Simplex:
        """The geometry of a Bayesian network's tables; those that share one must have the same exponents."""
        sizes = np.array([shape[-1] for shape in layout.shapes], dtype=np.int64)
        every = np.repeat(sizes, [math.prod(shape[:-1]) for shape in layout.shapes])
        if lead is not None:
            _check_shared(layout, exponents, lead)
            exponents = np.where(lead == np.arange(layout.size), exponents, 1.0)
        return cls(np.cumsum(every) - every, every, exponents, prior, lead=lead)

    @cached_property
    def prior_counts(self) -> Floats:
        """ψ − 1: what the prior adds to counts."""
        return self.exponents - 1

    @cached_property
    def has_exponents(self) -> bool:
        return bool(self.prior_counts.any())

    @property
    def has_prior(self) -> bool:
        return self.has_exponents or self.prior is not None

    def maximise(self, counts: Floats, theta: Floats) -> Floats:
        """The best parameters for counts: normalised with the exponents; sets with neither stay."""
        return self.follow(self.normalise(self.with_prior(counts), otherwise=theta))

    def with_prior(self, counts: Floats) -> Floats:
        """Counts, and what the exponents add to them."""
        return counts + self.prior_counts if self.has_exponents else counts

    def to_local(self, theta: Floats, model_counts: Floats) -> Floats:
        """Where each set stands in its own simplex: the parameters themselves."""
        return theta

    def from_local(self, theta: Floats, local: Floats, moved: Floats) -> Floats:
        """The parameters when sets have moved in their simplices, each as if the others stood still."""
        return self.follow(moved)

    def fix_gauge(self, theta: Floats) -> Floats:
        """The parameters: there is only one way to write them."""
        return theta

    def to_free(self, theta: Floats) -> Floats:
        """η = log θ, of which θ is the softmax."""
        return np.log(np.maximum(theta, SMALLEST))

    def from_free(self, eta: Floats) -> Floats:
        """θ = softmax(η), set by set."""
        return self.follow(self.normalise(np.exp(eta - self.largest(eta)), otherwise=eta))

    def pull_back(self, theta: Floats, counts: Floats, model_counts: Floats) -> Floats:
        """The derivative of the objective by η: n + ψ − 1 − θ Σ (n + ψ − 1)."""
        weights = self.with_prior(counts)
        return np.asarray(weights - theta * self.sums(weights))

    def find_orthant(self, eta: Floats, slope: Floats) -> None:
        """None: the objective is smooth everywhere."""

    def find_curvature(self, model_counts: Floats) -> None:
        """None: it is not known without the data."""

    def log_prior(self, theta: Floats) -> Floats | None:
        """(ψ − 1) log θ of each parameter, or log p of each set at its first; None where there is no prior."""
        if self.prior is None:
            return np.asarray(xlogy(self.prior_counts, theta)) if self.has_exponents else None
        values = np.zeros(self.n_parameters)
        for places in self.places_by_size:
            values[places[:, 0]] = self.prior.log_density(np.maximum(theta[places], SMALLEST))
        if self.lead is not None:  # a shared table has one prior
            values[self.lead != np.arange(len(values))] = 0.0
        return values

    def change(self, theta: Floats, before: Floats) -> Floats:
        """How far each parameter has moved."""
        return np.abs(theta - before)

    def random(self, generator: np.random.Generator) -> Floats:
        """Every set uniform over its simplex."""
        weights = generator.exponential(size=self.n_parameters)
        return self.follow(self.normalise(weights, otherwise=weights))

    def mix(self, theta: Floats, other: Floats, part: float) -> Floats:
        """Parameters between two, so much of the other."""
        return (1 - part) * theta + part * other

    def uniform(self, generator: np.random.Generator) -> Floats:
        """Uniform sets, with a small perturbation so that hidden states differ."""
        weights = 1.0 + PERTURBATION * generator.uniform(-1, 1, self.n_parameters)
        return self.follow(self.normalise(weights, otherwise=weights))

    def repeated(self, times: int) -> Simplex:
        """For several parameter vectors laid end to end."""
        return Simplex(
            *self._repeat_sets(times), np.tile(self.exponents, times), self.prior, lead=self._repeat_lead(times)
        )


def _check_shared(layout: Layout, exponents: Floats, lead: Ints) -> None:
    """Refuse tables that share one and have different priors."""
    differs = np.flatnonzero(exponents != exponents[lead])
    if differs.size:
        names = [variable.name for variable in layout.network.variables]
        other, first = np.searchsorted(layout.starts, [differs[0], lead[differs[0]]], side="right") - 1
        raise ModelError(
            f"{shorten(names[first])} and {shorten(names[other])} share a table, but their Dirichlet exponents differ; "
            "a shared table has one prior: give both the same"
        )


@dataclass(frozen=True, eq=False)
class LogLinear(Sets):
    """Factors of a Markov network, one a set: any positive numbers, with w = log θ as free coordinates.

    Scaling a factor changes nothing (its *gauge*), except what a prior on w says. Cells that are zero at
    the start are no parameters, and stay zero.

    Attributes
    ----------
    is_free : array (parameters,) of bool
        False for structural zeros.
    prior : Gaussian or Laplace, optional
        On w.
    spared : array (parameters,) of bool, optional
        The parameters that a Laplace prior says nothing of.
    """

    is_free: Bools
    prior: Gaussian | Laplace | None = None
    spared: Bools | None = None

    @classmethod
    def of(cls, layout: Layout, prior: Prior = 1.0) -> LogLinear:
        """The geometry of a Markov network's factors."""
        theta = layout.flatten(layout.network.tables)
        geometry = cls(layout.starts[:-1], np.diff(layout.starts), theta > 0)
        if isinstance(prior, Laplace) and not prior.singles:
            is_single = np.array([len(scope) < 2 for scope in layout.network.scopes], dtype=bool)
            return replace(geometry, prior=prior, spared=np.repeat(is_single, geometry.sizes))
        if isinstance(prior, (Gaussian, Laplace)):
            return replace(geometry, prior=prior)
        if prior != 1.0:
            kind = f"the prior {prior.name!r} is" if isinstance(prior, TablePrior) else "Dirichlet exponents are"
            raise ModelError(f"{kind} for Bayesian networks; give a Markov network an L1 or L2 prior")
        return geometry

    @property
    def has_prior(self) -> bool:
        return self.prior is not None

    @cached_property
    def _stiffness(self) -> float:
        """1/σ² of a Gaussian prior −Σ w² / (2σ²)."""
        return 1 / self.prior.sigma**2 if isinstance(self.prior, Gaussian) else 0.0

    @cached_property
    def _press(self) -> float | Floats:
        """1/b of a Laplace prior −Σ |w| / b; of each parameter, where some are spared."""
        press = 1 / self.prior.scale if isinstance(self.prior, Laplace) else 0.0
        return press if self.spared is None else np.where(self.spared, 0.0, press)

    def maximise(self, counts: Floats, theta: Floats) -> None:
        """None: the best factors for counts have no closed form."""

    def with_prior(self, counts: Floats) -> Floats:
        """Counts as they are: a prior on w has none, and who would need them refuses it (:mod:`methods`)."""
        return counts

    def to_local(self, theta: Floats, model_counts: Floats) -> Floats:
        """Where each factor stands in its own simplex: at the model's marginals Pr(x_f)."""
        return self.normalise(model_counts, otherwise=np.zeros_like(theta))

    def from_local(self, theta: Floats, local: Floats, moved: Floats) -> Floats:
        """The factors when their marginals have moved, each as if the others stood still: θ ← θ t / Pr(x_f)."""
        # A marginal that is all but 0 would make a ratio above all numbers: such a cell stays.
        ratio: Floats = np.divide(moved, local, out=np.ones_like(theta), where=local > SMALLEST)
        return theta * ratio

    def to_free(self, theta: Floats) -> Floats:
        """w = log θ; 0 at structural zeros."""
        return np.where(self.is_free, np.log(np.maximum(theta, SMALLEST)), 0.0)

    def from_free(self, eta: Floats) -> Floats:
        """θ = e^w. Without a prior every factor is scaled to a largest cell of 1, so that nothing overflows; with one,
        which fixes the scale, a step that goes too far goes to a number that is high enough to be refused."""
        if self.has_prior:
            return np.where(self.is_free, np.exp(np.minimum(eta, HIGHEST)), 0.0)
        highest = self.largest(np.where(self.is_free, eta, -np.inf))
        return np.where(self.is_free, np.exp(eta - np.where(np.isfinite(highest), highest, 0.0)), 0.0)

    def pull_back(self, theta: Floats, counts: Floats, model_counts: Floats) -> Floats:
        """The derivative by w of what is smooth in the objective: n − n_model, and a Gaussian prior's."""
        slope = np.where(self.is_free, counts - model_counts, 0.0)
        return slope - self._stiffness * self.to_free(theta) if self._stiffness else slope

    def find_curvature(self, model_counts: Floats) -> Floats:
        """About how much the slope falls with each w on complete data: N Pr(x_f) (1 − Pr(x_f)), and a Gaussian prior's.

        Of cells that are almost never or almost always, a thousandth of what evenly spread ones have.
        """
        totals = self.sums(model_counts)
        even = np.maximum(totals / self.sizes[self.set_of], SMALLEST)
        bend = model_counts - np.divide(model_counts**2, totals, out=model_counts.copy(), where=totals > 0)
        return np.maximum(bend, LEAST_BEND * even) + self._stiffness

    def find_orthant(self, eta: Floats, slope: Floats) -> Orthant | None:
        """Where the objective is smooth around η, if a Laplace prior breaks it at 0 (OWL-QN's pseudo-gradient)."""
        if not isinstance(self.prior, Laplace):
            return None
        at_zero = np.sign(slope) * np.maximum(np.abs(slope) - self._press, 0.0)
        climb = np.where(self.is_free, np.where(eta == 0, at_zero, slope - np.sign(eta) * self._press), 0.0)
        return Orthant(climb, np.where(eta == 0, np.sign(climb), np.sign(eta)))

    def log_prior(self, theta: Floats) -> Floats | None:
        """−w² / (2σ²) or −|w| / b of each parameter; None where there is no prior."""
        if not self.has_prior:
            return None
        w = self.to_free(theta)
        return -self._stiffness / 2 * w**2 - self._press * np.abs(w)

    def change(self, theta: Floats, before: Floats) -> Floats:
        """How far each parameter has moved, with every factor scaled to a sum of 1: the gauge does not count."""
        return np.abs(self.normalise(theta, otherwise=theta) - self.normalise(before, otherwise=before))

    def random(self, generator: np.random.Generator) -> Floats:
        """Every factor uniform over the simplex of its free cells."""
        return self.fix_gauge(np.where(self.is_free, generator.exponential(size=self.n_parameters), 0.0))

    def mix(self, theta: Floats, other: Floats, part: float) -> Floats:
        """Factors between two, so much of the other's logarithms; what is all but zero comes back."""
        own = np.maximum(self.to_free(theta), LOWEST)
        return self.from_free((1 - part) * own + part * self.to_free(other))

    def uniform(self, generator: np.random.Generator) -> Floats:
        """Free cells all alike, but for a small perturbation so that hidden states differ."""
        weights = 1.0 + PERTURBATION * generator.uniform(-1, 1, self.n_parameters)
        return self.fix_gauge(np.where(self.is_free, weights, 0.0))

    def fix_gauge(self, theta: Floats) -> Floats:
        """Every factor scaled to a largest cell of 1."""
        highest = self.largest(theta)
        scaled: Floats = np.divide(theta, highest, out=theta.copy(), where=highest > 0)
        return scaled

    def repeated(self, times: int) -> LogLinear:
        """For several parameter vectors laid end to end."""
        starts, sizes = self._repeat_sets(times)
        spared = None if self.spared is None else np.tile(self.spared, times)
        return LogLinear(starts, sizes, np.tile(self.is_free, times), self.prior, spared)


Geometry = Simplex | LogLinear
