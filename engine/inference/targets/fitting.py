"""Iterative proportional fitting, the same for every way of keeping the distribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.inference.targets.target import ROUNDING, Target
from engine.model.arrays import Floats
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import Network
from engine.model.variable import list_names

LEAST_CHANGE = 1e-9
"""A round in which the distance to the targets changes by less than this fraction has stalled."""
PATIENCE = 30
"""After this many stalled rounds in a row, the targets are taken not to hold together: targets that do,
but only in states the model gives next to no probability, stall for a while at the start."""


class Way(Protocol):
    """A way of keeping the distribution Q that is fitted."""

    @property
    def cells(self) -> int:
        """How many cells of tables have been computed so far."""
        ...

    def marginal(self, target: int) -> Floats:
        """Q(X) of the variables of a target, in its axes."""
        ...

    def move(self, target: int, current: Floats) -> None:
        """Q ← Q R / Q(X) for a target R; ``current`` is Q(X), positive where R is."""
        ...


@dataclass(frozen=True, eq=False)
class Round:
    """How it stands when every target has had its turn.

    Attributes
    ----------
    number : int
        Rounds so far; 0 before the first.
    residuals : array (targets,)
        The largest difference between Q(X) and each target.
    logs : tuple of array
        Per target, log f with Q = P ∏ f; −∞ where the target is 0.
    divergence : float
        Σ Q log (Q / P) in nats, as Σ_j Σ_x Q(x_j) log f_j(x_j).
    cells : int
        Cells of tables computed so far.
    """

    number: int
    residuals: Floats
    logs: tuple[Floats, ...]
    divergence: float
    cells: int


def fit(network: Network, way: Way, targets: Sequence[Target], tol: float, max_rounds: int) -> Iterator[Round]:
    """Rounds of fitting, from that before the first to the one in which every target is met to ``tol``.

    Raises
    ------
    ImpossibleEvidenceError
        If a target gives probability to what is excluded, or the targets cannot hold together.
    """
    logs = [np.zeros(target.table.shape) for target in targets]
    number, stalled = 0, 0
    current = [way.marginal(j) for j in range(len(targets))]
    latest = _look(number, current, targets, logs, way.cells)
    yield latest
    while latest.residuals.max(initial=0.0) > tol:
        for j, target in enumerate(targets):
            current[j] = way.marginal(j)
            _check_support(network, target, current[j])
            with np.errstate(divide="ignore", invalid="ignore"):
                # Their quotient may be beyond what a number holds.
                logs[j] = np.where(target.table > 0, logs[j] + np.log(target.table) - np.log(current[j]), -np.inf)
            way.move(j, current[j])
        number, before = number + 1, float(latest.residuals.max(initial=0.0))
        current = [way.marginal(j) for j in range(len(targets))]
        latest = _look(number, current, targets, logs, way.cells)
        off = float(latest.residuals.max(initial=0.0))
        stalled = stalled + 1 if abs(off - before) <= LEAST_CHANGE * off else 0
        yield latest
        if stalled < PATIENCE and number < max_rounds:
            continue
        if off > ROUNDING:  # else they are as close as targets can be that agree to the digits they came in
            raise ImpossibleEvidenceError(_tell_conflict(targets, latest))
        return


def _look(
    number: int, current: Sequence[Floats], targets: Sequence[Target], logs: Sequence[Floats], cells: int
) -> Round:
    residuals = np.array([abs(q - target.table).max() for q, target in zip(current, targets, strict=True)])
    products = [q * np.where(q > 0, log, 0.0) for q, log in zip(current, logs, strict=True)]
    divergence = max(0.0, sum(float(product.sum()) for product in products))
    return Round(number, residuals, tuple(log.copy() for log in logs), divergence, cells)


def _check_support(network: Network, target: Target, current: Floats) -> None:
    """Raise an error if a target asks for what has no probability."""
    excluded = np.argwhere((target.table > 0) & (current <= 0))
    if not len(excluded):
        return
    codes = zip(target.variables, excluded[0].tolist(), strict=True)
    states = ", ".join(f"{network.variables[v].name}={network.variables[v].states[code]}" for v, code in codes)
    raise ImpossibleEvidenceError(
        f"{target} gives probability to {states}, which the model, the evidence or the other targets exclude: give it 0"
    )


def _tell_conflict(targets: Sequence[Target], latest: Round) -> str:
    order = np.argsort(-latest.residuals)
    worst = "; ".join(f"{targets[j]} by {latest.residuals[j]:.2g}" for j in order[:3] if latest.residuals[j] > ROUNDING)
    return (
        f"after {latest.number} rounds, some targets are still off and come no closer: {worst}; {_name_all(targets)} "
        "under this model and evidence: give fewer of them, or weaker ones"
    )


def _name_all(targets: Sequence[Target]) -> str:
    """Who is at odds: whichever has its turn last is met, at the cost of the others."""
    if len(targets) == 1:
        return "it probably cannot hold"
    told = list_names([", ".join(target.names) for target in targets])
    return f"the targets of {told} probably cannot hold at once"
