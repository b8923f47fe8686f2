"""Sensitivity: how far each entry of the tables moves a posterior.

One entry θ of a Bayesian network is changed, the others of its set in proportion, so that they still sum to 1. Then
Pr(x, e) and Pr(e) are linear in θ, and the posterior their quotient [Chan and Darwiche 2002]: both slopes are read off
the posteriors of the families, given e and given x and e. A factor of a Markov network has no other entries to follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.query import Evidence, query_by_state
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, Network

MOST_LISTED = 100
"""Entries that are told, unless others are wanted."""
LEAST = 1e-12
"""An entry that moves a posterior by no more does not move it: that is rounding."""


@dataclass(frozen=True)
class Influence:
    """What an entry of a table does to a posterior.

    Attributes
    ----------
    factor : int
        The table.
    cell : tuple of int
        Where the entry is in it.
    value : float
        The entry, above 0; in a Bayesian network also below 1.
    derivative : float
        Of the posterior by the entry; in a Markov network by its logarithm, for factors have no scale.
    halved, doubled : float
        The posterior with half and with twice the entry's odds θ / (1 − θ); in a Markov network the entry itself.
    """

    factor: int
    cell: tuple[int, ...]
    value: float
    derivative: float
    halved: float
    doubled: float


@dataclass(frozen=True)
class Sensitivity:
    """A posterior, and the entries that move it most, by how far it is from halved to doubled."""

    posterior: float
    influences: tuple[Influence, ...]


@dataclass(frozen=True, eq=False)
class _Effects:
    """Of the entries of a table: the posterior's derivative, and the posterior with half and with twice their odds."""

    derivative: Floats
    halved: Floats
    doubled: Floats


def find_influences(
    network: Network,
    evidence: Evidence,
    name: str,
    state: str,
    most: int = MOST_LISTED,
    memory_limit: int = MEMORY_LIMIT,
) -> Sensitivity:
    """What moves the posterior of a variable's state most, given states and likelihoods.

    Entries of 0, and of 1 in a Bayesian network, are taken as certain and left out; so are entries that move nothing.

    Examples
    --------
    >>> from engine.model.variable import Variable
    >>> rain, wet = Variable("Rain", ("yes", "no")), Variable("Wet", ("yes", "no"))
    >>> network = BayesianNetwork((rain, wet), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]))
    >>> found = find_influences(network, Evidence({"Wet": "yes"}, {}, {}), "Rain", "yes", most=1)
    >>> (one,) = found.influences
    >>> round(found.posterior, 4), one.factor, one.cell, round(one.halved, 4), round(one.doubled, 4)
    (0.6923, 0, (0,), 0.5294, 0.8182)
    """
    rows = query_by_state(network, evidence, name, memory_limit)
    v = network.index[name]
    code = network.variables[v].code(state)
    posterior = float(rows.marginal(v)[0, code])
    if posterior == 0:
        raise PgmError(
            f"{name}={state} has probability 0 given the evidence: no entry moves it; ask about another state"
        )
    change = _vary_set if isinstance(network, BayesianNetwork) else _vary_factor
    influences: list[Influence] = []
    for factor, table in enumerate(network.tables):
        family = rows.family(factor)
        influences += _rank(factor, table, change(table, family[1 + code], family[0], posterior), most)
    influences.sort(key=lambda one: -abs(one.doubled - one.halved))
    return Sensitivity(posterior, tuple(influences[:most]))


def _rank(factor: int, table: Floats, effects: _Effects, most: int) -> list[Influence]:
    """The entries of a table that move the posterior most, if they move it."""
    swing = np.abs(effects.doubled - effects.halved)
    found = []
    for place in np.argsort(-swing, axis=None, kind="stable")[:most]:
        cell = tuple(int(k) for k in np.unravel_index(place, table.shape))
        if swing[cell] <= LEAST:
            break
        effect = (float(values[cell]) for values in (effects.derivative, effects.halved, effects.doubled))
        found.append(Influence(factor, cell, float(table[cell]), *effect))
    return found


def _vary_set(table: Floats, with_state: Floats, without: Floats, posterior: float) -> _Effects:
    """The effects of a Bayesian network's entries, others in proportion; the arrays are Pr(x u | …), as the table.

    (∂ Pr / ∂ θ) / Pr = Pr(x u | …) / θ − Σ Pr(x′ u | …) / (1 − θ) over the other states x′.
    """
    rest = _sum_others(table)
    free = (table > 0) & (rest > 0)
    safe, left = np.where(free, table, 0.5), np.where(free, rest, 0.5)
    slopes = [np.where(free, given / safe - _sum_others(given) / left, 0.0) for given in (with_state, without)]
    # To half and twice the odds, from θ: −θ (1 − θ) / (2 − θ) and θ (1 − θ) / (1 + θ).
    halving, doubling = -safe * left / (1 + left), safe * left / (1 + safe)
    return _Effects(posterior * (slopes[0] - slopes[1]), *_move(posterior, slopes, halving, doubling))


def _vary_factor(table: Floats, with_state: Floats, without: Floats, posterior: float) -> _Effects:
    """The effects of a factor's entries: (∂ Pr / ∂ log θ) / Pr = Pr(cell | …)."""
    slopes = [np.where(table > 0, given, 0.0) for given in (with_state, without)]
    return _Effects(posterior * (slopes[0] - slopes[1]), *_move(posterior, slopes, np.array(-0.5), np.array(1.0)))


def _move(posterior: float, slopes: list[Floats], halving: Floats, doubling: Floats) -> tuple[Floats, Floats]:
    """The posterior after each of two steps: both probabilities in its quotient are linear."""
    upper, lower = slopes
    steps = (halving, doubling)
    halved, doubled = (np.asarray(posterior * (1 + step * upper) / (1 + step * lower)) for step in steps)
    return halved, doubled


def _sum_others(values: Floats) -> Floats:
    """For each entry the sum of the others of its set: no difference, which would lose the digits of small ones."""
    before, after = np.zeros_like(values), np.zeros_like(values)
    before[..., 1:] = np.cumsum(values[..., :-1], axis=-1)
    after[..., :-1] = np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1]
    return np.asarray(before + after)
