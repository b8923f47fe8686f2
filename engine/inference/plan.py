"""Planning inference over a dataset: what is summed out where, decided before any number is touched.

Observed variables are indices, not axes. Only variables that are missing (or known softly) in some
row need summing, and only the connected components of the graph over *those* need a junction tree:

1. Variables open in some row fall into connected *blocks*. Rows are merged that agree on a block and
   the observed variables around it.
2. Inside a block there are two ways. *Conditioned*: rows with the same pattern of open variables
   share components; each distinct component has its own small tree. *Whole*: one tree over the block,
   with indicator evidence where a row does observe a variable. The cheaper one by estimate is taken.

The plan does not depend on the numbers in the tables: they stand in a :class:`~engine.inference.pool.Pool`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.inference.conditioning import Patterns
from engine.inference.graphs import Graph, as_mask, bits, components, joined
from engine.inference.junction_tree import JunctionTree, share_tree
from engine.inference.memory import check_memory
from engine.inference.pool import Piece, Pool
from engine.inference.text_tables import format_bytes, format_count, format_seconds, format_table
from engine.model.arrays import Codes, Floats, Ints, weighted_counts
from engine.model.dataset import MISSING, Dataset
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, Network

MEMORY_LIMIT = 2 * 2**30
"""Bytes that the tables of one part may take, unless the user raises it."""
SECONDS_PER_OPERATION = 2e-6
SECONDS_PER_CELL = 4e-9
SECONDS_PER_PATTERN = 1e-4
SECONDS_PER_PART = 1e-3
"""What an array operation costs, and what per cell; what it costs to plan for a pattern of open
variables, and for a part. Measured, good to a factor of two."""
CLIQUES_PER_VARIABLE = 0.6
"""In the tree of a small component; on alarm, andes and pigs with 2 to 10% of all cells missing, 0.52 to 0.67."""
FREE_PLANNING = 0.05
"""Seconds of planning that are always worth while."""
BYTES_PER_CELL = 24
"""A clique's table, its share of messages and of gathered factors."""


@dataclass(frozen=True, eq=False)
class Part:
    """A connected set of open variables, with the distinct rows in which it occurs.

    Attributes
    ----------
    variables : tuple of int
        The open variables. The tree and the pieces know them by their place here, so that parts which
        differ in nothing else share one tree.
    tree : JunctionTree
    pieces : tuple of Piece
        Those of factors first, then those of evidence.
    rows : int
        The number of distinct rows.
    local_rows, row : array
        The block's rows in which the part occurs, and for each the part's own row.
    """

    variables: tuple[int, ...]
    tree: JunctionTree
    pieces: tuple[Piece, ...]
    rows: int
    local_rows: Ints
    row: Ints

    @cached_property
    def seconds(self) -> float:
        """A rough estimate of one pass."""
        operations = count_operations(len(self.tree.cliques), len(self.pieces))
        gathered = sum(len(piece.offsets) for piece in self.pieces)
        cells = 5 * self.tree.cells + 3 * gathered
        return operations * SECONDS_PER_OPERATION + cells * self.rows * SECONDS_PER_CELL


def count_operations(cliques: float, pieces: int) -> float:
    """About how many array operations a part takes."""
    return 12 * cliques + 3 * pieces


@dataclass(frozen=True, eq=False)
class CompleteRows:
    """A factor of a block in the rows where all its variables are observed.

    ``index[k]`` is the pool cell of the factor in the block's row ``local_rows[k]``.
    """

    factor: int
    local_rows: Ints
    index: Ints


@dataclass(frozen=True, eq=False)
class Block:
    """Variables open in some row, connected through factors.

    Attributes
    ----------
    variables, factors : tuple of int
        The open variables, and the factors that touch them.
    group : array (rows of the dataset,) or None
        For each row of the dataset, its row in the block; None where the plan does not keep it.
    weights : array (rows of the block,)
        How many times each row of the block counts.
    codes : mapping from variable to array (rows of the block,)
        For the open variables and those observed around them.
    """

    variables: tuple[int, ...]
    factors: tuple[int, ...]
    group: Ints | None
    weights: Floats
    codes: Mapping[int, Codes]
    parts: tuple[Part, ...]
    complete: tuple[CompleteRows, ...]

    @property
    def rows(self) -> int:
        """The number of distinct rows over the block's codes."""
        return len(self.weights)

    def spread(self, values: Floats) -> Floats:
        """Values per row of the block (last axis) as values per row of the dataset."""
        if self.group is None:
            raise ValueError("the plan was made without keep_rows")
        return values[..., self.group]


