"""Cases: what was supposed together, kept to be supposed again and compared.

A case names variables and states, so that it fits again whenever the network has them, in whatever order: after an
undo, or in another parameterisation of the same network. Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.model.network import Network
from pgmgui.project.scene import Case
from pgmgui.project.supposing import Likelihood, describe_supposed, simplify


def make_case(evidence: Mapping[str, Likelihood], network: Network) -> Case:
    """What is supposed, as a case."""
    return {name: dict(zip(_states(name, network), weights, strict=True)) for name, weights in evidence.items()}


def fit_case(case: Case, network: Network) -> tuple[dict[str, Likelihood], list[str]]:
    """What a case supposes of a network, and the variables that the network does not have with these states."""
    evidence, missing = {}, []
    for name, weights in case.items():
        states = _states(name, network) if name in network.index else ()
        likelihood = simplify([weights[state] for state in states]) if set(states) == set(weights) else None
        if likelihood is None:
            missing.append(name)
        else:
            evidence[name] = likelihood
    return evidence, missing


def name_case(evidence: Mapping[str, Likelihood], network: Network, taken: Mapping[str, Case]) -> str:
    """What is supposed, in words, with a number if another case has that name."""
    words = ", ".join(describe_supposed(name, _states(name, network), weights) for name, weights in evidence.items())
    names = (words, *(f"{words} ({k})" for k in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _states(name: str, network: Network) -> tuple[str, ...]:
    return network.variables[network.index[name]].states
