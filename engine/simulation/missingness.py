"""Making complete data incomplete or uncertain: hidden columns, missing cells, noisy sensors.

Every function returns a new dataset. Mechanisms act on each stored row by itself; a row's weight
counts when rates are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from engine.model.arrays import Codes, Floats, Ints
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, Role, code_dtype
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError, UnknownNameError
from engine.model.network import ROW_SUM_TOLERANCE, table_shape
from engine.model.randomness import RandomState, make_generator
from engine.model.variable import Variable, list_names

MOST_CAUSES = 2
"""How many observed variables decide whether a cell is missing at random (MAR)."""


def hide(dataset: Dataset, names: Sequence[str]) -> Dataset:
    """The data without any value of the named variables."""
    columns = find_columns(dataset, names)
    codes = dataset.codes.copy()
    codes[columns] = MISSING
    kept = {i: vectors for i, vectors in dataset.likelihoods.items() if i not in columns}
    targets = {i: marks for i, marks in dataset.targets.items() if i not in columns}
    return replace(dataset, codes=codes, likelihoods=kept, targets=targets)


def hide_fraction(dataset: Dataset, fraction: float, random_state: RandomState = 0) -> Dataset:
    """The data without any value of a fraction of the variables (rounded), chosen at random."""
    return hide(dataset, draw_names(dataset.variables, fraction, random_state))


def draw_names(variables: Sequence[Variable], fraction: float, random_state: RandomState = 0) -> list[str]:
    """The names of a fraction of the variables (rounded), chosen at random."""
    check_rate(fraction)
    chosen = make_generator(random_state).choice(len(variables), size=round(fraction * len(variables)), replace=False)
    return [variables[i].name for i in sorted(chosen)]


def remove_mcar(
    dataset: Dataset, rate: float, random_state: RandomState = 0, variables: Sequence[str] | None = None
) -> Dataset:
    """Cells missing completely at random: each with probability ``rate``, whatever the data.

    Parameters
    ----------
    variables : names, optional
        Whose cells may go missing; all variables if not given.
    """
    check_rate(rate)
    generator = make_generator(random_state)
    codes = dataset.codes.copy()
    for i in find_columns(dataset, variables):
        codes[i, generator.random(dataset.n_rows) < rate] = MISSING
    return replace(dataset, codes=codes)


def remove_mar(
    dataset: Dataset,
    rate: float,
    random_state: RandomState = 0,
    variables: Sequence[str] | None = None,
    observed: Sequence[str] | None = None,
    strength: float = 2.0,
) -> Dataset:
    """Cells missing at random: how probably depends on variables that are never missing.

    For each variable whose cells may go missing, up to :data:`MOST_CAUSES` observed ones are drawn; the
    log-odds of a missing cell are a sum of one number per cause, set by the cause's state, and a
    constant that makes the average over the rows the rate.

    Parameters
    ----------
    rate : float
        Of the cells of ``variables``, on average.
    variables : names, optional
        Whose cells may go missing; all but ``observed`` if not given.
    observed : names, optional
        Which stay observed; all but ``variables`` if not given. If neither is given, half of the
        variables (rounded up) are drawn from those with a state in every row.
    strength : float
        How far apart the log-odds are: each cause moves them from −strength to +strength.
    """
    check_rate(rate)
    check_strength(strength)
    generator = make_generator(random_state)
    targets, causes = _split_columns(dataset, variables, observed, generator)
    codes = dataset.codes.copy()
    for i in targets:
        chosen = generator.choice(causes, size=min(MOST_CAUSES, len(causes)), replace=False)
        representative, group = distinct_rows(dataset.codes[chosen], dataset.n_rows)
        scores = np.zeros(len(representative))
        for cause in chosen:
            scores_of_states = _draw_scores(dataset.variables[cause].cardinality, strength, generator)
            scores += scores_of_states[dataset.codes[cause, representative]]
        chance = _set_rate(scores, _add_weights(group, dataset.weights, len(scores)), rate)
        codes[i, generator.random(dataset.n_rows) < chance[group]] = MISSING
    return replace(dataset, codes=codes)


def remove_nmar(
    dataset: Dataset,
    rate: float,
    random_state: RandomState = 0,
    variables: Sequence[str] | None = None,
    strength: float = 2.0,
) -> Dataset:
    """Cells not missing at random: how probably depends on the value that goes missing.

    Only cells with a state are removed, and the rate is of these; missing, likelihood and target cells stay.

    Parameters
    ----------
    variables : names, optional
        Whose cells may go missing; all variables if not given.
    strength : float
        How far apart the log-odds are: the states move them from −strength to +strength.
    """
    check_rate(rate)
    check_strength(strength)
    generator = make_generator(random_state)
    codes = dataset.codes.copy()
    for i in find_columns(dataset, variables):
        scores = _draw_scores(dataset.variables[i].cardinality, strength, generator)
        draws = generator.random(dataset.n_rows)
        hard = np.flatnonzero(codes[i] >= 0)
        states = codes[i, hard]
        share = _add_weights(states, dataset.weights[hard], len(scores))
        codes[i, hard[draws[hard] < _set_rate(scores, share, rate)[states]]] = MISSING
    return replace(dataset, codes=codes)


def apply_sensor(dataset: Dataset, name: str, confusion: npt.ArrayLike, random_state: RandomState = 0) -> Dataset:
    """A variable seen only through a noisy sensor: each state becomes a likelihood vector.

    For a row with state x a report v is drawn with probability ``confusion[x, v]``, and the cell becomes
    λ(x') = confusion[x', v]. Missing cells stay missing.

    Parameters
    ----------
    confusion : array (states, reports)
        Pr(reported | true); there may be more or fewer reports than states.
    """
    return apply_reports(dataset, name, confusion, _draw_reports(dataset, name, confusion, random_state))


def replace_by_reports(dataset: Dataset, name: str, confusion: npt.ArrayLike, random_state: RandomState = 0) -> Dataset:
    """The data with what a noisy sensor reports in place of a variable's states; missing cells stay missing.

    Parameters
    ----------
    confusion : array (states, states)
        Pr(reported | true).
    """
    (i,) = find_columns(dataset, [name])
    _check_square(name, check_confusion(dataset.variables[i], confusion))
    codes = dataset.codes.copy()
    codes[i] = _draw_reports(dataset, name, confusion, random_state)
    return replace(dataset, codes=codes)


def _draw_reports(dataset: Dataset, name: str, confusion: npt.ArrayLike, random_state: RandomState) -> Ints:
    """Per row, what the sensor of a variable reports; −1 where there is no state."""
    i = _find_states(dataset, name)
    sums = np.cumsum(check_confusion(dataset.variables[i], confusion), axis=1)
    draws = make_generator(random_state).random(dataset.n_rows)
    reported = np.full(dataset.n_rows, MISSING, dtype=np.int64)
    for x, cumulated in enumerate(sums / sums[:, -1:]):
        rows = np.flatnonzero(dataset.codes[i] == x)
        # The first report whose cumulative probability is above the draw; never one of probability 0.
        reported[rows] = np.searchsorted(cumulated, draws[rows], side="right")
    return reported


def _find_states(dataset: Dataset, name: str) -> int:
    """The column of a variable that has states, and no likelihoods."""
    (i,) = find_columns(dataset, [name])
    if (dataset.codes[i] <= FIRST_LIKELIHOOD).any():
        raise ModelError(f"{name!r} has cells that are likelihoods or targets; a sensor needs its states")
    return i


def _check_square(name: str, matrix: Floats) -> None:
    if matrix.shape[1] != matrix.shape[0]:
        raise ModelError(f"the sensor of {name!r} has {matrix.shape[1]} reports; expected one per state")


def apply_reports(
    dataset: Dataset, name: str, confusion: npt.ArrayLike, reported: npt.ArrayLike | None = None
) -> Dataset:
    """A variable seen through a noisy sensor whose reports are at hand.

    Parameters
    ----------
    confusion : array (states, reports)
        Pr(reported | true).
    reported : array (rows,) of integers, optional
        The report of each row, −1 where there is none. If not given, the variable's own column holds
        the reports, named like its states.
    """
    (i,) = find_columns(dataset, [name])
    matrix = check_confusion(dataset.variables[i], confusion)
    if reported is None:
        _check_square(name, matrix)
        reported = dataset.codes[_find_states(dataset, name)]
    reports = np.array(reported, dtype=np.int64)
    if reports.shape != (dataset.n_rows,):
        raise ModelError(f"reports of shape {reports.shape}; expected one for each of {dataset.n_rows} rows")
    if reports.size and not (reports.min() >= MISSING and reports.max() < matrix.shape[1]):
        raise ModelError(f"a report of the sensor of {name!r} is none of 0 to {matrix.shape[1] - 1}, nor missing (-1)")
    return _with_likelihoods(dataset, i, matrix.T, reports)


def _with_likelihoods(dataset: Dataset, i: int, vectors: Floats, choice: Ints) -> Dataset:
    """The data with likelihood vectors in a column: row r gets ``vectors[choice[r]]``, −1 for none."""
    seen = choice >= 0
    used = np.flatnonzero(np.bincount(choice[seen], minlength=len(vectors)))
    if (vectors[used].max(axis=1, initial=0) <= 0).any():
        raise ModelError(f"a report of {dataset.variables[i].name!r} is impossible in every state of it")
    # Equal vectors must have equal codes, so that equal rows can be found by their codes.
    distinct, number = np.unique(vectors[used], axis=0, return_inverse=True)
    code = np.zeros(len(vectors), dtype=np.int64)
    code[used] = FIRST_LIKELIHOOD - number.reshape(-1)
    dtype = np.result_type(dataset.codes.dtype, code_dtype(dataset.variables, len(distinct)))
    codes: Codes = dataset.codes.astype(dtype)
    codes[i] = np.where(seen, code[choice], MISSING)
    likelihoods = {**dataset.likelihoods, i: distinct}
    if not len(distinct):
        del likelihoods[i]
    targets = {j: marks for j, marks in dataset.targets.items() if j != i}
    return replace(dataset, codes=codes, likelihoods=likelihoods, targets=targets)


def _split_columns(
    dataset: Dataset, variables: Sequence[str] | None, observed: Sequence[str] | None, generator: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Columns whose cells may go missing, and columns that decide it."""
    complete = [i for i, role in enumerate(dataset.roles) if role is Role.OBSERVED]
    if observed is not None:
        causes = find_columns(dataset, observed)
    elif variables is not None:
        named = find_columns(dataset, variables)
        causes = [i for i in complete if i not in named]
    else:
        half = (len(dataset.variables) + 1) // 2
        causes = sorted(generator.choice(complete, size=min(half, len(complete)), replace=False).tolist())
    rest = [variable.name for i, variable in enumerate(dataset.variables) if i not in causes]
    targets = find_columns(dataset, rest if variables is None else variables)
    for i in causes:
        if dataset.roles[i] is not Role.OBSERVED and dataset.n_rows:
            raise ModelError(f"{dataset.variables[i].name!r} cannot stay observed: it lacks a state in some rows")
        if i in targets:
            raise ModelError(f"{dataset.variables[i].name!r} cannot both stay observed and have missing cells")
    if targets and not causes and dataset.n_rows:
        raise ModelError("no variable stays observed; MAR needs at least one with a state in every row")
    return (targets, causes) if dataset.n_rows else ([], [])


