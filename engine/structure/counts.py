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
MOST_CELLS, CELLS_PER_VARIABLE = 1 << 23, 1 << 11
"""The largest table that is counted for all other variables at once; beyond it, one after the other, which takes as
long as a table of so many cells for each."""
MOST_COUNTED = 1 << 27
"""The largest table of one family: 1 GB."""
ELEMENTS = 1 << 15
"""So many cells of data are counted in one call: what they need stays in the processor's cache."""
ROWS_PER_STATE, MOST_JOINED = 200, 128
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
class Cells:
    """The counts of several sets of variables, which have some in common and one more each, or none.

    Attributes
    ----------
    common : tuple of int
        Variables of all sets.
    codes : array (common, configurations)
        Their states in each configuration that occurs.
    child : int, optional
        One more of these, all states of which are counted.
    counts : array (columns, configurations, states of the child)
        A column for each state of all variables, as each of them is added to a set; or a single one if none is.
    """

    common: tuple[int, ...]
    codes: Ints
    child: int | None
    counts: Floats


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

    def configurations(self, variables: Sequence[int]) -> Configurations:
        """The states of some variables that occur together."""
        ranges = [(0, int(self.sizes[v]) - 1) for v in variables]
        first, number = distinct_rows([self.codes[v] for v in variables], self.n_rows, ranges)
        codes = np.empty((len(variables), len(first)), dtype=np.int64)
        for row, v in zip(codes, variables, strict=True):
            row[:] = self.codes[v, first]
        return Configurations(number, codes)

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

    def fits(self, child: int | None, configurations: Configurations) -> bool:
        """Whether all variables can be added to a family, or to none, at once."""
        worth = max(self.work, CELLS_PER_VARIABLE * self.n_variables)
        return configurations.size * self._count_states(child) * self._blocks.width <= min(worth, MOST_CELLS)

    def count_extended(self, child: int | None, configurations: Configurations) -> Floats:
        """The same with every state of every variable, shape (states of all variables, configurations, states)."""
        size = self._count_states(child)
        if child is None:
            key = configurations.number
        elif not configurations.codes.shape[0] and len(self.owner) ** 2 <= MOST_CELLS:
            start = self.starts[child]
            return self._pairs[:, None, start : start + size]
        else:
            key = configurations.number * size + self.codes[child]
        return self._count_against_all(key, configurations.size * size).reshape(-1, configurations.size, size)

    def _count_states(self, child: int | None) -> int:
        return 1 if child is None else int(self.sizes[child])

    @cached_property
    def _pairs(self) -> Floats:
        """How often any two states occur together, shape (states of all variables, states of all variables)."""
        blocks = self._blocks
        counted = [
            self._count_against_all(keys, end - begin)
            for keys, begin, end in zip(blocks.keys, blocks.bounds, blocks.bounds[1:], strict=False)
        ]
        return blocks.part(np.concatenate(counted, axis=1).T)

    def _count_against_all(self, key: Ints | Keys, size: int) -> Floats:
        """How often each key occurs with each state of all variables, shape (states, keys)."""
        blocks = self._blocks
        if blocks.keys.size <= ELEMENTS:
            states, weights = self._spread
            found = weighted_counts((states * size + key).reshape(-1), weights, blocks.width * size)
            return blocks.part(found.reshape(-1, size))
        found = np.zeros((blocks.width, size))
        step = min(self.n_rows, ELEMENTS)
        buffer = np.empty(step, dtype=np.int64)
        for begin in range(0, self.n_rows, step):
            part = slice(begin, begin + step)
            shifted, weights = key[part], self.weights[part]
            for keys, first, end in zip(blocks.keys, blocks.bounds, blocks.bounds[1:], strict=False):
                index = np.multiply(keys[part], size, out=buffer[: len(shifted)])
                index += shifted
                counted = found[first:end].reshape(-1)
                counted += weighted_counts(index, weights, len(counted))
        return blocks.part(found)

    @cached_property
    def _spread(self) -> tuple[Ints, Floats]:
        """Where all joint states of blocks stand if laid end to end, and the weights for each block: of little data."""
        blocks = self._blocks
        return blocks.keys + np.array(blocks.bounds[:-1])[:, None], np.tile(self.weights, len(blocks.keys))

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
        The joint state of each block's columns.
    bounds : tuple of int
        Where the joint states of each block begin, all laid end to end, and where the last ends.
    joint, starts : array, array (states,)
        The joint states that have each state of all variables, laid end to end, and where they begin; None if each
        column is a block.
    """

    keys: Keys
    bounds: tuple[int, ...]
    joint: Ints | None
    starts: Ints

    @property
    def width(self) -> int:
        """How many joint states there are."""
        return self.bounds[-1]

    def part(self, counted: Floats) -> Floats:
        """Counts of joint states, shape (joint states, …), by the states of all variables."""
        return counted if self.joint is None else np.add.reduceat(counted[self.joint], self.starts, axis=0)


def _join(counts: Counts, groups: Sequence[Sequence[int]]) -> _Blocks:
    keys = np.zeros((len(groups), counts.n_rows), dtype=np.int32)
    bounds, joint = [0], []
    for row, group in zip(keys, groups, strict=True):
        shape = counts.sizes[list(group)].tolist()
        for v, states in zip(group, shape, strict=True):
            row *= states
            row += counts.codes[v]
        states = np.arange(bounds[-1], bounds[-1] + math.prod(shape)).reshape(shape)
        joint += [np.moveaxis(states, axis, 0).reshape(size, -1) for axis, size in enumerate(shape)]
        bounds.append(bounds[-1] + states.size)
    if len(groups) == counts.n_variables:
        return _Blocks(keys, tuple(bounds), None, counts.starts)
    ends = np.cumsum(np.concatenate([np.full(*table.shape) for table in joint]))
    return _Blocks(keys, tuple(bounds), np.concatenate([table.reshape(-1) for table in joint]), np.r_[0, ends[:-1]])


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
