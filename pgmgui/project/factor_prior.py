"""The prior on a Markov network's factors, as the page, links and files speak of it: a kind and a width."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model.prior import Gaussian, Laplace
from pgmgui.project.numbers import show_number

FactorPrior = Gaussian | Laplace
PRIORS: Mapping[str, type[FactorPrior]] = {"l2": Gaussian, "l1": Laplace}
"""The kinds, by their names on the command line."""


def kind_of(prior: FactorPrior | None) -> str:
    """A key of :data:`PRIORS`; empty for none."""
    return "" if prior is None else next(kind for kind, known in PRIORS.items() if isinstance(prior, known))


def width_of(prior: FactorPrior | None) -> float:
    """σ of a Gaussian prior, b of a Laplace prior; 1 for none."""
    if prior is None:
        return 1.0
    return prior.sigma if isinstance(prior, Gaussian) else prior.scale


def make_factor_prior(kind: str, width: float) -> FactorPrior | None:
    """The prior of a kind and a width; None without a kind."""
    return PRIORS[kind](width) if kind else None


def describe_factor_prior(prior: FactorPrior) -> str:
    """A prior in words.

    >>> describe_factor_prior(Laplace(0.5))
    'a Laplace prior (L1) on the logarithms of the factors, b = 0.5'
    """
    name, width = ("Gaussian prior (L2)", "σ") if isinstance(prior, Gaussian) else ("Laplace prior (L1)", "b")
    return f"a {name} on the logarithms of the factors, {width} = {show_number(width_of(prior))}"