def draw_chances(
    dataset: Dataset, causes: Sequence[int], rate: float, strength: float, generator: np.random.Generator
) -> Floats:
    """Pr(absent | causes), an axis for each: drawn log-odds, moved so that the rows' average is the rate."""
    shape = table_shape(dataset.variables, causes)
    scores = np.zeros(shape)
    share = np.zeros(math.prod(shape))
    seen = np.ones(dataset.n_rows, dtype=bool)
    combination = np.zeros(dataset.n_rows, dtype=np.int64)
    for axis, i in enumerate(causes):
        of_states = _draw_scores(shape[axis], strength, generator)
        scores += of_states.reshape([-1 if k == axis else 1 for k in range(len(shape))])
        seen &= dataset.codes[i] >= 0
        combination = combination * shape[axis] + np.maximum(dataset.codes[i], 0)
    share += _add_weights(combination[seen], dataset.weights[seen], len(share))
    return _set_rate(scores.reshape(-1), share, rate).reshape(shape)


def _draw_scores(states: int, strength: float, generator: np.random.Generator) -> Floats:
    """Log-odds per state: evenly spaced from −strength to strength, in random order."""
    return np.asarray(generator.permutation(np.linspace(-strength, strength, states)), dtype=np.float64)


def _add_weights(group: Codes, weights: Floats, groups: int) -> Floats:
    return np.bincount(group, weights=weights, minlength=groups).astype(np.float64)