@dataclass(frozen=True, eq=False)
class Plan:
    """How to propagate a dataset through a network, for any numbers in its tables.

    Attributes
    ----------
    codes : tuple of array (rows,)
        The dataset's columns, with variables of one state observed.
    observed_factors : tuple of int
        Factors whose variables are observed in every row: nothing to sum.
    blocks : tuple of Block
    """

    network: Network
    dataset: Dataset
    codes: tuple[Codes, ...]
    pool: Pool
    observed_factors: tuple[int, ...]
    blocks: tuple[Block, ...]

    def observed_index(self, factor: int) -> Ints:
        """Per row of the dataset, the pool cell of a factor that is observed in every row."""
        codes = {v: self.codes[v] for v in self.network.scopes[factor]}
        return self.pool.index(factor, codes, self.dataset.n_rows)

    def with_likelihoods(self, likelihoods: Mapping[int, Floats]) -> Plan:
        """The plan with other likelihoods (vectors, states) of some variables, of as many as they had."""
        changed = {**self.dataset.likelihoods, **likelihoods}
        return replace(
            self,
            dataset=replace(self.dataset, likelihoods=changed),
            pool=replace(self.pool, likelihoods=changed),
        )

    @property
    def parts(self) -> list[Part]:
        return [part for block in self.blocks for part in block.parts]

    @property
    def width(self) -> int:
        """The width of the widest tree; 0 when everything is observed."""
        return max((part.tree.width for part in self.parts), default=0)

    @property
    def largest(self) -> int:
        """Cells of the largest table."""
        return max((part.tree.largest for part in self.parts), default=0)

    @property
    def cells(self) -> int:
        """Cells of all cliques, times the distinct rows each part is propagated for."""
        return sum(part.tree.cells * part.rows for part in self.parts)

    @property
    def seconds(self) -> float:
        """A rough estimate of one pass."""
        return sum(part.seconds for part in self.parts)

    def __str__(self) -> str:
        """What one pass costs, and the parts, those of one shape in one line, the longest first."""
        kinds: dict[tuple[int, ...], list[Part]] = {}
        for part in self.parts:
            kinds.setdefault((len(part.tree.position), part.tree.width, *sorted(part.tree.sizes)), []).append(part)
        lines = []
        for parts in sorted(kinds.values(), key=lambda parts: -sum(part.seconds for part in parts)):
            tree = parts[0].tree
            lines.append(
                [
                    *(f"{n:,}" for n in (len(parts), len(tree.position), len(tree.cliques), tree.width)),
                    *map(format_count, (tree.largest, tree.cells, sum(part.rows for part in parts))),
                    format_bytes(BYTES_PER_CELL * tree.cells),
                    format_seconds(sum(part.seconds for part in parts)),
                ]
            )
        heads = ["parts", "variables", "cliques", "width", "largest table", "cells", "distinct rows", "memory", "time"]
        about = (
            f"rows: {self.dataset.n_rows:,}; variables: {len(self.codes):,}; "
            f"tables observed throughout: {len(self.observed_factors):,} of {len(self.network.scopes):,}\n"
            f"one pass: {len(self.parts):,} parts, {format_count(self.cells)} cells, {format_seconds(self.seconds)}"
        )
        return "\n".join([about, *([format_table(heads, lines)] if lines else [])])


