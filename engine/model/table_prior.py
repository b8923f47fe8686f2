"""Priors on the rows of conditional probability tables that are no Dirichlet: each has a name and a width.

One is ours; others come from packages that are installed beside this program and register a function in the entry-point
group ``pgmgui.priors``. A file, a link or an option only ever *names* a prior: what is not registered is refused, and
nothing is imported that was not installed as a prior.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar

import numpy as np

from engine.model.arrays import Floats
from engine.model.errors import ModelError
from engine.model.messages import shorten

GROUP = "pgmgui.priors"
"""The entry-point group in which packages register priors."""
WIDTHS = (1e-3, 1e3)
"""The least and the greatest width."""
ABOVE = 1e-9
"""By how much a density may round to above its peak of 0."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")

LogDensity = Callable[[Floats, float], Floats]
"""From parameters of shape (sets, states), each set summing to one, and the width to log p of each set: at most 0."""


@dataclass(frozen=True)
class LogisticNormal:
    """A normal density on the centred logarithms of a set: log p = −Σ (log θ(x) − mean log θ)² / (2 width²).

    Sets near uniform are likely. It is a density over the logarithms, not over θ, and highest, 0, where θ is uniform.
    """

    width: float
    name: ClassVar[str] = "logistic-normal"

    def __post_init__(self) -> None:
        _check_width(self)

    def log_density(self, theta: Floats) -> Floats:
        """Per set, the logarithm of its density: 0 at the peak."""
        return self.at_logs(np.log(theta))

    def at_logs(self, logs: Floats) -> Floats:
        """The same from log θ, or that and a constant: also where θ is too small for a number."""
        centred = logs - logs.mean(axis=1, keepdims=True)
        return np.asarray(-0.5 * (centred**2).sum(axis=1) / self.width**2)


@dataclass(frozen=True)
class InstalledPrior:
    """A prior that an installed package has registered, by its name there."""

    name: str
    width: float

    def __post_init__(self) -> None:
        _check_width(self)
        _load(self.name)

    def log_density(self, theta: Floats) -> Floats:
        """Per set, what the package's function says: bounds rely on it that this is nowhere above 0."""
        try:
            found = np.asarray(_load(self.name)(theta, self.width), dtype=np.float64)
        except Exception as error:  # whatever another's code does
            raise ModelError(f"the prior {self.name!r} failed: {shorten(f'{type(error).__name__}: {error}')}") from None
        if found.shape != theta.shape[:1]:
            raise ModelError(
                f"the prior {self.name!r} gave numbers of shape {found.shape} for {len(theta)} sets of parameters; "
                f"expected shape {theta.shape[:1]}"
            )
        wrong = ~(np.isfinite(found) & (found <= ABOVE))
        if wrong.any():
            raise ModelError(
                f"the prior {self.name!r} gave {found[wrong][0]:g}; its logarithm must be finite and at most 0: "
                "subtract its value at the peak, for bounds rely on it"
            )
        return found


TablePrior = LogisticNormal | InstalledPrior


def list_table_priors() -> list[str]:
    """The names of all there are, ours first."""
    return [LogisticNormal.name, *sorted(_find_installed())]


def make_table_prior(name: str, width: float) -> TablePrior:
    """The prior of a name and a width."""
    return LogisticNormal(width) if name == LogisticNormal.name else InstalledPrior(name, width)


def parse_prior(text: str) -> float | TablePrior:
    """A prior on all tables as options and links have it: an exponent, or a name and a number.

    >>> parse_prior("2"), parse_prior("dirichlet:2"), parse_prior("logistic-normal:1.5")
    (2.0, 2.0, LogisticNormal(width=1.5))
    """
    name, _, number = text.rpartition(":")
    try:
        value = float(number)
    except ValueError:
        raise ModelError(
            f"{shorten(text)} is no prior: expected a number such as 2, or a name and a width such as "
            f"{LogisticNormal.name}:1.5; the names are {', '.join(list_table_priors())}"
        ) from None
    return value if name in ("", "dirichlet") else make_table_prior(name, value)


def show_table_prior(prior: TablePrior) -> str:
    """The prior as :func:`parse_prior` reads it.

    >>> show_table_prior(LogisticNormal(1.5))
    'logistic-normal:1.5'
    """
    return f"{prior.name}:{prior.width!r}"


def describe_table_prior(prior: TablePrior) -> str:
    """The prior in words.

    >>> describe_table_prior(LogisticNormal(1.5))
    'a logistic-normal prior of width 1.5 on every row of the tables'
    """
    kind = "logistic-normal prior" if isinstance(prior, LogisticNormal) else f"prior {prior.name!r}"
    return f"a {kind} of width {prior.width:g} on every row of the tables"


def _check_width(prior: TablePrior) -> None:
    least, most = WIDTHS
    if not least <= prior.width <= most:
        raise ModelError(
            f"the width of the prior {prior.name!r} must be between {least:g} and {most:g}; got {prior.width:g}"
        )


def _find_installed() -> dict[str, EntryPoint]:
    """What packages have registered, under names that an option can have."""
    own = (LogisticNormal.name, "dirichlet")
    found = entry_points(group=GROUP)
    return {point.name: point for point in found if _NAME.fullmatch(point.name) and point.name not in own}


@cache
def _load(name: str) -> LogDensity:
    """The function that is registered under a name."""
    installed = _find_installed()
    if name not in installed:
        raise ModelError(
            f"the prior {shorten(name)} is not installed; use one of {', '.join(list_table_priors())}, or install the "
            f"package that registers it among the entry points {GROUP!r}"
        )
    try:
        function = installed[name].load()
    except Exception as error:  # whatever another's code does
        raise ModelError(
            f"the prior {name!r} cannot be loaded: {shorten(f'{type(error).__name__}: {error}')}"
        ) from None
    if not callable(function):
        raise ModelError(f"the prior {name!r} is no function; its package must register one of (theta, width)")
    density: LogDensity = function
    return density
