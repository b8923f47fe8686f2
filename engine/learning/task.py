"""A learning task: a network, a dataset and a prior, taken apart and planned."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.inference.plan import MEMORY_LIMIT, Block, Plan
from engine.inference.planner import make_plan
from engine.learning.decomposition import Decomposition, decompose
from engine.learning.empirical import sum_likelihoods
from engine.learning.jobs import make_jobs
from engine.learning.objective import Objective, Term
from engine.learning.parameters import Geometry, LogLinear, Simplex
from engine.learning.target_jobs import give_likelihoods, meet_before, number_sets
from engine.learning.targets.splitting import has_targets, split_targets
from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.dataset import MISSING, Dataset, Role
from engine.model.distinct import distinct_rows
from engine.model.errors import ModelError
from engine.model.layout import Layout
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.prior import Prior, flat_exponents
from engine.model.source import Source
from engine.model.table_prior import TablePrior
from engine.model.ties import Ties, check_ties, tie_parameters

EXPECTED_PASSES = 30
"""How many iterations a plan is made for."""


@dataclass(frozen=True, eq=False)
class LearningTask:
    """A network, a dataset and a prior, with the decomposition and the objective they make.

    Attributes
    ----------
    plan : Plan
        How the data is propagated.
    component_of_block : tuple of int
        Per block of the plan, the component of the objective that it belongs to.
    given : tuple of int
        The variables that all others are learned given.
    dataset : Source
        The data as it came. That of the decomposition has rows with one target split.
    constants : array (variables,)
        What cells of each variable add to the log-likelihood whatever the parameters: likelihoods that are not scaled
        to a maximum of 1, and the entropies of targets that are split.
    has_moving_targets : bool
        Whether there are targets that are not fixed: what is learned need not get better at every step then.
    ties : groups of variables
        Those of a group share one table.
    """

    layout: Layout
    decomposition: Decomposition
    objective: Objective
    plan: Plan
    component_of_block: tuple[int, ...]
    dataset: Source
    constants: Floats
    given: tuple[int, ...] = ()
    ties: Ties = ()
    has_moving_targets: bool = False

    @property
    def network(self) -> Network:
        return self.layout.network

    @property
    def bayesian(self) -> BayesianNetwork:
        """The network, where only a Bayesian one will do."""
        if not isinstance(self.network, BayesianNetwork):
            raise ModelError("this is only known of Bayesian networks; the network is a Markov network")
        return self.network

    @property
    def geometry(self) -> Geometry:
        """What the parameters may be, and their prior."""
        return self.objective.geometry

    @property
    def exponents(self) -> Floats:
        """The Dirichlet exponents ψ of a Bayesian network's parameters."""
        return self.geometry.follow(self._simplex.exponents)

    @property
    def prior_counts(self) -> Floats:
        """What a Bayesian network's prior adds to counts: of a shared table, to those of the one that leads."""
        return self._simplex.prior_counts

    @property
    def _simplex(self) -> Simplex:
        if not isinstance(self.geometry, Simplex):
            raise ModelError("only Bayesian networks have Dirichlet exponents; the network is a Markov network")
        return self.geometry

    @property
    def is_decomposed(self) -> bool:
        """Whether the objective has the decomposition's components; the textbook's has only one."""
        return self.objective.n_components == len(self.decomposition.components) + 1

    @cached_property
    def blocks(self) -> tuple[Block | None, ...]:
        """Per component of the decomposition, its block of the plan: its open variables and its distinct rows.

        None where nothing is open.
        """
        found: list[Block | None] = [None] * self.objective.n_components
        for block, component in zip(self.plan.blocks, self.component_of_block, strict=True):
            found[component] = block
        return tuple(found[: len(self.decomposition.components)])

    @cached_property
    def iterated(self) -> tuple[bool, ...]:
        """Per component of a decomposed task, whether counting does not solve it and all that share its table."""
        parts, together = self.decomposition.components, self.objective.stops_with
        is_open = np.zeros(len(together), dtype=bool)
        for k, (part, block) in enumerate(zip(parts, self.blocks, strict=True)):
            is_open[together[k]] |= not (part.is_complete or block is None)
        return tuple(is_open[together[: len(parts)]].tolist())

    @cached_property
    def whole_rows(self) -> int:
        """The distinct rows of the whole data."""
        data = self.decomposition.dataset.rows()
        return len(distinct_rows(data.codes, data.n_rows, data.ranges)[0])

    @cached_property
    def distinct_rows(self) -> tuple[int, ...]:
        """Per component, the distinct rows of its projected data."""
        data, parts = self.decomposition.dataset, self.decomposition.components
        if not self.is_decomposed:
            return tuple(data.project([*c.variables, *c.boundary]).n_rows for c in parts)
        rows = []
        for component, block in zip(parts, self.blocks, strict=True):
            if block is not None and not component.is_complete:
                rows.append(block.rows)
            else:  # a single factor, whose counts tell
                start, end = self.layout.starts[component.factors[0]], self.layout.starts[component.factors[0] + 1]
                rows.append(int(np.count_nonzero(self.objective.counts[start:end])))
        return tuple(rows)


