"""Where a component is below its bound: its gap, shared out over its variables.

The I-map bound is a sum over variables (:mod:`engine.learning.imap.terms`). In the order that it was found in, each
variable has the most that any table could give it given what rows observe before it. What some parameters give it there
is Σ w log Pr(x | what the row observes before it), and by the chain rule these, and the log prior of each variable's
table, add up to the component's objective. A likelihood cell comes after all states, and has at most log max λ. So the
shares add up to the gap, and none is negative. Variables that are bounded together have equal shares of what they reach
together, as they have of their bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.inference.posterior import infer
from engine.learning.bounds import Bounds
from engine.learning.empirical import sum_likelihoods
from engine.learning.targets.splitting import has_targets
from engine.learning.task import LearningTask
from engine.model.arrays import Codes
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork


@dataclass(frozen=True)
class Share:
    """What a variable adds to its component's bound, and to its objective, in nats."""

    variable: int
    bound: float
    reached: float

    @property
    def gap(self) -> float:
        return max(0.0, self.bound - self.reached)


def share_gap(task: LearningTask, bounds: Bounds, network: BayesianNetwork, number: int) -> list[Share]:
    """The shares of a component's variables, for a network with the task's structure; in the order of the bound.

    Takes an inference on the component's rows for each of its variables that is observed.
    """
    component = task.decomposition.components[number]
    sub, data = replace(task.decomposition, network=network).subnetwork(component)
    data = data.take(np.flatnonzero(data.weights > 0))
    if has_targets(data):
        raise ModelError(
            "rows of this component have several targets, of which the bound sees one: its gap has no shares"
        )
    entropies = task.constants - sum_likelihoods(task.decomposition.dataset)
    place = {v: k for k, v in enumerate(sorted((*component.variables, *component.boundary)))}
    order = bounds.orders[number]
    reached = dict.fromkeys((*order, *component.variables), 0.0)
    prior = task.geometry.log_prior(task.layout.flatten(network.tables))
    by_table = np.zeros(len(network.tables)) if prior is None else task.layout.sum(prior)
    reached |= {v: float(by_table[v] + entropies[v]) for v in reached}
    known = np.full_like(data.codes, MISSING)
    given = [place[v] for v in component.boundary]
    known[given] = data.codes[given]
    before = _score(sub, data, known)
    soft = dict.fromkeys(reached, 0.0)
    for v, cells in _reveal(data, order, component.variables, place):
        known[place[v]] = cells
        after = _score(sub, data, known)
        (soft if (cells <= FIRST_LIKELIHOOD).any() else reached)[v] += after - before
        before = after
    for group in bounds.together[number]:
        reached |= dict.fromkeys(group.variables, sum(reached[v] for v in group.variables) / len(group.variables))
    reached = {v: value + soft[v] for v, value in reached.items()}
    return [Share(v, float(bounds.terms[v]), value) for v, value in reached.items()]


def _reveal(
    data: Dataset, order: tuple[int, ...], variables: tuple[int, ...], place: dict[int, int]
) -> Iterator[tuple[int, Codes]]:
    """What comes to be known of the variables, one after the other: first states, then likelihoods."""
    for v in order:
        codes = data.codes[place[v]]
        yield v, np.where(codes >= 0, codes, MISSING)
    for v in variables:
        codes = data.codes[place[v]]
        if (codes <= FIRST_LIKELIHOOD).any():
            yield v, codes


def _score(network: BayesianNetwork, data: Dataset, known: Codes) -> float:
    """Σ w log Pr(what is known of a row). What is known of none of its descendants is left out: it sums to one."""
    needed: set[int] = set()
    waiting = np.flatnonzero((known != MISSING).any(axis=1)).tolist()
    while waiting:
        v = waiting.pop()
        if v not in needed:
            needed.add(v)
            waiting.extend(network.parents[v])
    kept = sorted(needed)
    if not kept:
        return 0.0
    new = {old: k for k, old in enumerate(kept)}
    smaller = BayesianNetwork(
        tuple(network.variables[v] for v in kept),
        tuple(tuple(new[p] for p in network.parents[v]) for v in kept),
        tuple(network.tables[v] for v in kept),
    )
    rows = replace(data, codes=known.copy()).project(kept)
    return float(infer(smaller, rows).log_evidence @ rows.weights)
