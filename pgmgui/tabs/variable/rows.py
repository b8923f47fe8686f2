"""Tables of numbers over variables as rows and columns of a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.model.arrays import Floats
from engine.model.network import Network
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.numbers import show_number
from pgmgui.tabs.variable.drafts import WAYS, Draft

MOST_DECIMALS = 6
LARGE = 1000.0
"""From here on numbers are not shown with as many decimals as their neighbours."""
SUM = Column("Sum", "number", "a row of probabilities sums to 1", 86)


def table_source(
    network: Network,
    scope: Sequence[int],
    row_cells: Callable[[int], list[Cell]],
    label: str,
    about: str,
    more: Sequence[Column] = (),
    editable: bool = True,
) -> Source:
    """A table over a scope: a row per configuration of all variables but the last, a column per state of that.

    Parameters
    ----------
    row_cells : callable
        The cells of a row but its headings.
    about : str
        What a number of the table is, before ``of <state>``.
    more : columns after those of the states
    editable : whether the numbers can be typed over
    """
    *given, last = (network.variables[v] for v in scope)
    shape = tuple(variable.cardinality for variable in given)
    heads = [Column(variable.name, "head") for variable in given]
    columns = [Column(state, "number", f"{about} of {state!r}", editable=editable) for state in last.states]

    def cells(first: int, last_row: int) -> list[list[Cell]]:
        found: list[list[Cell]] = []
        for row in range(first, last_row + 1):
            at = np.unravel_index(row, shape) if shape else ()
            states: list[Cell] = [variable.states[k] for variable, k in zip(given, at, strict=True)]
            found.append(states + row_cells(row))
        return found

    return Source((*heads, *columns, *more), int(np.prod(shape)), cells, label)


def find_decimals(table: Floats) -> int | None:
    """How many decimals all numbers of a table are shown with, for their digits to stand below each other.

    No more than say something, and at most six; None where some number is so large that each has its own six digits.

    >>> find_decimals(np.array([0.9, 0.75, 1])), find_decimals(np.array([1 / 3])), find_decimals(np.array([20000.5]))
    (2, 6, None)
    """
    if np.abs(table).max(initial=0.0) >= LARGE:
        return None
    unseen = 0.5 * 10.0**-MOST_DECIMALS
    told = (d for d in range(MOST_DECIMALS) if np.abs(np.round(table, d) - table).max(initial=0.0) < unseen)
    return next(told, MOST_DECIMALS)


def number_cells(values: Floats, decimals: int | None) -> list[Cell]:
    """Numbers as cells, with so many decimals, or more where they say something; all digits are edited and copied.

    One that would be nothing but zeros is shown as it is.
    """
    own = find_decimals(values)
    places = None if decimals is None or own is None else max(decimals, own)
    cells: list[Cell] = []
    for value in values.tolist():
        is_own = places is None or 0 < abs(value) < 0.5 * 10.0**-places
        text = show_number(value) if is_own else f"{value:.{places}f}"
        cells.append(text if float(text) == value else {"text": text, "typed": repr(value)})
    return cells


def log_cells(logs: Floats) -> list[Cell]:
    """Logarithms as cells; those of zeros, which are none, say so."""
    zero: Cell = {"text": "−∞", "about": "a structural zero: impossible, and never learned"}
    return [show_number(float(value)) if np.isfinite(value) else zero for value in logs]


def take_logs(table: Floats, scale_free: bool) -> Floats:
    """The logarithms of a factor's values, −∞ for zeros; scale-free, less their mean over all others.

    A factor times any number is the same model: scale-free, both look the same.

    >>> take_logs(np.array([1.0, np.e**2, 0.0]), scale_free=True).tolist()
    [-1.0, 1.0, -inf]
    """
    logs = np.log(table, out=np.full(table.shape, -np.inf), where=table > 0)
    finite = np.isfinite(logs)
    if scale_free and finite.any():
        logs[finite] -= logs[finite].mean()
        logs[finite] = np.round(logs[finite], 12) + 0.0  # what rounding leaves of a zero is none
    return logs


def sum_cell(draft: Draft, row: int, ways: str = WAYS) -> Cell:
    """The sum of a row, with a warning where it is not 1."""
    if row not in draft.open_rows:
        return "1"
    total = show_number(float(draft.open_rows[row].sum()))
    return {"text": total, "kind": "warn", "about": f"does not sum to 1: complete the row, or press {ways}"}
