"""Datasets as rows of cells, for the grid: pure functions that look at no more rows than are shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engine.insight.row_scores import RowScores
from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, Role
from engine.model.variable import Variable, list_names
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.words import cut

ROLE_WORDS = {
    Role.OBSERVED: "observed",
    Role.HIDDEN: "hidden",
    Role.PARTIAL: "partly missing",
    Role.SOFT: "uncertain",
}
MISSING_CELL: Cell = {"text": "?", "kind": "missing", "about": "missing"}
MOST_BARS = 12
"""Bars in a cell; a variable with more states shows none."""
MOST_NUMBERED = 8
"""Rows whose numbers are told."""
DIGIT_WIDTH = 8
"""Pixels of a digit."""


def data_source(dataset: Dataset, scores: RowScores | None = None) -> Source:
    """The rows of a dataset: numbers from 1, weights if they differ from 1, and a column for each variable.

    With scores, the least probable come first, with their log-likelihoods.
    """
    weighted = not bool((dataset.weights == 1).all())
    digits = len(f"{dataset.n_rows:,}")
    columns = [Column("Row", "head", width=max(44, 22 + DIGIT_WIDTH * digits))]
    if weighted:
        columns.append(Column("Weight", "number", about="how many times the row counts"))
    if scores is not None:
        columns.insert(1, Column("log Pr", "number", about="its log-likelihood, in nats", width=84))
    for variable, role in zip(dataset.variables, dataset.roles, strict=True):
        about = f"{ROLE_WORDS[role]}; states {list_names(variable.states)}"
        columns.append(Column(variable.name, about=about))
    meaning = [_cell_of_codes(dataset, i) for i in range(len(dataset.variables))]

    def cells(first: int, last: int) -> list[list[Cell]]:
        rows = slice(first, last + 1) if scores is None else scores.order[first : last + 1]
        part = dataset.codes[:, rows].tolist()
        found: list[list[Cell]] = [[meaning[i][code] for code in codes] for i, codes in enumerate(part)]
        if weighted:
            found.insert(0, [f"{weight:,.6g}" for weight in dataset.weights[rows]])
        if scores is not None:
            found.insert(0, [_score_cell(scores, value) for value in scores.log_likelihood[rows].tolist()])
        numbers = range(first, last + 1) if isinstance(rows, slice) else rows.tolist()
        found.insert(0, [f"{row + 1:,}" for row in numbers])
        return [list(row) for row in zip(*found, strict=True)]

    return Source(tuple(columns), dataset.n_rows, cells, "Data")


def _score_cell(scores: RowScores, value: float) -> Cell:
    if value == -math.inf:
        return {"text": "−∞", "kind": "warn", "about": "impossible: its probability is 0"}
    text = _show(value, 4)
    return {"text": text, "kind": "warn", "about": "outlying"} if value < scores.fence else text


def _show(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}".replace("-", "−")


def describe_scores(scores: RowScores, title: str) -> list[str]:
    """How probable the rows are under somebody's parameters, and which are impossible or outlying."""
    values = scores.log_likelihood
    lines = [f"Log-likelihood of each row by the parameters of {title}, the lowest first."]
    if scores.impossible.size:
        verb = "row has" if scores.impossible.size == 1 else "rows have"
        lines.append(f"{scores.impossible.size:,} {verb} probability 0: {_number(scores.impossible)}.")
    else:
        lines.append(f"Sum {_show(scores.total)}, median {_show(float(np.median(values)))} nats.")
    if scores.outlying.size:
        verb = "is outlying" if scores.outlying.size == 1 else "are outlying"
        lines.append(f"{scores.outlying.size:,} {verb}, below {_show(scores.fence)} nats: {_number(scores.outlying)}.")
    return lines


def _number(rows: Ints) -> str:
    return cut([f"{row + 1:,}" for row in rows.tolist()], MOST_NUMBERED)


class _Meaning(dict[int, Cell]):
    """The cell of each code of a variable, made when it is first asked for."""

    def __init__(self, variable: Variable, vectors: Floats | None) -> None:
        super().__init__({MISSING: MISSING_CELL})
        self._variable, self._vectors = variable, vectors

    def __missing__(self, code: int) -> Cell:
        if code >= 0:
            cell: Cell = self._variable.states[code]
        else:
            assert self._vectors is not None
            cell = soft_cell(self._variable, self._vectors[FIRST_LIKELIHOOD - code])
        self[code] = cell
        return cell


