"""Data: rows of hard states, missing cells, likelihood cells and target cells, each row with a weight."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Bools, Codes, Floats, Ints, frozen, weighted_counts
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.messages import shorten
from engine.model.variable import Variable

MISSING = -1
"""The code of a missing cell."""
FIRST_LIKELIHOOD = -2
"""The code −2 − j stands for the j-th vector of its variable: a likelihood, or a target for its posterior."""
LIGHTEST, HEAVIEST = 1e-90, 1e90
"""The range of a row's weight other than 0, and the most that they add up to. Learning divides them by each other and
by probabilities (down to 10⁻²⁰⁰) and multiplies two of them: nothing may overflow or vanish."""
LOOSE_SUM = 1e-9
"""How far the sum of a target may be from 1."""


class Role(enum.Enum):
    """What a dataset says about a variable."""

    OBSERVED = "observed"
    """A state in every row."""
    HIDDEN = "hidden"
    """Missing in every row."""
    PARTIAL = "partial"
    """A state in some rows, missing in others."""
    SOFT = "soft"
    """A likelihood vector or a target in at least one row."""


@dataclass(frozen=True)
class TargetCell:
    """A cell that says what the posterior of its variable shall be (Jeffrey), where a vector alone is a likelihood."""

    shares: tuple[float, ...]


Vector = tuple[float, ...] | TargetCell
"""What an uncertain cell holds: a likelihood, or a target."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Weighted rows over variables.

    Parameters
    ----------
    variables : tuple of Variable
    codes : array (variables, rows) of signed integers
        A state's code ≥ 0; :data:`MISSING`; or −2 − j for vector j of that variable. Equal cells have
        equal codes, so that merging equal rows needs nothing but the codes.
    weights : array (rows,)
        How many times each row counts; 0, or from :data:`LIGHTEST` to :data:`HEAVIEST`.
    likelihoods : mapping from variable index to array (vectors, states)
        The distinct likelihood vectors λ of a variable; only ratios matter to posteriors, but the
        scale enters the likelihood: Pr(row) = Σ_x λ(x) Pr(x, rest).
    targets : mapping from variable index to array (vectors,) of bool
        Which of a variable's vectors are no likelihoods but targets: what the posterior of the cell shall be.
        They sum to 1. A variable without targets is left out.
    """

    variables: tuple[Variable, ...]
    codes: Codes
    weights: Floats
    likelihoods: Mapping[int, Floats] = field(default_factory=dict)
    targets: Mapping[int, Bools] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = self.codes.shape[1] if self.codes.ndim == 2 else -1
        if self.codes.shape != (len(self.variables), rows) or self.weights.shape != (rows,):
            raise ModelError(
                f"expected codes of shape ({len(self.variables)} variables, rows) and a weight per row; "
                f"got {self.codes.shape} and {self.weights.shape}"
            )
        self._check_weights()
        for i, variable in enumerate(self.variables):
            self._check_column(i, variable)
        frozen(self.codes)
        frozen(self.weights)

    def _check_weights(self) -> None:
        weights = self.weights
        wrong = np.flatnonzero(~((weights == 0) | ((weights >= LIGHTEST) & (weights <= HEAVIEST))))
        if wrong.size:
            raise ModelError(
                f"row {wrong[0] + 1:,} has the weight {weights[wrong[0]]:g}; "
                f"expected 0, or a number from {LIGHTEST:g} to {HEAVIEST:g}"
            )
        if weights.sum() > HEAVIEST:
            raise ModelError(f"the rows' weights add up to {weights.sum():g}; expected at most {HEAVIEST:g}")

    def _check_column(self, i: int, variable: Variable) -> None:
        vectors = self.likelihoods.get(i)
        if vectors is not None:
            if vectors.ndim != 2 or vectors.shape[1] != variable.cardinality:
                raise ModelError(
                    f"likelihoods of {shorten(variable.name)} have shape {vectors.shape}; "
                    f"expected (vectors, {variable.cardinality})"
                )
            if not np.isfinite(vectors).all() or (vectors < 0).any() or (vectors.max(axis=1) <= 0).any():
                raise ModelError(f"a likelihood of {shorten(variable.name)} is negative, infinite or all zero")
            frozen(vectors)
        self._check_targets(i, variable)
        if self.n_rows:
            lowest = MISSING if vectors is None else MISSING - len(vectors)
            if self.ranges[i][0] < lowest or self.ranges[i][1] >= variable.cardinality:
                raise ModelError(f"the column of {shorten(variable.name)} holds a code outside its states")

    def _check_targets(self, i: int, variable: Variable) -> None:
        chosen = self.targets.get(i)
        if chosen is None:
            return
        vectors = self.likelihoods.get(i, np.empty((0, variable.cardinality)))
        if chosen.shape != (len(vectors),):
            raise ModelError(
                f"{shorten(variable.name)} has {len(vectors)} vectors, and {chosen.shape} marks of which are targets; "
                "expected one mark each"
            )
        if not np.allclose(vectors[chosen].sum(axis=1), 1.0, rtol=0, atol=LOOSE_SUM):
            raise ModelError(f"a target of {shorten(variable.name)} does not sum to 1")
        frozen(chosen)

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def total_weight(self) -> float:
        """N: the sum of the rows' weights."""
        return float(self.weights.sum())

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """Per variable, what the data says about it. With no rows every variable is hidden."""
        return tuple(find_role(lowest, highest) for lowest, highest in self.ranges)

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Per variable, its lowest and its highest code. With no rows every cell is missing."""
        if not self.n_rows:
            return ((MISSING, MISSING),) * len(self.variables)
        return tuple(zip(self.codes.min(axis=1).tolist(), self.codes.max(axis=1).tolist(), strict=True))

    @cached_property
    def shares_seen(self) -> tuple[float, ...]:
        """Per variable, the share of the rows, by weight, in which it is not missing; 0 without rows."""
        return tuple(
            0.0
            if highest == MISSING and lowest == MISSING
            else 1.0 - float(self.weights[codes == MISSING].sum()) / (self.total_weight or 1.0)
            for codes, (lowest, highest) in zip(self.codes, self.ranges, strict=True)
        )

    def project(self, columns: Sequence[int]) -> Dataset:
        """The distinct rows over some of the variables, with the weights of equal rows added up."""
        codes = self.codes[list(columns)]
        representative, group = distinct_rows(codes, self.n_rows)
        weights = weighted_counts(group, self.weights, len(representative))
        return Dataset(
            tuple(self.variables[i] for i in columns),
            codes[:, representative],
            weights,
            {new: self.likelihoods[old] for new, old in enumerate(columns) if old in self.likelihoods},
            {new: self.targets[old] for new, old in enumerate(columns) if old in self.targets},
        )

    def prepare(self, scopes: Iterable[Collection[int]]) -> None:
        """Nothing: all rows are at hand. See :class:`~engine.model.source.Source`."""

    def gather(self, columns: Sequence[int]) -> tuple[Mapping[int, Codes], Floats]:
        """The columns of some variables, and the rows' weights."""
        return {v: self.codes[v] for v in columns}, self.weights

    def can_merge(self, columns: Collection[int]) -> bool:
        """Whether the distinct rows over some variables are few enough to be gathered: they are, being here."""
        return True

    def rows(self) -> Dataset:
        """All rows."""
        return self

    def count_codes(self, variable: int) -> tuple[Codes, Ints]:
        """The codes that the cells of a variable have, and how many cells have each."""
        return np.unique(self.codes[variable], return_counts=True)

    def take(self, rows: Ints) -> Dataset:
        """Some of the rows, in that order."""
        return replace(self, codes=self.codes[:, rows], weights=self.weights[rows])

    def vector(self, variable: int, code: int) -> Vector:
        """What a code below :data:`MISSING` stands for in a variable's column."""
        number = FIRST_LIKELIHOOD - code
        values = tuple(self.likelihoods[variable][number].tolist())
        return TargetCell(values) if variable in self.targets and self.targets[variable][number] else values

    @cached_property
    def target_cells(self) -> Bools:
        """Which cells are targets: an array (variables, rows)."""
        found = np.zeros(self.codes.shape, dtype=bool)
        for i, chosen in self.targets.items():
            soft = np.flatnonzero(self.codes[i] <= FIRST_LIKELIHOOD)
            found[i, soft] = chosen[FIRST_LIKELIHOOD - self.codes[i, soft].astype(np.int64)]
        return frozen(found)


