"""Distinct rows of some columns of a table, counted by its engine."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.formats.tables.cells import read_number
from engine.formats.tables.parquet import read_column
from engine.formats.tables.table import smallest
from engine.model.arrays import Codes, Floats, Ints, weighted_counts
from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.sources.engine import Engine

MOST_KEPT = 4_000_000
"""Distinct rows that are remembered, besides those that were counted on reading; the oldest are forgotten first."""


class TooManyGroupsError(PgmError):
    """More distinct rows than may be fetched."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The distinct rows of some columns.

    Attributes
    ----------
    codes : mapping from column to array (groups,)
        The number of each cell's text; −1 for a null.
    rows : array (groups,)
        How many rows of the table are like this one.
    weights : array (groups,)
        What they weigh together.
    """

    codes: Mapping[str, Codes]
    rows: Ints
    weights: Floats


@dataclass(eq=False)
class Counter:
    """Counts the distinct rows of columns of a table.

    Columns are grouped as they are, and what their cells mean is found out afterwards, by what reads files too: so
    that it is the same.

    Attributes
    ----------
    table, weight : Ibis expressions
        The rows, and what each weighs; None for 1.
    most : int
        The most distinct rows that are fetched at a time.
    texts : mapping from column to (mapping from text to number)
        Those that have come so far.
    is_known : bool
        Whether all texts have come, so that another would mean that the table has changed.
    option : str
        The option by which the user may have more fetched; empty where there is none.
    """

    engine: Engine
    table: Any
    weight: Any
    most: int
    texts: dict[str, dict[str, int]] = field(default_factory=dict)
    found: list[Groups] = field(default_factory=list)
    is_known: bool = False
    option: str = "--max-rows"
    _pinned: int = 0

    def know(self) -> None:
        """All texts have come. What was counted so far is never forgotten: it tells about every column."""
        self.is_known, self._pinned = True, len(self.found)

    @property
    def limit(self) -> str:
        """The most distinct rows that are fetched, in words."""
        return f"at most {self.most:,} are fetched{f' ({self.option})' if self.option else ''}"

    def list_texts(self, column: str) -> list[str]:
        """The texts of a column that have come, in the order of their numbers or the alphabet."""
        return sorted(self.texts.get(column, {}), key=_sort_key)

    def count(self, columns: Collection[str]) -> Groups:
        """The distinct rows of some columns: of those that were counted before, if these are among them."""
        wanted = set(columns)
        known = [groups for groups in self.found if wanted <= groups.codes.keys()]
        if known:
            return min(known, key=lambda groups: len(groups.rows))
        groups = self._fetch(sorted(wanted))
        self.found.append(groups)
        later = self.found[self._pinned :]
        while self.is_known and len(later) > 1 and sum(len(each.rows) for each in later) > MOST_KEPT:
            self.found.remove(later.pop(0))
        return groups

    def fetch_window(self, columns: Collection[str], first: int, number: int) -> Groups:
        """Some of the rows as they stand in the table, from one on; each is a group of its own."""
        names = sorted(columns)
        cells = {f"c{k}": self.table[name] for k, name in enumerate(names)}
        weight = {} if self.weight is None else {"w": self.weight}
        codes: list[list[Codes]] = [[] for _ in names]
        weights: list[Floats] = [np.empty(0)]

        def take(batch: Any) -> None:
            for k, name in enumerate(names):
                codes[k].append(self._number(name, batch.column(k)))
            last = batch.column(len(names)).to_numpy(zero_copy_only=False) if weight else np.ones(batch.num_rows)
            weights.append(last.astype(np.float64))

        wanted = self.table.select(**cells, **weight).limit(number, offset=first)
        self.engine.fetch_in_order(wanted, take)
        found = {
            name: np.concatenate([np.empty(0, dtype=np.int8), *parts]) for name, parts in zip(names, codes, strict=True)
        }
        held = np.concatenate(weights)
        return Groups(found, np.ones(len(held), dtype=np.int64), held)

    def has(self, columns: Collection[str]) -> bool:
        """Whether these columns were counted together before."""
        return any(groups.codes.keys() >= set(columns) for groups in self.found)

    def count_values(self, column: str) -> tuple[Ints, int]:
        """Per text of a column, by its number, the rows that have it; and those that have a null."""
        groups = self.count([column])
        rows = weighted_counts(groups.codes[column].astype(np.int64) + 1, groups.rows, len(self.texts[column]) + 1)
        return rows[1:].astype(np.int64), int(rows[0])

    def count_distinct(self, columns: Collection[str]) -> int:
        """How many distinct rows there are, which the engine counts."""
        names = sorted(columns)
        found = self.engine.fetch_rows(self.table.select(names).distinct().aggregate(n=lambda rows: rows.count()))
        return int(found[0]["n"])

    def _fetch(self, names: list[str]) -> Groups:
        keys = {f"c{k}": self.table[name] for k, name in enumerate(names)}
        sums = {"n": self.table.count()} | ({} if self.weight is None else {"w": self.weight.sum()})
        grouped = self.table.group_by(**keys) if keys else self.table
        codes: list[list[Codes]] = [[] for _ in names]
        rows: list[Ints] = []
        weights: list[Floats] = []

        def take(batch: Any) -> None:
            for k, name in enumerate(names):
                codes[k].append(self._number(name, batch.column(k)))
            rows.append(batch.column(len(names)).to_numpy(zero_copy_only=False).astype(np.int64))
            last = batch.column(len(names) + len(sums) - 1)
            weights.append(last.to_numpy(zero_copy_only=False).astype(np.float64))
            if sum(map(len, rows)) > self.most:
                raise TooManyGroupsError(f"more than {self.most:,} distinct rows")

        self.engine.fetch(grouped.aggregate(**sums).limit(self.most + 1), take)
        if not rows:
            return Groups(
                {name: np.empty(0, dtype=np.int8) for name in names}, np.empty(0, dtype=np.int64), np.empty(0)
            )
        found = {name: np.concatenate(parts) for name, parts in zip(names, codes, strict=True)}
        return Groups(found, np.concatenate(rows), np.concatenate(weights))

    def _number(self, name: str, cells: Any) -> Codes:
        """The numbers of some cells' texts."""
        import pyarrow

        column = read_column(name, pyarrow.chunked_array([cells]))
        known = self.texts.setdefault(name, {})
        if self.is_known and not known.keys() >= set(column.texts):
            new = next(text for text in column.texts if text not in known)
            raise PgmError(
                f"{self.engine.name}: column {shorten(name)} has got {shorten(new)} meanwhile: the table is being "
                "changed; learn from a copy that stays as it is"
            )
        number = [known.setdefault(text, len(known)) for text in column.texts]
        # The last entry is what the code −1 of a null picks.
        return smallest(np.array([*number, -1]), len(known)).take(column.codes, mode="wrap")


def _sort_key(text: str) -> tuple[float, str]:
    number = read_number(text)
    return math.inf if number is None else number, text
