"""Where learning starts, and what can be said of a start before taking a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.learning.parameters import Simplex
from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.dataset import Role
from engine.model.errors import ModelError
from engine.model.layout import Layout
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.randomness import RandomState, make_generator
from engine.model.table_prior import InstalledPrior

KINDS = ("random", "uniform", "current")


def make_starts(task: LearningTask, start: str | Network, n_init: int, random_state: RandomState) -> Floats:
    """Parameters to start from, shape (n_init, parameters).

    ``"random"``: every parameter set uniform over its simplex; ``"uniform"``: uniform, with a small
    perturbation so that hidden states differ; ``"current"``: the network's own tables; or those of
    another network of the same structure. Of the last two, every start after the first is random.
    Tables that are shared start alike: as the one that leads.
    """
    if n_init < 1:
        raise ModelError(f"n_init must be 1 or more; got {n_init}")
    starts = []
    if isinstance(start, (BayesianNetwork, MarkovNetwork)):
        starts.append(_aligned(task.layout, start))
    elif start == "current":
        starts.append(task.layout.flatten(task.network.tables))
    elif start not in KINDS:
        raise ModelError(f"the start {start!r} is not known; use one of {', '.join(KINDS)}, or a network")
    if len(starts) < n_init:
        generator, geometry = make_generator(random_state), task.objective.geometry
        draw = geometry.uniform if start == "uniform" else geometry.random
        starts += [draw(generator) for _ in range(n_init - len(starts))]
    return task.geometry.follow(np.array(starts))


def _aligned(layout: Layout, start: Network) -> Floats:
    """The parameters of a network with the same variables, in the learned network's own order of axes."""
    network = layout.network
    if isinstance(network, BayesianNetwork) != isinstance(start, BayesianNetwork):
        raise ModelError("the start is a network of the other kind; Bayesian and Markov networks have other parameters")
    tables = []
    for factor, scope in enumerate(network.scopes):
        names = [network.variables[v].name for v in scope]
        other = _find_factor(network, start, factor, names)
        theirs = [start.variables[v].name for v in start.scopes[other]]
        table = start.tables[other].transpose([theirs.index(name) for name in names])
        for axis, v in enumerate(scope):
            states = start.variables[start.index[network.variables[v].name]].states
            if set(states) != set(network.variables[v].states):
                raise ModelError(f"the start has other states for {network.variables[v].name!r}")
            table = table.take([states.index(state) for state in network.variables[v].states], axis=axis)
        tables.append(table)
    return layout.flatten(tables)


def _find_factor(network: Network, start: Network, factor: int, names: list[str]) -> int:
    """The start's factor that stands for one of the network's: that of the same variable, or in the same place."""
    if isinstance(network, MarkovNetwork):
        if factor < len(start.scopes) and {start.variables[v].name for v in start.scopes[factor]} == set(names):
            return factor
        raise ModelError(f"the start's factor {factor + 1} is not over {', '.join(names) or 'nothing'}")
    other = start.index.get(names[-1])
    if other is None or {start.variables[v].name for v in start.scopes[other]} != set(names):
        raise ModelError(f"the start has no variable {names[-1]!r} with the same parents")
    return other


@dataclass(frozen=True)
class Symmetry:
    """States of a hidden variable that no table tells apart."""

    variable: int
    states: tuple[int, ...]


def find_symmetries(task: LearningTask, theta: Floats) -> list[Symmetry]:
    """Hidden variables with states that are exactly interchangeable: EM and EDML cannot tell them apart.

    States are interchangeable when every table that holds the variable is the same for both, and so are
    the exponents of its prior. An update computed from the posterior then treats both alike, and the
    symmetry stays for ever; unless their table is shared, and others that share it tell them apart. Pruned
    variables are learned from nothing, and left out. A prior of an installed package may tell states apart: under one,
    nothing is said.
    """
    network, decomposition = task.network, task.decomposition
    arrays = [task.layout.tables(theta)]
    if isinstance(task.geometry, Simplex):
        if isinstance(task.geometry.prior, InstalledPrior):
            return []
        arrays.append(task.layout.tables(task.exponents))
    touching: list[list[int]] = [[] for _ in network.variables]
    for factor, scope in enumerate(network.scopes):
        for variable in scope:
            touching[variable].append(factor)
    found = []
    for v, role in enumerate(decomposition.dataset.roles):
        if role is not Role.HIDDEN or v in decomposition.pruned or not touching[v]:
            continue
        slices = [
            np.moveaxis(array[factor], network.scopes[factor].index(v), 0) for factor in touching[v] for array in arrays
        ]
        flat = np.concatenate([s.reshape(s.shape[0], -1) for s in slices], axis=1)
        _, kind, size = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
        for k in np.flatnonzero(size > 1):
            found.append(Symmetry(v, tuple(np.flatnonzero(kind.reshape(-1) == k).tolist())))
    return _keep_shared(task, found)


def _keep_shared(task: LearningTask, found: list[Symmetry]) -> list[Symmetry]:
    """The symmetries that all variables in the same place of a shared table have."""
    places = [set(place) for group in task.ties for place in zip(*(task.network.scopes[v] for v in group), strict=True)]
    while True:
        has = {(symmetry.variable, symmetry.states) for symmetry in found}
        kept = [
            symmetry
            for symmetry in found
            if all((v, symmetry.states) in has for place in places if symmetry.variable in place for v in place)
        ]
        if len(kept) == len(found):
            return kept
        found = kept
