"""How often the values of families occur: counted from the distinct rows of complete data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.dataset import Dataset, Role
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.variable import Variable, list_names

MOST_CELLS = 1 << 23
"""The largest table that is counted for all other variables at once; beyond it, one after the other."""
ELEMENTS = 1 << 17
"""So many cells of data are counted in one call: what they need stays in the processor's cache."""
ROWS_PER_STATE, MOST_JOINED = 1000, 64
"""Columns are joined to blocks, of one state per so many rows and of so many states at most."""


@dataclass(frozen=True, eq=False)
class Configurations:
    """The states of some parents that occur together in the data.

    Attributes
    ----------
    number : array (rows,)
        For each row, which of them it has.
    codes : array (parents, configurations)
    """

    number: Ints
    codes: Ints

    @property
    def size(self) -> int:
        return self.codes.shape[1]


@dataclass(frozen=True, eq=False)
class Counts:
    """Complete data, of which families are counted.

    Attributes
    ----------
    codes : array (variables, rows)
        Distinct rows.
    weights : array (rows,)
    """

    variables: tuple[Variable, ...]
    codes: npt.NDArray[np.signedinteger]
    weights: Floats

    @property
    def n_variables(self) -> int:
        return len(self.variables)

    @property
    def n_rows(self) -> int:
        return len(self.weights)

    @cached_property
    def total(self) -> float:
        """N: the sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def sizes(self) -> Ints:
        """Per variable, its number of states."""
        return np.array([variable.cardinality for variable in self.variables], dtype=np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Where the states of each variable begin, all laid end to end."""
        return np.cumsum([0, *self.sizes[:-1]], dtype=np.int64)

    @cached_property
    def owner(self) -> Ints:
        """Per state of all variables, laid end to end, its variable."""
        return np.repeat(np.arange(self.n_variables), self.sizes)

    @property
    def work(self) -> int:
        """Cells that are read to count a family with each variable added to it."""
        return self._blocks.keys.size

    def weighted(self, weights: Floats) -> Counts:
        """The same rows with other weights."""
        other = replace(self, weights=weights)
        other.__dict__["_blocks"] = self._blocks
        return other

    def configurations(self, parents: Sequence[int]) -> Configurations:
        """The states of some variables that occur together."""
        ranges = [(0, int(self.sizes[p]) - 1) for p in parents]
        first, number = distinct_rows([self.codes[p] for p in parents], self.n_rows, ranges)
        return Configurations(number, self.codes[list(parents)][:, first].astype(np.int64))

    def count(self, child: int, configurations: Configurations) -> Floats:
        """How often each state of a variable occurs with each configuration, shape (configurations, states)."""
        size = int(self.sizes[child])
        key = configurations.number * size + self.codes[child]
        return weighted_counts(key, self.weights, configurations.size * size).reshape(-1, size)

    def fits(self, child: int, configurations: Configurations) -> bool:
        """Whether all variables can be added to a family at once."""
        return configurations.size * int(self.sizes[child]) * self._blocks.size <= MOST_CELLS

    def count_extended(self, child: int, configurations: Configurations) -> Floats:
        """The same with every state of every variable, shape (configurations, states, states of all variables)."""
        size = int(self.sizes[child])
        if not configurations.codes.shape[0]:
            start = self.starts[child]
            return self._pairs[None, start : start + size]
        key = configurations.number * size + self.codes[child]
        found = self._count_against_all(key, configurations.size * size)
        return found.reshape(configurations.size, size, -1)

    @cached_property
    def _pairs(self) -> Floats:
        """How often any two states occur together, shape (states of all variables, states of all variables)."""
        blocks, found = self._blocks, []
        for start, end, keys in zip(blocks.starts, [*blocks.starts[1:], blocks.size], blocks.keys, strict=True):
            found.append(self._count_against_all(keys - np.int64(start), int(end - start)))
        joined = np.concatenate([*found, np.empty((0, len(self.owner)))])
        return joined if blocks.margin is None else blocks.margin.T @ joined

    def _count_against_all(self, key: Ints, size: int) -> Floats:
        """How often each key occurs with each state of all variables, shape (keys, states)."""
        blocks = self._blocks
        found = np.zeros(size * blocks.size)
        shifted = key.astype(np.int64) * blocks.size
        step = max(1, ELEMENTS // max(1, len(blocks.keys)))
        for begin in range(0, self.n_rows, step):
            part = slice(begin, begin + step)
            cells = blocks.keys[:, part] + shifted[part]
            weights = np.broadcast_to(self.weights[part], cells.shape)
            found += weighted_counts(cells.reshape(-1), weights.reshape(-1), len(found))
        table = found.reshape(size, blocks.size)
        return table if blocks.margin is None else table @ blocks.margin

    @cached_property
    def _blocks(self) -> _Blocks:
        """The columns, joined to blocks of a few each if there are many rows."""
        most = min(MOST_JOINED, self.n_rows // ROWS_PER_STATE)
        groups: list[list[int]] = []
        states = 0
        for v, size in enumerate(self.sizes.tolist()):
            if groups and states * size <= most:
                groups[-1].append(v)
                states *= size
            else:
                groups.append([v])
                states = size
        return _join(self, groups)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Columns joined to blocks, which are counted as one variable each.

    Attributes
    ----------
    keys : array (blocks, rows)
        The joint state of each block's columns, those of all blocks laid end to end.
    starts : tuple of int
        Where the joint states of each block begin.
    size : int
        The number of joint states of all blocks.
    margin : array (joint states, states), optional
        1 where a joint state has the state of a variable; None where each column is a block.
    """

    keys: npt.NDArray[np.int32]
    starts: tuple[int, ...]
    size: int
    margin: Floats | None


def _join(counts: Counts, groups: Sequence[Sequence[int]]) -> _Blocks:
    keys = np.empty((len(groups), counts.n_rows), dtype=np.int32)
    starts, margins, size = [], [], 0
    for row, group in zip(keys, groups, strict=True):
        shape = tuple(counts.sizes[group].tolist())
        row[:] = 0
        for v, states in zip(group, shape, strict=True):
            row *= states
            row += counts.codes[v]
        row += size
        starts.append(size)
        margin = np.zeros((int(np.prod(shape)), len(counts.owner)))
        for v, codes in zip(group, np.indices(shape).reshape(len(shape), -1), strict=True):
            margin[np.arange(len(margin)), counts.starts[v] + codes] = 1.0
        margins.append(margin)
        size += len(margin)
    is_joined = len(groups) < counts.n_variables
    return _Blocks(keys, tuple(starts), size, np.concatenate(margins) if is_joined else None)


def count_rows(dataset: Dataset) -> Counts:
    """The distinct rows of complete data, ready to be counted.

    Raises
    ------
    ModelError
        If cells are missing or uncertain: their values are to be expected first, by structural EM.
    """
    if not dataset.variables:
        raise ModelError("the data has no columns; there is nothing to learn from")
    if not dataset.total_weight:
        raise ModelError("the data has no rows that count; there is nothing to learn from")
    names = [v.name for v, role in zip(dataset.variables, dataset.roles, strict=True) if role is not Role.OBSERVED]
    if names:
        cells = int((dataset.codes < 0).sum())
        raise ModelError(
            f"this search needs complete data, but cells of {list_names(names)} are missing or uncertain "
            f"({cells:,} of {dataset.codes.size:,}); use hill climbing, which goes on by structural EM, "
            "or leave these columns or rows out"
        )
    merged = dataset.project(range(len(dataset.variables)))
    counted = np.flatnonzero(merged.weights > 0)
    if len(counted) < merged.n_rows:
        merged = merged.take(counted)
    return Counts(merged.variables, merged.codes, merged.weights)
