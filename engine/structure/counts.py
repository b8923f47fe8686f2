"""How often the values of families occur: counted from the distinct rows of complete data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Floats, Ints, weighted_counts, xlogy
from engine.model.dataset import Dataset, Role
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.variable import Variable, list_names

Keys = npt.NDArray[np.int32]
MOST_CELLS = 1 << 23
"""The largest table that is counted for all other variables at once; beyond it, one after the other."""
MOST_COUNTED = 1 << 27
"""The largest table of one family: 1 GB."""
ELEMENTS = 1 << 15
"""So many cells of data are counted in one call: what they need stays in the processor's cache."""
ROWS_PER_STATE, MOST_JOINED = 200, 64
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
        return int(self.codes.shape[1])


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
    def likelihood(self) -> float:
        """Σ w log w / N, the log-likelihood of the rows' own frequencies: no distribution makes them more likely."""
        return float(xlogy(self.weights, self.weights / self.total).sum())

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

    def take(self, rows: Ints, weights: Floats) -> Counts:
        """Some of the rows, with other weights."""
        return Counts(self.variables, self.codes[:, rows], weights)

    def configurations(self, parents: Sequence[int]) -> Configurations:
        """The states of some variables that occur together."""
        ranges = [(0, int(self.sizes[p]) - 1) for p in parents]
        first, number = distinct_rows([self.codes[p] for p in parents], self.n_rows, ranges)
        return Configurations(number, self.codes[list(parents)][:, first].astype(np.int64))

    def count(self, child: int, configurations: Configurations) -> Floats:
        """How often each state of a variable occurs with each configuration, shape (configurations, states)."""
        size = int(self.sizes[child])
        if configurations.size * size > MOST_COUNTED:
            raise ModelError(
                f"{self.variables[child].name!r} has {size:,} states, too many to count them for each of the "
                f"{configurations.size:,} values of others; leave columns out that tell every row apart"
            )
        key = configurations.number * size + self.codes[child]
        return weighted_counts(key, self.weights, configurations.size * size).reshape(-1, size)

    def fits(self, child: int, configurations: Configurations) -> bool:
        """Whether all variables can be added to a family at once."""
        return configurations.size * int(self.sizes[child]) * len(self._blocks.keys) * self._blocks.width <= MOST_CELLS

    def count_extended(self, child: int, configurations: Configurations) -> Floats:
        """The same with every state of every variable, shape (configurations, states, states of all variables)."""
        size = int(self.sizes[child])
        if not configurations.codes.shape[0] and len(self.owner) ** 2 <= MOST_CELLS:
            start = self.starts[child]
            return self._pairs[None, start : start + size]
        key = configurations.number * size + self.codes[child]
        found = self._count_against_all(key, configurations.size * size)
        return found.reshape(configurations.size, size, -1)

    @cached_property
    def _pairs(self) -> Floats:
        """How often any two states occur together, shape (states of all variables, states of all variables)."""
        blocks, found = self._blocks, np.empty((len(self.owner), len(self.owner)))
        for keys, group, shape in zip(blocks.keys, blocks.groups, blocks.shapes, strict=True):
            counted = self._count_against_all(keys, math.prod(shape)).reshape(*shape, -1)
            for axis, v in enumerate(group):
                others = tuple(k for k in range(len(group)) if k != axis)
                found[self.starts[v] : self.starts[v] + self.sizes[v]] = counted.sum(axis=others)
        return found

    def _count_against_all(self, key: Ints | Keys, size: int) -> Floats:
        """How often each key occurs with each state of all variables, shape (keys, states)."""
        blocks = self._blocks
        every, cells = len(blocks.keys), size * blocks.width
        found = np.zeros((every, cells))
        if blocks.keys.size <= ELEMENTS:
            index = blocks.keys + (key * np.int64(blocks.width)) + np.arange(every)[:, None] * cells
            found += weighted_counts(index.reshape(-1), np.tile(self.weights, every), found.size).reshape(found.shape)
        else:
            step = min(self.n_rows, ELEMENTS)
            buffer = np.empty(step, dtype=np.int64)
            for begin in range(0, self.n_rows, step):
                part = slice(begin, begin + step)
                shifted, weights = key[part] * np.int64(blocks.width), self.weights[part]
                for keys, counted in zip(blocks.keys, found, strict=True):
                    index = np.add(keys[part], shifted, out=buffer[: len(shifted)])
                    counted += weighted_counts(index, weights, cells)
        return self._part_blocks(found.reshape(every, size, -1))

    def _part_blocks(self, counted: Floats) -> Floats:
        """Counts of the joint states of blocks, shape (blocks, keys, width), by the states of all variables."""
        blocks, keys = self._blocks, counted.shape[1]
        if blocks.columns is not None:
            return counted.transpose(1, 0, 2).reshape(keys, -1)[:, blocks.columns]
        found = np.empty((keys, len(self.owner)))
        for table, group, shape in zip(counted, blocks.groups, blocks.shapes, strict=True):
            joint = table[:, : math.prod(shape)].reshape(keys, *shape)
            for axis, v in enumerate(group):
                others = tuple(k + 1 for k in range(len(group)) if k != axis)
                found[:, self.starts[v] : self.starts[v] + self.sizes[v]] = joint.sum(axis=others)
        return found

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
    """Columns joined to blocks, which are counted as one variable each, all with as many states as the largest.

    Attributes
    ----------
    groups, shapes : tuple of tuple of int
        Per block its variables, and their numbers of states.
    keys : array (blocks, rows)
        The joint state of each block's columns.
    width : int
        The most joint states of a block.
    columns : array (states,), optional
        Where each state of all variables stands among those of all blocks, if each column is a block.
    """

    groups: tuple[tuple[int, ...], ...]
    shapes: tuple[tuple[int, ...], ...]
    keys: Keys
    width: int
    columns: Ints | None


def _join(counts: Counts, groups: Sequence[Sequence[int]]) -> _Blocks:
    shapes = tuple(tuple(counts.sizes[list(group)].tolist()) for group in groups)
    width = max(math.prod(shape) for shape in shapes)
    keys = np.zeros((len(groups), counts.n_rows), dtype=np.int32)
    for row, group, shape in zip(keys, groups, shapes, strict=True):
        for v, states in zip(group, shape, strict=True):
            row *= states
            row += counts.codes[v]
    columns = None
    if len(groups) == counts.n_variables:
        columns = counts.owner * width + np.arange(len(counts.owner)) - counts.starts[counts.owner]
    return _Blocks(tuple(map(tuple, groups)), shapes, keys, width, columns)


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
