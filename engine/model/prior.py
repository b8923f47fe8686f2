"""Priors: Dirichlet on the rows of conditional probability tables, Gaussian or Laplace on the log factors of a
Markov network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Floats
from engine.model.dataset import HEAVIEST
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, find_variable

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
    """−Σ |w| / b over w = log θ: of cells that the data says little of, factors are exactly 1 (L1)."""

    scale: float

    def __post_init__(self) -> None:
        _check_width("b", self.scale)


Prior = Exponents | Gaussian | Laplace
"""Exponents are for Bayesian networks, the others for Markov networks; 1 is no prior, for both."""


def _check_width(name: str, width: float) -> None:
    if not 1 / HEAVIEST <= width <= HEAVIEST:
        raise ModelError(
            f"the width {name} of a prior must be between {1 / HEAVIEST:g} and {HEAVIEST:g}; got {width:g}"
        )


def flat_exponents(network: BayesianNetwork, exponents: Prior) -> Floats:
    """ψ for every parameter, in the order of the tables laid end to end.

    Exponents below 1 are refused: their density has no mode to climb to.
    """
    if isinstance(exponents, (Gaussian, Laplace)):
        raise ModelError("an L1 or L2 prior is for Markov networks; give a Bayesian network Dirichlet exponents")
    if not isinstance(exponents, Mapping):
        _check(network.variables[0].name if network.variables else "", np.float64(exponents))
        return np.full(sum(table.size for table in network.tables), float(exponents))
    named = {find_variable(network, name): value for name, value in exponents.items()}
    values = [named.get(v, 1.0) for v in range(len(network.variables))]
    flat = []
    for variable, table, value in zip(network.variables, network.tables, values, strict=True):
        try:
            filled = np.broadcast_to(np.asarray(value, dtype=np.float64), table.shape)
        except ValueError:
            raise ModelError(
                f"the exponents of {variable.name!r} have shape {np.shape(value)}; expected {table.shape}"
            ) from None
        _check(variable.name, filled)
        flat.append(filled.reshape(-1))
    return np.concatenate(flat) if flat else np.empty(0)


def _check(name: str, exponents: npt.NDArray[np.float64] | np.float64) -> None:
    """Refuse exponents below 1, and those that learning cannot reckon with."""
    if not np.all(exponents >= 1):
        raise ModelError(f"a Dirichlet exponent of {name!r} is below 1; use 1 for none, 2 to smooth")
    if not np.all(exponents <= HEAVIEST):
        raise ModelError(f"a Dirichlet exponent of {name!r} is above {HEAVIEST:g}; use 1 for none, 2 to smooth")
