"""Tables while they are typed: rows that are no distributions yet are kept beside the table until they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.model.arrays import Floats, Ints
from engine.model.editing import normalise

TOLERANCE = 1e-9
"""How far the sum of a row may be from 1, for rounding; the engine allows a little more."""
WAYS = "Normalise or Fill"
"""The buttons beside the table of a variable."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A table whose rows are distributions, and the rows that are being changed.

    Attributes
    ----------
    table : array (rows, states)
    open_rows : mapping from row to array (states,)
        What the user has typed of rows whose sum is not 1 yet.
    typed : mapping from open row to the places that were typed into
    """

    table: Floats
    open_rows: Mapping[int, Floats] = field(default_factory=dict)
    typed: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def row(self, row: int) -> Floats:
        """A row as it has been typed so far."""
        return self.open_rows[row] if row in self.open_rows else self.table[row]

    def edited(self, row: int, column: int, value: float) -> Draft:
        """The draft with another number in a cell. Of two states, the other one gets the rest."""
        values = self.row(row).copy()
        values[column] = value
        if len(values) == 2 and value <= 1:
            values[1 - column] = round(1 - value, 15)  # 0.3 beside 0.7, not 0.30000000000000004
        return self._with_rows(np.array([row]), values[None, :], [column])

    def pasted(self, rows: Ints, columns: Sequence[int], block: Floats) -> Draft:
        """The draft with other numbers in a block of cells."""
        values = np.array([self.row(row) for row in rows.tolist()])
        values[:, list(columns)] = block
        return self._with_rows(rows, values, columns)

    def _with_rows(self, rows: Ints, values: Floats, columns: Sequence[int]) -> Draft:
        """The draft with other rows, of which some columns were typed: those that sum to 1 go into the table."""
        whole = np.abs(values.sum(axis=1) - 1) <= TOLERANCE
        touched = set(rows.tolist())
        open_rows = {row: kept for row, kept in self.open_rows.items() if row not in touched}
        typed = {row: kept for row, kept in self.typed.items() if row not in touched}
        for place in np.flatnonzero(~whole).tolist():
            row = int(rows[place])
            open_rows[row] = values[place]
            typed[row] = self.typed.get(row, frozenset()) | set(columns)
        table = self.table
        if whole.any():
            table = table.copy()
            table[rows[whole]] = values[whole]
        return Draft(table, open_rows, typed)

    def filled(self) -> Draft:
        """The draft with its open rows completed: what was typed stays, the other places share the rest.

        They share it in the proportion that they had, alike if they had nothing. A row whose typed numbers leave
        no rest, or no place for it, stays open.
        """
        table, open_rows, typed = self.table.copy(), dict[int, Floats](), dict[int, frozenset[int]]()
        for row, values in self.open_rows.items():
            others = [k for k in range(len(values)) if k not in self.typed[row]]
            rest = 1 - float(values[list(self.typed[row])].sum())
            if rest < -TOLERANCE or not others:
                open_rows[row], typed[row] = values, self.typed[row]
                continue
            table[row] = values
            table[row, others] = normalise(values[others]) * max(rest, 0.0)
        return Draft(table, open_rows, typed)

    def normalised(self) -> Draft:
        """The draft with its open rows divided by their sums."""
        table = self.table.copy()
        for row, values in self.open_rows.items():
            table[row] = normalise(values)
        return Draft(table)

    def describe(self, ways: str = WAYS) -> str:
        """What is still to be done, in a sentence; the ways are the buttons that do it."""
        if not self.open_rows:
            return ""
        row = min(self.open_rows)
        total = f"{float(self.open_rows[row].sum()):.6g}"
        if len(self.open_rows) == 1:
            return f"⚠ Row {row + 1:,} sums to {total}, not 1: complete it, or press {ways}."
        return (
            f"⚠ {len(self.open_rows)} rows do not sum to 1, the first is row {row + 1:,} with {total}: "
            f"complete them, or press {ways}."
        )
