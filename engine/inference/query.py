"""Evidence for a single query: hard states, likelihoods (Pearl) and target marginals (Jeffrey)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.inference.memory import show_gigabytes
from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import Posterior, infer
from engine.inference.targets.meeting import SOLVERS, Meeting, Met
from engine.inference.targets.target import make_targets
from engine.inference.targets.ways import with_factors
from engine.model.arrays import Floats
from engine.model.dataset import Dataset, make_dataset
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, ModelError, PgmError
from engine.model.messages import count
from engine.model.network import Network, find_variable
from engine.model.variable import Variable, list_names

Likelihood = Sequence[float] | Floats
TOL, MOST_ROUNDS = 1e-10, 1000
"""How close targets shall be met, and the rounds in which."""


@dataclass(frozen=True)
class Evidence:
    """What is known about some variables, by name.

    Attributes
    ----------
    states : mapping to a state's name
        The variable has this state.
    likelihoods : mapping to one number ≥ 0 per state
        Pr(what was seen | state), up to a factor: combines with what the model says.
    marginals : mapping, also from several names, to one probability per state or combination of states
        The distribution these variables shall have together, whatever the model says.
    fixed : bool
        Whether the marginals hold after all that is known; if not, before that, and what is known changes them.
    """

    states: Mapping[str, str]
    likelihoods: Mapping[str, Likelihood]
    marginals: Mapping[str | tuple[str, ...], Likelihood]
    fixed: bool = True


def query(network: Network, evidence: Evidence, memory_limit: int = MEMORY_LIMIT) -> Posterior:
    """The posterior of one row of evidence. Its log evidence is that of the states and likelihoods only.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the target marginals cannot hold together.
    """
    if evidence.marginals:
        return meet_targets(network, evidence, memory_limit=memory_limit).posterior
    check_evidence(network, evidence)
    return _infer(network, evidence, memory_limit)


def meet_targets(
    network: Network,
    evidence: Evidence,
    solver: str | None = None,
    memory_limit: int = MEMORY_LIMIT,
    tol: float = TOL,
    max_rounds: int = MOST_ROUNDS,
) -> Met:
    """The posterior of one row in which variables have target marginals, and how these were met.

    Parameters
    ----------
    solver : str
        One of :data:`~engine.inference.targets.meeting.SOLVERS`; if none is named, that of least estimated time.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the targets cannot hold together.
    """
    if solver is not None and solver not in SOLVERS:
        raise PgmError(f"no solver {solver!r}; there are {list_names(list(SOLVERS))}")
    met = open_meeting(network, evidence, memory_limit).solve(solver, tol, max_rounds)
    if met.posterior.impossible[0]:
        raise make_impossible(evidence)
    return met


def open_meeting(network: Network, evidence: Evidence, memory_limit: int = MEMORY_LIMIT) -> Meeting:
    """The targets of some evidence, checked and still to be met.

    Raises
    ------
    PgmError
        If a target is malformed, or two differ in what they share.
    ImpossibleEvidenceError
        If the states and likelihoods have probability zero.
    """
    check_evidence(network, evidence)
    targets = make_targets(network, evidence.marginals)
    _infer(network, evidence, memory_limit)  # else a target would be blamed for evidence that is impossible by itself
    return Meeting(network, _make_row(network, evidence), targets, evidence.fixed, memory_limit)


def absorb_targets(network: Network, evidence: Evidence, memory_limit: int = MEMORY_LIMIT) -> tuple[Network, Evidence]:
    """A network and states and likelihoods that say the same as evidence with targets: each is a factor then.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the targets cannot hold together.
    """
    if not evidence.marginals:
        return network, evidence
    meeting = open_meeting(network, evidence, memory_limit)
    *_, last = meeting.iterate(meeting.choose(), TOL, MOST_ROUNDS)
    return meeting.absorb(last), replace(evidence, marginals={})


def query_joint(network: Network, evidence: Evidence, names: Sequence[str], memory_limit: int = MEMORY_LIMIT) -> Floats:
    """Pr(some variables together | evidence); the axes are the variables, in this order.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the target marginals cannot hold together.
    """
    check_evidence(network, evidence)
    scope = tuple(find_variable(network, name) for name in names)
    network, evidence = absorb_targets(network, evidence, memory_limit)
    return np.asarray(_infer(with_factors(network, [scope]), evidence, memory_limit).family(len(network.tables))[0])


def _infer(network: Network, evidence: Evidence, memory_limit: int) -> Posterior:
    posterior = infer(network, _make_row(network, evidence), memory_limit)
    if posterior.impossible[0]:
        raise make_impossible(evidence)
    return posterior


def _make_row(network: Network, evidence: Evidence) -> Dataset:
    """The states and likelihoods as a row of data."""
    cells = [evidence.states.get(v.name, evidence.likelihoods.get(v.name)) for v in network.variables]
    return make_dataset(network.variables, [cells])


def query_by_state(network: Network, evidence: Evidence, name: str, memory_limit: int = MEMORY_LIMIT) -> Posterior:
    """Posteriors of a first row with the evidence, and of one row for each state of a variable, supposed as well.

    A likelihood of the variable itself counts in the first row only: given a state, it tells nothing more.

    Raises
    ------
    PgmError
        If the variable is known, or there are target marginals.
    ImpossibleEvidenceError
        If the evidence has probability zero. A state that has is an impossible row.
    MemoryLimitError
        If the variable has so many states that the posteriors do not fit.
    """
    check_evidence(network, evidence)
    variable = network.variables[find_variable(network, name)]
    if name in evidence.states:
        raise PgmError(f"{name!r} is known: it has the state {evidence.states[name]!r}; ask about another variable")
    if evidence.marginals:
        raise PgmError(f"this takes no target marginals; leave out that of {list_names(list_constrained(evidence))}")
    needed = 8 * (1 + variable.cardinality) * max(table.size for table in (*network.tables, np.ones(1)))
    if needed > memory_limit:
        raise MemoryLimitError(
            f"{name!r} has {variable.cardinality:,} states: a posterior given each of them would need about "
            f"{show_gigabytes(needed)}, over the limit of {show_gigabytes(memory_limit)}; ask about another variable",
            needed,
            memory_limit,
        )
    cells: list[Any] = [evidence.states.get(v.name, evidence.likelihoods.get(v.name)) for v in network.variables]
    place = network.index[name]
    rows = [cells, *([*cells[:place], state, *cells[place + 1 :]] for state in variable.states)]
    posterior = infer(network, make_dataset(network.variables, rows), memory_limit)
    if posterior.impossible[0]:
        raise make_impossible(evidence)
    return posterior


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
    for name in (*evidence.states, *evidence.likelihoods, *list_constrained(evidence)):
        find_variable(network, name)
        if name in seen:
            raise PgmError(f"two kinds of evidence on {name!r}; give one")
        seen.add(name)
    for name, state in evidence.states.items():
        network.variables[network.index[name]].code(state)
    for name, vector in evidence.likelihoods.items():
        _check_vector(network.variables[network.index[name]], vector)


def list_constrained(evidence: Evidence) -> list[str]:
    """The variables that have a target marginal, alone or with others; each once."""
    return list(dict.fromkeys(name for key in evidence.marginals for name in names_of(key)))


def names_of(key: str | tuple[str, ...]) -> tuple[str, ...]:
    """The variables of a target, by what it is called in the evidence: a name, or several."""
    return (key,) if isinstance(key, str) else key


def _check_vector(variable: Variable, vector: Likelihood) -> None:
    if len(vector) != variable.cardinality:
        raise ModelError(f"{variable.name!r} has {variable.cardinality} states; got {count(len(vector), 'number')}")
    if not np.isfinite(vector).all() or min(vector) < 0 or max(vector) <= 0:
        raise ModelError(f"the numbers for {variable.name!r} must be ≥ 0 and not all 0; got {list(vector)}")
