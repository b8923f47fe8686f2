"""One EM iteration under the microscope: what a row and a family go through, spelled out.

The E-step completes a row in every possible way, each with its probability given what the row observes; the
expected counts of a family add these weights up over all rows; the M-step normalises them [thesis Alg. 3].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from engine.inference.posterior import infer
from engine.learning.learner import evaluate_state
from engine.learning.parameters import Simplex
from engine.learning.peaks import find_peak
from engine.learning.target_rows import meet_row_targets
from engine.learning.task import LearningTask
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import BayesianNetwork

MOST_COMPLETIONS = 64
"""Completions of a row that are listed; where there are more, only the family's variables are completed."""


@dataclass(frozen=True)
class Completion:
    """One way to fill in what a row leaves open: a state per variable, and Pr(these | row)."""

    states: tuple[int, ...]
    weight: float


@dataclass(frozen=True, eq=False)
class View:
    """What one EM iteration does with a row and a family.

    Attributes
    ----------
    variables : tuple of int
        The variables the row does not know for certain, and that are completed.
    completions : tuple of Completion
        The heaviest first; their weights add up to 1.
    family : array (the table's shape)
        Pr(x u | row).
    counts : array (the table's shape)
        Σ w Pr(x u | row) over all rows, and over all variables that share the table.
    before, after : array (the table's shape)
        The family's table before and after the M-step.
    """

    variables: tuple[int, ...]
    completions: tuple[Completion, ...]
    family: Floats
    counts: Floats
    before: Floats
    after: Floats


def look_closely(task: LearningTask, theta: Floats, row: int, child: int) -> View:
    """What one EM iteration from some parameters does with a row of the data and the family of a variable.

    Parameters
    ----------
    theta : array (parameters,)
    row : int
        Of the dataset the task was made from.
    child : int
        The variable whose family is looked at.
    """
    network = task.bayesian.with_tables(task.layout.tables(theta))
    one = meet_row_targets(network, task.dataset.rows().take(np.array([row])), fixed=not task.has_moving_targets)
    posterior = infer(network, one)
    if posterior.impossible[0]:
        raise ImpossibleEvidenceError(f"row {row + 1} has probability 0 under these parameters: nothing completes it")
    variables = _open_variables(task, one, child)
    state, _ = evaluate_state(Workspace(task.objective), theta)
    geometry = task.geometry
    assert isinstance(geometry, Simplex)
    maximise = geometry.maximise if geometry.prior is None else partial(find_peak, geometry)
    after = maximise(state.counts, theta)
    return View(
        variables,
        _complete(one, variables, network),
        posterior.family(child)[0],
        task.layout.tables(task.geometry.follow(state.counts))[child],
        task.layout.tables(theta)[child],
        task.layout.tables(after)[child],
    )


def _open_variables(task: LearningTask, one: Dataset, child: int) -> tuple[int, ...]:
    """What the row leaves open in the family's component; of the family alone if that has too many completions."""
    network = task.bayesian
    component = task.decomposition.component_of[child]
    family = {child, *network.parents[child]}
    inside = {v for v, k in enumerate(task.decomposition.component_of) if k == component and k >= 0}
    for candidates in (inside | family, family):
        found = tuple(v for v in sorted(candidates) if one.codes[v, 0] < 0)
        if np.prod([network.variables[v].cardinality for v in found], dtype=float) <= MOST_COMPLETIONS:
            break
    return found


def _complete(one: Dataset, variables: Sequence[int], network: BayesianNetwork) -> tuple[Completion, ...]:
    """Every completion of a row over some variables, by its probability given the row."""
    ways = list(product(*(range(one.variables[v].cardinality) for v in variables)))
    codes = np.repeat(one.codes, len(ways), axis=1)
    log_soft = np.zeros(len(ways))
    for k, v in enumerate(variables):
        states = np.array([way[k] for way in ways])
        if one.codes[v, 0] < -1:  # a likelihood weighs the states it leaves open
            with np.errstate(divide="ignore"):
                log_soft += np.log(one.likelihoods[v][-2 - int(one.codes[v, 0])])[states]
        codes[v] = states
    rows = replace(one, codes=codes, weights=np.ones(len(ways)))
    log_weight = infer(network, rows).log_evidence + log_soft
    weights = np.exp(log_weight - log_weight.max())
    weights /= weights.sum()
    order = np.argsort(-weights, kind="stable")
    return tuple(Completion(ways[k], float(weights[k])) for k in order)
