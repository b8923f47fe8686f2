"""Cases: what was supposed together, kept to be supposed again and compared.

A case names variables and states, so that it fits again whenever the network has them, in whatever order: after an
undo, or in another parameterisation of the same network. Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.model.errors import PgmError
from engine.model.network import Network
from pgmgui.project.scene import Case, CaseTarget
from pgmgui.project.supposing import Likelihood, simplify
from pgmgui.project.wanted import Names, Numbers, Supposed, Wanted, arrange, list_supposed, want_all


def make_case(supposed: Supposed, network: Network) -> Case:
    """What is supposed, as a case."""
    weighed = supposed.likelihoods.items()
    return Case(
        {name: dict(zip(_states(name, network), weights, strict=True)) for name, weights in weighed},
        tuple(
            CaseTarget(names, tuple(_states(name, network) for name in names), numbers)
            for names, numbers in supposed.wanted.tables.items()
        ),
        supposed.wanted.fixed or not supposed.wanted.tables,  # without targets it says nothing
    )


def fit_case(case: Case, network: Network) -> tuple[Supposed, list[str]]:
    """What a case supposes of a network, and the variables that the network does not have with these states."""
    likelihoods, missing = {}, []
    for name, weights in case.likelihoods.items():
        likelihood = _fit_likelihood(name, weights, network)
        if likelihood is None:
            missing.append(name)
        else:
            likelihoods[name] = likelihood
    fitted = {}
    for target in case.targets:
        arranged = _fit_target(target, network) if likelihoods.keys().isdisjoint(target.variables) else None
        if arranged is None:
            missing.append(", ".join(target.variables))
        else:
            fitted[arranged[0]] = arranged[1]
    try:
        return Supposed(likelihoods, want_all(Wanted(fixed=case.fixed), network, fitted.items())), missing
    except PgmError:  # a case from a file: some of its targets are none, or do not agree
        missing += [", ".join(names) for names in fitted]
        return Supposed(likelihoods, Wanted(fixed=case.fixed)), missing


def name_case(supposed: Supposed, network: Network, taken: Mapping[str, Case]) -> str:
    """What is supposed, in words, with a number if another case has that name."""
    words = ", ".join(list_supposed(supposed, network))
    names = (words, *(f"{words} ({k})" for k in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _fit_likelihood(name: str, weights: Mapping[str, float], network: Network) -> Likelihood | None:
    states = _states(name, network) if name in network.index else ()
    return simplify([weights[state] for state in states]) if set(states) == set(weights) else None


def _fit_target(target: CaseTarget, network: Network) -> tuple[Names, Numbers] | None:
    """The variables and numbers in the order that the network has them; None where it has others."""
    names: Names = target.variables
    if not all(name in network.index for name in names):
        return None
    states = [_states(name, network) for name in names]
    if any(sorted(ours) != sorted(theirs) for ours, theirs in zip(states, target.states, strict=True)):
        return None
    orders = [[theirs.index(state) for state in ours] for ours, theirs in zip(states, target.states, strict=True)]
    table = np.array(target.numbers).reshape([len(order) for order in orders])
    try:
        return arrange(network, names, table[np.ix_(*orders)].reshape(-1).tolist())
    except PgmError:  # on this network it would have too many numbers
        return None


def _states(name: str, network: Network) -> tuple[str, ...]:
    return network.variables[network.index[name]].states
