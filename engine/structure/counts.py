"""How often the values of families occur: counted from the distinct rows of complete data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Bools, Floats, Ints, weighted_counts, xlogy
from engine.model.dataset import MISSING, Dataset, Role
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.variable import Variable, list_names
from engine.structure.blocks import BLOCKS_TO_MERGE, ROWS_TO_MERGE, Blocks, Keys, Margin, Margins, join_columns

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
    """The states of some variables that occur together in the data.

    Attributes
    ----------
    variables : tuple of int
    codes : array (variables, configurations)
    occurs : array (configurations,)
        How often each occurs.
    rows : Margin, optional
        Where they were found, if not in the rows of the data.
    number : array (rows,)
        For each row there, which of them it has.
    """

    variables: tuple[int, ...]
    codes: Ints
    occurs: Floats
    rows: Margin | None
    number: Ints

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

    @cached_property
    def constant(self) -> Bools:
        """Per variable, whether it has the same state in all rows: no arrow tells anything of it, or by it."""
        return np.array([not len(codes) or bool((codes == codes[0]).all()) for codes in self.codes])

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
        rows = self._find_rows(variables)
        weights = self.weights if rows is None else rows.weights
        columns = [self._column(v, rows) for v in variables]
        first, number = distinct_rows(columns, len(weights), [(0, int(self.sizes[v]) - 1) for v in variables])
        codes = np.empty((len(variables), len(first)), dtype=np.int64)
        for row, column in zip(codes, columns, strict=True):
            row[:] = column[first]
        return Configurations(tuple(variables), codes, weighted_counts(number, weights, len(first)), rows, number)

    def count(self, child: int, configurations: Configurations) -> Floats:
        """How often each state of a variable occurs with each configuration, shape (configurations, states)."""
        size = int(self.sizes[child])
        if configurations.size * size > MOST_COUNTED:
            raise ModelError(
                f"{self.variables[child].name!r} has {size:,} states, too many to count them for each of the "
                f"{configurations.size:,} values of others; leave columns out that tell every row apart"
            )
        rows = self._find_rows((*configurations.variables, child))
        key = self._number(configurations, child, rows)
        weights = self.weights if rows is None else rows.weights
        return weighted_counts(key, weights, configurations.size * size).reshape(-1, size)

    def fits(self, child: int | None, configurations: Configurations) -> bool:
        """Whether all variables can be added to a family, or to none, at once."""
        worth = max(self.work, CELLS_PER_VARIABLE * self.n_variables)
        return configurations.size * self._count_states(child) * self._blocks.width <= min(worth, MOST_CELLS)

    def count_extended(self, child: int | None, configurations: Configurations) -> Floats:
        """The same with every state of every variable, shape (states of all variables, configurations, states)."""
        size, start = self._count_states(child), 0 if child is None else self.starts[child]
        if child is not None and not configurations.variables and len(self.owner) ** 2 <= MOST_CELLS:
            return self._pairs[:, None, start : start + size]
        those = configurations.variables if child is None else (*configurations.variables, child)
        found = self._count_against_all(
            configurations.size * size, those, lambda rows: self._number(configurations, child, rows)
        )
        return found.reshape(-1, configurations.size, size)

    def _count_states(self, child: int | None) -> int:
        return 1 if child is None else int(self.sizes[child])

    @cached_property
    def _pairs(self) -> Floats:
        """How often any two states occur together, shape (states of all variables, states of all variables)."""
        blocks, counted = self._blocks, []
        for b, (begin, end) in enumerate(pairwise(blocks.bounds)):
            find_key = partial(self._key, b)
            counted.append(self._count_against_all(end - begin, blocks.groups[b], find_key))
        return blocks.part(np.concatenate(counted, axis=1).T)

    def _column(self, v: int, rows: Margin | None) -> npt.NDArray[np.signedinteger]:
        """The states of a variable, in the data or a margin of it."""
        return self.codes[v] if rows is None else self._blocks.read(v, rows)

    def _key(self, block: int, rows: Margin | None) -> Ints | Keys:
        """The joint states of a block."""
        return self._blocks.keys[block] if rows is None else rows.keys[block]

    def _number(self, configurations: Configurations, child: int | None, rows: Margin | None) -> Ints:
        """For each row, which configuration it has; and, if there is a child, with which of its states."""
        is_there = rows is configurations.rows
        number = configurations.number if is_there else self._find_number(configurations, rows)
        return number if child is None else number * int(self.sizes[child]) + self._column(child, rows)

    def _find_number(self, configurations: Configurations, rows: Margin | None) -> Ints:
        """The same where the configurations were found elsewhere: those of few blocks have few states together."""
        n_rows = self.n_rows if rows is None else len(rows.weights)
        size, of_codes, of_rows = 1, np.zeros(configurations.size, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
        for v, codes in zip(configurations.variables, configurations.codes, strict=True):
            for key, column in ((of_codes, codes), (of_rows, self._column(v, rows))):
                key *= self.sizes[v]
                key += column
            size *= int(self.sizes[v])
        place = np.zeros(size, dtype=np.int64)
        place[of_codes] = np.arange(configurations.size)
        return np.asarray(place[of_rows])

    def _find_rows(self, variables: Sequence[int]) -> Margin | None:
        """The fewest rows that tell all of some variables; None if these are the data's own."""
        margins = self._margins
        return None if margins is None else margins.find(self._blocks.of[v] for v in variables)

    def _count_against_all(
        self, size: int, those: Sequence[int], find_key: Callable[[Margin | None], Ints | Keys]
    ) -> Floats:
        """How often each key occurs with each state of all variables, shape (states, keys).

        Parameters
        ----------
        size : int
            How many keys there are.
        those : sequence of int
            The variables that they are made of.
        find_key : callable
            The keys of the data's rows, or of a margin.
        """
        blocks = self._blocks
        if blocks.keys.size <= ELEMENTS:
            states, weights = self._spread
            found = weighted_counts((states * size + find_key(None)).reshape(-1), weights, blocks.width * size)
            return blocks.part(found.reshape(-1, size))
        found, left = np.zeros((blocks.width, size)), []
        for b, (first, end) in enumerate(pairwise(blocks.bounds)):
            rows = self._find_rows((*those, *blocks.groups[b]))
            if rows is None:
                left.append((blocks.keys[b], found[first:end].reshape(-1)))
            else:
                index = rows.keys[b] * size + find_key(rows)
                found[first:end] = weighted_counts(index, rows.weights, (end - first) * size).reshape(-1, size)
        if left:
            self._count_rows(find_key(None), size, left)
        return blocks.part(found)

    def _count_rows(self, key: Ints | Keys, size: int, tables: Sequence[tuple[Keys, Floats]]) -> None:
        """Add to tables how often each key occurs in the data with each joint state of their blocks."""
        step = min(self.n_rows, ELEMENTS)
        buffer = np.empty(step, dtype=np.int64)
        for begin in range(0, self.n_rows, step):
            part = slice(begin, begin + step)
            shifted, weights = key[part], self.weights[part]
            for keys, counted in tables:
                index = np.multiply(keys[part], size, out=buffer[: len(shifted)])
                index += shifted
                counted += weighted_counts(index, weights, len(counted))

    @cached_property
    def _spread(self) -> tuple[Ints, Floats]:
        """Where all joint states of blocks stand if laid end to end, and the weights for each block: of little data."""
        blocks = self._blocks
        return blocks.keys + np.array(blocks.bounds[:-1])[:, None], np.tile(self.weights, len(blocks.keys))

    @cached_property
    def _blocks(self) -> Blocks:
        """The columns, joined to blocks of a few each if there are many rows."""
        return join_columns(self.codes, self.sizes, min(MOST_JOINED, self.n_rows // ROWS_PER_STATE))

    @cached_property
    def _margins(self) -> Margins | None:
        """The margins of a few blocks each; None where there are few rows, or many blocks: few are used again then."""
        blocks = self._blocks
        is_worth_it = self.n_rows >= ROWS_TO_MERGE and len(blocks.keys) <= BLOCKS_TO_MERGE
        return Margins(blocks, self.weights) if is_worth_it else None


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


def find_constant(dataset: Dataset) -> list[int]:
    """The columns that have the same value wherever it is known, and are known somewhere."""
    return [
        v
        for v, (lowest, highest) in enumerate(dataset.ranges)
        if 0 <= lowest == highest or (lowest == MISSING < highest and _has_one(dataset.codes[v], highest))
    ]


def _has_one(codes: npt.NDArray[np.signedinteger], highest: int) -> bool:
    return bool(np.isin(codes, (MISSING, highest)).all())
