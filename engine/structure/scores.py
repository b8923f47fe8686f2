"""Scores of families, whose sum is that of a network (§3.1 [notes]).

Every score is decomposable: score(G) = Σ_X score(X | U), U being the parents of X. And networks that no data tells
apart score alike, so that score(X | U) = value(U, X) − value(U) − cost of the parameters. The value of a set of
variables is found from its counts alone; here for all sets at once that a variable added to a given one makes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from engine.model.arrays import Floats, Ints, weighted_counts, xlogy
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.structure.counts import Cells, Counts
from engine.structure.prior_networks import PriorNetwork, WithoutArrows, make_prior_network

DEFAULT_SAMPLE_SIZE = 1.0
LARGE = 1e3
"""From here on Stirling's series to the third power is exact to rounding."""


class Score(Protocol):
    """What a structure is worth, as a sum over families; made for some data."""

    def weigh(self, cells: Cells) -> Floats:
        """What each column adds to the value of its set."""

    def find_likelihood(self, child: int, parents: Sequence[int], score: float) -> float:
        """The highest log-likelihood of a family with a score; ∞ where the score does not tell."""

    def discount(self, child: int, parents: Sequence[int]) -> float:
        """What the parameters of a family cost: so many times more if it has a parent more, or nothing.

        A family scores less than its log-likelihood by this at least.
        """

    def limit(self, child: int, parents: Sequence[int], likelihood: float, configurations: int) -> float:
        """No family of the child whose parents include some, and others of as many states, has a score above this.

        Parameters
        ----------
        likelihood : float
            The highest log-likelihood of these families.
        configurations : int
            How many configurations of the parents occur.
        """


@dataclass(frozen=True, eq=False)
class Penalised:
    """The log-likelihood ℓ at its maximum, less a penalty for each free parameter.

    BIC = ℓ − (log N / 2) · Dim (§3.1.2 [notes]); AIC = ℓ − Dim; 0 is the log-likelihood itself.
    """

    sizes: Ints
    penalty: float

    def weigh(self, cells: Cells) -> Floats:
        """Σ N log N."""
        return np.asarray(xlogy(cells.counts, cells.counts).sum(axis=(1, 2)))

    def find_likelihood(self, child: int, parents: Sequence[int], score: float) -> float:
        return score + self.discount(child, parents)

    def discount(self, child: int, parents: Sequence[int]) -> float:
        """More parents have more parameters."""
        return self.penalty * self.count_parameters(child, parents)

    def limit(self, child: int, parents: Sequence[int], likelihood: float, configurations: int) -> float:
        return likelihood - self.discount(child, parents)

    def count_parameters(self, child: int, parents: Sequence[int]) -> float:
        """Dim: the free parameters of a family, a float as it may be huge."""
        found = self._floats[child] - 1.0
        for p in parents:
            found *= self._floats[p]
        return found

    @cached_property
    def _floats(self) -> list[float]:
        return list(map(float, self.sizes))


@dataclass(frozen=True, eq=False)
class Dirichlet:
    """BDe: the logarithm of the data's probability, parameters averaged under a Dirichlet prior (§3.1.3 [notes]).

    Σ_u [lnΓ(α_u) − lnΓ(α_u + N_u) + Σ_x lnΓ(α_xu + N_xu) − lnΓ(α_xu)] with α_xu = α · P(x, u), where P is a prior
    network: α rows, as it were, were drawn from it before. That of BDeu is uniform.

    Attributes
    ----------
    sample_size : float
        α.
    prior : PriorNetwork
    whole_rows : bool
        Whether no row of the data has a weight below 1.
    """

    sample_size: float
    prior: PriorNetwork
    whole_rows: bool

    def weigh(self, cells: Cells) -> Floats:
        """Σ lnΓ(α_w + N_w) − lnΓ(α_w) over the states w that occur."""
        column, w, x = np.nonzero(cells.counts)
        at = column, w, x
        gained = _rise(self.sample_size * self.prior.find_shares(cells, at), cells.counts[at])
        return weighted_counts(column, gained, len(cells.counts))

    def find_likelihood(self, child: int, parents: Sequence[int], score: float) -> float:
        return math.inf

    def discount(self, child: int, parents: Sequence[int]) -> float:
        return 0.0

    def limit(self, child: int, parents: Sequence[int], likelihood: float, configurations: int) -> float:
        """An average of the likelihood is not above its maximum.

        Nor is it above the share P(x | u) of the first row in each configuration, of which more parents have more.
        """
        if not self.whole_rows:
            return likelihood
        return min(likelihood, configurations * math.log(self.prior.find_highest(child)))


def _rise(alpha: Floats, counts: Floats) -> Floats:
    """lnΓ(α + n) − lnΓ(α); of large α by the difference of Stirling's series, as that of the values is rounding."""
    from scipy import special  # as in engine.model.arrays.xlogy

    found = np.asarray(special.gammaln(alpha + counts) - special.gammaln(alpha))
    is_large = alpha > LARGE
    if is_large.any():
        a, n = alpha[is_large], counts[is_large]
        rest = (1 / (a + n) - 1 / a) / 12 - (1 / (a + n) ** 3 - 1 / a**3) / 360
        found[is_large] = (a + n - 0.5) * np.log1p(n / a) + n * (np.log(a) - 1) + rest
    return found


def _make_dirichlet(counts: Counts, sample_size: float, prior: PriorNetwork) -> Score:
    return Dirichlet(sample_size, prior, bool(counts.weights.min() >= 1))


def _make_uniform(counts: Counts, sample_size: float) -> Score:
    marginals = tuple(np.full(size, 1.0 / size) for size in counts.sizes)
    return _make_dirichlet(counts, sample_size, WithoutArrows(marginals))


def _make_frequent(counts: Counts, sample_size: float) -> Score:
    marginals = tuple(
        weighted_counts(codes.astype(np.int64), counts.weights, int(size)) / counts.total
        for codes, size in zip(counts.codes, counts.sizes, strict=True)
    )
    return _make_dirichlet(counts, sample_size, WithoutArrows(marginals))


SCORES: Mapping[str, Callable[[Counts, float], Score]] = {
    "bic": lambda counts, _: Penalised(counts.sizes, max(0.0, math.log(counts.total)) / 2),
    "bdeu": _make_uniform,
    "bde": _make_frequent,
    "aic": lambda counts, _: Penalised(counts.sizes, 1.0),
    "likelihood": lambda counts, _: Penalised(counts.sizes, 0.0),
}
"""How a score is made for some data with an equivalent sample size, by its name on the command line.

``bde`` takes the data's own frequencies for its prior network without arrows, ``bdeu`` uniform ones.
"""


def make_score(
    name: str, counts: Counts, sample_size: float = DEFAULT_SAMPLE_SIZE, prior: BayesianNetwork | None = None
) -> Score:
    """The score of a name for some data.

    Parameters
    ----------
    prior : BayesianNetwork, optional
        The prior network of ``bde``, with the variables of the data.
    """
    if name not in SCORES:
        raise ModelError(f"the score {name!r} is not known; use one of {', '.join(SCORES)}")
    if not 1e-9 <= sample_size <= 1e9:
        raise ModelError(f"the equivalent sample size must be between 1e-9 and 1e9; got {sample_size:g}")
    if prior is None:
        return SCORES[name](counts, sample_size)
    if name != "bde":
        raise ModelError(f"a prior network is for the score bde; {name} has none")
    return _make_dirichlet(counts, sample_size, make_prior_network(prior, counts))
