"""How well a network foretells a variable of rows whose other cells are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import infer
from engine.learning.target_rows import meet_row_targets
from engine.model.arrays import Floats, Ints, weighted_counts, xlogy
from engine.model.dataset import MISSING, Dataset
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.messages import shorten
from engine.model.network import Network

AT_ONCE = 50_000
"""Distinct rows that are propagated together: their posteriors are held until then."""
BINS = 10
"""Bins of a calibration curve."""
SAME = 12
"""Digits to which probabilities are told apart: what propagation rounds must not order rows."""


@dataclass(frozen=True, eq=False)
class Roc:
    """How many rows of a state are found, against how many others are taken for it, by every threshold.

    Attributes
    ----------
    false_positive, true_positive : array (thresholds,)
        Shares of the others' and of the state's rows that have at least the threshold; from (0, 0) to (1, 1).
    thresholds : array (thresholds,)
        Falling, from ∞.
    area : float
        Under the curve: how often a row of the state has a higher probability of it than another row; ties count half.
    """

    false_positive: Floats
    true_positive: Floats
    thresholds: Floats
    area: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often a state occurs where it was foretold with about some probability.

    Attributes
    ----------
    predicted, observed : array (bins,)
        Mean probability, and how often it came true, in those of :data:`BINS` equal bins that have rows.
    weights : array (bins,)
    """

    predicted: Floats
    observed: Floats
    weights: Floats

    @property
    def error(self) -> float:
        """The mean distance of the two, by the rows' weights: the expected calibration error."""
        return float(np.abs(self.predicted - self.observed) @ self.weights / self.weights.sum())


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a network foretells of a variable, row by row, and what it is.

    Rows whose other cells are equal are one *case*. Rows of weight 0 do not matter.

    Attributes
    ----------
    target : int
    probability : array (cases, states)
        Pr(target | the other cells of the row).
    weights : array (cases, states)
        The weight of the rows of a case in which the target has each state.
    rows, case : array
        The rows of the dataset that were foretold, and the case of each.
    missing, uncertain, impossible : float
        The weight of the rows left out: their target is missing or has a likelihood, or their other cells have
        probability 0.
    """

    target: int
    probability: Floats
    weights: Floats
    rows: Ints
    case: Ints
    missing: float
    uncertain: float
    impossible: float

    @cached_property
    def total(self) -> float:
        """The weight of the rows that were foretold."""
        return float(self.weights.sum())

    @cached_property
    def confusion(self) -> Floats:
        """The weight of the rows of each state (first axis) for which each state was most probable (second axis).

        Of equally probable states it is the first.
        """
        chosen = np.argmax(self.probability.round(SAME), axis=1)
        return np.asarray(self.weights.T @ np.eye(self.probability.shape[1])[chosen])

    @property
    def accuracy(self) -> float:
        """The share of the rows whose state was the most probable."""
        return float(np.trace(self.confusion)) / self.total

    @property
    def shares(self) -> Floats:
        """How often each state occurs."""
        return np.asarray(self.weights.sum(axis=0) / self.total)

    @property
    def majority(self) -> float:
        """The accuracy of always naming the most frequent state: what any prediction should beat."""
        return float(self.shares.max())

    @property
    def log_loss(self) -> float:
        """Mean −log Pr(state | other cells), in nats; ∞ if a state occurs that was held impossible."""
        return max(0.0, -float(xlogy(self.weights, self.probability).sum()) / self.total)

    @property
    def constant_log_loss(self) -> float:
        """The least log-loss of any prediction that is the same for all rows: the entropy of the states."""
        return max(0.0, -float(xlogy(self.shares, self.shares).sum()))

    @property
    def refuted(self) -> float:
        """The weight of the rows whose state was held impossible."""
        return float(self.weights[self.probability == 0].sum())

    @property
    def brier(self) -> float:
        """Mean squared distance of the probabilities from what happened, summed over the states."""
        squares = (self.probability**2).sum(axis=1, keepdims=True) - 2 * self.probability + 1
        return max(0.0, float((self.weights * squares).sum()) / self.total)

    def roc(self, state: int) -> Roc | None:
        """One state against the rest; None where all rows, or none, have it."""
        own, other = self._against(state)
        if not own.sum() or not other.sum():
            return None
        thresholds, place = np.unique(-self.probability[:, state].round(SAME), return_inverse=True)
        found = [np.cumsum(weighted_counts(place, weights, len(thresholds))) for weights in (other, own)]
        false, true = (np.concatenate([[0.0], counts / counts[-1]]) for counts in found)
        return Roc(false, true, np.concatenate([[np.inf], -thresholds]), float(np.trapezoid(true, false)))

    def calibration(self, state: int, bins: int = BINS) -> Calibration:
        """How often a state occurs where it was foretold with about some probability."""
        own, other = self._against(state)
        probability = self.probability[:, state].round(SAME)
        place = np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], probability)
        weights = weighted_counts(place, own + other, bins)
        used = weights > 0
        predicted = weighted_counts(place, probability * (own + other), bins)[used] / weights[used]
        return Calibration(predicted, weighted_counts(place, own, bins)[used] / weights[used], weights[used])

    def _against(self, state: int) -> tuple[Floats, Floats]:
        """Per case, the weight of the rows that have a state, and of the others."""
        own = self.weights[:, state]
        return own, self.weights.sum(axis=1) - own


def predict(network: Network, dataset: Dataset, target: int, memory_limit: int = MEMORY_LIMIT) -> Prediction:
    """What a network foretells of a variable in each row from the row's other cells: its own is set aside.

    Examples
    --------
    >>> from engine.model.dataset import make_dataset
    >>> from engine.model.network import BayesianNetwork
    >>> from engine.model.variable import Variable
    >>> rain, wet = Variable("Rain", ("yes", "no")), Variable("Wet", ("yes", "no"))
    >>> network = BayesianNetwork((rain, wet), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]))
    >>> rows = [["yes", "yes"], ["no", "yes"], ["no", "no"], [None, "no"]]
    >>> found = predict(network, make_dataset([rain, wet], rows), 0)
    >>> found.probability.round(3).tolist(), round(found.accuracy, 3), found.missing
    ([[0.692, 0.308], [0.027, 0.973]], 0.667, 1.0)

    Raises
    ------
    ModelError
        If there is no row whose state could be foretold.
    """
    counted, own = dataset.weights > 0, dataset.codes[target]
    known = counted & (own >= 0)
    missing, uncertain = (float(dataset.weights[counted & some].sum()) for some in (own == MISSING, own < MISSING))
    rows = np.flatnonzero(known)
    aside = _set_aside(dataset.take(rows), target)
    representative, case = distinct_rows(aside.codes, aside.n_rows)
    probability = _foretell(network, aside.take(representative), target, memory_limit)
    states = probability.shape[1]
    place = case * states + own[rows].astype(np.int64)
    weights = weighted_counts(place, dataset.weights[rows], probability.size).reshape(-1, states)
    found = Prediction(target, probability, weights, rows, case, missing, uncertain, 0.0)
    found = _leave_out_impossible(found)
    if not found.total:
        raise ModelError(
            f"no row can be foretold: {shorten(network.variables[target].name)} is missing in {found.missing:,.6g} of "
            f"them and uncertain in {found.uncertain:,.6g}, and the other cells of {found.impossible:,.6g} are "
            "impossible; choose another variable"
        )
    return found


def _set_aside(dataset: Dataset, target: int) -> Dataset:
    """The rows with a variable missing."""
    codes = dataset.codes.copy()
    codes[target] = MISSING
    likelihoods = {v: vectors for v, vectors in dataset.likelihoods.items() if v != target}
    targets = {v: marks for v, marks in dataset.targets.items() if v != target}
    return replace(dataset, codes=codes, likelihoods=likelihoods, targets=targets)


def _foretell(network: Network, dataset: Dataset, target: int, memory_limit: int) -> Floats:
    """Pr(target | row) for every row; NaN in impossible ones."""
    found = np.empty((dataset.n_rows, network.variables[target].cardinality))
    for start in range(0, dataset.n_rows, AT_ONCE):
        rows = np.arange(start, min(start + AT_ONCE, dataset.n_rows))
        some = meet_row_targets(network, dataset.take(rows), memory_limit)
        found[rows] = infer(network, some, memory_limit).marginal(target)
    return found


def _leave_out_impossible(found: Prediction) -> Prediction:
    possible = np.asarray(~np.isnan(found.probability).any(axis=1))
    if possible.all():
        return found
    kept = possible[found.case]
    return replace(
        found,
        probability=found.probability[possible],
        weights=found.weights[possible],
        rows=found.rows[kept],
        case=(np.cumsum(possible) - 1)[found.case[kept]],
        impossible=float(found.weights[~possible].sum()),
    )
