"""Tied tables: variables of a Bayesian network that share one table, as those of a chain or sensors of one make do.

What is learned of one is learned of all: their counts are added before the M-step (§2.1 [notes]), they have one prior,
and their tables are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.model.arrays import Ints
from engine.model.errors import ModelError
from engine.model.layout import Layout
from engine.model.messages import count, shorten
from engine.model.network import BayesianNetwork, Network, find_variable

Ties = tuple[tuple[int, ...], ...]
"""Groups of variables that share a table. The first of a group *leads*: where others differ, they become as it is."""


def find_ties(network: Network, groups: Iterable[Sequence[str]]) -> Ties:
    """Groups of variables by their names."""
    return check_ties(network, [[find_variable(network, name) for name in group] for group in groups])


def check_ties(network: Network, groups: Iterable[Sequence[int]]) -> Ties:
    """Groups of variables that can share a table.

    Raises
    ------
    ModelError
        If they cannot: it says which, and why.
    """
    ties = tuple(tuple(group) for group in groups)
    if not ties:
        return ()
    if not isinstance(network, BayesianNetwork):
        raise ModelError(
            "tied tables are for Bayesian networks: the factors of a Markov network are coupled by its partition "
            "function, so that adding their counts does not solve a shared one"
        )
    tied: set[int] = set()
    for group in ties:
        for variable in group:
            if variable in tied:
                raise ModelError(
                    f"{_name(network, variable)} is tied twice; name each variable once, in one group of tied tables"
                )
            tied.add(variable)
        if len(group) < 2:
            names = " and ".join(_name(network, variable) for variable in group)
            raise ModelError(f"a table is shared by two variables or more; got {names or 'none'}")
        for other in group[1:]:
            reason = compare_shapes(network, group[0], other)
            if reason:
                raise ModelError(reason)
    return ties


def compare_shapes(network: BayesianNetwork, first: int, other: int) -> str:
    """Why two variables cannot share a table; empty if they can."""
    a, b = _name(network, first), _name(network, other)
    start = f"{a} and {b} cannot share a table:"
    parents, others = network.parents[first], network.parents[other]
    states, other_states = network.variables[first].cardinality, network.variables[other].cardinality
    if states != other_states:
        return f"{start} {a} has {count(states, 'state')}, {b} has {other_states}"
    if len(parents) != len(others):
        return f"{start} {a} has {count(len(parents), 'parent')}, {b} has {len(others)}"
    for k, (p, q) in enumerate(zip(parents, others, strict=True), 1):
        states, other_states = network.variables[p].cardinality, network.variables[q].cardinality
        if states != other_states:
            return (
                f"{start} their parents number {k}, {_name(network, p)} and {_name(network, q)}, "
                f"have {states} and {other_states} states"
            )
    return ""


def tie_parameters(layout: Layout, ties: Ties) -> Ints | None:
    """Per parameter the one that leads it, in the first table of its group, or itself; None if nothing is tied."""
    if not ties:
        return None
    lead = np.arange(layout.size)
    for first, *others in ties:
        for other in others:
            lead[layout.starts[other] : layout.starts[other + 1]] = np.arange(
                layout.starts[first], layout.starts[first + 1]
            )
    return lead


def _name(network: Network, variable: int) -> str:
    return shorten(network.variables[variable].name)
