"""Tables of one variable from different sources, and what lies between them: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.model.arrays import Floats
from engine.model.network import BayesianNetwork, Network
from pgmgui.components.grid.grid import Cell
from pgmgui.project.numbers import show_number
from pgmgui.state.session import Session

CURRENT, TRUE, LEARNED, PREVIOUS, SHRUNK = "current", "true", "learned", "previous", "MAP"
SOURCES = {
    CURRENT: "the network on the page",
    TRUE: "the network that the data was simulated from",
    LEARNED: "what the run has learned, at the moment looked at",
    PREVIOUS: "the table before its last change",
    SHRUNK: "the expected counts with the prior of the slider",
}
FULL_HEAT = 0.5
"""A difference that has the full colour."""


@dataclass(frozen=True, eq=False)
class Tables:
    """What there is of a variable's table.

    Attributes
    ----------
    found : dict from a key of :data:`SOURCES` to array (rows, states)
    counts : array (rows, states), optional
        The expected counts, once something was learned.
    """

    found: dict[str, Floats]
    counts: Floats | None


def gather_tables(session: Session, name: str, exponent: float) -> Tables:
    """The tables of a variable; only those over the same parents and states as the current one."""
    network, reached = session.network, session.reached
    if not isinstance(network, BayesianNetwork) or name not in network.index:
        return Tables({}, None)
    v = network.index[name]
    current = _flat(network.tables[v])
    found, counts = {CURRENT: current}, None
    if session.scene.truth is not None and _same_family(session.scene.truth, network, name):
        found[TRUE] = _flat(session.scene.truth.tables[session.scene.truth.index[name]])
    if reached is not None:
        layout = reached.task.layout
        found[LEARNED] = _flat(layout.tables(reached.theta[reached.best])[v])
        counts = _flat(layout.tables(reached.counts[reached.best])[v])
        found[SHRUNK] = shrink(counts, exponent, found[LEARNED])
    for earlier in session.earlier_networks:
        if _same_family(earlier, network, name):
            table = _flat(earlier.tables[earlier.index[name]])
            if not np.array_equal(table, current):
                found[PREVIOUS] = table
                break
    return Tables(found, counts)


def shrink(counts: Floats, exponent: float, otherwise: Floats) -> Floats:
    """The MAP table of expected counts under one Dirichlet exponent; rows without any weight stay as they are."""
    weights = counts + (exponent - 1)
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), otherwise)


def difference_cells(a: Floats, b: Floats, counts: Floats | None, highest: float) -> list[Cell]:
    """A row of differences from one table to another: warm where the second is higher, cold where it is lower.

    The colour is the fainter the fewer rows are expected to be behind it.
    """
    cells: list[Cell] = []
    for k, (old, new) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        change = new - old
        about, strength = f"{show_number(old)} → {show_number(new)}", 1.0
        if counts is not None:
            behind = float(counts.sum())
            about += f"; expected count {show_number(float(counts[k]))} of {show_number(behind)}"
            strength = 0.25 + 0.75 * np.log1p(behind) / np.log1p(max(highest, 1.0))
        heat = float(np.clip(change / FULL_HEAT, -1, 1) * strength)
        cells.append({"text": f"{change:+.4f}" if abs(change) >= 5e-5 else "0", "heat": heat, "about": about})
    return cells


def describe_difference(a: Floats, b: Floats, counts: Floats | None) -> str:
    """How far two tables are apart, in a sentence."""
    change = np.abs(a - b)
    words = f"Largest difference {change.max():.3g}, mean {change.mean():.3g}."
    if counts is not None and counts.sum() > 0:
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(a > 0, a * (np.log(a) - np.log(b)), 0.0).sum(axis=1)
        weights = counts.sum(axis=1)
        used = weights > 0
        divergence = float((weights[used] * terms[used]).sum() / weights.sum())
        shown = f"{max(divergence, 0.0):.3g} nats" if np.isfinite(divergence) else "infinite"
        words += f" Mean KL divergence {shown}, by the rows' expected counts."
    return words


def choose_pair(found: Sequence[str], chosen: tuple[str, str]) -> tuple[str, str]:
    """What to compare: what was chosen, if it is there; else what says most."""
    first, second = chosen
    first = first if first in found else CURRENT
    if second in found:
        return first, second
    return first, next((name for name in (LEARNED, TRUE, PREVIOUS) if name in found), CURRENT)


def _flat(table: Floats) -> Floats:
    return table.reshape(-1, table.shape[-1])


def _same_family(other: Network, network: BayesianNetwork, name: str) -> bool:
    """Whether another network has the variable with the same parents and states."""
    if not isinstance(other, BayesianNetwork) or name not in other.index:
        return False
    ours, theirs = network.scopes[network.index[name]], other.scopes[other.index[name]]
    return [network.variables[v] for v in ours] == [other.variables[v] for v in theirs]
