"""Making plans: which way each block of open variables takes, by what it costs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from engine.inference.conditioning import Patterns
from engine.inference.graphs import Graph, as_mask, bits, components, joined
from engine.inference.junction_tree import share_tree
from engine.inference.memory import check_memory
from engine.inference.plan import (
    BYTES_PER_CELL,
    MEMORY_LIMIT,
    SECONDS_PER_OPERATION,
    Block,
    CompleteRows,
    Part,
    Plan,
    close_constants,
    count_operations,
    estimate_seconds,
)
from engine.inference.pool import Pool
from engine.model.arrays import Bools, Codes, Ints, weighted_counts
from engine.model.dataset import MISSING
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork, Network
from engine.model.source import Source

SECONDS_PER_PATTERN = 1e-4
SECONDS_PER_PART = 1e-3
"""What it costs to plan for a pattern of open variables, and for a part. Measured, good to a factor of two."""
CLIQUES_PER_VARIABLE = 0.6
"""In the tree of a small component; on alarm, andes and pigs with 2 to 10% of all cells missing, 0.52 to 0.67."""
FREE_PLANNING = 0.05
"""Seconds of planning that are always worth while."""


def make_plan(
    network: Network,
    dataset: Source,
    memory_limit: int = MEMORY_LIMIT,
    *,
    without: Collection[int] = (),
    passes: int = 1,
    condition: bool = True,
    keep_rows: bool = True,
) -> Plan:
    """The plan for a dataset over exactly the network's variables.

    Parameters
    ----------
    memory_limit : int
        Bytes that the tables of a part may take.
    without : variables
        Left out with their own tables: hidden leaves of a Bayesian network, which sum to one.
    passes : int
        About how often the plan will be run: planning may cost more for many.
    condition : bool
        False keeps every variable in the tree and merges only rows that are equal throughout: the
        textbook way, one inference on the whole network per distinct row.
    keep_rows : bool
        Whether to remember which row of the dataset is which row of a block; learning does without.

    Raises
    ------
    MemoryLimitError
        If a single row would need more than ``memory_limit`` bytes.
    """
    _check_dataset(network, dataset)
    left_out = frozenset(without)
    factors = [f for f in range(len(network.scopes)) if isinstance(network, MarkovNetwork) or f not in left_out]
    ranges = _close_ranges(dataset)
    graph = joined(network.scopes[factor] for factor in factors)
    planner = _Planner(Pool(network, dataset.likelihoods), graph, dataset, ranges, memory_limit, passes, condition)
    is_open = [v not in left_out and (not condition or lowest < 0) for v, (lowest, _) in enumerate(ranges)]
    open_somewhere = as_mask(v for v, wanted in enumerate(is_open) if wanted)
    factors_of: dict[int, list[int]] = {block: [] for block in components(graph, open_somewhere)}
    block_of = {variable: block for block in factors_of for variable in bits(block)}
    observed_factors: list[int] = []
    for factor in factors:
        block = next(filter(None, map(block_of.get, network.scopes[factor])), None)
        (observed_factors if block is None else factors_of[block]).append(factor)
    columns = {block: _find_columns(network, block, touching) for block, touching in factors_of.items()}
    dataset.prepare([*columns.values(), *(network.scopes[factor] for factor in observed_factors)])
    blocks = tuple(planner.plan_block(block, factors_of[block], columns[block], keep_rows) for block in columns)
    return Plan(network, dataset, planner.pool, tuple(observed_factors), blocks)


def _find_columns(network: Network, block: int, factors: Sequence[int]) -> list[int]:
    """The variables of a block and of the factors that touch it."""
    return sorted({v for factor in factors for v in network.scopes[factor]} | set(bits(block)))


def _check_dataset(network: Network, dataset: Source) -> None:
    if dataset.variables != network.variables:
        raise ModelError("the dataset is not over the network's variables, in their order; align it first")
    if dataset.targets and dataset.rows().target_cells.any():
        raise ModelError("the data has targets for posteriors, which are no evidence as they are: meet them first")


def _close_ranges(dataset: Source) -> list[tuple[int, int]]:
    """The ranges of the columns, where a missing variable of one state is as good as observed."""
    ranges = list(dataset.ranges)
    for v, variable in enumerate(dataset.variables):
        if variable.cardinality == 1:
            ranges[v] = (ranges[v][0] if ranges[v][0] < MISSING else 0, 0)
    return ranges


@dataclass(frozen=True, eq=False)
class _Planner:
    """What planning the blocks of one dataset has in common."""

    pool: Pool
    graph: Graph
    dataset: Source
    ranges: Sequence[tuple[int, int]]
    memory_limit: int
    passes: int
    condition: bool

    def plan_block(self, block: int, factors: Sequence[int], columns: Sequence[int], keep_rows: bool) -> Block:
        """The plan of connected open variables and the factors that touch them, over these columns of the data."""
        variables = tuple(bits(block))
        ranges = [self.ranges[v] for v in columns]
        codes, row_weights = self.dataset.gather(columns)
        codes = close_constants(self.dataset.variables, codes)
        representative, group = distinct_rows([codes[v] for v in columns], len(row_weights), ranges)
        local = {v: codes[v][representative] for v in columns}
        conditioned = None
        if self.condition and any(self.ranges[v][1] >= 0 for v in variables):  # else all is open in every row
            patterns = Patterns(variables, np.stack([local[v] < 0 for v in variables]))
            whole_seconds = self._estimate_whole(variables, factors, len(representative))
            conditioned = self._condition(patterns, factors, local, whole_seconds)
        parts, complete = conditioned or ([self._whole_part(block, factors, local)], [])
        for part in parts:
            check_memory(
                part.tree, part.variables, self.pool.network, part.tree.cells * BYTES_PER_CELL, self.memory_limit
            )
        weights = weighted_counts(group, row_weights, len(representative))
        return Block(
            variables, tuple(factors), group if keep_rows else None, weights, local, tuple(parts), tuple(complete)
        )

    def _condition(
        self, patterns: Patterns, factors: Sequence[int], local: Mapping[int, Codes], whole_seconds: float
    ) -> tuple[list[Part], list[CompleteRows]] | None:
        """One part for each distinct component of open variables, over all patterns it occurs in.

        None where planning them and all passes over them would take longer than all passes over the whole
        block, at ``whole_seconds`` each. That is found out as early as possible.
        """
        affordable = max(whole_seconds * self.passes, FREE_PLANNING)
        if len(patterns) * SECONDS_PER_PATTERN > affordable:
            return None
        found = patterns.find_components(self.graph)
        planning = len(found) * SECONDS_PER_PART
        if planning > affordable:
            return None
        most_seconds = whole_seconds - max(0.0, planning - FREE_PLANNING) / self.passes
        touching = self._find_touching(factors, found)
        cliques = {c: max(1.0, CLIQUES_PER_VARIABLE * c.bit_count()) for c in found}
        operations = sum(count_operations(cliques[c], len(touching[c])) for c in found)
        if operations * SECONDS_PER_OPERATION > most_seconds:
            return None  # before building them, which is what takes long
        cells = self._find_cells(factors, local)
        parts = [self._component_part(c, touching[c], local, cells, patterns.rows(ks)) for c, ks in found.items()]
        if sum(part.seconds for part in parts) > most_seconds:
            return None
        known = {v: codes >= 0 for v, codes in local.items()}
        complete = [self._complete_rows(factor, known, cells[factor]) for factor in factors]
        return parts, [those for those in complete if len(those.local_rows)]

    def _find_touching(self, factors: Sequence[int], found: Collection[int]) -> dict[int, list[int]]:
        """For each component, the factors that have a variable in it."""
        factors_of: dict[int, list[int]] = {}
        for factor in factors:
            for v in self.pool.network.scopes[factor]:
                factors_of.setdefault(v, []).append(factor)
        return {c: sorted({factor for v in bits(c) for factor in factors_of.get(v, ())}) for c in found}

    def _find_cells(self, factors: Sequence[int], local: Mapping[int, Codes]) -> dict[int, Ints]:
        """Per factor, its cell in each row of a block where its open variables have their first states."""
        states = {v: np.maximum(codes, 0) for v, codes in local.items()}
        rows = len(next(iter(states.values())))
        return {factor: self.pool.index(factor, states, rows) for factor in factors}

    def _complete_rows(self, factor: int, known: Mapping[int, Bools], cells: Ints) -> CompleteRows:
        """A factor in the rows of a block where none of its variables is open."""
        rows = np.flatnonzero(reduce(np.logical_and, [known[v] for v in self.pool.network.scopes[factor]]))
        return CompleteRows(factor, rows, cells[rows])

    def _estimate_whole(self, variables: tuple[int, ...], factors: Sequence[int], rows: int) -> float:
        """About what a pass of :meth:`_whole_part` takes, with the first tree that is found."""
        evidence = self._find_known(variables, factors)
        sizes, scopes = self._find_scopes(variables, factors, evidence)
        open_variables = set(variables)
        gathered = sum(self.pool.cardinalities[v] for v in evidence)
        for factor in factors:
            inside = open_variables.intersection(self.pool.network.scopes[factor])
            gathered += math.prod(self.pool.cardinalities[v] for v in inside)
        return estimate_seconds(share_tree(sizes, scopes, 0.0), len(factors) + len(evidence), gathered, rows)

    def _find_known(self, variables: tuple[int, ...], factors: Sequence[int]) -> list[int]:
        """Those of a block's open variables of which some row knows something; all where no factor touches them."""
        return [v for v in variables if self.ranges[v] != (MISSING, MISSING) or not factors]

    def _whole_part(self, block: int, factors: Sequence[int], local: Mapping[int, Codes]) -> Part:
        """The part over all open variables of a block and all its rows: what is observed of them is evidence."""
        variables = tuple(bits(block))
        rows = len(local[variables[0]])
        observed = {v: codes for v, codes in local.items() if not block >> v & 1}
        bases = [self.pool.index(factor, observed, rows) for factor in factors]
        evidence = {v: local[v] for v in self._find_known(variables, factors)}
        every = np.arange(rows)
        return self._make_part(variables, factors, bases, evidence, every, every)

    def _component_part(
        self,
        component: int,
        factors: Sequence[int],
        local: Mapping[int, Codes],
        cells: Mapping[int, Ints],
        local_rows: Ints,
    ) -> Part:
        """The part over variables that are open, and all of their neighbours not, in some rows of a block."""
        variables = tuple(bits(component))
        soft = [v for v in variables if v in self.pool.likelihoods]
        around = sorted({v for factor in factors for v in self.pool.network.scopes[factor]}.difference(variables))
        ranges = [(self.ranges[v][0], MISSING) for v in soft] + [(0, self.ranges[v][1]) for v in around]
        columns = (local[v][local_rows] for v in [*soft, *around])
        representative, row = distinct_rows(columns, len(local_rows), ranges)
        chosen = local_rows[representative]
        bases = [cells[factor][chosen] for factor in factors]
        evidence = {v: local[v][chosen] for v in (soft if factors else variables)}
        evidence = {v: codes for v, codes in evidence.items() if not factors or (codes != MISSING).any()}
        return self._make_part(variables, factors, bases, evidence, local_rows, row)

    def _make_part(
        self,
        variables: tuple[int, ...],
        factors: Sequence[int],
        bases: Sequence[Ints],
        evidence: Mapping[int, Codes],
        local_rows: Ints,
        row: Ints,
    ) -> Part:
        """The part over some open variables.

        Parameters
        ----------
        bases : sequence of array (rows,)
            Per factor, its cell in each row where the open variables have their first states.
        evidence : mapping from open variable to array (rows,)
            What is known of it. A variable in no factor has some: its clique is that of its evidence.
        """
        pool = self.pool
        rows = len(bases[0]) if bases else len(next(iter(evidence.values())))
        sizes, scopes = self._find_scopes(variables, factors, evidence)
        tree = share_tree(sizes, scopes, rows * self.passes)
        if tree.cells * BYTES_PER_CELL > self.memory_limit:
            tree = share_tree(sizes, scopes, math.inf)
        place = {v: (tree.position[k], k) for k, v in enumerate(variables)}
        pieces = [pool.factor_piece(factor, place, base) for factor, base in zip(factors, bases, strict=True)]
        pieces += [pool.evidence_piece(v, place[v][1], codes) for v, codes in evidence.items()]
        return Part(variables, tree, tuple(pieces), rows, local_rows, row)

    def _find_scopes(
        self, variables: tuple[int, ...], factors: Sequence[int], evidence: Iterable[int]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """The cardinalities of some open variables, and the scopes a tree over them must have room for."""
        number = {v: k for k, v in enumerate(variables)}
        inside = {tuple([number[v] for v in self.pool.network.scopes[f] if v in number]) for f in factors}
        inside |= {(number[v],) for v in evidence}
        return tuple([self.pool.cardinalities[v] for v in variables]), tuple(sorted(inside))
