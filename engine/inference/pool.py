"""One flat array of every number that inference reads, parameters and evidence alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.model.arrays import Codes, Floats, Ints
from engine.model.dataset import MISSING
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
        The open variables, in the tree's elimination order.
    """

    factor: int
    scope: tuple[int, ...]
    offsets: Ints
    base: Ints


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
