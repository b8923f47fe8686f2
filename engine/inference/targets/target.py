"""A target: the distribution that some variables shall have together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.model.arrays import Floats, frozen
from engine.model.errors import ImpossibleEvidenceError, ModelError, PgmError
from engine.model.network import Network, find_variable, table_shape
from engine.model.variable import list_names

ROUNDING = 1e-6
"""How far the sum of a target may be from 1, and two targets apart in what they share: they come in print."""


@dataclass(frozen=True, eq=False)
class Target:
    """The distribution of some variables; the axes of the table are the variables, in this order."""

    variables: tuple[int, ...]
    names: tuple[str, ...]
    table: Floats

    def __str__(self) -> str:
        """What it is of.

        >>> print(Target((0, 1), ("smoke", "bronc"), np.ones((2, 2)) / 4))
        the target of 'smoke', 'bronc'
        """
        return f"the target of {list_names(list(self.names))}"

    def margin(self, variables: Sequence[int]) -> Floats:
        """The distribution of some of its variables, in the order of their numbers."""
        kept = sorted(variables)
        others = tuple(axis for axis, v in enumerate(self.variables) if v not in kept)
        left = [v for v in self.variables if v in kept]
        return np.asarray(self.table.sum(axis=others).transpose([left.index(v) for v in kept]))


def make_targets(network: Network, given: Mapping[str | tuple[str, ...], object]) -> tuple[Target, ...]:
    """Targets by the names of their variables, each scaled to a sum of 1.

    Raises
    ------
    PgmError
        If one is malformed, or two do not agree on the variables they share; it says which.
    """
    targets = tuple(_make_target(network, key, values) for key, values in given.items())
    met: dict[int, list[Target]] = {}  # by variable: of a thousand targets few share one
    for other in targets:
        for one in dict.fromkeys(one for v in other.variables for one in met.get(v, ())):
            _check_agreement(one, other)
        for v in other.variables:
            met.setdefault(v, []).append(other)
    return targets


def _make_target(network: Network, key: str | tuple[str, ...], values: object) -> Target:
    names = (key,) if isinstance(key, str) else tuple(key)
    variables = tuple(find_variable(network, name) for name in names)
    target = Target(variables, names, np.array(values, dtype=np.float64))
    if not names or len(set(names)) < len(names):
        raise PgmError(f"{target} must name each of its variables once")
    shape = table_shape(network.variables, variables)
    if target.table.shape != shape:
        states = " × ".join(map(str, shape))
        raise ModelError(f"{target} needs {states} numbers; got {' × '.join(map(str, target.table.shape)) or 'one'}")
    if not np.isfinite(target.table).all() or (target.table < 0).any():
        raise ModelError(f"the numbers of {target} must be ≥ 0; got {target.table.reshape(-1).tolist()}")
    total = float(target.table.sum())
    if abs(total - 1) > ROUNDING:
        raise ModelError(f"{target} sums to {total:.6g}; expected 1")
    return Target(variables, names, frozen(target.table / total))


def _check_agreement(one: Target, other: Target) -> None:
    """Raise an error if two targets differ in what they say of the variables they share."""
    shared = sorted(set(one.variables) & set(other.variables))
    if not shared:
        return
    apart = float(abs(one.margin(shared) - other.margin(shared)).max())
    if apart > ROUNDING:
        names = list_names([name for v, name in zip(one.variables, one.names, strict=True) if v in shared])
        raise ImpossibleEvidenceError(
            f"{one} and {other} differ by up to {apart:.2g} in what they say of {names}: make them agree, "
            "or leave one out"
        )
