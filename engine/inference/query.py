"""Evidence for a single query: hard states, likelihoods (Pearl) and target marginals (Jeffrey)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import Posterior, infer
from engine.model.arrays import Floats
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError, ModelError, PgmError
from engine.model.network import Network, find_variable
from engine.model.variable import Variable, list_names

Likelihood = Sequence[float] | Floats
LEAST_CHANGE = 1e-9
"""A round in which the distance to the targets changes by less than this fraction has stalled."""
PATIENCE = 30
"""After this many stalled rounds in a row, the targets are taken not to hold together: targets that do,
but only in states the model gives next to no probability, stall for a while at the start."""


@dataclass(frozen=True)
class Evidence:
    """What is known about some variables, by name.

    Attributes
    ----------
    states : mapping to a state's name
        The variable has this state.
    likelihoods : mapping to one number ≥ 0 per state
        Pr(what was seen | state), up to a factor: combines with what the model says.
    marginals : mapping to one probability per state
        The distribution the variable shall have, whatever the model says.
    """

    states: Mapping[str, str]
    likelihoods: Mapping[str, Likelihood]
    marginals: Mapping[str, Likelihood]


def query(
    network: Network,
    evidence: Evidence,
    memory_limit: int = MEMORY_LIMIT,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> Posterior:
    """The posterior of one row of evidence.

    Target marginals are met by virtual-evidence IPFP (BN-IPFP-1 [uncertain §4]): each constrained
    variable has a likelihood, multiplied by target / current marginal in turn until all targets hold
    at once. With one target this is Jeffrey's rule, in one step (Eq. 58–59 [uncertain]). The log
    evidence is that of the states and likelihoods only.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the targets cannot hold together.
    """
    _check(network, evidence)
    known = _infer(network, evidence, evidence.likelihoods, memory_limit)
    if not evidence.marginals:
        return known
    targets = {name: _normalised(target) for name, target in evidence.marginals.items()}
    factors = {name: np.ones(len(target)) for name, target in targets.items()}
    posterior, off, stalled, rounds = known, np.inf, 0, 0
    while rounds < max_iter and stalled < PATIENCE:
        for name, target in targets.items():
            factors[name] = _step(factors[name], target, posterior.marginal(network.index[name])[0], name)
            posterior = _infer(network, evidence, {**evidence.likelihoods, **factors}, memory_limit)
        before, rounds = off, rounds + 1
        off = max(abs(posterior.marginal(network.index[name])[0] - target).max() for name, target in targets.items())
        if off <= tol:
            return Posterior(posterior.plan, known.log_evidence, known.log_partition, posterior.results)
        stalled = stalled + 1 if abs(off - before) <= LEAST_CHANGE * off else 0
    raise ImpossibleEvidenceError(
        f"the target marginals of {list_names(list(targets))} are still off by {off:.2g} after {rounds} rounds; "
        "they probably cannot hold at once under this model and evidence: give fewer of them, or weaker ones"
    )


def _normalised(target: Likelihood) -> Floats:
    """A target that sums to 1 exactly, not only to the digits it was written with."""
    values = np.array(target, dtype=np.float64)
    return np.asarray(values / values.sum())


def _infer(network: Network, evidence: Evidence, likelihoods: Mapping[str, Likelihood], limit: int) -> Posterior:
    cells: list[str | Likelihood | None] = []
    for variable in network.variables:
        cells.append(evidence.states.get(variable.name, likelihoods.get(variable.name)))
    posterior = infer(network, make_dataset(network.variables, [cells]), limit)
    if posterior.impossible[0]:
        given = [f"{name}={state}" for name, state in evidence.states.items()]
        given += list(likelihoods)
        raise ImpossibleEvidenceError(
            f"the evidence {list_names(given)} has probability 0 under this network: no state of the others explains it"
        )
    return posterior


def _step(factor: Floats, target: Floats, current: Floats, name: str) -> Floats:
    """A likelihood times target / current marginal, scaled to a maximum of 1."""
    if (target[current <= 0] > 0).any():
        raise ImpossibleEvidenceError(
            f"the target marginal of {name!r} gives probability to a state that the model, the evidence or the other "
            "targets exclude: give that state 0"
        )
    ratio = np.divide(target, current, out=np.zeros_like(target), where=current > 0)
    scaled = factor * ratio
    return np.asarray(scaled / scaled.max())


def _check(network: Network, evidence: Evidence) -> None:
    seen: set[str] = set()
    for name in (*evidence.states, *evidence.likelihoods, *evidence.marginals):
        find_variable(network, name)
        if name in seen:
            raise PgmError(f"two kinds of evidence on {name!r}; give one")
        seen.add(name)
    for name, state in evidence.states.items():
        network.variables[network.index[name]].code(state)
    for name, vector in {**evidence.likelihoods, **evidence.marginals}.items():
        _check_vector(network.variables[network.index[name]], vector)
    for name, target in evidence.marginals.items():
        if abs(sum(target) - 1) > 1e-6:
            raise ModelError(f"the target marginal of {name!r} sums to {sum(target):.6g}; expected 1")


def _check_vector(variable: Variable, vector: Likelihood) -> None:
    if len(vector) != variable.cardinality:
        raise ModelError(f"{variable.name!r} has {variable.cardinality} states; got {len(vector)} numbers")
    if not np.isfinite(vector).all() or min(vector) < 0 or max(vector) <= 0:
        raise ModelError(f"the numbers for {variable.name!r} must be ≥ 0 and not all 0; got {list(vector)}")
