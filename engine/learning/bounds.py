"""Upper bounds on the best objective any parameters can reach, per component [bound].

Notation: a component has variables S, boundary B, and L ⊆ S observed in every row; n counts rows by
weight. Four bounds, of which the lowest counts:

- *naive*: every distinct row over all observed variables gets its own share of the data.
- *decomposition* (Thm. 2 [bound]): per component Σ n(l, b) log n(l, b) / n(b). Where two components condition on
  each other's variables it can be above the naive one.
- *patterns* (ours): also uses variables observed in only some rows, see :func:`_pattern_bound`; never above that.
- *I-map* (ours): also uses the independences among what is observed, see :mod:`engine.learning.imap.terms`, and how few
  states hidden variables have, see :mod:`engine.learning.imap.groups`; a sum over variables, each in its place in an
  order that is searched for; in no component above the patterns, and in all together not above the naive bound.

With a prior the maximum of Σ (ψ − 1) log θ is added, or that of another prior on tables, which is 0; components with
complete data have their exact optimum instead, where it can be told for sure (:func:`_find_exact`). A likelihood cell
λ adds log max λ: Pr(row with λ) ≤ max λ · Pr(rest). Of several targets in a row one is split, and the others are
dropped: see :mod:`engine.learning.relaxing`.

Where variables share a table, less can be reached, and what bounds the problem without ties bounds it with them; their
one prior is that of the table that leads. If the data of all that share a table is complete, the exact optimum of their
added counts is taken instead: it holds for them together, each has what it reaches there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.plan import Block
from engine.learning.empirical import number_rows, sum_conditional, sum_naive
from engine.learning.imap.bound import Own, Together, find_imap
from engine.learning.imap.budget import DEFAULT_BUDGET, Budget
from engine.learning.objective import Objective
from engine.learning.parameters import Simplex
from engine.learning.peaks import find_peak
from engine.learning.relaxing import relax_blocks
from engine.learning.task import LearningTask, make_task
from engine.model.arrays import Bools, Codes, Floats, Ints, weighted_counts, xlogy
from engine.model.dataset import MISSING, Role
from engine.model.errors import ModelError
from engine.model.table_prior import LogisticNormal

CERTIFIED = 1e-3
"""Nats: a component this close to its bound has its best parameters."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Upper bounds on the objective.

    Attributes
    ----------
    naive : float
    decomposition, patterns, imap : array (components + 1,)
        Per component; the last entry is that of pruned variables (their prior's maximum).
    terms : array (variables,)
        Per variable, its part of the I-map bound; those of a component's variables add up to its bound.
    orders : tuple of tuples
        Per component, the variables that are observed in some row, in the order of its I-map bound.
    together : tuple of tuples of Together
        Per component, neighbours in that order whose terms are one, in equal parts: bounded by another's few states.
    """

    naive: float
    decomposition: Floats
    patterns: Floats
    imap: Floats
    terms: Floats
    orders: tuple[tuple[int, ...], ...]
    together: tuple[tuple[Together, ...], ...]

    @property
    def total(self) -> float:
        """The smallest bound on the whole objective."""
        return min(self.naive, float(self.imap.sum()))


def find_bounds(task: LearningTask, budget: Budget = DEFAULT_BUDGET) -> Bounds:
    """The bounds of a learning task.

    Parameters
    ----------
    budget : Budget
        How long a low I-map bound is looked for; all else takes one pass over the data of each component.
    """
    geometry = task.objective.geometry
    if not isinstance(geometry, Simplex):
        raise ModelError("these are bounds of Bayesian networks; a Markov network has others")
    if not task.is_decomposed:
        names = [variable.name for variable in task.network.variables]
        exponents = dict(zip(names, task.layout.tables(task.exponents), strict=True))
        task = make_task(task.network, task.dataset, geometry.prior or exponents, ties=task.ties)
    objective = task.objective
    prior = _highest(geometry, geometry.prior_counts)
    exact = _find_exact(geometry, objective.counts)
    if task.ties:
        exact = np.where(_is_counted_together(task), _highest_shared(objective), exact)
    naive = sum_naive(task.decomposition.dataset) + float(objective.sum(prior).sum() + objective.constant.sum())
    blocks, constants = relax_blocks(task)
    home = np.array(task.decomposition.component_of) % objective.n_components  # pruned variables come last
    apart = weighted_counts(home, constants, objective.n_components)
    decomposition, patterns = _bound_components(
        task, blocks, apart + objective.sum(prior), apart + objective.sum(exact)
    )
    own = Own(blocks, constants, task.layout.sum(prior), task.layout.sum(exact))
    imap = find_imap(task, own, patterns, naive, budget)
    return Bounds(naive, decomposition, patterns, imap.components, imap.terms, imap.orders, imap.together)


def find_moving_bound(task: LearningTask) -> float:
    """A bound where targets are not fixed: what rows with one set of targets observe has one distribution Q.

    So that no Q is better than the share of each observation among these rows.
    """
    geometry, data = task.objective.geometry, task.decomposition.dataset.rows()
    assert isinstance(geometry, Simplex)
    targets = [np.where(data.target_cells[v], data.codes[v], MISSING) for v in data.targets]
    by_set = number_rows(targets, data.weights)
    observed = [codes for codes, role in zip(data.codes, data.roles, strict=True) if role is Role.OBSERVED]
    by_row = number_rows([by_set, *observed], data.weights)
    prior = float(_highest(geometry, geometry.prior_counts).sum())
    return sum_conditional(by_set, by_row, data.weights) + prior + float(task.objective.constant.sum())


def _bound_components(
    task: LearningTask, blocks: Sequence[Block | None], apart: Floats, exact: Floats
) -> tuple[Floats, Floats]:
    """The decomposition and the pattern bounds: the data's beside what is apart from it; exact where it is complete."""
    decomposition, patterns = apart.copy(), apart.copy()
    for k, (component, block) in enumerate(zip(task.decomposition.components, blocks, strict=True)):
        if component.is_complete or block is None:
            decomposition[k] = patterns[k] = exact[k]
            continue
        by_boundary = number_rows([block.codes[v] for v in component.boundary], block.weights)
        by_observed = number_rows([by_boundary, *(block.codes[v] for v in component.observed)], block.weights)
        saturated = sum_conditional(by_boundary, by_observed, block.weights)
        partial = [block.codes[v] for v in component.variables if v not in component.observed]
        decomposition[k] += saturated
        patterns[k] += saturated + _pattern_bound(by_observed, partial, block.weights)
    return decomposition, patterns


def _highest(geometry: Simplex, weights: Floats) -> Floats:
    """Σ w log θ at its maximum, θ = w / Σ w in each parameter set; per parameter."""
    best = geometry.normalise(weights, otherwise=np.ones_like(weights))
    return np.asarray(xlogy(weights, best), dtype=np.float64)


def _find_exact(geometry: Simplex, counts: Floats) -> Floats:
    """The most that counts and the prior reach, in every parameter set; per parameter.

    A logistic-normal prior has one peak, as it is concave in log θ. Of an installed one nothing is known but that it is
    nowhere above 0: what the counts reach without it is no less. Nor is it where tables are tied.
    """
    if geometry.lead is None and isinstance(geometry.prior, LogisticNormal):
        return _reach_peak(geometry, counts, counts)
    return _highest(geometry, geometry.with_prior(counts))


def _reach_peak(geometry: Simplex, counts: Floats, added: Floats) -> Floats:
    """What counts reach, with the prior, at the peak of added ones; per parameter."""
    best = find_peak(geometry, added, 1.0 / geometry.sizes[geometry.set_of])
    prior = geometry.log_prior(best)
    assert prior is not None
    return np.asarray(xlogy(counts, best) + prior)


def _highest_shared(objective: Objective) -> Floats:
    """Σ w log θ of complete data at its maximum where tables are shared: each parameter's part of the sum of all."""
    geometry = objective.geometry
    assert isinstance(geometry, Simplex)
    if isinstance(geometry.prior, LogisticNormal):
        return _reach_peak(geometry, objective.counts, geometry.gather(objective.counts))
    weights = objective.counts + geometry.prior_counts
    best = geometry.maximise(geometry.gather(objective.counts), np.ones_like(weights))
    return np.asarray(xlogy(weights, best), dtype=np.float64)


def _is_counted_together(task: LearningTask) -> Bools:
    """The parameters of shared tables whose data is complete wherever they are."""
    iterated = np.array([*task.iterated, False])
    return ~iterated[task.objective.component]


def _pattern_bound(given: Ints, partial: Sequence[Codes], weights: Floats) -> float:
    """What the values of partially observed variables cost beyond the observed ones.

    Take the partial variables X1, X2, ... of the component in any fixed order, and write e_j(d) for what
    row d observes of the first j − 1 of them. By the chain rule

        log Pr(d_S | b) = log Pr(l | b) + Σ_j [X_j observed in d] log Pr(x_j | e_j(d), l, b).

    For a fixed set of observed predecessors, the j-th term is the log-probability of x_j under one
    conditional distribution given (e_j, l, b), the same for all rows that observe that set: the model's
    Pr does not depend on the row. Maximising each of these conditional distributions freely gives its
    empirical frequencies among those rows, and the sum of maxima is at least the maximum of the sum: so
    adding Σ n(x_j, e_j, l, b) log n(x_j, e_j, l, b) / n(X_j observed, e_j, l, b) to the bound on the first
    term stays a bound. This holds for any missingness mechanism, for only Pr(observed values) is bounded.
    Every term is ≤ 0, so that it is never above the decomposition bound; bounding each missingness
    pattern by its own empirical distribution would split the same counts further, and is never below it.

    Variables that are observed most often come first, where the counts are split least.
    """
    total = 0.0
    for column in sorted(partial, key=lambda codes: -float(weights[codes >= 0].sum())):
        seen = np.flatnonzero(column >= 0)
        outcome = number_rows([given[seen], column[seen]], weights[seen])
        total += sum_conditional(given[seen], outcome, weights[seen])
        given = number_rows([given, np.maximum(column, -1)], weights)
    return total
