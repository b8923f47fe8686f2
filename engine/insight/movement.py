"""How far the tables of a network have moved, each by one number.

Of a variable, the number says how often a draw of it would come out differently, its parents being drawn by the first
network: Σ_u Pr(u) ½ Σ_x |a(x | u) − b(x | u)|, the total variation of its rows weighted by how probable their parents'
states are. Of a factor it is the total variation of what the two networks make of its variables together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inference.posterior import infer
from engine.model.arrays import Floats
from engine.model.dataset import make_dataset
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import MarkovNetwork, Network


@dataclass(frozen=True)
class Movement:
    """How far a table has moved.

    Attributes
    ----------
    table : int
    distance : float
        From 0 to 1: the share of draws that come out differently.
    largest : float
        The largest difference of two probabilities.
    """

    table: int
    distance: float
    largest: float


def find_marginals(network: Network) -> list[Floats]:
    """Pr of the variables of each table together, with an axis for each."""
    posterior = infer(network, make_dataset(network.variables, [[None] * len(network.variables)]))
    if posterior.impossible[0]:
        raise ImpossibleEvidenceError("the factors exclude every configuration: there are no probabilities to compare")
    return [posterior.family(k)[0] for k in range(len(network.scopes))]


def rank_tables(first: Network, second: Network) -> list[Movement]:
    """How far each table moves from one network to another over the same scopes, the farthest first."""
    marginals = find_marginals(first)
    others = find_marginals(second) if isinstance(first, MarkovNetwork) else []
    found = []
    for k, joint in enumerate(marginals):
        if isinstance(first, MarkovNetwork):
            change = np.abs(joint - others[k])
            distance = 0.5 * float(change.sum())
        else:
            change = np.abs(first.tables[k] - second.tables[k])
            distance = 0.5 * float((joint.sum(axis=-1) * change.sum(axis=-1)).sum())
        found.append(Movement(k, distance, float(change.max())))
    return sorted(found, key=lambda movement: (-movement.distance, movement.table))
