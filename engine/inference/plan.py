"""A plan of inference over a dataset: what is summed out where, decided before any number is touched.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.inference.junction_tree import JunctionTree
from engine.inference.pool import Piece, Pool
from engine.inference.text_tables import format_bytes, format_count, format_table
from engine.model.arrays import Codes, Floats, Ints
from engine.model.dataset import MISSING
from engine.model.messages import format_seconds
from engine.model.network import Network
from engine.model.source import Source
from engine.model.variable import Variable

MEMORY_LIMIT = 2 * 2**30
"""Bytes that the tables of one part may take, unless the user raises it."""
SECONDS_PER_OPERATION = 2e-6
SECONDS_PER_CELL = 4e-9
"""What an array operation costs, and what per cell. Measured, good to a factor of two."""
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
        gathered = sum(len(piece.offsets) for piece in self.pieces)
        return estimate_seconds(self.tree, len(self.pieces), gathered, self.rows)


def estimate_seconds(tree: JunctionTree, pieces: int, gathered: int, rows: int) -> float:
    """About what a pass over a part takes; ``gathered`` are the cells of its pieces."""
    operations = count_operations(len(tree.cliques), pieces)
    cells = 5 * tree.cells + 3 * gathered
    return operations * SECONDS_PER_OPERATION + cells * rows * SECONDS_PER_CELL


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


def close_constants(variables: Sequence[Variable], codes: Mapping[int, Codes]) -> Mapping[int, Codes]:
    """The columns of some variables, where a missing one of one state is as good as observed."""
    constant = {v: np.where(codes[v] == MISSING, 0, codes[v]) for v in codes if variables[v].cardinality == 1}
    return {**codes, **constant} if constant else codes


@dataclass(frozen=True, eq=False)
class Plan:
    """How to propagate a dataset through a network, for any numbers in its tables.

    Attributes
    ----------
    dataset : Source
        The data. A plan that keeps rows needs all of them, one for learning only the counts of some.
    observed_factors : tuple of int
        Factors whose variables are observed in every row: nothing to sum.
    blocks : tuple of Block
    """

    network: Network
    dataset: Source
    pool: Pool
    observed_factors: tuple[int, ...]
    blocks: tuple[Block, ...]

    @cached_property
    def codes(self) -> Mapping[int, Codes]:
        """The columns of all rows, with variables of one state observed."""
        rows = self.dataset.rows()
        return close_constants(rows.variables, dict(enumerate(rows.codes)))

    def observed_cells(self, factor: int) -> Codes:
        """Per row of the dataset, the cell of a factor that is observed in every row, counted in its own table."""
        return self._find_cells(factor, self.codes, self.dataset.n_rows)

    def count_observed(self) -> Floats:
        """The weighted counts of all factors that are observed in every row, each where it stands in the layout."""
        variables, starts = self.dataset.variables, self.pool.layout.starts.tolist()
        has_constants = any(variable.cardinality == 1 for variable in variables)
        counts = np.zeros(starts[-1])
        known, is_plain = np.empty(0), True
        for factor in self.observed_factors:
            codes, weights = self.dataset.gather(self.network.scopes[factor])
            if has_constants:
                codes = close_constants(variables, codes)
            if weights is not known:  # rows in memory have the same weights whatever the columns
                known, is_plain = weights, bool((weights == 1).all())
            start, end = starts[factor], starts[factor + 1]
            cells = self._find_cells(factor, codes, len(weights))
            # Without weights, NumPy counts in two thirds of the time.
            counts[start:end] = np.bincount(cells, None if is_plain else weights, end - start)
        return counts

    def _find_cells(self, factor: int, codes: Mapping[int, Codes], rows: int) -> Codes:
        """The cells of a factor in some rows, counted in its own table.

        In small integers: with few rows, operations that mix them with wide ones take longest; with many, memory does.
        """
        scope, shape = self.network.scopes[factor], self.pool.layout.shapes[factor]
        narrow = np.min_scalar_type(-1 - math.prod(shape))
        cells: Codes = codes[scope[0]].astype(narrow) if scope else np.zeros(rows, dtype=narrow)
        for variable, size in zip(scope[1:], shape[1:], strict=True):
            cells *= size
            cells += codes[variable]
        return cells

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
            f"rows: {self.dataset.n_rows:,}; variables: {len(self.dataset.variables):,}; "
            f"tables observed throughout: {len(self.observed_factors):,} of {len(self.network.scopes):,}\n"
            f"one pass: {len(self.parts):,} parts, {format_count(self.cells)} cells, {format_seconds(self.seconds)}"
        )
        return "\n".join([about, *([format_table(heads, lines)] if lines else [])])
