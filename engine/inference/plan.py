"""Planning inference over a dataset: what is summed out where, decided before any number is touched.

Observed variables are indices, not axes. Only variables that are missing (or known softly) in some
row need summing, and only the connected components of the graph over *those* need a junction tree:

1. Variables open in some row fall into connected *blocks*. Rows are merged that agree on a block and
   the observed variables around it.
2. Inside a block there are two ways. *Conditioned*: rows with the same pattern of open variables
   share components; each distinct component has its own small tree. *Whole*: one tree over the block,
   with indicator evidence where a row does observe a variable. The cheaper one by estimate is taken.

Every number inference reads, parameters and evidence alike, stands in one flat *pool*; a piece of a
part says which cells of the pool it reads for each row. The plan does not depend on the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.arrays import Codes, Floats, Ints
from engine.dataset import MISSING, Dataset
from engine.distinct import distinct_columns
from engine.errors import MemoryLimitError, ModelError
from engine.graphs import Graph, as_mask, bits, components, joined
from engine.inference.junction_tree import JunctionTree, compile_tree
from engine.network import Network
from engine.variable import list_names

MEMORY_LIMIT = 2 * 2**30
"""Bytes that the tables of one part may take, unless the user raises it."""
SECONDS_PER_OPERATION = 2e-6
SECONDS_PER_CELL = 4e-9
SECONDS_PER_PATTERN = 1e-4
SECONDS_PER_PART = 2e-3
"""What an array operation costs, and what per cell; what it costs to plan for a pattern of open
variables, and for a part. Measured, good to a factor of two."""
FREE_PLANNING = 0.05
"""Seconds of planning that are always worth while."""
BYTES_PER_CELL = 24
"""A clique's table, its share of messages and of gathered factors."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A factor, or the evidence on a variable, as a part reads it.

    For row r and the k-th configuration of its open variables it is ``pool[offsets[k] + base[r]]``.

    Attributes
    ----------
    factor : int
        Index of the table; −1 for evidence.
    scope : tuple of int
        The open variables, in the tree's elimination order.
    """

    factor: int
    scope: tuple[int, ...]
    offsets: Ints
    base: Ints


@dataclass(frozen=True, eq=False)
class Part:
    """A connected set of open variables, with the distinct rows in which it occurs.

    Attributes
    ----------
    tree : JunctionTree
    pieces : tuple of Piece
    rows : int
        The number of distinct rows.
    local_rows, row : array
        The block's rows in which the part occurs, and for each the part's own row.
    """

    tree: JunctionTree
    pieces: tuple[Piece, ...]
    rows: int
    local_rows: Ints
    row: Ints

    @cached_property
    def seconds(self) -> float:
        """A rough estimate of one pass."""
        operations = 12 * len(self.tree.cliques) + 3 * len(self.pieces)
        gathered = sum(len(piece.offsets) for piece in self.pieces)
        cells = 5 * self.tree.cells + 3 * gathered
        return operations * SECONDS_PER_OPERATION + cells * self.rows * SECONDS_PER_CELL


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
    group : array (rows of the dataset,)
        For each row of the dataset, its row in the block.
    codes : mapping from variable to array (rows of the block,)
        For the open variables and those observed around them.
    """

    variables: tuple[int, ...]
    factors: tuple[int, ...]
    group: Ints
    codes: Mapping[int, Codes]
    parts: tuple[Part, ...]
    complete: tuple[CompleteRows, ...]

    @property
    def rows(self) -> int:
        """The number of distinct rows over the block's codes."""
        return len(self.codes[self.variables[0]])