def find_role(lowest: int, highest: int) -> Role:
    """The role of a variable whose cells have codes in this range."""
    if lowest == highest == MISSING:
        return Role.HIDDEN
    if lowest <= FIRST_LIKELIHOOD:
        return Role.SOFT
    return Role.PARTIAL if lowest == MISSING else Role.OBSERVED


def code_dtype(variables: Sequence[Variable], vectors: int = 0) -> np.dtype[np.signedinteger]:
    """The smallest signed integer type for the codes of these variables and likelihood vectors."""
    largest = max((variable.cardinality for variable in variables), default=1)
    return np.dtype(np.result_type(np.int8, np.min_scalar_type(-max(largest, vectors + 2))))


def make_dataset(
    variables: Sequence[Variable],
    rows: Sequence[Sequence[str | Sequence[float] | Floats | TargetCell | None]],
    weights: npt.ArrayLike | None = None,
) -> Dataset:
    """A dataset from rows of cells: a state's name, None for missing, a likelihood vector, or a target.

    For evidence, examples and tests; files are read by :mod:`engine.formats`.

    >>> rain = Variable("Rain", ("yes", "no"))
    >>> make_dataset([rain], [["no"], [None], [(0.2, 0.8)], [TargetCell((0.2, 0.8))]]).codes.tolist()
    [[1, -1, -2, -3]]
    """
    vectors: list[dict[Vector, int]] = [{} for _ in variables]
    codes = np.full((len(variables), len(rows)), MISSING, dtype=np.int64)
    for r, row in enumerate(rows):
        if len(row) != len(variables):
            raise ModelError(f"row {r + 1} has {len(row)} cells; expected {len(variables)}")
        for i, cell in enumerate(row):
            if isinstance(cell, str):
                codes[i, r] = variables[i].code(cell)
            elif cell is not None:
                vector = cell if isinstance(cell, TargetCell) else tuple(float(value) for value in cell)
                codes[i, r] = FIRST_LIKELIHOOD - vectors[i].setdefault(vector, len(vectors[i]))
    most = max((len(found) for found in vectors), default=0)
    stacked = {i: stack_vectors(list(found)) for i, found in enumerate(vectors) if found}
    return Dataset(
        tuple(variables),
        codes.astype(code_dtype(variables, most)),
        np.ones(len(rows)) if weights is None else np.array(weights, dtype=np.float64),
        {i: values for i, (values, _) in stacked.items()},
        {i: marks for i, (_, marks) in stacked.items() if marks.any()},
    )


def stack_vectors(vectors: Sequence[Vector]) -> tuple[Floats, Bools]:
    """Some vectors of one variable as the rows of an array, and which of them are targets."""
    values = [each.shares if isinstance(each, TargetCell) else each for each in vectors]
    marks = [isinstance(each, TargetCell) for each in vectors]
    return np.array(values, dtype=np.float64), np.array(marks, dtype=bool)
