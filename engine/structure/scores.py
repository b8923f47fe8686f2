"""Scores of families, whose sum is that of a network (§3.1 [notes]).

Every score is decomposable: score(G) = Σ_X score(X | parents of X). That of a family is found from its counts
N(u, x) alone; here for all families at once that a variable added to a given one makes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.model.arrays import Floats, Ints, weighted_counts, xlogy
from engine.model.errors import ModelError
from engine.structure.counts import Counts

DEFAULT_SAMPLE_SIZE = 1.0
LARGE = 1e3
"""From here on Stirling's series to the third power is exact to rounding."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The counts of one child in several families, which have some parents in common and one more each, or none.

    Attributes
    ----------
    child : int
    parents : array (parents, configurations)
        The states of the common parents in each configuration that occurs.
    common : tuple of int
        The common parents.
    counts : array (configurations, states of the child, columns)
        A column for each state of each family's further parent.
    family : array (columns,)
        Per column, the number of its family.
    added : array (columns,)
        Per column, the state of the further parent, as the engine lays all states end to end; −1 for none.
    sizes : array (families,)
        Per family, the states of its further parent; 1 for none.
    """

    child: int
    common: tuple[int, ...]
    parents: Ints
    counts: Floats
    family: Ints
    added: Ints
    sizes: Ints


class Score(Protocol):
    """What a structure is worth, as a sum over families; made for some data."""

    def score(self, tables: Tables) -> Floats:
        """The scores of the families."""

    def find_likelihood(self, child: int, parents: Sequence[int], score: float) -> float:
        """The highest log-likelihood of a family with a score; ∞ where the score does not tell."""

    def discount(self, child: int, parents: Sequence[int]) -> float:
        """By how much every family whose parents include some scores less than its log-likelihood, at least."""

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

    def score(self, tables: Tables) -> Floats:
        dimension = self.count_parameters(tables.child, tables.common) * tables.sizes
        return sum_likelihoods(tables) - self.penalty * dimension

    def find_likelihood(self, child: int, parents: Sequence[int], score: float) -> float:
        return score + self.discount(child, parents)

    def discount(self, child: int, parents: Sequence[int]) -> float:
        """More parents have more parameters."""
        return self.penalty * self.count_parameters(child, parents)

    def limit(self, child: int, parents: Sequence[int], likelihood: float, configurations: int) -> float:
        return likelihood - self.discount(child, parents)

    def count_parameters(self, child: int, parents: Sequence[int]) -> float:
        """Dim: the free parameters of a family, a float as it may be huge."""
        return float(self.sizes[child] - 1) * math.prod(float(self.sizes[p]) for p in parents)


def sum_likelihoods(tables: Tables) -> Floats:
    """Σ N(u, x) log N(u, x) / N(u), per family."""
    counts = tables.counts
    margin = counts.sum(axis=1)
    by_column = xlogy(counts, counts).sum(axis=(0, 1)) - xlogy(margin, margin).sum(axis=0)
    return weighted_counts(tables.family, by_column, len(tables.sizes))


@dataclass(frozen=True, eq=False)
class Dirichlet:
    """BDe: the logarithm of the data's probability, parameters averaged under a Dirichlet prior (§3.1.3 [notes]).

    Σ_u [lnΓ(α_u) − lnΓ(α_u + N_u) + Σ_x lnΓ(α_xu + N_xu) − lnΓ(α_xu)] with α_xu = α · P(x, u), where P is a network
    without arrows: α rows, as it were, were drawn from it before. BDeu has it uniform.

    Attributes
    ----------
    sample_size : float
        α.
    marginals : tuple of array
        Per variable, P(x).
    whole_rows : bool
        Whether no row of the data has a weight below 1.
    """

    sample_size: float
    marginals: tuple[Floats, ...]
    whole_rows: bool

    def score(self, tables: Tables) -> Floats:
        own = self.marginals[tables.child]
        common = np.full(tables.counts.shape[0], self.sample_size)
        for p, codes in zip(tables.common, tables.parents, strict=True):
            common = common * self.marginals[p][codes]
        every = np.concatenate([np.empty(0), *self.marginals, [1.0]])  # the last is that of −1, no further parent
        added = every[tables.added]
        u, x, column = np.nonzero(tables.counts)
        gained = _rise(common[u] * own[x] * added[column], tables.counts[u, x, column])
        found = weighted_counts(tables.family[column], gained, len(tables.sizes))
        margin = tables.counts.sum(axis=1)
        u, column = np.nonzero(margin)
        lost = _rise(common[u] * added[column], margin[u, column])
        return found - weighted_counts(tables.family[column], lost, len(tables.sizes))

    def find_likelihood(self, child: int, parents: Sequence[int], score: float) -> float:
        return math.inf

    def discount(self, child: int, parents: Sequence[int]) -> float:
        return 0.0

    def limit(self, child: int, parents: Sequence[int], likelihood: float, configurations: int) -> float:
        """An average of the likelihood is not above its maximum.

        Nor is it above the share P(x) of the first row in each configuration, of which more parents have more.
        """
        if not self.whole_rows:
            return likelihood
        return min(likelihood, configurations * math.log(float(self.marginals[child].max())))


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


def _make_uniform(counts: Counts, sample_size: float) -> Score:
    marginals = tuple(np.full(size, 1.0 / size) for size in counts.sizes)
    return Dirichlet(sample_size, marginals, bool(counts.weights.min() >= 1))


def _make_frequent(counts: Counts, sample_size: float) -> Score:
    marginals = tuple(
        weighted_counts(codes.astype(np.int64), counts.weights, int(size)) / counts.total
        for codes, size in zip(counts.codes, counts.sizes, strict=True)
    )
    return Dirichlet(sample_size, marginals, bool(counts.weights.min() >= 1))


SCORES: Mapping[str, Callable[[Counts, float], Score]] = {
    "bic": lambda counts, _: Penalised(counts.sizes, max(0.0, math.log(counts.total)) / 2),
    "bdeu": _make_uniform,
    "bde": _make_frequent,
    "aic": lambda counts, _: Penalised(counts.sizes, 1.0),
    "likelihood": lambda counts, _: Penalised(counts.sizes, 0.0),
}
"""How a score is made for some data with an equivalent sample size, by its name on the command line.

``bde`` takes the data's own frequencies for its network without arrows, ``bdeu`` uniform ones.
"""


def make_score(name: str, counts: Counts, sample_size: float = DEFAULT_SAMPLE_SIZE) -> Score:
    """The score of a name for some data."""
    if name not in SCORES:
        raise ModelError(f"the score {name!r} is not known; use one of {', '.join(SCORES)}")
    if not 1e-9 <= sample_size <= 1e9:
        raise ModelError(f"the equivalent sample size must be between 1e-9 and 1e9; got {sample_size:g}")
    return SCORES[name](counts, sample_size)
