"""Who is related to a variable in a network: ancestors, descendants, Markov blanket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.model.network import BayesianNetwork, Network


def find_ancestors(network: Network, variables: Iterable[int]) -> set[int]:
    """The variables from which arrows lead to some of these; in a Markov network, none."""
    return _follow(variables, network.parents) if isinstance(network, BayesianNetwork) else set()


def find_descendants(network: Network, variables: Iterable[int]) -> set[int]:
    """The variables to which arrows lead from some of these; in a Markov network, none."""
    if not isinstance(network, BayesianNetwork):
        return set()
    children: list[list[int]] = [[] for _ in network.variables]
    for parent, child in network.edges:
        children[parent].append(child)
    return _follow(variables, children)


def find_blanket(network: Network, variables: Iterable[int]) -> set[int]:
    """The variables that are in a factor with some of these, and are not of them.

    Given them, these are independent of all others. In a Bayesian network they are parents, children, and other
    parents of the children.
    """
    inside = set(variables)
    joined = (scope for scope in network.scopes if not inside.isdisjoint(scope))
    return {v for scope in joined for v in scope} - inside


@dataclass(frozen=True)
class Tie:
    """Why a variable is in the Markov blanket of another.

    Attributes
    ----------
    is_parent, is_child : bool
        What it is to the other; in a Markov network neither.
    shared : tuple of int
        The children that they have together; in a Markov network, the factors.
    """

    is_parent: bool
    is_child: bool
    shared: tuple[int, ...]


def explain_blanket(network: Network, variable: int) -> dict[int, Tie]:
    """The Markov blanket of a variable, and why each is in it."""
    found = {}
    for other in sorted(find_blanket(network, [variable])):
        # A table belongs to a child: the one where both are parents is that of a child they share.
        joint = [k for k, scope in enumerate(network.scopes) if variable in scope and other in scope]
        if isinstance(network, BayesianNetwork):
            is_parent, is_child = other in network.parents[variable], variable in network.parents[other]
            found[other] = Tie(is_parent, is_child, tuple(k for k in joint if k not in (variable, other)))
        else:
            found[other] = Tie(False, False, tuple(joint))
    return found


RELATIONS: Mapping[str, Callable[[Network, Iterable[int]], set[int]]] = {
    "ancestors": find_ancestors,
    "descendants": find_descendants,
    "blanket": find_blanket,
}


def _follow(variables: Iterable[int], steps: Sequence[Sequence[int]]) -> set[int]:
    """All that is reached in one step or more."""
    reached: set[int] = set()
    waiting = list(variables)
    while waiting:
        new = set(steps[waiting.pop()]) - reached
        reached |= new
        waiting.extend(new)
    return reached
