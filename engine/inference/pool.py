"""One flat array of every number that inference reads, parameters and evidence alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from engine.model.arrays import Codes, Floats, Ints, frozen
from engine.model.dataset import MISSING
from engine.model.layout import Layout
from engine.model.network import Network


@dataclass(frozen=True, eq=False)
class Piece:
    """A factor, or the evidence on a variable, as a part reads it.

    For row r and the k-th configuration of its open variables it is ``pool[offsets[k] + base[r]]``.

    Attributes
    ----------
    factor : int
        Index of the table; −1 for evidence.
    scope : tuple of int
        The open variables, numbered as in the part, in the tree's elimination order.
    strides : tuple of int
        How far apart the cells of neighbouring states stand, per variable of the scope.
    """

    factor: int
    scope: tuple[int, ...]
    strides: tuple[int, ...]
    offsets: Ints
    base: Ints

    @property
    def shape(self) -> tuple[object, ...]:
        """What must be equal for pieces of two parts to be read with one list of offsets."""
        return self.factor < 0, self.scope, self.strides

    def with_base(self, base: Ints) -> Piece:
        """The piece of other rows."""
        return Piece(self.factor, self.scope, self.strides, self.offsets, base)


@dataclass(frozen=True, eq=False)
class Pool:
    """Where parameters and evidence vectors stand in the flat pool.

    The tables come first, as their :class:`~engine.model.layout.Layout` has them. Then, for each variable,
    its evidence vectors: one indicator per state, the vector of ones (missing), and its likelihoods, each
    scaled to a maximum of 1 so that no product of evidence exceeds 1.
    """

    network: Network
    likelihoods: Mapping[int, Floats]

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.network)

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        return tuple(variable.cardinality for variable in self.network.variables)

    @cached_property
    def evidence_starts(self) -> Ints:
        sizes = [
            v.cardinality * (v.cardinality + 1 + len(self.likelihoods.get(i, ())))
            for i, v in enumerate(self.network.variables)
        ]
        return np.cumsum([self.layout.size, *sizes], dtype=np.int64)

    @cached_property
    def evidence(self) -> Floats:
        """The evidence segment of the pool."""
        segments = [np.empty(0)]
        for i, variable in enumerate(self.network.variables):
            segments.append(_indicators(variable.cardinality))
            if i in self.likelihoods:
                segments.append(scale_likelihoods(self.likelihoods[i]).reshape(-1))
        return np.concatenate(segments)

    def fill(self, tables: Sequence[Floats]) -> tuple[Floats, float]:
        """The pool for these tables, with entries above 1 scaled down to it, and the log of what that leaves out."""
        scales = [max(1.0, float(table.max(initial=0.0))) for table in tables]
        scaled = [table if scale == 1.0 else table / scale for table, scale in zip(tables, scales, strict=True)]
        return np.concatenate([self.layout.flatten(scaled), self.evidence]), float(np.log(scales).sum())

    def index(self, factor: int, codes: Mapping[int, Codes], rows: int) -> Ints:
        """Per row, the cell of a factor, counting only the variables in ``codes``."""
        index: Ints | None = None
        last = 1  # the stride of the variable that was counted last; that of the next divides it
        for variable, stride in zip(self.network.scopes[factor], self.layout.strides[factor], strict=True):
            if variable not in codes:
                continue
            if index is None:
                index = codes[variable].astype(np.int64)
            else:
                index *= last // stride
                index += codes[variable]
            last = stride
        if index is None:
            index = np.zeros(rows, dtype=np.int64)
        elif last > 1:
            index *= last
        index += self.layout.starts[factor]
        return index

    def factor_piece(self, factor: int, place: Mapping[int, tuple[int, int]], base: Ints) -> Piece:
        """A factor with its open variables as axes.

        Parameters
        ----------
        place : mapping from open variable to (int, int)
            Its place in the tree's elimination order, and its number in the part.
        base : array (rows,)
            The cell in each row where the open variables have their first states.
        """
        axes = [
            (*place[v], stride, self.cardinalities[v])
            for v, stride in zip(self.network.scopes[factor], self.layout.strides[factor], strict=True)
            if v in place
        ]
        axes.sort()
        _, scope, strides, sizes = zip(*axes, strict=True)
        return Piece(factor, scope, strides, find_offsets(strides, sizes), base)

    def evidence_piece(self, variable: int, number: int, codes: Codes) -> Piece:
        """The evidence on an open variable as an axis."""
        cardinality = self.cardinalities[variable]
        vector = np.where(codes >= 0, codes, cardinality + MISSING - codes).astype(np.int64)
        base = self.evidence_starts[variable] + cardinality * vector
        return Piece(-1, (number,), (1,), find_offsets((1,), (cardinality,)), base)


def scale_likelihoods(vectors: Floats) -> Floats:
    """Likelihoods (vectors, states) as the pool has them."""
    return np.asarray(vectors / vectors.max(axis=1, keepdims=True))


@lru_cache(maxsize=64)
def _indicators(size: int) -> Floats:
    """The evidence of each state, and that of none, end to end."""
    return frozen(np.concatenate([np.eye(size).reshape(-1), np.ones(size)]))


@lru_cache(maxsize=4096)
def find_offsets(strides: tuple[int, ...], sizes: tuple[int, ...]) -> Ints:
    """Where the cells of a table over some axes stand, the last axis fastest."""
    offsets = np.zeros(1, dtype=np.int64)
    for stride, size in zip(strides, sizes, strict=True):
        offsets = (offsets[:, None] + stride * np.arange(size)).reshape(-1)
    return frozen(offsets)