def make_plan(
    network: Network,
    dataset: Dataset,
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
    if dataset.variables != network.variables:
        raise ModelError("the dataset is not over the network's variables, in their order; align it first")
    codes = tuple(
        _close_constant(column, v.cardinality) for column, v in zip(dataset.codes, network.variables, strict=True)
    )
    ranges = tuple(
        (lowest if lowest < MISSING else 0, 0) if variable.cardinality == 1 else (lowest, highest)
        for variable, (lowest, highest) in zip(network.variables, dataset.ranges, strict=True)
    )
    left_out = frozenset(without)
    is_kept = [
        not (isinstance(network, BayesianNetwork) and factor in left_out) for factor in range(len(network.scopes))
    ]
    planner = _Planner(
        Pool(network, dataset.likelihoods),
        joined(scope for scope, kept in zip(network.scopes, is_kept, strict=True) if kept),
        codes,
        ranges,
        dataset.weights,
        memory_limit,
        passes,
        condition,
    )
    open_somewhere = as_mask(
        i for i, (lowest, _) in enumerate(ranges) if i not in left_out and (not condition or lowest < 0)
    )
    factors_of: dict[int, list[int]] = {block: [] for block in components(planner.graph, open_somewhere)}
    block_of = {variable: block for block in factors_of for variable in bits(block)}
    observed_factors: list[int] = []
    for factor, scope in enumerate(network.scopes):
        block = next((block_of[v] for v in scope if v in block_of), None)
        if is_kept[factor]:
            (observed_factors if block is None else factors_of[block]).append(factor)
    blocks = tuple(planner.plan_block(block, factors, keep_rows) for block, factors in factors_of.items())
    return Plan(network, dataset, codes, planner.pool, tuple(observed_factors), blocks)


def _close_constant(column: Codes, cardinality: int) -> Codes:
    """A missing variable of one state is as good as observed."""
    return np.where(column == MISSING, 0, column).astype(column.dtype) if cardinality == 1 else column


@dataclass(frozen=True, eq=False)
class _Planner:
    """What planning the blocks of one dataset has in common."""

    pool: Pool
    graph: Graph
    codes: tuple[Codes, ...]
    ranges: tuple[tuple[int, int], ...]
    weights: Floats
    memory_limit: int
    passes: int
    condition: bool

    def plan_block(self, block: int, factors: Sequence[int], keep_rows: bool) -> Block:
        """The plan of connected open variables and the factors that touch them."""
        variables = tuple(bits(block))
        columns = sorted({v for factor in factors for v in self.pool.network.scopes[factor]} | set(variables))
        ranges = [self.ranges[v] for v in columns]
        representative, group = distinct_rows([self.codes[v] for v in columns], len(self.weights), ranges)
        local = {v: self.codes[v][representative] for v in columns}
        conditioned = None
        if self.condition and any(self.ranges[v][1] >= 0 for v in variables):  # else all is open in every row
            patterns = Patterns(variables, np.stack([local[v] < 0 for v in variables]))
            draft = self._make_part(block, factors, local, is_draft=True)
            conditioned = self._condition(patterns, factors, local, draft.seconds)
        parts, complete = conditioned or ([self._make_part(block, factors, local)], [])
        for part in parts:
            check_memory(
                part.tree, part.variables, self.pool.network, part.tree.cells * BYTES_PER_CELL, self.memory_limit
            )
        weights = weighted_counts(group, self.weights, len(representative))
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
        parts = [self._make_part(c, touching[c], local, patterns.rows(ks)) for c, ks in found.items()]
        if sum(part.seconds for part in parts) > most_seconds:
            return None
        complete = [self._complete_rows(factor, local) for factor in factors]
        return parts, [those for those in complete if len(those.local_rows)]

    def _find_touching(self, factors: Sequence[int], found: Collection[int]) -> dict[int, list[int]]:
        """For each component, the factors that have a variable in it."""
        factors_of: dict[int, list[int]] = {}
        for factor in factors:
            for v in self.pool.network.scopes[factor]:
                factors_of.setdefault(v, []).append(factor)
        return {c: sorted({factor for v in bits(c) for factor in factors_of.get(v, ())}) for c in found}

    def _complete_rows(self, factor: int, local: Mapping[int, Codes]) -> CompleteRows:
        """A factor in the rows of a block where none of its variables is open."""
        scope = self.pool.network.scopes[factor]
        rows = np.flatnonzero(np.logical_and.reduce([local[v] >= 0 for v in scope]))
        return CompleteRows(factor, rows, self.pool.index(factor, {v: local[v][rows] for v in scope}, len(rows)))

    def _make_part(
        self,
        open_variables: int,
        factors: Sequence[int],
        local: Mapping[int, Codes],
        local_rows: Ints | None = None,
        *,
        is_draft: bool = False,
    ) -> Part:
        """The part over some open variables, with equal rows merged; over all rows of the block if none are named.

        A draft is good for an estimate, and may do with the first tree that is found.
        """
        pool, scopes = self.pool, self.pool.network.scopes
        variables = tuple(bits(open_variables))
        number = {v: k for k, v in enumerate(variables)}
        columns = sorted({v for factor in factors for v in scopes[factor]} | set(variables))
        if local_rows is None:  # these differ already
            codes = {v: local[v] for v in columns}
            local_rows = row = np.arange(len(codes[columns[0]]))
        else:
            representative, row = distinct_rows([local[v][local_rows] for v in columns], len(local_rows))
            chosen = local_rows[representative]
            codes = {v: local[v][chosen] for v in columns}
        rows = len(codes[columns[0]])
        inside = [tuple(number[v] for v in scopes[factor] if v in number) for factor in factors]
        # A variable in no factor still has a clique of its own: that of its evidence, be it a vector of ones.
        evidence = [v for v in variables if not factors or (codes[v] != MISSING).any()]
        inside += [(number[v],) for v in evidence]
        sizes, key = tuple(pool.cardinalities[v] for v in variables), tuple(sorted(set(inside)))
        tree = share_tree(sizes, key, 0.0 if is_draft else rows * self.passes)
        if tree.cells * BYTES_PER_CELL > self.memory_limit and not is_draft:
            tree = share_tree(sizes, key, math.inf)
        pieces = [pool.factor_piece(factor, number, tree.position, codes, rows) for factor in factors]
        pieces += [pool.evidence_piece(v, number[v], codes[v]) for v in evidence]
        return Part(variables, tree, tuple(pieces), rows, local_rows, row)
