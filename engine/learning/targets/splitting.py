"""Rows with a target as rows of hard states, each with its share of the weight.

log P(d) − KL(Q ‖ P(· | d)) of a row d with one target R of X is Σ_x R(x) log P(x, d) + H(R): what the rows (x, d) of
weights R(x) have, and a constant. Splitting comes before all else, so that learners, decomposition and bounds are those
of hard rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.model.arrays import Bools, Codes, Floats, Ints, xlogy
from engine.model.dataset import FIRST_LIKELIHOOD, LIGHTEST, MISSING, Dataset
from engine.model.source import Source


@dataclass(frozen=True, eq=False)
class SplitData:
    """Data whose rows have no target, or several.

    Attributes
    ----------
    dataset : Dataset
    entropies : array (variables,)
        Σ w H(R) over the targets of each variable that were split.
    """

    dataset: Dataset
    entropies: Floats


def has_targets(dataset: Source) -> bool:
    """Whether some cell is a target."""
    return bool(dataset.targets) and bool(dataset.rows().target_cells.any())


def split_targets(dataset: Dataset, *, relax: bool = False) -> SplitData:
    """Split the rows that have one target; a target with one state only is that state.

    Parameters
    ----------
    relax : bool
        Whether rows with several targets keep only the surest of them, and are split too: what these rows reach
        is then no less than before.
    """
    if not has_targets(dataset):
        return SplitData(dataset, np.zeros(len(dataset.variables)))
    codes, cells = dataset.codes.copy(), dataset.target_cells.copy()
    vectors = {v: dataset.likelihoods[v] / dataset.likelihoods[v].sum(axis=1, keepdims=True) for v in dataset.targets}
    _settle(codes, cells, vectors)
    if relax:
        _keep_surest(codes, cells, vectors)
    alone = cells.sum(axis=0) == 1
    entropies = np.zeros(len(dataset.variables))
    sources, states, weights, columns = [np.flatnonzero(~alone)], [], [dataset.weights[~alone]], []
    for v, shares in vectors.items():
        rows = np.flatnonzero(cells[v] & alone)
        own = shares[_number(codes[v, rows])]
        split = dataset.weights[rows, None] * own
        entropies[v] = -float((dataset.weights[rows, None] * xlogy(own, own)).sum())
        # A share too light to count is left out.
        at, state = np.nonzero((own > 0) & ((split >= LIGHTEST) | (dataset.weights[rows, None] == 0)))
        sources.append(rows[at])
        states.append(state)
        columns.append(np.full(len(at), v))
        weights.append(split[at, state])
    row = np.concatenate(sources)
    whole, split_codes = len(sources[0]), codes[:, row]
    split_codes[np.concatenate(columns), whole + np.arange(len(row) - whole)] = np.concatenate(states)
    order = np.argsort(row, kind="stable")
    marks = dataset.targets if (cells.sum(axis=0) > 1).any() else {}
    found = replace(dataset, codes=split_codes[:, order], weights=np.concatenate(weights)[order], targets=marks)
    return SplitData(found, entropies)


def drop_targets(dataset: Dataset) -> Dataset:
    """The data without its targets: such cells are missing."""
    if not has_targets(dataset):
        return dataset
    return replace(dataset, codes=np.where(dataset.target_cells, MISSING, dataset.codes), targets={})


def _number(codes: Codes) -> Ints:
    """The vectors that codes stand for."""
    return FIRST_LIKELIHOOD - codes.astype(np.int64)


def _settle(codes: Codes, cells: Bools, vectors: dict[int, Floats]) -> None:
    """Make a target that is one state for sure that state."""
    for v, shares in vectors.items():
        rows = np.flatnonzero(cells[v])
        own = shares[_number(codes[v, rows])]
        sure = np.count_nonzero(own, axis=1) == 1
        codes[v, rows[sure]] = own[sure].argmax(axis=1)
        cells[v, rows[sure]] = False


def _keep_surest(codes: Codes, cells: Bools, vectors: dict[int, Floats]) -> None:
    """Keep of each row's targets the one with the least entropy, and make the others missing."""
    names = list(vectors)
    entropy = np.full((len(names), codes.shape[1]), np.inf)
    for k, v in enumerate(names):
        rows = np.flatnonzero(cells[v])
        own = vectors[v][_number(codes[v, rows])]
        entropy[k, rows] = -xlogy(own, own).sum(axis=1)
    kept = np.zeros_like(cells)
    kept[np.array(names)[entropy.argmin(axis=0)], np.arange(codes.shape[1])] = True
    codes[cells & ~kept] = MISSING
    cells &= kept