def _set_rate(scores: Floats, share: Floats, rate: float) -> Floats:
    """Probabilities expit(score + constant) whose average, weighted by the share, is the rate."""
    if rate in (0, 1) or not share.any():
        return np.full(len(scores), float(rate))
    share = share / share.sum()
    # At these ends every probability is on one side of the rate.
    odds = np.log(rate) - np.log1p(-rate)
    low, high = odds - scores.max(), odds - scores.min()
    if low == high:
        return np.full(len(scores), rate)
    from scipy.optimize import brentq  # takes half a second to import, and only this needs it
    from scipy.special import expit

    constant = brentq(lambda c: share @ expit(scores + c) - rate, low - 1e-6, high + 1e-6, xtol=1e-12)
    return np.asarray(expit(scores + constant), dtype=np.float64)


def find_columns(dataset: Dataset, names: Sequence[str] | None) -> list[int]:
    """The columns of some variables, each once; of all without names."""
    known = {variable.name: i for i, variable in enumerate(dataset.variables)}
    if names is None:
        return list(known.values())
    for name in names:
        if name not in known:
            raise UnknownNameError(f"no variable {name!r} in the data; it has {list_names(list(known))}")
    return [known[name] for name in dict.fromkeys(names)]


def check_confusion(variable: Variable, confusion: npt.ArrayLike) -> Floats:
    """The confusion matrix of a variable's sensor, if it is one: a distribution of reports for each state."""
    matrix = np.array(confusion, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != variable.cardinality or not matrix.shape[1]:
        raise ModelError(
            f"the confusion matrix of {variable.name!r} has shape {matrix.shape}; "
            f"expected ({variable.cardinality} states, reports)"
        )
    for state, row in zip(variable.states, matrix, strict=True):
        if not ((row >= 0) & (row <= 1 + ROW_SUM_TOLERANCE)).all():
            raise ModelError(
                f"the sensor of {variable.name!r} has a probability not from 0 to 1 where the state is {state!r}"
            )
        if abs(row.sum() - 1) > ROW_SUM_TOLERANCE:
            raise ModelError(
                f"the reports of the sensor of {variable.name!r} where the state is {state!r} have probabilities that "
                f"sum to {row.sum():g}; they must sum to 1"
            )
    return matrix


def check_rate(rate: float) -> None:
    """Refuse a fraction that is none."""
    if not 0 <= rate <= 1:
        raise ModelError(f"a fraction of {rate}; expected from 0 to 1")


def check_strength(strength: float) -> None:
    """Refuse a strength that is none."""
    if not 0 <= strength <= 50:
        raise ModelError(f"a strength of {strength}; expected from 0 to 50")
