"""A table that an engine counts, as learning sees it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.model.arrays import Bools, Codes, Floats, Ints, weighted_counts
from engine.model.dataset import MISSING, Dataset, Role, code_dtype, find_role
from engine.model.errors import PgmError
from engine.model.variable import Variable, list_names
from engine.sources.batches import SMALL, pack
from engine.sources.groups import Counter, Groups, TooManyGroupsError


class TooManyRowsError(PgmError):
    """More distinct rows than may be fetched."""

    def __init__(self, rows: int, message: str) -> None:
        super().__init__(message)
        self.rows = rows


@dataclass(frozen=True, eq=False)
class IbisTable:
    """Rows that are counted where they lie; a :class:`~engine.model.source.Source`.

    Attributes
    ----------
    counter : Counter
    columns : tuple of str or None
        Per variable, its column; None for one that has none and is hidden.
    meanings : Dataset
        In its row k, what the k-th text of each variable's column means, in the order of their numbers; missing
        beyond the last.
    """

    counter: Counter
    columns: tuple[str | None, ...]
    meanings: Dataset

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return self.counter.engine.name

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.meanings.variables

    @property
    def likelihoods(self) -> Mapping[int, Floats]:
        return self.meanings.likelihoods

    @property
    def targets(self) -> Mapping[int, Bools]:
        return self.meanings.targets

    @cached_property
    def n_rows(self) -> int:
        return int(self._any_groups.rows.sum())

    @cached_property
    def total_weight(self) -> float:
        """N: the sum of the rows' weights."""
        return float(self._any_groups.weights.sum())

    @property
    def _any_groups(self) -> Groups:
        return self.counter.count([name for name in self.columns if name is not None][:1])

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """Per variable, what the data says about it."""
        return tuple(find_role(lowest, highest) for lowest, highest in self.ranges)

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Per variable, its lowest and its highest code."""
        found = [self.count_codes(v)[0] for v in range(len(self.variables))]
        return tuple((int(codes[0]), int(codes[-1])) if len(codes) else (MISSING, MISSING) for codes in found)

    def count_codes(self, variable: int) -> tuple[Codes, Ints]:
        """The codes that the cells of a variable have, and how many cells have each."""
        column = self.columns[variable]
        if column is None:
            return np.array([MISSING]), np.array([self.n_rows])
        rows, nulls = self.counter.count_values(column)
        codes, number = np.unique(self._meaning(variable), return_inverse=True)
        cells = weighted_counts(number, np.append(rows, nulls), len(codes)).astype(np.int64)
        return codes[cells > 0], cells[cells > 0]

    def _meaning(self, variable: int) -> Codes:
        """What each text of a variable's column means; the last entry is that of a null."""
        column = self.columns[variable]
        known = 0 if column is None else len(self.counter.texts.get(column, ()))
        return np.append(self.meanings.codes[variable, :known], np.array(MISSING, dtype=self.meanings.codes.dtype))

    def prepare(self, scopes: Iterable[Collection[int]]) -> None:
        """Count the distinct rows of some sets of variables, with as few questions as possible."""
        named = [self._name(scope) for scope in scopes]
        wanted = [names for names in named if not self.counter.has(names)]
        sizes = {name: self._count_values(name) for names in wanted for name in names}
        batches = pack(wanted, sizes, min(SMALL, self.counter.most))
        self.counter.engine.plan(len(batches))
        for batch in batches:
            self._count(sorted(batch))

    def gather(self, columns: Sequence[int]) -> tuple[Mapping[int, Codes], Floats]:
        """Rows over some of the variables, equal ones merged or not, and their weights."""
        groups = self._count(self._name(columns))
        return self._decode(columns, groups), groups.weights

    def _decode(self, columns: Sequence[int], groups: Groups) -> dict[int, Codes]:
        """What the cells of distinct rows mean."""
        codes: dict[int, Codes] = {}
        for v in columns:
            column = self.columns[v]
            if column is None:
                codes[v] = np.full(len(groups.rows), MISSING, dtype=self.meanings.codes.dtype)
            else:
                codes[v] = self._meaning(v).take(groups.codes[column], mode="wrap")
        return codes

    def project(self, columns: Sequence[int]) -> Dataset:
        """The distinct rows over some of the variables, with the weights of equal rows added up."""
        return self._make_dataset(columns, self._count(self._name(columns))).project(range(len(columns)))

    def _make_dataset(self, columns: Sequence[int], groups: Groups) -> Dataset:
        codes, weights = self._decode(columns, groups), groups.weights
        variables = tuple(self.variables[v] for v in columns)
        most = max((len(vectors) for vectors in self.likelihoods.values()), default=0)
        stacked = np.empty((len(columns), len(weights)), dtype=code_dtype(self.variables, most))
        for row, v in zip(stacked, columns, strict=True):
            row[:] = codes[v]
        likelihoods = {k: self.likelihoods[v] for k, v in enumerate(columns) if v in self.likelihoods}
        targets = {k: self.targets[v] for k, v in enumerate(columns) if v in self.targets}
        return Dataset(variables, stacked, weights, likelihoods, targets)

    def can_merge(self, columns: Collection[int]) -> bool:
        """Whether the distinct rows over some of the variables are surely few enough to be gathered."""
        possible = math.prod(self._count_values(name) for name in self._name(columns))
        return min(possible, self.n_rows) <= self.counter.most

    def rows(self) -> Dataset:
        """All distinct rows, where they are few enough."""
        try:
            return self.project(range(len(self.variables)))
        except TooManyRowsError as error:
            raise PgmError(
                f"{self.name}: whole rows are needed for this, and there are {error.rows:,} distinct ones; "
                f"{self.counter.limit}: {'raise that, or ' if self.counter.option else ''}leave columns out"
            ) from None

    @cached_property
    def shares_seen(self) -> tuple[float, ...]:
        """Per variable, the share of the rows, by weight, in which it is not missing."""
        shares = []
        for v in range(len(self.variables)):
            codes, weights = self.gather([v])
            shares.append(float(weights[codes[v] != MISSING].sum()) / (self.total_weight or 1.0))
        return tuple(shares)

    def fetch_window(self, first: int, number: int) -> Dataset:
        """Some rows as they stand in the table, from one on."""
        names = [name for name in self.columns if name is not None]
        return self._make_dataset(range(len(self.variables)), self.counter.fetch_window(names, first, number))

    def reread(self, meanings: Dataset, columns: Sequence[str | None] | None = None) -> IbisTable:
        """The same table, whose texts mean something else; perhaps with other columns, a meaning for each."""
        return replace(self, meanings=meanings, columns=self.columns if columns is None else tuple(columns))

    def _name(self, variables: Iterable[int]) -> list[str]:
        return sorted({name for v in variables if (name := self.columns[v]) is not None})

    def _count_values(self, column: str) -> int:
        rows, nulls = self.counter.count_values(column)
        return len(rows) + (nulls > 0)

    def _count(self, names: list[str]) -> Groups:
        try:
            return self.counter.count(names or [name for name in self.columns if name is not None][:1])
        except TooManyGroupsError:
            size = self.counter.count_distinct(names)
            more = "leave variables out, or raise that" if self.counter.option else "or leave variables out"
            raise TooManyRowsError(
                size,
                f"{self.name}: {list_names(names, 6)} are learned together, from {size:,} distinct rows over "
                f"{len(names)} columns, and {self.counter.limit}; observe more variables in every row, so that less is "
                f"learned together, {more}",
            ) from None
