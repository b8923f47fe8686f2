"""Datasets as rows of cells, for the grid: pure functions that look at no more rows than are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.insight.row_scores import RowScores
from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, Role, TargetCell, Vector
from engine.model.soft_cells import find_targets
from engine.model.source import Source as Counts
from engine.model.variable import Variable, list_names
from engine.sources.ibis_table import IbisTable
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.data_cells import show_likelihood, show_target, show_text
from pgmgui.project.marks import Mark, describe_mark
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
MOST_CHOICES = 100
"""States that a list offers; others can be typed."""
MOST_NUMBERED = 8
"""Rows whose numbers are told."""
MOST_COUNTED = 5_000_000
"""Cells of data whose summary is sorted: that counts all of them, while the page waits."""
DIGIT_WIDTH = 8
"""Pixels of a digit."""


@dataclass(frozen=True, eq=False)
class Beneath:
    """The data that is seen through marks, to be edited: what is typed changes it, and not what is seen of it."""

    dataset: Dataset
    marks: Mapping[str, Mark]


def list_columns(data: IbisTable | Dataset, weighted: bool, beneath: Beneath | None = None) -> list[Column]:
    """The columns of rows: numbers, weights if there are some, and one for each variable."""
    columns = [Column("Row", "head", width=max(44, 22 + DIGIT_WIDTH * len(f"{data.n_rows:,}")))]
    if weighted:
        about = "how many times the row counts"
        columns.append(Column("Weight", "number", about=about, editable=beneath is not None))
    return columns + [_make_column(data, i, beneath) for i in range(len(data.variables))]


def data_source(
    dataset: Dataset,
    scores: RowScores | None = None,
    beneath: Beneath | None = None,
    weighted: bool | None = None,
) -> Source:
    """The rows of a dataset: numbers from 1, weights if they differ from 1, and a column for each variable.

    With scores, the least probable come first, with their log-likelihoods. With what is beneath, cells can be edited.
    ``weighted`` says whether weights are shown, whatever they are.
    """
    weighted = has_weights(dataset) if weighted is None else weighted
    columns = list_columns(dataset, weighted, beneath)
    if scores is not None:
        columns.insert(1, Column("log Pr", "number", about="its log-likelihood, in nats", width=84))
    first_variable = len(columns) - len(dataset.variables)
    meaning = [_Meaning(dataset, i, beneath) for i in range(len(dataset.variables))]
    under = None if beneath is None or beneath.dataset is dataset else beneath.dataset.codes

    def cells(first: int, last: int) -> list[list[Cell]]:
        rows = slice(first, last + 1) if scores is None else scores.order[first : last + 1]
        part = dataset.codes[:, rows].tolist()
        below = part if under is None else under[:, rows].tolist()
        found: list[list[Cell]] = [
            [cell_of[pair] for pair in zip(*codes, strict=True)]
            for cell_of, *codes in zip(meaning, part, below, strict=True)
        ]
        if weighted:
            found.insert(0, [f"{weight:,.6g}" for weight in dataset.weights[rows]])
        if scores is not None:
            found.insert(0, [_score_cell(scores, value) for value in scores.log_likelihood[rows].tolist()])
        numbers = range(first, last + 1) if isinstance(rows, slice) else rows.tolist()
        found.insert(0, [f"{row + 1:,}" for row in numbers])
        return [list(row) for row in zip(*found, strict=True)]

    def order(column: int, descending: bool) -> Ints:
        keys: Floats | Ints = np.arange(dataset.n_rows)
        if column >= first_variable:
            keys = _sort_codes(dataset, column - first_variable, descending)
        elif column == 1 and scores is not None:
            keys = scores.log_likelihood
        elif column > 0:
            keys = dataset.weights
        if column < first_variable and descending:
            keys = -keys
        return np.argsort(keys if scores is None else keys[scores.order], kind="stable")

    return Source(tuple(columns), dataset.n_rows, cells, "Data", order, sequence=scores)


def has_weights(dataset: Dataset) -> bool:
    """Whether rows count other than once."""
    return not bool((dataset.weights == 1).all())


def _make_column(dataset: IbisTable | Dataset, i: int, beneath: Beneath | None) -> Column:
    variable, role = dataset.variables[i], dataset.roles[i]
    about = f"{ROLE_WORDS[role]}; states {list_names(variable.states)}"
    if beneath is None:
        return Column(variable.name, about=about)
    mark = beneath.marks.get(variable.name)
    if mark is not None:
        about += f"; seen through a mark: {describe_mark(mark)}"
    missing = show_text(beneath.dataset, i, MISSING)
    choices = [*((state, "") for state in variable.states[:MOST_CHOICES]), (missing, "missing")]
    return Column(
        variable.name,
        about=about,
        editable=True,
        choices=tuple(choices),
        hint=f"or a likelihood: {show_likelihood(variable.cardinality)}, "
        f"or a target for the posterior: {show_target(variable.cardinality)}",
        clears=True,
    )


def _sort_codes(dataset: Dataset, i: int, descending: bool) -> Ints:
    """Numbers that sort the cells of a variable by its states; then come likelihoods, targets and missing ones."""
    codes, states = dataset.codes[i].astype(np.int32), dataset.variables[i].cardinality
    hard = states - 1 - codes if descending else codes
    found = np.where(codes >= 0, hard, np.where(codes == MISSING, states + 2, states))
    soft = np.flatnonzero(codes <= FIRST_LIKELIHOOD)
    found[soft] += find_targets(dataset, i)[FIRST_LIKELIHOOD - codes[soft]]
    return found.astype(np.int16) if states < 30_000 else found  # which sorts a million in no time


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


class _Meaning(dict[tuple[int, int], Cell]):
    """The cell of each code of a variable that is seen, and of the code beneath; made when it is first asked for."""

    def __init__(self, dataset: Dataset, i: int, beneath: Beneath | None) -> None:
        super().__init__()
        self._dataset, self._i, self._variable = dataset, i, dataset.variables[i]
        self._beneath = dataset if beneath is None else beneath.dataset
        self._mark = None if beneath is None else beneath.marks.get(self._variable.name)

    def __missing__(self, codes: tuple[int, int]) -> Cell:
        code, below = codes
        variable = self._variable
        if code >= 0:
            cell: Cell = variable.states[code]
        elif code == MISSING:
            cell = MISSING_CELL
        else:
            cell = soft_cell(variable, self._dataset.vector(self._i, code))
        typed = show_text(self._beneath, self._i, below)
        if self._mark is not None:
            shown = cell if isinstance(cell, dict) else {"text": cell}
            about = f"{shown.get('about', '')}; " if shown.get("about") else ""
            about += f"seen through a mark ({describe_mark(self._mark)}); in the data: {typed}"
            cell = {**shown, "about": about, "typed": typed}
        elif isinstance(cell, dict) and typed != cell["text"]:
            cell = {**cell, "typed": typed}
        self[codes] = cell
        return cell


def soft_cell(variable: Variable, vector: Vector) -> Cell:
    """A vector as bars: of a likelihood the largest is of full height, for only ratios matter; of a target, 1 is."""
    is_target = isinstance(vector, TargetCell)
    numbers = vector.shares if isinstance(vector, TargetCell) else vector
    said = ", ".join(f"{state} {value:.4g}" for state, value in zip(variable.states, numbers, strict=True))
    full = 1.0 if is_target else max(numbers)
    bars = [value / full for value in numbers] if len(numbers) <= MOST_BARS else []
    return {
        "text": "" if bars else "target" if is_target else "likelihood",
        "kind": "target" if is_target else "soft",
        "bars": bars,
        "about": f"{'target for the posterior' if is_target else 'likelihood'}: {said}",
    }


# --- per variable


def summary_source(dataset: IbisTable | Dataset) -> Source:
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
        counts, missing, likelihoods, targets = count_cells(dataset, i)
        uncertain = [f"{likelihoods:,.6g} by likelihood"] if likelihoods else []
        uncertain += [f"{targets:,.6g} by target"] if targets else []
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
        sorts=isinstance(dataset, IbisTable) or dataset.codes.size <= MOST_COUNTED,
    )


def states_source(dataset: Counts, i: int) -> Source:
    """A row for each state of a variable, one each for its likelihoods, its targets and its missing cells."""
    variable = dataset.variables[i]
    counts, missing, likelihoods, targets = count_cells(dataset, i)
    rows: list[tuple[str, float]] = list(zip(variable.states, counts.tolist(), strict=True))
    others = (("(likelihood)", likelihoods), ("(target)", targets), ("(missing)", missing))
    rows += [(name, number) for name, number in others if number]
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


def count_cells(dataset: Counts, i: int) -> tuple[Floats, float, float, float]:
    """The weight of each state of a variable, of its missing cells, of its likelihoods, and of its targets."""
    found_codes, weights = dataset.gather([i])
    codes = found_codes[i].astype(np.int64)
    states, targets = dataset.variables[i].cardinality, find_targets(dataset, i)
    # Missing cells and vectors go into the first places, the vectors from the last one on.
    found = weighted_counts(codes + len(targets) + 1, weights, states + 1 + len(targets))
    vectors = found[: len(targets)][::-1]
    hard, missing = found[len(targets) + 1 :], float(found[len(targets)])
    return hard, missing, float(vectors[~targets].sum()), float(vectors[targets].sum())


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
