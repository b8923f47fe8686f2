"""Bayesian and Markov networks over discrete variables.

Inside the engine a variable is an index; names appear only at the edges. Both kinds of network are
seen by inference as the same thing: ``variables``, ``scopes`` and one table per scope.
"""

from __future__ import annotations

import graphlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Floats, frozen
from engine.model.errors import ModelError, UnknownNameError
from engine.model.messages import shorten
from engine.model.variable import Variable, list_names

ROW_SUM_TOLERANCE = 1e-8
"""How far the sum of a row of a CPT may be from 1 inside the engine; readers renormalise first."""

MOST_AXES = 63
"""NumPy arrays have at most 64 axes; inference adds one for the batch of rows."""


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A directed acyclic graph with a conditional probability table (CPT) per variable.

    Parameters
    ----------
    variables : tuple of Variable
    parents : tuple of tuple of int
        Per variable, the indices of its parents, in the order of the table's axes.
    tables : tuple of array
        Per variable, Pr(x | u) with shape ``(cardinalities of the parents..., own cardinality)``.
    """

    variables: tuple[Variable, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    def __post_init__(self) -> None:
        _check_names(self.variables)
        if not len(self.variables) == len(self.parents) == len(self.tables):
            raise ModelError(
                f"expected one parent list and one table per variable; got {len(self.variables)} variables, "
                f"{len(self.parents)} parent lists and {len(self.tables)} tables"
            )
        _check_scopes(self.variables, self.scopes)
        order = topological_order(self.parents)
        if isinstance(order, Cycle):
            path = " → ".join(repr(self.variables[i].name) for i in order)
            raise ModelError(f"the arrows form a cycle: {path}; a Bayesian network needs an acyclic graph")
        self.__dict__["topological_order"] = tuple(order)
        object.__setattr__(self, "tables", _check_tables(self.variables, self.scopes, self.tables))
        for variable, table in zip(self.variables, self.tables, strict=True):
            if table.size and abs(table.sum(axis=-1) - 1).max() > ROW_SUM_TOLERANCE:
                raise ModelError(f"a row of the table of {shorten(variable.name)} does not sum to 1; normalise it")

    @cached_property
    def scopes(self) -> tuple[tuple[int, ...], ...]:
        """Per table, the variables of its axes: parents..., child."""
        return tuple((*parents, child) for child, parents in enumerate(self.parents))

    @cached_property
    def index(self) -> Mapping[str, int]:
        """From a variable's name to its index."""
        return {variable.name: i for i, variable in enumerate(self.variables)}

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """The variables, each after its parents; known since the arrows were checked."""
        return tuple(topological_order(self.parents))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Arrows (parent, child)."""
        return [(parent, child) for child, parents in enumerate(self.parents) for parent in parents]

    def with_tables(self, tables: Sequence[Floats]) -> BayesianNetwork:
        """The same graph with other tables."""
        return BayesianNetwork(self.variables, self.parents, tuple(tables))


@dataclass(frozen=True, eq=False)
class MarkovNetwork:
    """Factors over sets of variables; Pr(x) is their product divided by the partition function.

    Parameters
    ----------
    variables : tuple of Variable
    scopes : tuple of tuple of int
        Per factor, the variables of its axes. Several factors may share a scope.
    tables : tuple of array
        Per factor, non-negative values.
    """

    variables: tuple[Variable, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    def __post_init__(self) -> None:
        _check_names(self.variables)
        if len(self.scopes) != len(self.tables):
            raise ModelError(f"expected a table per factor; got {len(self.scopes)} scopes, {len(self.tables)} tables")
        _check_scopes(self.variables, self.scopes)
        object.__setattr__(self, "tables", _check_tables(self.variables, self.scopes, self.tables))

    @cached_property
    def index(self) -> Mapping[str, int]:
        """From a variable's name to its index."""
        return {variable.name: i for i, variable in enumerate(self.variables)}

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of variables that share a factor, each once, smaller index first."""
        pairs = {(a, b) for scope in self.scopes for a in scope for b in scope if a < b}
        return sorted(pairs)

    def with_tables(self, tables: Sequence[Floats]) -> MarkovNetwork:
        """The same factors with other tables."""
        return MarkovNetwork(self.variables, self.scopes, tuple(tables))


Network = BayesianNetwork | MarkovNetwork


class Cycle(list[int]):
    """Variables along a directed cycle, the first repeated at the end."""


def topological_order(parents: Sequence[Sequence[int]]) -> list[int]:
    """Indices, each after its parents; a :class:`Cycle` where there is no such order.

    >>> topological_order([[1], []])
    [1, 0]
    """
    try:
        return list(graphlib.TopologicalSorter(dict(enumerate(parents))).static_order())
    except graphlib.CycleError as error:
        return Cycle(error.args[1])


def find_variable(network: Network, name: str) -> int:
    """The index of the variable of that name."""
    if name not in network.index:
        known = list_names([variable.name for variable in network.variables])
        raise UnknownNameError(f"no variable {shorten(name)} in this network; it has {known}")
    return network.index[name]


def table_shape(variables: Sequence[Variable], scope: Sequence[int]) -> tuple[int, ...]:
    """The shape of a table over the scope."""
    return tuple(variables[i].cardinality for i in scope)


def _check_names(variables: Sequence[Variable]) -> None:
    seen: set[str] = set()
    for variable in variables:
        if variable.name in seen:
            raise ModelError(f"two variables are named {shorten(variable.name)}; names must differ")
        seen.add(variable.name)


def _check_scopes(variables: Sequence[Variable], scopes: Sequence[Sequence[int]]) -> None:
    for scope in scopes:
        if not all(0 <= i < len(variables) for i in scope):
            raise ModelError(f"a table names variables {list(scope)}, but there are only {len(variables)} variables")
        if len(scope) > MOST_AXES:
            raise ModelError(f"a table over {len(scope)} variables; at most {MOST_AXES} are supported")
        if len(set(scope)) < len(scope):
            raise ModelError(f"a table has the same variable twice: {_list(variables, scope)}; each may appear once")


def _check_tables(
    variables: Sequence[Variable], scopes: Sequence[Sequence[int]], tables: Sequence[npt.ArrayLike]
) -> tuple[Floats, ...]:
    checked = []
    for scope, given in zip(scopes, tables, strict=True):
        table = np.array(given, dtype=np.float64)
        shape = table_shape(variables, scope)
        if table.shape != shape:
            raise ModelError(f"the table over {_list(variables, scope)} has shape {table.shape}; expected {shape}")
        if not np.isfinite(table).all() or (table < 0).any():
            what = f"the table over {_list(variables, scope)} holds a negative or infinite value"
            raise ModelError(f"{what}; expected numbers ≥ 0")
        checked.append(frozen(table))
    return tuple(checked)


def as_markov(network: Network) -> MarkovNetwork:
    """The network with each table as a factor; a Markov network as it is."""
    if isinstance(network, MarkovNetwork):
        return network
    return MarkovNetwork(network.variables, network.scopes, network.tables)


def _list(variables: Sequence[Variable], scope: Sequence[int]) -> str:
    return list_names([variables[i].name for i in scope])


def count_parameters(network: Network, copies: Collection[int] = ()) -> int:
    """Free parameters: Σ (states − 1) × parent configurations (BN), Σ cells (MRF); without tables that are copies."""
    tables = [table for k, table in enumerate(network.tables) if k not in copies]
    if isinstance(network, MarkovNetwork):
        return sum(table.size for table in tables)
    return sum(math.prod(t.shape[:-1]) * (t.shape[-1] - 1) for t in tables)