def make_task(
    network: Network,
    dataset: Source,
    prior: Prior = 1.0,
    memory_limit: int = MEMORY_LIMIT,
    *,
    given: Collection[int] = (),
    ties: Sequence[Sequence[int]] = (),
    condition: bool = True,
    fixed: bool = True,
) -> LearningTask:
    """Decompose the problem and plan its inference.

    Hidden leaves of a Bayesian network are left out. Their expected counts would be θ(x|u) Pr(u|row), from which EM
    keeps θ as it is; with a prior it would creep to its mode, which they have at once. Those that are tied follow.

    Parameters
    ----------
    prior : Prior
        Dirichlet exponents or a prior on tables for a Bayesian network, Gaussian or Laplace for a Markov network.
    given : variables
        Of a Markov network: what is learned is the likelihood of all others given these, which must be observed
        in every row (a conditional random field, §2.2.1 [notes]).
    ties : groups of variables
        Of a Bayesian network: those of a group share one table. Their data terms stay apart, but they stop together.
    condition : bool
        False is the textbook way: one inference on the whole network per distinct row, nothing left out,
        and one component.
    fixed : bool
        Whether the targets of cells hold whatever else a row says; else they hold before it is known.
    """
    _check_given(network, dataset, given)
    ties, is_moving = check_ties(network, ties), not fixed and has_targets(dataset)
    data, entropies = _take_targets(dataset if condition else dataset.rows(), is_moving)
    decomposition = decompose(network, data)
    plan = _plan_data(decomposition, memory_limit, condition)
    layout, (of_factor, last) = plan.pool.layout, _number_components(decomposition, condition)
    # A variable in no factor is in no component.
    of_block = tuple(int(of_factor[block.factors[0]]) if block.factors else last for block in plan.blocks)
    component = of_factor.repeat(layout.starts[1:] - layout.starts[:-1])
    terms, n_fitted = _make_data_terms(plan, data, of_block, component, last, memory_limit, is_moving)
    if isinstance(network, MarkovNetwork):
        terms.append(_partition_term(network, plan.dataset, given, layout, last, memory_limit))
    geometry = _make_geometry(layout, prior, ties)
    own, evidence = sum_likelihoods(data) + entropies, _find_evidence(plan, terms)
    constant = weighted_counts(_find_homes(plan, of_factor, of_block, last), own, last + 1)
    objective = Objective(geometry, tuple(terms), component, last + 1, constant, evidence, 1, n_fitted, memory_limit)
    return LearningTask(
        layout, decomposition, objective, plan, of_block, dataset, own, tuple(sorted(given)), ties, is_moving
    )


def _plan_data(decomposition: Decomposition, memory_limit: int, condition: bool) -> Plan:
    """How the data is propagated, targets being likelihoods."""
    data, left_out = decomposition.dataset, decomposition.pruned if condition else ()
    evidence = replace(data.rows(), targets={}) if data.targets else data
    return make_plan(
        decomposition.network,
        evidence,
        memory_limit,
        without=left_out,
        passes=EXPECTED_PASSES,
        condition=condition,
        keep_rows=False,
    )


def _find_evidence(plan: Plan, terms: Sequence[Term]) -> Floats:
    """What the pool has after the parameters; nothing where no job reads it."""
    is_read = any(job.part.pieces[-1].factor < 0 for term in terms for job in term.jobs)
    return plan.pool.evidence if is_read else np.empty(0)