@dataclass(frozen=True, eq=False)
class Pool:
    """Where parameters and evidence vectors stand in the flat pool.

    The tables come first, one after another in C order. Then, for each variable, its evidence
    vectors: one indicator per state, the vector of ones (missing), and its likelihoods, each scaled
    to a maximum of 1 so that no product of pool cells exceeds 1.
    """

    network: Network
    likelihoods: Mapping[int, Floats]

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        return tuple(variable.cardinality for variable in self.network.variables)

    @cached_property
    def table_starts(self) -> Ints:
        sizes = [table.size for table in self.network.tables]
        return np.cumsum([0, *sizes], dtype=np.int64)

    @cached_property
    def evidence_starts(self) -> Ints:
        sizes = [
            v.cardinality * (v.cardinality + 1 + len(self.likelihoods.get(i, ())))
            for i, v in enumerate(self.network.variables)
        ]
        return np.cumsum([self.table_starts[-1], *sizes], dtype=np.int64)

    @cached_property
    def evidence(self) -> Floats:
        """The evidence segment of the pool."""
        segments = [np.empty(0)]
        for i, variable in enumerate(self.network.variables):
            segments += [np.eye(variable.cardinality).reshape(-1), np.ones(variable.cardinality)]
            if i in self.likelihoods:
                vectors = self.likelihoods[i]
                segments.append((vectors / vectors.max(axis=1, keepdims=True)).reshape(-1))
        return np.concatenate(segments)

    def fill(self, tables: Sequence[Floats]) -> Floats:
        """The pool for these tables."""
        return np.concatenate([*(table.reshape(-1) for table in tables), self.evidence])

    def strides(self, factor: int) -> tuple[int, ...]:
        table = self.network.tables[factor]
        return tuple(stride // table.itemsize for stride in np.empty(table.shape).strides)

    def index(self, factor: int, codes: Mapping[int, Codes]) -> Ints:
        """Per row, the cell of a factor, counting only the variables in ``codes``."""
        rows = len(next(iter(codes.values()))) if codes else 1
        index = np.full(rows, self.table_starts[factor])
        for variable, stride in zip(self.network.scopes[factor], self.strides(factor), strict=True):
            if variable in codes:
                index += stride * codes[variable].astype(np.int64)
        return index

    def factor_piece(
        self, factor: int, open_variables: int, position: Mapping[int, int], codes: Mapping[int, Codes], rows: int
    ) -> Piece:
        """A factor with its open variables as axes and the others as indices."""
        stride = dict(zip(self.network.scopes[factor], self.strides(factor), strict=True))
        scope = tuple(sorted((v for v in stride if open_variables >> v & 1), key=position.__getitem__))
        offsets = np.zeros(1, dtype=np.int64)
        for v in scope:
            offsets = (offsets[:, None] + stride[v] * np.arange(self.network.variables[v].cardinality)).reshape(-1)
        observed = {v: codes[v] for v in stride if not open_variables >> v & 1}
        base = self.index(factor, observed)
        return Piece(factor, scope, offsets, base if len(base) == rows else np.full(rows, base[0]))

    def evidence_piece(self, variable: int, codes: Codes) -> Piece:
        """The evidence on an open variable as an axis."""
        cardinality = self.network.variables[variable].cardinality
        vector = np.where(codes >= 0, codes, cardinality + MISSING - codes).astype(np.int64)
        base = self.evidence_starts[variable] + cardinality * vector
        return Piece(-1, (variable,), np.arange(cardinality), base)


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
        index = self.pool.index(factor, {v: self.codes[v] for v in self.network.scopes[factor]})
        return index if self.network.scopes[factor] else np.full(self.dataset.n_rows, index[0])

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


def make_plan(network: Network, dataset: Dataset, memory_limit: int = MEMORY_LIMIT) -> Plan:
    """The plan for a dataset over exactly the network's variables.

    Raises
    ------
    MemoryLimitError
        If a single row would need more than ``memory_limit`` bytes.
    """
    if dataset.variables != network.variables:
        raise ModelError("the dataset is not over the network's variables, in their order; align it first")
    pool = Pool(network, dataset.likelihoods)
    codes = tuple(
        _close_constant(column, v.cardinality) for column, v in zip(dataset.codes, network.variables, strict=True)
    )
    open_somewhere = as_mask(i for i, column in enumerate(codes) if column.min(initial=0) < 0)
    graph = joined(network.scopes)
    factors_of: dict[int, list[int]] = {block: [] for block in components(graph, open_somewhere)}
    block_of = {variable: block for block in factors_of for variable in bits(block)}
    observed_factors: list[int] = []
    for factor, scope in enumerate(network.scopes):
        block = next((block_of[v] for v in scope if v in block_of), None)
        (observed_factors if block is None else factors_of[block]).append(factor)
    blocks = tuple(
        _plan_block(pool, graph, codes, block, factors, memory_limit) for block, factors in factors_of.items()
    )
    return Plan(network, dataset, codes, pool, tuple(observed_factors), blocks)


def _close_constant(column: Codes, cardinality: int) -> Codes:
    """A missing variable of one state is as good as observed."""
    return np.where(column == MISSING, 0, column).astype(column.dtype) if cardinality == 1 else column


def _plan_block(
    pool: Pool, graph: Graph, codes: Sequence[Codes], block: int, factors: Sequence[int], memory_limit: int
) -> Block:
    variables = tuple(bits(block))
    columns = sorted({v for factor in factors for v in pool.network.scopes[factor]} | set(variables))
    representative, group = distinct_columns(np.stack([codes[v] for v in columns]))
    local = {v: codes[v][representative] for v in columns}
    whole = _make_part(pool, block, factors, local, np.arange(len(representative)))
    conditioned = _conditioned_parts(pool, graph, factors, local, variables, whole.seconds)
    choice = conditioned if conditioned is not None else ([whole], [])
    for part in choice[0]:
        _check_memory(part, pool.network, memory_limit)
    return Block(variables, tuple(factors), group, local, tuple(choice[0]), tuple(choice[1]))


def _conditioned_parts(
    pool: Pool,
    graph: Graph,
    factors: Sequence[int],
    local: Mapping[int, Codes],
    variables: Sequence[int],
    most_seconds: float,
) -> tuple[list[Part], list[CompleteRows]] | None:
    """One part for each distinct component of open variables, over all patterns it occurs in.

    None where a pass over these parts would take more than ``most_seconds``, or planning them would, or
    where they are no other than the whole block.
    """
    open_cells = np.stack([local[v] < 0 for v in variables])
    pattern_rows, pattern = distinct_columns(open_cells.view(np.int8))
    if len(pattern_rows) <= 1:
        return None  # the whole block is open in every row
    affordable = max(most_seconds, FREE_PLANNING)
    if len(pattern_rows) * SECONDS_PER_PATTERN > affordable:
        return None
    patterns_of: dict[int, list[int]] = {}
    complete_of: dict[int, list[int]] = {}
    scopes = {factor: as_mask(pool.network.scopes[factor]) for factor in factors}
    for k, is_open in enumerate(open_cells[:, pattern_rows].T):
        open_variables = as_mask(v for v, o in zip(variables, is_open, strict=True) if o)
        for component in components(graph, open_variables):
            patterns_of.setdefault(component, []).append(k)
        for factor, scope in scopes.items():
            if not scope & open_variables:
                complete_of.setdefault(factor, []).append(k)
    if len(patterns_of) * SECONDS_PER_PART > affordable:
        return None
    rows_of = _rows_of_patterns(pattern, len(pattern_rows))
    parts = []
    for component, ks in patterns_of.items():
        touching = [factor for factor, scope in scopes.items() if scope & component]
        parts.append(_make_part(pool, component, touching, local, rows_of(ks)))
    if sum(part.seconds for part in parts) > most_seconds:
        return None
    complete = []
    for factor, ks in complete_of.items():
        rows = rows_of(ks)
        index = pool.index(factor, {v: local[v][rows] for v in pool.network.scopes[factor]})
        complete.append(CompleteRows(factor, rows, index))
    return parts, complete


def _rows_of_patterns(pattern: Ints, patterns: int) -> Callable[[Sequence[int]], Ints]:
    """A function from some patterns to the rows that have one of them."""
    order = np.argsort(pattern, kind="stable")
    starts = np.searchsorted(pattern[order], np.arange(patterns + 1))
    return lambda ks: np.concatenate([order[starts[k] : starts[k + 1]] for k in ks])


def _make_part(
    pool: Pool, open_variables: int, factors: Sequence[int], local: Mapping[int, Codes], local_rows: Ints
) -> Part:
    """The part over some open variables, with equal rows merged."""
    network = pool.network
    columns = sorted({v for factor in factors for v in network.scopes[factor]} | set(bits(open_variables)))
    representative, row = distinct_columns(np.stack([local[v][local_rows] for v in columns]))
    chosen = local_rows[representative]
    codes = {v: local[v][chosen] for v in columns}
    scopes = [tuple(v for v in network.scopes[factor] if open_variables >> v & 1) for factor in factors]
    # A variable in no factor still has a clique of its own: that of its evidence, be it a vector of ones.
    evidence = [v for v in bits(open_variables) if not scopes or (codes[v] != MISSING).any()]
    scopes += [(v,) for v in evidence]
    tree = compile_tree(pool.cardinalities, scopes)
    rows = len(representative)
    pieces = [pool.factor_piece(factor, open_variables, tree.position, codes, rows) for factor in factors]
    pieces += [pool.evidence_piece(v, codes[v]) for v in evidence]
    return Part(tree, tuple(pieces), rows, local_rows, row)


def _check_memory(part: Part, network: Network, limit: int) -> None:
    needed = part.tree.cells * BYTES_PER_CELL
    if needed <= limit:
        return
    clique = max(zip(part.tree.sizes, part.tree.cliques, strict=True))[1]
    names = list_names([network.variables[v].name for v in clique], most=6)
    raise MemoryLimitError(
        f"exact inference would need about {_gigabytes(needed)} for its tables, over the limit of {_gigabytes(limit)}; "
        f"the largest joins {len(clique)} unobserved variables ({names}) in {part.tree.largest:.3g} cells. "
        "Observe some of them, simplify the network, or raise the memory limit",
        needed,
        limit,
    )


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:,.1f} GB" if size < 2**50 else f"{size / 2**30:.2g} GB"
