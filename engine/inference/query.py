"""Evidence for a single query: hard states, likelihoods (Pearl) and target marginals (Jeffrey)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.constraints import meet_targets
from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import Posterior, infer
from engine.model.arrays import Floats
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError, ModelError, PgmError
from engine.model.network import Network, find_variable
from engine.model.variable import Variable, list_names

Likelihood = Sequence[float] | Floats


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

    Target marginals are met by :func:`~engine.inference.constraints.meet_targets`. The log evidence is
    that of the states and likelihoods only.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the targets cannot hold together.
    """
    check_evidence(network, evidence)
    targets = {network.index[name]: _normalised(target) for name, target in evidence.marginals.items()}
    # A likelihood of ones says nothing, and keeps a place in the plan for another.
    likelihoods = {
        **evidence.likelihoods,
        **{name: np.ones(len(target)) for name, target in evidence.marginals.items()},
    }
    cells = [evidence.states.get(v.name, likelihoods.get(v.name)) for v in network.variables]
    posterior = infer(network, make_dataset(network.variables, [cells]), memory_limit)
    if posterior.impossible[0]:
        raise make_impossible(evidence)
    return meet_targets(posterior, targets, memory_limit, tol, max_iter) if targets else posterior


def _normalised(target: Likelihood) -> Floats:
    """A target that sums to 1 exactly, not only to the digits it was written with."""
    values = np.array(target, dtype=np.float64)
    return np.asarray(values / values.sum())


def make_impossible(evidence: Evidence) -> PgmError:
    """What to raise where no configuration of the network agrees with the evidence."""
    given = [f"{name}={state}" for name, state in evidence.states.items()]
    given += list(evidence.likelihoods)
    if not given:
        return ModelError("the factors of this Markov network exclude every configuration: no state has a probability")
    return ImpossibleEvidenceError(
        f"the evidence {list_names(given)} has probability 0 under this network: no state of the others explains it"
    )


def check_evidence(network: Network, evidence: Evidence) -> None:
    """Raise an error if the evidence is not about this network, or contradicts itself in form."""
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
