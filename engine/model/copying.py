"""Copying part of a network, and pasting it into another: both are new networks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from engine.model.arrays import Floats
from engine.model.editing import remove_variables
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, find_variable
from engine.model.variable import Variable

LONGEST_STEM = 1000
"""Letters of a name that a copy keeps before its number."""
_NUMBERED = re.compile(r"(.+) [1-9]\d{0,8}", re.DOTALL)


def copy_part(network: Network, names: Collection[str]) -> Network:
    """The network of some variables alone, in its order, with the edges among them.

    A table is averaged over parents that are left out. A factor is averaged over them too, where it is over two or more
    of the variables; else it tells nothing of them alone and is left out, and a variable without any has one of ones.
    """
    kept = sorted({find_variable(network, name) for name in names})
    if isinstance(network, MarkovNetwork):
        return _copy_factors(network, kept)
    chosen = set(kept)
    return remove_variables(network, [one.name for v, one in enumerate(network.variables) if v not in chosen])


def _copy_factors(network: MarkovNetwork, kept: Sequence[int]) -> MarkovNetwork:
    new = {old: k for k, old in enumerate(kept)}
    factors: list[tuple[tuple[int, ...], Floats]] = []
    for scope, table in zip(network.scopes, network.tables, strict=True):
        gone = tuple(axis for axis, v in enumerate(scope) if v not in new)
        rest = tuple(new[v] for v in scope if v in new)
        if len(rest) > 1 or (rest and not gone):
            factors.append((rest, np.asarray(table.mean(axis=gone), dtype=np.float64) if gone else table))
    held = {v for scope, _ in factors for v in scope}
    variables = tuple(network.variables[v] for v in kept)
    factors += [((k,), np.ones(one.cardinality)) for k, one in enumerate(variables) if k not in held]
    return MarkovNetwork(variables, tuple(scope for scope, _ in factors), tuple(table for _, table in factors))


def paste_part(network: Network, part: Network, names: Mapping[str, str]) -> Network:
    """The network with the variables of a part beside its own, under the given names; neither depends on the other.

    Part of a Bayesian network becomes factors in a Markov network.
    """
    if isinstance(network, BayesianNetwork) and isinstance(part, MarkovNetwork):
        raise ModelError(
            "what was copied is part of a Markov network, and its factors do not fit into a Bayesian one; "
            "paste it into a Markov network"
        )
    count = len(network.variables)
    new = tuple(Variable(names[one.name], one.states) for one in part.variables)
    scopes = tuple(tuple(v + count for v in scope) for scope in part.scopes)
    variables, tables = (*network.variables, *new), (*network.tables, *part.tables)
    if isinstance(network, BayesianNetwork):
        return BayesianNetwork(variables, (*network.parents, *(scope[:-1] for scope in scopes)), tables)
    return MarkovNetwork(variables, (*network.scopes, *scopes), tables)


def name_copies(names: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """A free name for each: its own, or with a free number after it.

    >>> name_copies(["smoke", "rain 2"], ["smoke", "smoke 2", "rain 2"])
    {'smoke': 'smoke 3', 'rain 2': 'rain 3'}
    """
    names = list(names)
    used, found = {*taken, *names}, {}
    last: dict[str, int] = {}
    for name in names:
        new = name
        if name in taken:
            numbered = _NUMBERED.fullmatch(name)
            stem = (numbered[1] if numbered else name)[:LONGEST_STEM]
            k = last.get(stem, 1)
            while new in used:
                k += 1
                new = f"{stem} {k}"
            last[stem] = k
            used.add(new)
        found[name] = new
    return found
