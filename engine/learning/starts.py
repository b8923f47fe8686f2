"""Where learning starts, and what can be said of a start before taking a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.learning.decomposition import Decomposition
from engine.learning.problem import Layout, Problem
from engine.model.arrays import Floats
from engine.model.dataset import Role
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.randomness import RandomState, make_generator

KINDS = ("random", "uniform", "current")
PERTURBATION = 0.01
"""How far a perturbed uniform start is from uniform: relative, at most."""


def make_starts(
    layout: Layout, problem: Problem, start: str | BayesianNetwork, n_init: int, random_state: RandomState
) -> Floats:
    """Parameters to start from, shape (n_init, parameters).

    ``"random"``: every parameter set uniform over its simplex; ``"uniform"``: uniform, with a small
    perturbation so that hidden states differ; ``"current"``: the network's own tables; or those of
    another network of the same structure. Of the last two, every start after the first is random.
    """
    if n_init < 1:
        raise ModelError(f"n_init must be 1 or more; got {n_init}")
    generator = make_generator(random_state)
    n = problem.n_parameters
    starts = []
    for k in range(n_init):
        if k == 0 and isinstance(start, BayesianNetwork):
            starts.append(_aligned(layout, start))
        elif k == 0 and start == "current":
            starts.append(layout.flatten(layout.network.tables))
        elif start == "uniform":
            weights = 1.0 + PERTURBATION * generator.uniform(-1, 1, n)
            starts.append(problem.normalise(weights, otherwise=weights))
        elif isinstance(start, BayesianNetwork) or start in KINDS:
            weights = generator.exponential(size=n)
            starts.append(problem.normalise(weights, otherwise=weights))
        else:
            raise ModelError(f"the start {start!r} is not known; use one of {', '.join(KINDS)}, or a network")
    return np.stack(starts)


def _aligned(layout: Layout, start: BayesianNetwork) -> Floats:
    """The parameters of a network with the same variables, in the learned network's own order of axes."""
    network = layout.network
    tables = []
    for child, variable in enumerate(network.variables):
        other = start.index.get(variable.name)
        names = [network.variables[v].name for v in network.scopes[child]]
        if other is None or {start.variables[v].name for v in start.parents[other]} != set(names[:-1]):
            raise ModelError(f"the start has no variable {variable.name!r} with the same parents")
        theirs = [start.variables[v] for v in start.scopes[other]]
        table = start.tables[other].transpose([[v.name for v in theirs].index(name) for name in names])
        for axis, v in enumerate(network.scopes[child]):
            states = start.variables[start.index[network.variables[v].name]].states
            if set(states) != set(network.variables[v].states):
                raise ModelError(f"the start has other states for {network.variables[v].name!r}")
            table = table.take([states.index(state) for state in network.variables[v].states], axis=axis)
        tables.append(table)
    return layout.flatten(tables)


@dataclass(frozen=True)
class Symmetry:
    """States of a hidden variable that no table tells apart."""

    variable: int
    states: tuple[int, ...]


def find_symmetries(
    decomposition: Decomposition, tables: Sequence[Floats], exponents: Sequence[Floats]
) -> list[Symmetry]:
    """Hidden variables with states that are exactly interchangeable: EM and EDML cannot tell them apart.

    States are interchangeable when every table that holds the variable is the same for both, and so are
    the exponents of its prior. An update computed from the posterior then treats both alike, and the
    symmetry stays for ever. Pruned variables are learned from nothing, and left out.
    """
    network = decomposition.network
    touching: list[list[int]] = [[] for _ in network.variables]
    for factor, scope in enumerate(network.scopes):
        for variable in scope:
            touching[variable].append(factor)
    found = []
    for v, role in enumerate(decomposition.dataset.roles):
        if role is not Role.HIDDEN or v in decomposition.pruned:
            continue
        slices = [
            np.moveaxis(array[factor], network.scopes[factor].index(v), 0)
            for factor in touching[v]
            for array in (tables, exponents)
        ]
        flat = np.concatenate([s.reshape(s.shape[0], -1) for s in slices], axis=1)
        _, kind, size = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
        for k in np.flatnonzero(size > 1):
            found.append(Symmetry(v, tuple(np.flatnonzero(kind.reshape(-1) == k).tolist())))
    return found
