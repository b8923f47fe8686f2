"""Where the numbers of a network's tables stand in one flat vector."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.model.arrays import Floats, Ints
from engine.model.network import Network


@dataclass(frozen=True, eq=False)
class Layout:
    """A network's tables end to end, each in C order."""

    network: Network

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(table.shape for table in self.network.tables)

    @cached_property
    def starts(self) -> Ints:
        """Per table, where it begins; last, the number of parameters."""
        return np.array([0, *itertools.accumulate([table.size for table in self.network.tables])], dtype=np.int64)

    @property
    def size(self) -> int:
        """The number of parameters."""
        return int(self.starts[-1])

    @cached_property
    def strides(self) -> tuple[tuple[int, ...], ...]:
        """Per table, how far apart neighbouring cells of each of its axes stand."""
        found = []
        for shape in self.shapes:
            strides, step = [], 1
            for size in reversed(shape):
                strides.append(step)
                step *= size
            found.append(tuple(reversed(strides)))
        return tuple(found)

    def flatten(self, tables: Sequence[Floats]) -> Floats:
        """The parameters of tables."""
        return np.concatenate([np.empty(0), *(table.reshape(-1) for table in tables)])

    def tables(self, theta: Floats) -> list[Floats]:
        """The tables that parameters stand for."""
        ranges = zip(self.starts[:-1], self.starts[1:], self.shapes, strict=True)
        return [theta[start:end].reshape(shape) for start, end, shape in ranges]

    def sum(self, theta: Floats) -> Floats:
        """Values of parameters added up by table."""
        return np.add.reduceat(theta, self.starts[:-1]) if theta.size else np.zeros(len(self.shapes))
