"""How learning from incomplete data falls apart: which factors' data terms have to do with each other.

Bayesian networks (chapter 6 [thesis]): hidden leaves do not touch the likelihood; arrows that leave a variable
observed in every row can be cut; what stays connected is a component, learned on its own together with the
observed parents on its boundary.

Markov networks (§4 [compression]): factors that share a variable not observed in every row belong together.
Their data term is then apart from those of others; the partition function still couples them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.inference.graphs import bits, components, joined
from engine.model.dataset import Dataset, Role
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.source import Source


@dataclass(frozen=True)
class Component:
    """Factors whose data term is apart from those of the others.

    Attributes
    ----------
    factors : tuple of int
        Each factor belongs to one component. In a Bayesian network a factor is the table of a variable.
    variables : tuple of int
        Bayesian network: S, the variables whose tables these are. Markov network: those not observed in every row.
    boundary : tuple of int
        B: all others in the factors' scopes. They are observed in every row.
    observed : tuple of int
        L: the variables of S that are observed in every row; none in a Markov network.
    """

    factors: tuple[int, ...]
    variables: tuple[int, ...]
    boundary: tuple[int, ...]
    observed: tuple[int, ...]

    @property
    def is_complete(self) -> bool:
        """Whether its projected data has nothing missing."""
        return len(self.observed) == len(self.variables)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The components of a network given a dataset.

    Attributes
    ----------
    pruned : tuple of int
        Hidden leaves of a Bayesian network, removed again and again: their parameters do not touch the
        likelihood (Proposition 3 [thesis]).
    components : tuple of Component
        By their first factor.
    """

    network: Network
    dataset: Source
    pruned: tuple[int, ...]
    components: tuple[Component, ...]

    @cached_property
    def component_of(self) -> tuple[int, ...]:
        """Per factor, the number of its component; −1 for that of a pruned variable."""
        number = [-1] * len(self.network.scopes)
        for k, component in enumerate(self.components):
            for factor in component.factors:
                number[factor] = k
        return tuple(number)

    def project(self, component: Component) -> Dataset:
        """The data of a component: distinct rows over its variables and its boundary, counted."""
        return self.dataset.project(sorted((*component.variables, *component.boundary)))

    def subnetwork(self, component: Component) -> tuple[BayesianNetwork, Dataset]:
        """The sub-network of a component of a Bayesian network, with its projected and counted data
        (Definitions 3, 4 [thesis]).

        Boundary variables have no parents there, and the share of each state in the data as table.
        """
        network = self.network
        if not isinstance(network, BayesianNetwork):
            raise ModelError("a component of a Markov network is no network of its own: its factors are coupled by Z")
        kept = sorted((*component.variables, *component.boundary))
        new = {old: k for k, old in enumerate(kept)}
        data = self.project(component)
        parents, tables = [], []
        for variable in kept:
            if variable in component.variables:
                parents.append(tuple(new[p] for p in network.parents[variable]))
                tables.append(network.tables[variable])
            else:
                codes = np.maximum(data.codes[new[variable]], 0)  # only a variable of one state can be missing here
                counts = np.bincount(codes, data.weights, network.variables[variable].cardinality)
                parents.append(())
                tables.append(counts / counts.sum() if counts.sum() else np.full(len(counts), 1 / len(counts)))
        variables = tuple(network.variables[v] for v in kept)
        return BayesianNetwork(variables, tuple(parents), tuple(tables)), data


def decompose(network: Network, dataset: Source) -> Decomposition:
    """Find the components. Linear in the network (with bit sets) and in the data, which is read once for the roles.

    A missing variable of one state is as good as observed.
    """
    if dataset.variables != network.variables:
        raise ModelError("the dataset is not over the network's variables, in their order; align it first")
    is_cut = [
        role is Role.OBSERVED or (variable.cardinality == 1 and role is not Role.SOFT)
        for role, variable in zip(dataset.roles, network.variables, strict=True)
    ]
    if isinstance(network, MarkovNetwork):
        return Decomposition(network, dataset, (), tuple(_join_factors(network, is_cut)))
    pruned = find_hidden_leaves(network, dataset.roles)
    kept = [v for v in range(len(network.variables)) if v not in pruned]
    edges = [(p, v) for v in kept for p in network.parents[v] if not is_cut[p]]
    found = components(joined(edges), sum(1 << v for v in kept))
    return Decomposition(
        network,
        dataset,
        tuple(sorted(pruned)),
        tuple(_make_component(network, tuple(bits(mask)), is_cut) for mask in found),
    )


def find_hidden_leaves(network: BayesianNetwork, roles: Sequence[Role]) -> set[int]:
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


def _make_component(network: BayesianNetwork, variables: tuple[int, ...], is_cut: Sequence[bool]) -> Component:
    boundary = set().union(*[network.parents[v] for v in variables]).difference(variables)
    return Component(variables, variables, tuple(sorted(boundary)), tuple([v for v in variables if is_cut[v]]))


def _join_factors(network: MarkovNetwork, is_cut: Sequence[bool]) -> list[Component]:
    """The components of the graph over factors, joined where they share a variable that is not cut."""
    touching: dict[int, list[int]] = {}
    for factor, scope in enumerate(network.scopes):
        for variable in scope:
            if not is_cut[variable]:
                touching.setdefault(variable, []).append(factor)
    every = (1 << len(network.scopes)) - 1
    found = []
    for mask in components(joined(touching.values()), every):
        factors = tuple(bits(mask))
        inside = sorted({v for factor in factors for v in network.scopes[factor]})
        open_variables = tuple(v for v in inside if not is_cut[v])
        found.append(Component(factors, open_variables, tuple(v for v in inside if is_cut[v]), ()))
    return found
