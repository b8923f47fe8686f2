"""Columns joined to blocks of a few, and how often the joint states of up to three blocks occur.

A block is counted as one variable. In many rows the joint states of three blocks are few beside the rows: found once,
they serve every set of variables that is in these blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Floats, Ints, weighted_counts, xlogy

Keys = npt.NDArray[np.int32]
ROWS_TO_MERGE, BLOCKS_TO_MERGE = 40_000, 16
"""From so many rows on, and up to so many blocks, a few blocks are counted by their margin, not by the rows."""
ROWS_COMPARED, MOST_STATES_COMPARED = 4_096, 512
"""Rows that tell which columns are joined, and states of all columns together up to which they are asked."""
MOST_BLOCKS = 3
"""Of a margin: of four, the joint states are nearly as many as the rows."""
MOST_STATES_PER_ROW = 16
"""Joint states are counted in a table of so many cells for each row at most."""
MOST_KEPT_PER_ROW = 8
"""Rows of all margins together for each row of the data, at most: where more occur, the rows are counted."""


@dataclass(frozen=True, eq=False)
class Margin:
    """The joint states of some blocks that occur, as rows with weights.

    Attributes
    ----------
    keys : mapping from block to array (rows,)
    weights : array (rows,)
    """

    keys: dict[int, Ints]
    weights: Floats


@dataclass(frozen=True, eq=False)
class Blocks:
    """Columns joined to blocks, which are counted as one variable each.

    Attributes
    ----------
    groups : tuple of tuple of int
        The variables of each block.
    keys : array (blocks, rows)
        The joint state of each block's columns.
    bounds : tuple of int
        Where the joint states of each block begin, all laid end to end, and where the last ends.
    sizes : array (variables,)
        Their numbers of states.
    """

    groups: tuple[tuple[int, ...], ...]
    keys: Keys
    bounds: tuple[int, ...]
    sizes: Ints

    @property
    def width(self) -> int:
        """How many joint states there are."""
        return self.bounds[-1]

    @cached_property
    def of(self) -> list[int]:
        """Per variable, its block."""
        found = {v: b for b, group in enumerate(self.groups) for v in group}
        return [found[v] for v in range(len(self.sizes))]

    def part(self, counted: Floats) -> Floats:
        """Counts of joint states, shape (joint states, columns), by the states of all variables."""
        if len(self.groups) == len(self.sizes):
            return counted
        found = np.empty((int(self.sizes.sum()), counted.shape[1]))
        for (states, has), (first, end) in zip(self._parts, pairwise(self.bounds), strict=True):
            found[states] = has @ counted[first:end]
        return found

    def read(self, v: int, margin: Margin) -> npt.NDArray[np.signedinteger]:
        """The states of a variable in the rows of a margin."""
        return self._digits[v][margin.keys[self.of[v]]]

    @cached_property
    def _digits(self) -> list[Keys]:
        """Per variable, its state in each joint state of its block."""
        found: dict[int, Keys] = {}
        for group in self.groups:
            states = np.indices(self.sizes[list(group)].tolist(), dtype=np.int32).reshape(len(group), -1)
            found |= dict(zip(group, states, strict=True))
        return [found[v] for v in range(len(self.sizes))]

    @cached_property
    def _parts(self) -> list[tuple[Ints, Floats]]:
        """Per block, where the states of its variables stand among those of all, and which joint states have each."""
        starts, found = np.cumsum([0, *self.sizes[:-1]]), []
        for group in self.groups:
            states = np.concatenate([np.arange(self.sizes[v]) for v in group])
            digits = np.concatenate([np.tile(self._digits[v], (int(self.sizes[v]), 1)) for v in group])
            shift = np.repeat(starts[list(group)], self.sizes[list(group)])
            found.append((states + shift, np.asarray(digits == states[:, None], dtype=np.float64)))
        return found


def join_columns(codes: npt.NDArray[np.signedinteger], sizes: Ints, most: int) -> Blocks:
    """Join columns to blocks of so many joint states at most, or of one column."""
    groups = _find_groups(codes, sizes, most)
    keys = np.zeros((len(groups), codes.shape[1]), dtype=np.int32)
    bounds = [0]
    for row, group in zip(keys, groups, strict=True):
        for v in group:
            row *= int(sizes[v])
            row += codes[v]
        bounds.append(bounds[-1] + math.prod(sizes[group].tolist()))
    return Blocks(tuple(map(tuple, groups)), keys, tuple(bounds), sizes)


def _find_groups(codes: npt.NDArray[np.signedinteger], sizes: Ints, most: int) -> list[list[int]]:
    """Which columns are joined: in many rows those that tell much of each other first, else as they stand.

    What tells much of each other is often asked for together, and has fewer joint states that occur.
    """
    states = sizes.tolist()
    groups = [[v] for v in range(len(states))]
    pairs = [(v, v + 1) for v in range(len(states) - 1)]
    if codes.shape[1] >= ROWS_TO_MERGE and sum(states) <= MOST_STATES_COMPARED:
        told = _find_information(codes[:, :: codes.shape[1] // ROWS_COMPARED], sizes)
        pairs = [divmod(pair, len(states)) for pair in np.argsort(-told.reshape(-1), kind="stable").tolist()]
    of = list(range(len(states)))  # the first column of each one's group
    for a, b in pairs:
        first, second = sorted((of[a], of[b]))
        if first != second and states[first] * states[second] <= most:
            states[first] *= states[second]
            for v in groups[second]:
                of[v] = first
            groups[first] += groups[second]
    return [sorted(group) for v, group in enumerate(groups) if of[v] == v]


def _find_information(codes: npt.NDArray[np.signedinteger], sizes: Ints) -> Floats:
    """Per pair of columns, their mutual information times the number of rows, up to what is the same for a pair."""
    starts = np.cumsum([0, *sizes[:-1]])
    has = np.zeros((int(sizes.sum()), codes.shape[1]), dtype=np.float32)
    has[codes + starts[:, None], np.arange(codes.shape[1])] = 1.0
    both = (has @ has.T).astype(np.float64)
    alone = both.diagonal()
    terms = xlogy(both, both / np.maximum(alone[:, None] * alone, 1.0))
    return np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1)


class Margins:
    """The margins of data, each found when it is first asked for."""

    def __init__(self, blocks: Blocks, weights: Floats) -> None:
        self._blocks, self._weights = blocks, weights
        self._known: dict[tuple[int, ...], Margin | None] = {}
        self._states = [end - first for first, end in pairwise(blocks.bounds)]
        self._left = MOST_KEPT_PER_ROW * len(weights)

    def find(self, blocks: Iterable[int]) -> Margin | None:
        """The margin of some blocks; None if they are too many, have too many joint states, or there is no room."""
        those = tuple(sorted(set(blocks)))
        if those not in self._known:
            size = math.prod(self._states[b] for b in those)
            is_small = len(those) <= MOST_BLOCKS and size <= MOST_STATES_PER_ROW * len(self._weights)
            found = self._merge(those, size) if is_small and self._left > 0 else None
            self._left -= 0 if found is None else len(found.weights)
            self._known[those] = found
        return self._known[those]

    def _merge(self, those: Sequence[int], size: int) -> Margin:
        key = np.zeros(len(self._weights), dtype=np.int64)
        for b in those:
            key *= self._states[b]
            key += self._blocks.keys[b]
        counted = weighted_counts(key, self._weights, size)
        occurring = np.flatnonzero(counted)
        keys = np.unravel_index(occurring, [self._states[b] for b in those]) if those else ()
        return Margin(dict(zip(those, keys, strict=True)), counted[occurring])
