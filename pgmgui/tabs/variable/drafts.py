"""Tables while they are typed: rows that are no distributions yet are kept beside the table until they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.model.arrays import Floats
from engine.model.editing import normalise

TOLERANCE = 1e-9
"""How far the sum of a row may be from 1, for rounding; the engine allows a little more."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A table whose rows are distributions, and the rows that are being changed.

    Attributes
    ----------
    table : array (rows, states)
    open_rows : mapping from row to array (states,)
        What the user has typed of rows whose sum is not 1 yet.
    """

    table: Floats
    open_rows: Mapping[int, Floats] = field(default_factory=dict)

    def row(self, row: int) -> Floats:
        """A row as it has been typed so far."""
        return self.open_rows[row] if row in self.open_rows else self.table[row]

    def edited(self, row: int, column: int, value: float) -> Draft:
        """The draft with another number in a cell. Of two states, the other one gets the rest."""
        values = self.row(row).copy()
        values[column] = value
        if len(values) == 2 and value <= 1:
            values[1 - column] = round(1 - value, 15)  # 0.3 beside 0.7, not 0.30000000000000004
        if abs(float(values.sum()) - 1) > TOLERANCE:
            return Draft(self.table, {**self.open_rows, row: values})
        table = self.table.copy()
        table[row] = values
        return Draft(table, {other: kept for other, kept in self.open_rows.items() if other != row})

    def normalised(self) -> Draft:
        """The draft with its open rows divided by their sums."""
        table = self.table.copy()
        for row, values in self.open_rows.items():
            table[row] = normalise(values)
        return Draft(table)

    def describe(self) -> str:
        """What is still to be done, in a sentence."""
        if not self.open_rows:
            return ""
        row = min(self.open_rows)
        total = f"{float(self.open_rows[row].sum()):.6g}"
        if len(self.open_rows) == 1:
            return f"⚠ Row {row + 1:,} sums to {total}, not 1: complete it, or press Normalise."
        return (
            f"⚠ {len(self.open_rows)} rows do not sum to 1, the first is row {row + 1:,} with {total}: "
            "complete them, or press Normalise."
        )
