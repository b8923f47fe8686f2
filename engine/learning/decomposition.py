"""How learning a Bayesian network from incomplete data falls apart into independent problems.

Chapter 6 [thesis]: hidden leaves do not touch the likelihood; arrows that leave a variable observed in
every row can be cut; what stays connected is a component, learned on its own together with the observed
parents on its boundary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.inference.graphs import bits, components, joined
from engine.model.dataset import Dataset, Role
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork


@dataclass(frozen=True)
class Component:
    """Variables whose parameters are learned together.

    Attributes
    ----------
    variables : tuple of int
        S: the variables whose parameters belong to the component.
    boundary : tuple of int
        B: parents of S outside S, all observed in every row.
    observed : tuple of int
        L: the variables of S that are observed in every row.
    """

    variables: tuple[int, ...]
    boundary: tuple[int, ...]
    observed: tuple[int, ...]

    @property
    def is_complete(self) -> bool:
        """Whether its projected data has nothing missing, so that counting solves it."""
        return len(self.observed) == len(self.variables)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The components of a network given a dataset.

    Attributes
    ----------
    pruned : tuple of int
        Hidden leaves, removed again and again: their parameters do not touch the likelihood
        (Proposition 3 [thesis]).
    components : tuple of Component
        By their first variable.
    """

    network: BayesianNetwork
    dataset: Dataset
    pruned: tuple[int, ...]
    components: tuple[Component, ...]

    @cached_property
    def component_of(self) -> tuple[int, ...]:
        """Per variable, the number of its component; −1 for a pruned one."""
        number = [-1] * len(self.network.variables)
        for k, component in enumerate(self.components):
            for variable in component.variables:
                number[variable] = k
        return tuple(number)

    def subnetwork(self, component: Component) -> tuple[BayesianNetwork, Dataset]:
        """The sub-network of a component, with its projected and counted data (Definitions 3, 4 [thesis]).

        Boundary variables have no parents there, and the share of each state in the data as table.
        """
        kept = sorted((*component.variables, *component.boundary))
        new = {old: k for k, old in enumerate(kept)}
        data = self.dataset.project(kept)
        parents, tables = [], []
        for variable in kept:
            if variable in component.variables:
                parents.append(tuple(new[p] for p in self.network.parents[variable]))
                tables.append(self.network.tables[variable])
            else:
                codes = np.maximum(data.codes[new[variable]], 0)  # only a variable of one state can be missing here
                counts = np.bincount(codes, data.weights, self.network.variables[variable].cardinality)
                parents.append(())
                tables.append(counts / counts.sum() if counts.sum() else np.full(len(counts), 1 / len(counts)))
        variables = tuple(self.network.variables[v] for v in kept)
        return BayesianNetwork(variables, tuple(parents), tuple(tables)), data


def decompose(network: BayesianNetwork, dataset: Dataset) -> Decomposition:
    """Prune hidden leaves, cut the arrows out of observed variables, and find what stays connected.

    Linear in the network (with bit sets) and in the data, which is read once for the roles. A missing
    variable of one state is as good as observed.
    """
    if dataset.variables != network.variables:
        raise ModelError("the dataset is not over the network's variables, in their order; align it first")
    roles = dataset.roles
    pruned = find_hidden_leaves(network, roles)
    kept = [v for v in range(len(network.variables)) if v not in pruned]
    is_cut = [
        role is Role.OBSERVED or (variable.cardinality == 1 and role is not Role.SOFT)
        for role, variable in zip(roles, network.variables, strict=True)
    ]
    edges = [(p, v) for v in kept for p in network.parents[v] if not is_cut[p]]
    found = components(joined(edges), sum(1 << v for v in kept))
    return Decomposition(
        network,
        dataset,
        tuple(sorted(pruned)),
        tuple(_make_component(network, tuple(bits(mask)), is_cut) for mask in found),
    )


def find_hidden_leaves(network: BayesianNetwork, roles: tuple[Role, ...]) -> set[int]:
    """Hidden variables without children, once those found before are removed."""
    children = [0] * len(network.variables)
    for parent, _ in network.edges:
        children[parent] += 1
    pruned = set()
    for variable in reversed(network.topological_order):
        if children[variable] == 0 and roles[variable] is Role.HIDDEN:
            pruned.add(variable)
            for parent in network.parents[variable]:
                children[parent] -= 1
    return pruned


def _make_component(network: BayesianNetwork, variables: tuple[int, ...], is_cut: list[bool]) -> Component:
    inside = set(variables)
    boundary = {p for v in variables for p in network.parents[v]} - inside
    return Component(variables, tuple(sorted(boundary)), tuple(v for v in variables if is_cut[v]))
