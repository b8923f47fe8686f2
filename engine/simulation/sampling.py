"""Drawing complete data from a network, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from engine.inference.graphs import bits, joined
from engine.inference.orders import find_order
from engine.model.arrays import Codes, Floats, Ints
from engine.model.dataset import Dataset, code_dtype
from engine.model.errors import MemoryLimitError, ModelError
from engine.model.network import MOST_AXES, BayesianNetwork, MarkovNetwork, Network, table_shape
from engine.model.randomness import RandomState, make_generator

MOST_BYTES = 4 * 2**30
"""The most memory that the codes of simulated data may take."""
MOST_CELLS = 2**24
"""The largest table of the elimination that lets us draw from a Markov network."""

_CHUNK = 1 << 13
"""Rows at a time: temporary arrays of 64 kB are reused by the allocator; larger ones cost page faults."""

Factor = tuple[tuple[int, ...], Floats]


def simulate(network: Network, rows: int, random_state: RandomState = 0) -> Dataset:
    """Complete rows drawn independently from the network's distribution.

    The same seed gives the same rows. A state of probability zero is never drawn.

    Parameters
    ----------
    network : BayesianNetwork or MarkovNetwork
        A Markov network is eliminated first (:func:`direct`), which may need too much memory.
    rows : int
    random_state : int or Generator
    """
    dtype = code_dtype(network.variables)
    needed = len(network.variables) * rows * dtype.itemsize
    if rows < 0:
        raise ModelError(f"{rows} rows; expected a number ≥ 0")
    if needed > MOST_BYTES:
        raise MemoryLimitError(
            f"{rows:,} rows need {needed >> 30:,} GB; at most {MOST_BYTES >> 30} GB are used: ask for fewer rows",
            needed,
            MOST_BYTES,
        )
    directed = direct(network) if isinstance(network, MarkovNetwork) else network
    cumulated = [_cumulate(table) for table in directed.tables]
    generator = make_generator(random_state)
    codes = np.empty((len(network.variables), rows), dtype=dtype)
    for start in range(0, rows, _CHUNK):
        chunk = codes[:, start : start + _CHUNK]
        for child in directed.topological_order:
            draws: Floats = generator.random((chunk.shape[1],))
            chunk[child] = _invert(cumulated[child], _find_rows(directed, child, chunk), draws)
    return Dataset(network.variables, codes, np.ones(rows))


def _cumulate(table: Floats) -> Floats:
    """Cumulative probabilities along the rows of a CPT, shape (rows, states).

    Each row is divided by its own last entry, so that from the last possible state on they are 1
    exactly: a draw below 1 cannot fall beyond it into an impossible state.
    """
    sums = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
    return np.asarray(sums / sums[:, -1:], dtype=np.float64)


def _find_rows(network: BayesianNetwork, child: int, codes: Codes) -> Ints:
    """Per column of codes, the row of the child's CPT that its parents' states choose."""
    row = np.zeros(codes.shape[1], dtype=np.int64)
    for parent in network.parents[child]:
        row *= network.variables[parent].cardinality
        row += codes[parent]
    return row


def _invert(cumulated: Floats, row: Ints, draws: Floats) -> Ints:
    """Per draw u, the first state whose cumulative probability is above u, by bisection.

    An impossible state adds nothing to the cumulative probability, so it is never the first.
    """
    states = cumulated.shape[1]
    flat = cumulated.reshape(-1)
    start = row * states
    low = np.zeros(len(draws), dtype=np.int64)
    high = np.full(len(draws), states - 1)
    for _ in range((states - 1).bit_length()):
        middle = (low + high) >> 1
        is_beyond = draws >= flat.take(start + middle)
        low = np.where(is_beyond, middle + 1, low)
        high = np.where(is_beyond, high, middle)
    return low


def direct(network: MarkovNetwork) -> BayesianNetwork:
    """A Bayesian network of the same distribution, by eliminating the variables one after another.

    The product ψ of the factors that hold a variable x is a function of x and its neighbours y; x gets
    the parents y and the table ψ(x, y) / Σ_x ψ(x, y), and the sum stays as a factor over y. The parents
    are eliminated later, so there is no cycle.
    """
    order = _order_elimination(network)
    rank = {v: k for k, v in enumerate(order)}
    buckets: list[list[Factor]] = [[] for _ in order]
    for factor in zip(network.scopes, network.tables, strict=True):
        _file(factor, buckets, rank)
    parents: list[tuple[int, ...]] = [()] * len(order)
    tables: list[Floats] = [np.empty(0)] * len(order)
    for v, bucket in zip(order, buckets, strict=True):
        parents[v] = tuple(sorted({u for scope, _ in bucket for u in scope} - {v}))
        scope = (*parents[v], v)
        joint = _multiply(bucket, scope, table_shape(network.variables, scope))
        sums = joint.sum(axis=-1)
        _file((parents[v], sums), buckets, rank)
        # Where the sum is 0 the parents' states are impossible, and any distribution will do.
        uniform = np.full(joint.shape, 1 / joint.shape[-1])
        tables[v] = np.divide(joint, sums[..., None], out=uniform, where=sums[..., None] > 0)
    return BayesianNetwork(network.variables, tuple(parents), tuple(tables))


def _order_elimination(network: MarkovNetwork) -> list[int]:
    """All variables, in an order in which none of the products on the way is too large."""
    sizes = {v: variable.cardinality for v, variable in enumerate(network.variables)}
    graph = joined([*network.scopes, *((v,) for v in sizes)])
    for uses in (1.0, math.inf):  # the second time, look further
        buckets, rest = find_order(graph, sizes, uses)
        cliques = [(v, *bits(around)) for v, around in buckets]
        largest = max((math.prod(sizes[v] for v in clique) for clique in (*cliques, tuple(bits(rest)))), default=0)
        if largest <= MOST_CELLS and max(map(len, cliques), default=0) <= MOST_AXES and not rest:
            return [v for v, _ in buckets]
    raise MemoryLimitError(
        f"data cannot be drawn from this Markov network: eliminating its variables needs a table of {largest:,} cells, "
        f"at most {MOST_CELLS:,} are used; simulate a Bayesian network instead",
        8 * largest,
        8 * MOST_CELLS,
    )


def _file(factor: Factor, buckets: Sequence[list[Factor]], rank: Mapping[int, int]) -> None:
    """Put a factor where the first of its variables is eliminated."""
    scope, table = factor
    if not table.any():
        raise ModelError("every configuration of this Markov network has weight zero; there is nothing to draw from")
    if scope:
        buckets[min(rank[v] for v in scope)].append(factor)


def _multiply(factors: Sequence[Factor], scope: tuple[int, ...], shape: tuple[int, ...]) -> Floats:
    """The product of factors over a scope, scaled so that the largest value is 1."""
    product = np.ones(shape)
    for names, table in factors:
        axes = sorted(range(len(names)), key=lambda axis: scope.index(names[axis]))
        product *= table.transpose(axes).reshape([k if v in names else 1 for v, k in zip(scope, shape, strict=True)])
        largest = product.max()
        if largest > 0:
            product /= largest
    return product
