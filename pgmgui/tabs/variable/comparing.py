"""Tables of one variable from different sources, and what lies between them: pure functions.

Factors of Markov networks are compared by what they mean: how probable each combination of their variables' states is.
The numbers of a factor say little by themselves, for its scale, and what it shares with its neighbours, is free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.inference.posterior import infer
from engine.insight.movement import find_marginals
from engine.learning.estimates import find_predictive, reason_against_predictive
from engine.learning.snapshot import Snapshot
from engine.model.arrays import Floats
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError
from engine.model.layout import Layout
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, as_markov
from engine.model.variable import Variable
from pgmgui.components.grid.grid import Cell
from pgmgui.project.numbers import show_number
from pgmgui.state.session import Session

CURRENT, TRUE, LEARNED, PREVIOUS = "current", "true", "learned", "previous"
PREDICTIVE, SHRUNK = "predictive", "MAP"
SOURCES = {
    CURRENT: "the network on the page",
    TRUE: "the network that the data was simulated from, or that was chosen to compare with",
    LEARNED: "what the run has learned, at the moment looked at",
    PREVIOUS: "the table before its last change",
    PREDICTIVE: "the posterior predictive: the expected counts with the run's exponents, (n + ψ) / (N + Σψ)",
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
    wholes : dict from a key to array (parameters,)
        Of sources with the current network's tables, all of them end to end: by them hidden states are told apart.
    weights : array (parameters,), optional
        The rows that are expected behind each parameter that was learned.
    """

    found: dict[str, Floats]
    counts: Floats | None
    wholes: dict[str, Floats] = field(default_factory=dict)
    weights: Floats | None = None


def gather_tables(session: Session, name: str, exponent: float) -> Tables:
    """The tables of a variable; only those over the same parents and states as the current one."""
    network, reached = session.network, session.reached
    if not isinstance(network, BayesianNetwork) or name not in network.index:
        return Tables({}, None)
    v = network.index[name]
    current = _flat(network.tables[v])
    found, counts, weights = {CURRENT: current}, None, None
    networks: dict[str, Network] = {CURRENT: network}
    if session.scene.truth is not None and _same_family(session.scene.truth, network, name):
        networks[TRUE] = session.scene.truth
        found[TRUE] = _flat(session.scene.truth.tables[session.scene.truth.index[name]])
    if reached is not None:
        layout = reached.task.layout
        networks[LEARNED] = networks[SHRUNK] = reached.network()
        found[LEARNED] = _flat(layout.tables(reached.theta[reached.best])[v])
        counts = _flat(layout.tables(reached.counts[reached.best])[v])
        weights = weigh_parameters(reached)
        found[SHRUNK] = shrink(counts, exponent, found[LEARNED])
        if not reason_against_predictive(network, session.scene.whole_prior):
            found[PREDICTIVE], networks[PREDICTIVE] = (
                _flat(layout.tables(find_predictive(reached))[v]),
                reached.network(),
            )
    for earlier in session.earlier_networks:
        if _same_family(earlier, network, name):
            table = _flat(earlier.tables[earlier.index[name]])
            if not np.array_equal(table, current):
                found[PREVIOUS], networks[PREVIOUS] = table, earlier
                break
    flatten = Layout(network).flatten
    wholes = {key: flatten(other.tables) for key, other in networks.items() if same_scopes(other, network)}
    return Tables(found, counts, wholes, weights)


def weigh_parameters(reached: Snapshot) -> Floats:
    """The rows that are expected behind each parameter of a Bayesian network that was learned."""
    layout = reached.task.layout
    expected = layout.tables(reached.counts[reached.best])
    return layout.flatten([np.broadcast_to(t.sum(axis=-1, keepdims=True), t.shape) for t in expected])


def list_sources(session: Session) -> dict[str, Network]:
    """The networks whose marginals can be compared, by their keys of :data:`SOURCES`."""
    found, current = {CURRENT: session.network}, session.network
    if session.scene.truth is not None:
        found[TRUE] = session.scene.truth
    if session.reached is not None:
        found[LEARNED] = session.reached.network()
    for earlier in session.earlier_networks:
        if earlier.variables == current.variables and not _same_tables(earlier, current):
            found[PREVIOUS] = earlier
            break
    return found


def gather_marginals(sources: Mapping[str, Network], variables: Sequence[Variable]) -> Tables:
    """The joint marginals of some variables under all networks that have them; this takes an inference of each."""
    found, wholes = {}, {}
    for key, network in sources.items():
        if _has(network, variables):
            found[key] = _flat(find_marginal(network, variables))
            if same_scopes(network, sources[CURRENT]):
                wholes[key] = Layout(network).flatten(find_marginals(network))
    return Tables(found, None, wholes)


def find_marginal(network: Network, variables: Sequence[Variable]) -> Floats:
    """Pr(variables) under a network, with an axis for each of them."""
    markov = as_markov(network)
    scope = tuple(markov.index[variable.name] for variable in variables)
    # Over a factor of ones, which changes nothing, inference tells it.
    ones = np.ones([variable.cardinality for variable in variables])
    asked = MarkovNetwork(markov.variables, (*markov.scopes, scope), (*markov.tables, ones))
    posterior = infer(asked, make_dataset(asked.variables, [[None] * len(asked.variables)]))
    if posterior.impossible[0]:
        raise ImpossibleEvidenceError("the factors exclude every configuration: there are no probabilities to compare")
    found: Floats = posterior.family(len(markov.scopes))[0]
    return found


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


def _has(network: Network, variables: Sequence[Variable]) -> bool:
    """Whether a network has some variables, with the same states."""
    known = set(network.variables)
    return all(variable in known for variable in variables)


def same_scopes(other: Network, network: Network) -> bool:
    """Whether a network has the same variables and tables over the same scopes as another."""
    return type(other) is type(network) and (other.variables, other.scopes) == (network.variables, network.scopes)


def _same_tables(a: Network, b: Network) -> bool:
    return a.scopes == b.scopes and all(np.array_equal(x, y) for x, y in zip(a.tables, b.tables, strict=True))


def _flat(table: Floats) -> Floats:
    return table.reshape(-1, table.shape[-1])


def _same_family(other: Network, network: BayesianNetwork, name: str) -> bool:
    """Whether another network has the variable with the same parents and states."""
    if not isinstance(other, BayesianNetwork) or name not in other.index:
        return False
    ours, theirs = network.scopes[network.index[name]], other.scopes[other.index[name]]
    return [network.variables[v] for v in ours] == [other.variables[v] for v in theirs]
