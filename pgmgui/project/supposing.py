"""What a query supposes of a variable: one likelihood per state, of which hard evidence leaves a single one.

Pure functions; a likelihood of None supposes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from engine.model.network import Network
from pgmgui.project.following import Changes
from pgmgui.project.numbers import show_number
from pgmgui.project.words import cut

Likelihood = tuple[float, ...]
MOST_TOLD = 4
"""Likelihoods told in a line of words."""


def find_state(likelihood: Sequence[float] | None) -> int | None:
    """The one state that a likelihood leaves possible; None if there are several."""
    possible = [k for k, weight in enumerate(likelihood or ()) if weight > 0]
    return possible[0] if len(possible) == 1 else None


def toggle(likelihood: Sequence[float] | None, size: int, state: int) -> Likelihood | None:
    """Hard evidence on a state; nothing if that is what was supposed.

    >>> toggle(None, 3, 1), toggle((0.0, 1.0, 0.0), 3, 1)
    ((0.0, 1.0, 0.0), None)
    """
    return None if find_state(likelihood) == state else tuple(float(k == state) for k in range(size))


def weigh(likelihood: Sequence[float] | None, size: int, state: int, weight: float) -> Likelihood:
    """Likelihood evidence with another weight of one state. The others keep theirs, or have 1.

    >>> weigh(None, 2, 0, 0.3), weigh((0.3, 1.0), 2, 1, 0.5), weigh((0.0, 1.0), 2, 1, 0.5)
    ((0.3, 1.0), (0.3, 0.5), (1.0, 0.5))
    """
    weights = [1.0] * size if likelihood is None or find_state(likelihood) is not None else list(likelihood)
    weights[state] = weight
    return tuple(weights)


def simplify(likelihood: Sequence[float] | None) -> Likelihood | None:
    """A likelihood that tells states apart; None if it does not, or leaves none possible."""
    if likelihood is None or len(set(likelihood)) == 1 or not all(0 <= w < math.inf for w in likelihood):
        return None
    return tuple(map(float, likelihood))


def follow_evidence(evidence: Mapping[str, Likelihood], changes: Changes) -> dict[str, Likelihood]:
    """The evidence after an edit: under new names, in the new order of states; none where states came or went."""
    followed = {}
    for name, likelihood in evidence.items():
        new = changes.renamed.get(name, name)
        order = changes.states.get(new, list(range(len(likelihood))))
        if sorted(-1 if old is None else old for old in order) == list(range(len(likelihood))):
            followed[new] = tuple(likelihood[old] for old in order if old is not None)
    return followed


def still_fitting(evidence: Mapping[str, Likelihood], before: Network, after: Network) -> dict[str, Likelihood]:
    """The evidence on variables that two networks share, with the same states."""
    same = find_same(before, after)
    return {name: likelihood for name, likelihood in evidence.items() if name in same}


def find_same(before: Network, after: Network) -> set[str]:
    """The variables that two networks share, with the same states."""
    states = {variable.name: variable.states for variable in before.variables}
    return {variable.name for variable in after.variables if states.get(variable.name) == variable.states}


def describe_supposed(name: str, states: Sequence[str], likelihood: Sequence[float]) -> str:
    """What is supposed of a variable, in words.

    >>> describe_supposed("rain", ("yes", "no"), (1, 0)), describe_supposed("rain", ("yes", "no"), (1, 0.25))
    ('rain = yes', 'rain: likelihood yes 1, no 0.25')
    """
    state = find_state(likelihood)
    if state is not None:
        return f"{name} = {states[state]}"
    told = [f"{one} {show_number(weight)}" for one, weight in zip(states, likelihood, strict=True)]
    return f"{name}: likelihood {cut(told, MOST_TOLD)}"
