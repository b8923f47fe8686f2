"""The value of information: which variable to observe next, to know most about a target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.query import Evidence, query_by_state
from engine.model.arrays import Floats
from engine.model.network import Network


@dataclass(frozen=True)
class Information:
    """What is not known of a target, and what others would tell of it, in nats.

    Attributes
    ----------
    entropy : float
        H(target | evidence).
    gains : tuple of (variable, float)
        The expected reduction of that entropy if the variable's state is observed, the largest first: the mutual
        information of the two, given the evidence. Variables that are known are left out.
    """

    entropy: float
    gains: tuple[tuple[int, float], ...]


def find_information(network: Network, evidence: Evidence, name: str, memory_limit: int = MEMORY_LIMIT) -> Information:
    """What observing each other variable would tell of a target, given states and likelihoods.

    Σ Pr(t) Pr(y | t) log (Pr(y | t) / Pr(y)), all given the evidence: posteriors given each state t of the target
    tell of every variable at once.

    Examples
    --------
    >>> from engine.model.network import BayesianNetwork
    >>> from engine.model.variable import Variable
    >>> coin, copy = Variable("Coin", ("heads", "tails")), Variable("Copy", ("heads", "tails"))
    >>> network = BayesianNetwork((coin, copy), ((), (0,)), ([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]]))
    >>> found = find_information(network, Evidence({}, {}, {}), "Coin")
    >>> round(found.entropy, 4), [(v, round(gain, 4)) for v, gain in found.gains]
    (0.6931, [(1, 0.6931)])
    """
    rows = query_by_state(network, evidence, name, memory_limit)
    target = network.index[name]
    weights = rows.marginal(target)[0]
    possible = np.flatnonzero(weights)
    weights = weights[possible]
    gains = []
    for v, variable in enumerate(network.variables):
        if v != target and variable.name not in evidence.states:
            gains.append((v, _find_gain(weights, rows.marginal(v)[1 + possible])))
    gains.sort(key=lambda pair: -pair[1])
    return Information(max(0.0, float(-(weights * np.log(weights)).sum())), tuple(gains))


def _find_gain(weights: Floats, given: Floats) -> float:
    """The mutual information of t, of such weights, and y, of such probabilities given each t (a row each)."""
    joint = weights[:, np.newaxis] * given
    ratio = np.divide(given, joint.sum(axis=0), out=np.ones_like(given), where=joint > 0)
    return max(0.0, float((joint * np.log(ratio)).sum()))  # rounding may leave it just below 0
