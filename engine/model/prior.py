"""Priors: Dirichlet or others on the rows of conditional probability tables, Gaussian or Laplace on the log factors of
a Markov network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Floats
from engine.model.dataset import HEAVIEST
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, find_variable
from engine.model.table_prior import TablePrior

Exponents = float | Mapping[str, float | npt.ArrayLike]
"""Dirichlet exponents ψ: one number for all parameters; or per variable a number or a whole table, and 1
for the variables not named. 1 is maximum likelihood, 2 Laplace smoothing."""


@dataclass(frozen=True)
class Gaussian:
    """−Σ w² / (2σ²) over w = log θ: factors near 1 are likely (L2)."""

    sigma: float

    def __post_init__(self) -> None:
        _check_width("σ", self.sigma)


@dataclass(frozen=True)
class Laplace:
    """−Σ |w| / b over w = log θ: of cells that the data says little of, factors are exactly 1 (L1).

    Attributes
    ----------
    scale : float
        b.
    singles : bool
        Whether factors of single variables have it too. Where edges are looked for they should not: factors of pairs
        would stand in for them.
    """

    scale: float
    singles: bool = True

    def __post_init__(self) -> None:
        _check_width("b", self.scale)


Prior = Exponents | TablePrior | Gaussian | Laplace
"""Exponents and priors on tables are for Bayesian networks, the others for Markov networks; 1 is no prior, for both."""


def _check_width(name: str, width: float) -> None:
    if not 1 / HEAVIEST <= width <= HEAVIEST:
        raise ModelError(
            f"the width {name} of a prior must be between {1 / HEAVIEST:g} and {HEAVIEST:g}; got {width:g}"
        )


def flat_exponents(network: BayesianNetwork, exponents: Prior) -> Floats:
    """ψ for every parameter, in the order of the tables laid end to end; all 1 where the prior is no Dirichlet.

    Exponents below 1 are refused: their density has no mode to climb to.
    """
    if isinstance(exponents, (Gaussian, Laplace)):
        raise ModelError("an L1 or L2 prior is for Markov networks; give a Bayesian network Dirichlet exponents")
    if isinstance(exponents, TablePrior):
        exponents = 1.0
    if isinstance(exponents, int | float) or not isinstance(exponents, Mapping):  # which takes long to find out
        _check(network.variables[0].name if network.variables else "", float(exponents))
        return np.full(sum(table.size for table in network.tables), float(exponents))
    ends = np.cumsum([table.size for table in network.tables], dtype=np.intp)
    flat = np.ones(ends[-1] if ends.size else 0)
    for name, value in exponents.items():
        v = find_variable(network, name)
        table = network.tables[v]
        flat[ends[v] - table.size : ends[v]] = _fill(name, value, table.shape)
    if flat.size and not 1 <= flat.min() <= flat.max() <= HEAVIEST:
        wrong = int(np.argmin((flat >= 1) & (flat <= HEAVIEST)))
        _check(network.variables[int(np.searchsorted(ends, wrong, side="right"))].name, flat[wrong])
    return flat


def _fill(name: str, value: float | npt.ArrayLike, shape: tuple[int, ...]) -> float | Floats:
    """A number as it is, and a table of these numbers end to end."""
    if isinstance(value, int | float):
        return value
    try:
        return np.broadcast_to(np.asarray(value, dtype=np.float64), shape).reshape(-1)
    except ValueError:
        raise ModelError(f"the exponents of {name!r} have shape {np.shape(value)}; expected {shape}") from None


def _check(name: str, exponent: float) -> None:
    """Refuse an exponent below 1, and one that learning cannot reckon with."""
    if not exponent >= 1:
        raise ModelError(f"a Dirichlet exponent of {name!r} is below 1; use 1 for none, 2 to smooth")
    if not exponent <= HEAVIEST:
        raise ModelError(f"a Dirichlet exponent of {name!r} is above {HEAVIEST:g}; use 1 for none, 2 to smooth")
