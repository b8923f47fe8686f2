"""Tables of numbers over variables as rows and columns of a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.model.arrays import Floats
from engine.model.network import Network
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.numbers import show_number
from pgmgui.tabs.variable.drafts import WAYS, Draft

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


def number_cells(values: Floats) -> list[Cell]:
    """Numbers as cells, in six digits; all of them are edited and copied."""
    cells: list[Cell] = []
    for value in values.tolist():
        text = show_number(value)
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