def _cell_of_codes(dataset: Dataset, i: int) -> _Meaning:
    return _Meaning(dataset.variables[i], dataset.likelihoods.get(i))


def soft_cell(variable: Variable, likelihood: Floats) -> Cell:
    """A likelihood as bars, the largest of full height: only ratios matter."""
    said = ", ".join(f"{state} {value:.4g}" for state, value in zip(variable.states, likelihood, strict=True))
    bars = (likelihood / likelihood.max()).tolist() if len(likelihood) <= MOST_BARS else []
    return {"text": "" if bars else "likelihood", "kind": "soft", "bars": bars, "about": f"likelihood: {said}"}


# --- per variable


def summary_source(dataset: Dataset) -> Source:
    """A row for each variable: its role, how much of it is missing, how often each state is seen."""
    columns = (
        Column("Variable", "head", width=124),
        Column("Is", about="what the data says about it", width=96),
        Column("Missing", "number", about="the share of its cells that are missing", width=68),
        Column("States", about="how often each state is seen; bars are shares of what is seen"),
    )

    @lru_cache(maxsize=4096)
    def row(i: int) -> list[Cell]:
        variable = dataset.variables[i]
        counts, missing, soft = count_cells(dataset, i)
        uncertain = [f"{soft:,.6g} uncertain"] if soft else []
        return [
            {"text": variable.name, "about": f"{variable.name}: {list_names(variable.states)}"},
            ROLE_WORDS[dataset.roles[i]],
            percent(missing, dataset.total_weight),
            _counts_cell(variable, counts, uncertain),
        ]

    return Source(
        columns,
        len(dataset.variables),
        lambda first, last: [row(i) for i in range(first, last + 1)],
        "Variables of the data",
    )


def states_source(dataset: Dataset, i: int) -> Source:
    """A row for each state of a variable, one for its uncertain cells and one for the missing ones."""
    variable = dataset.variables[i]
    counts, missing, soft = count_cells(dataset, i)
    rows: list[tuple[str, float]] = list(zip(variable.states, counts.tolist(), strict=True))
    rows += [(name, number) for name, number in (("(uncertain)", soft), ("(missing)", missing)) if number]
    total = dataset.total_weight

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [
            [name, f"{number:,.6g}", {"text": percent(number, total), "bars": [number / total if total else 0.0]}]
            for name, number in rows[first : last + 1]
        ]

    columns = (
        Column("State", "head", width=150),
        Column("Rows", "number", about="how many rows, by their weight"),
        Column("Share", about="of all rows"),
    )
    return Source(columns, len(rows), cells, f"States of {variable.name} in the data")


def count_cells(dataset: Dataset, i: int) -> tuple[Floats, float, float]:
    """The weight of each state of a variable, of its missing cells, and of its likelihoods."""
    codes = dataset.codes[i].astype(np.int64)
    states = dataset.variables[i].cardinality
    # Missing and likelihood cells go into the first two places.
    found = weighted_counts(np.maximum(codes, FIRST_LIKELIHOOD) - FIRST_LIKELIHOOD, dataset.weights, states + 2)
    return found[2:], float(found[1]), float(found[0])


def percent(part: float, whole: float) -> str:
    """A share for people: never 0% of something, nor 100% of not all.

    >>> percent(1, 4), percent(1, 100_000), percent(0, 3), percent(0, 0)
    ('25%', '<0.1%', '0%', '—')
    """
    if not whole:
        return "—"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1%"
    if 99.9 < share < 100:
        return ">99.9%"
    return f"{share:.3g}%"


def _counts_cell(variable: Variable, counts: Floats, more: Sequence[str]) -> Cell:
    seen, few = float(counts.sum()), len(counts) <= MOST_BARS
    numbers = [f"{count:,.6g}" for count in counts[:MOST_BARS]] if seen else []
    shares = [
        f"{state} {count:,.6g} ({percent(count, seen)})"
        for state, count in zip(variable.states[:MOST_BARS], counts.tolist(), strict=False)
    ]
    rest = [] if few else [f"… ({len(counts):,} states)"]
    return {
        "text": " · ".join([*numbers, *rest, *more]),
        "bars": (counts / seen).tolist() if seen and few else [],
        "about": ", ".join([*shares, *rest, *more]),
    }