def _make_geometry(layout: Layout, prior: Prior, ties: Ties) -> Geometry:
    """What the parameters may be, and their prior."""
    if isinstance(layout.network, MarkovNetwork):
        return LogLinear.of(layout, prior)
    other = prior if isinstance(prior, TablePrior) else None
    return Simplex.of(layout, flat_exponents(layout.network, prior), tie_parameters(layout, ties), other)


def _make_data_terms(
    plan: Plan,
    data: Source,
    of_block: tuple[int, ...],
    component: Ints,
    last: int,
    memory_limit: int,
    is_moving: bool,
) -> tuple[list[Term], int]:
    """The terms of the data, those that must be propagated first in front; and how many likelihoods they find."""
    jobs, n_fitted, before = make_jobs(plan, of_block), 0, []
    if is_moving:
        jobs, term, n_fitted = meet_before(plan.network, data.rows(), jobs, component, last, memory_limit)
        before.append(term)
    elif data.targets:
        jobs, n_fitted = give_likelihoods(jobs, plan.pool, data.targets)
    return [*before, Term(1, _count_complete(plan), component, jobs)], n_fitted


def _take_targets(dataset: Source, is_moving: bool) -> tuple[Source, Floats]:
    """The data with the sets of its targets numbered, or with rows split; and the entropies of what was split."""
    if is_moving:
        return number_sets(dataset.rows()), np.zeros(len(dataset.variables))
    if not has_targets(dataset):
        return dataset, np.zeros(len(dataset.variables))
    split = split_targets(dataset.rows())
    return split.dataset, split.entropies


def _number_components(decomposition: Decomposition, condition: bool) -> tuple[Ints, int]:
    """Per factor its component of the objective, and the last one: that of what is in none, or of all."""
    last = len(decomposition.components) if condition else 0
    number = decomposition.component_of if condition else [-1] * len(decomposition.network.scopes)
    return np.array([k if k >= 0 else last for k in number], dtype=np.int64), last


def _check_given(network: Network, dataset: Source, given: Collection[int]) -> None:
    if given and not isinstance(network, MarkovNetwork):
        raise ModelError("given variables are for Markov networks; convert the network first (convert --markov)")
    for variable in given:
        if dataset.roles[variable] is not Role.OBSERVED:
            raise ModelError(
                f"{network.variables[variable].name!r} is given, but not observed in every row; "
                "leave out the rows without it, or do not give it"
            )


def _partition_term(
    network: MarkovNetwork,
    dataset: Source,
    given: Collection[int],
    layout: Layout,
    component: int,
    memory_limit: int,
) -> Term:
    """−N log Z: one row with nothing observed, N times; or a row for each distinct observation of what is given."""
    inputs = dataset.project(sorted(given))
    codes = np.full((len(network.variables), inputs.n_rows), MISSING, dtype=inputs.codes.dtype)
    codes[sorted(given)] = inputs.codes
    # With the likelihoods of the data, although no cell has one: the pool is the same for both terms.
    rows = Dataset(dataset.variables, codes, inputs.weights, dataset.likelihoods)
    plan = make_plan(network, rows, memory_limit, passes=EXPECTED_PASSES, keep_rows=False)
    home = np.full(layout.size, component, dtype=np.int64)
    return Term(-1, _count_complete(plan), home, make_jobs(plan, [component] * len(plan.blocks)))


def _count_complete(plan: Plan) -> Floats:
    """Weighted counts of every factor in the rows where it is complete."""
    counts = plan.count_observed()
    for block in plan.blocks:
        for complete in block.complete:
            counts += weighted_counts(complete.index, block.weights[complete.local_rows], len(counts))
    return counts


def _find_homes(plan: Plan, of_factor: Ints, of_block: tuple[int, ...], last: int) -> Ints:
    """Per variable, the component that it belongs to: that of its table, or of its block."""
    if isinstance(plan.network, BayesianNetwork):
        return of_factor
    home = np.full(len(plan.dataset.variables), last)
    for block, component in zip(plan.blocks, of_block, strict=True):
        home[list(block.variables)] = component
    return home
