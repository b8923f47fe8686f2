"""A learning problem: parameters laid end to end, what the data says about them, component by component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from engine.inference.plan import MEMORY_LIMIT, Plan, make_plan
from engine.learning.decomposition import Decomposition, decompose
from engine.learning.jobs import Chunk, Job, make_jobs
from engine.model.arrays import Bools, Floats, Ints, weighted_counts
from engine.model.dataset import FIRST_LIKELIHOOD, Dataset
from engine.model.distinct import distinct_rows
from engine.model.errors import Cancelled
from engine.model.network import BayesianNetwork
from engine.model.prior import Exponents, flat_exponents

EXPECTED_PASSES = 30
"""How many iterations a plan is made for."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the parameters of a network stand in one flat vector: its tables end to end, in C order.

    A *row* is a parameter set: the states of a variable given one configuration of its parents.
    """

    network: BayesianNetwork

    @cached_property
    def starts(self) -> Ints:
        """Per variable, where its table begins; last, the number of parameters."""
        return np.cumsum([0, *(table.size for table in self.network.tables)], dtype=np.int64)

    @cached_property
    def row_sizes(self) -> Ints:
        """Per row, its number of states."""
        sizes = [np.full(t.size // t.shape[-1], t.shape[-1]) for t in self.network.tables]
        return np.concatenate([np.empty(0, dtype=np.int64), *sizes])

    def flatten(self, tables: Sequence[Floats]) -> Floats:
        """The parameters of tables."""
        return np.concatenate([np.empty(0), *(table.reshape(-1) for table in tables)])

    def tables(self, theta: Floats) -> list[Floats]:
        """The tables that parameters stand for."""
        shapes = [table.shape for table in self.network.tables]
        return [theta[a:b].reshape(s) for a, b, s in zip(self.starts[:-1], self.starts[1:], shapes, strict=True)]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What one pass over the data finds at some parameters.

    Attributes
    ----------
    log_likelihood : array (components,)
        Σ w log Pr(row), split by component (Corollary 1 [thesis]); the last entry is that of pruned
        variables, 0.
    counts : array (parameters,)
        Σ w Pr(x u | row).
    """

    log_likelihood: Floats
    counts: Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise the likelihood (or posterior density) of parameters given a dataset.

    It has arrays to work in, so that only one thread may use it at a time.

    Attributes
    ----------
    row_starts, row_sizes : array (rows,)
        Parameter sets, as ranges of the flat vector.
    component : array (parameters,)
        The component of each parameter. The last component stands for what is in none: hidden leaves.
    n_components : int
        With that last one.
    exponents : array (parameters,)
        Dirichlet exponents ψ.
    static_counts : array (parameters,)
        What is counted in rows where a family is complete: the same whatever the parameters.
    constant : array (components,)
        What likelihood cells scaled to a maximum of 1 leave out of the log-likelihood.
    jobs : tuple of Job
        What must be propagated at every pass.
    pool : array
        To work in: the parameters, then what else the jobs read.
    propagated : array (components,)
        Rows propagated so far, added to by every pass. Problems made by :meth:`only` count into the same array.
    """

    row_starts: Ints
    row_sizes: Ints
    component: Ints
    n_components: int
    exponents: Floats
    static_counts: Floats
    constant: Floats
    jobs: tuple[Job, ...]
    pool: Floats
    propagated: Ints

    @property
    def n_parameters(self) -> int:
        return len(self.component)

    def evaluate(
        self,
        theta: Floats,
        cancelled: Callable[[], bool],
        visit: Callable[[Chunk], object] | None = None,
    ) -> Evaluation:
        """One pass over the data.

        Parameters
        ----------
        cancelled : callable
        visit : callable, optional
            Called with every chunk of rows, for learners that need more than counts.

        Raises
        ------
        Cancelled
            As soon as ``cancelled`` says so.
        """

        def check() -> None:
            if cancelled():
                raise Cancelled

        self.pool[: self.n_parameters] = theta
        likelihood = self.constant + self.sum(_xlogy(self.static_counts, theta))
        counts = self.static_counts.copy()
        for job in self.jobs:
            for chunk in job.chunks(self.pool, downward=True, check=check):
                likelihood += weighted_counts(chunk.component, chunk.log_likelihood, self.n_components)
                for _, index, marginal in chunk.families:
                    counts += weighted_counts(index.reshape(-1), marginal.reshape(-1), len(counts))
                if visit is not None:
                    visit(chunk)
        self.propagated[:] += self.rows_per_pass
        return Evaluation(likelihood, counts)

    def log_prior(self, theta: Floats) -> Floats:
        """Σ (ψ − 1) log θ per component."""
        if not self.has_prior:
            return np.zeros(self.n_components)
        return self.sum(_xlogy(self.exponents - 1, theta))

    @cached_property
    def incomplete(self) -> Ints:
        """The components with something to propagate."""
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(job.component for job in self.jobs)]))

    @cached_property
    def has_prior(self) -> bool:
        return bool((self.exponents != 1).any())

    def normalise(self, weights: Floats, otherwise: Floats) -> Floats:
        """Weights divided by the sum of their row; rows that sum to 0 are taken from ``otherwise``."""
        if not weights.size:
            return weights
        sums = np.repeat(np.add.reduceat(weights, self.row_starts), self.row_sizes)
        normalised: Floats = np.divide(weights, sums, out=otherwise.copy(), where=sums > 0)
        return normalised

    def change(self, theta: Floats, before: Floats) -> Floats:
        """The largest change of a parameter, per component."""
        largest = np.zeros(self.n_components)
        if theta.size:
            np.maximum.at(largest, self._run_component, np.maximum.reduceat(np.abs(theta - before), self._run_starts))
        return largest

    def only(self, components: Bools) -> Problem:
        """The problem with the data of some components only; parameters keep their places."""
        jobs = [job.only(components) for job in self.jobs]
        kept = components[self.component]
        return replace(
            self,
            static_counts=np.where(kept, self.static_counts, 0.0),
            constant=np.where(components, self.constant, 0.0),
            jobs=tuple(job for job in jobs if job is not None),
        )

    def apart(self) -> Problem:
        """The problem with arrays of its own to work in, for another thread."""
        none = np.zeros_like(self.propagated)
        return replace(self, pool=self.pool.copy(), propagated=none, jobs=tuple(job.apart() for job in self.jobs))

    def repeated(self, times: int) -> Problem:
        """The problem for several parameter vectors at once, laid end to end: restarts in one batch."""
        if times == 1:
            return self
        n, k = self.n_parameters, self.n_components
        shift = np.repeat(np.arange(times), n)
        rows = np.repeat(np.arange(times), len(self.row_starts))
        return Problem(
            np.tile(self.row_starts, times) + rows * n,
            np.tile(self.row_sizes, times),
            np.tile(self.component, times) + shift * k,
            k * times,
            np.tile(self.exponents, times),
            np.tile(self.static_counts, times),
            np.tile(self.constant, times),
            tuple(job.repeated(times, n, k) for job in self.jobs),
            np.concatenate([np.zeros(n * times), self.pool[n:]]),
            np.zeros(k * times, dtype=np.int64),
        )

    def sum(self, values: Floats) -> Floats:
        """Values of parameters added up by component."""
        if not values.size:
            return np.zeros(self.n_components)
        return weighted_counts(self._run_component, np.add.reduceat(values, self._run_starts), self.n_components)

    @cached_property
    def rows_per_pass(self) -> Ints:
        """Per component, the rows of data that a pass propagates."""
        rows = np.zeros(self.n_components, dtype=np.int64)
        for job in self.jobs:
            rows += np.bincount(job.component, minlength=self.n_components)
        return rows

    @cached_property
    def _run_starts(self) -> Ints:
        """Where runs of parameters of one component begin: far fewer than parameters."""
        return np.concatenate([[0], np.flatnonzero(np.diff(self.component)) + 1])

    @cached_property
    def _run_component(self) -> Ints:
        return self.component[self._run_starts]


@dataclass(frozen=True, eq=False)
class LearningTask:
    """A network, a dataset and a prior, with the decomposition and the problem they make.

    Attributes
    ----------
    distinct_rows : tuple of int
        Per component, the distinct rows of its projected data.
    whole_rows : int
        The distinct rows of the whole data.
    """

    layout: Layout
    decomposition: Decomposition
    problem: Problem
    plan: Plan

    @property
    def is_decomposed(self) -> bool:
        """Whether the problem has the decomposition's components; the textbook's has only one."""
        return self.problem.n_components == len(self.decomposition.components) + 1

    @cached_property
    def whole_rows(self) -> int:
        data = self.decomposition.dataset
        return len(distinct_rows(data.codes, data.n_rows)[0])

    @cached_property
    def distinct_rows(self) -> tuple[int, ...]:
        if not self.is_decomposed:
            data = self.decomposition.dataset
            return tuple(data.project([*c.variables, *c.boundary]).n_rows for c in self.decomposition.components)
        rows = [0] * len(self.decomposition.components)
        for block in self.plan.blocks:
            k = self.decomposition.component_of[block.variables[0]]
            if k >= 0:
                rows[k] = block.rows
        for k, component in enumerate(self.decomposition.components):
            if component.is_complete:
                start, end = self.layout.starts[component.variables[0]], self.layout.starts[component.variables[0] + 1]
                rows[k] = int(np.count_nonzero(self.problem.static_counts[start:end]))
        return tuple(rows)


def make_task(
    network: BayesianNetwork,
    dataset: Dataset,
    prior: Exponents = 1.0,
    memory_limit: int = MEMORY_LIMIT,
    *,
    condition: bool = True,
) -> LearningTask:
    """Decompose the problem and plan its inference.

    Hidden leaves are left out. Their expected counts would be θ(x|u) Pr(u|row), from which EM keeps θ as
    it is; with a prior it would creep to the prior's mode, which they are given at once.

    Parameters
    ----------
    condition : bool
        False is the textbook way: one inference on the whole network per distinct row, nothing left out,
        and one component.
    """
    layout = Layout(network)
    decomposition = decompose(network, dataset)
    plan = make_plan(
        network,
        dataset,
        memory_limit,
        without=decomposition.pruned if condition else (),
        passes=EXPECTED_PASSES,
        condition=condition,
        keep_rows=False,
    )
    last = len(decomposition.components) if condition else 0
    number = decomposition.component_of if condition else [-1] * len(network.variables)
    component_of = np.array([k if k >= 0 else last for k in number], dtype=np.int64)
    sizes = np.diff(layout.starts)
    row_starts = np.cumsum(np.concatenate([[0], layout.row_sizes])).astype(np.int64)[:-1]
    problem = Problem(
        row_starts,
        layout.row_sizes,
        np.repeat(component_of, sizes),
        last + 1,
        flat_exponents(network, prior),
        _count_complete(plan, layout),
        _likelihood_constants(dataset, component_of, last + 1),
        tuple(make_jobs(plan, component_of.tolist())),
        plan.pool.fill(network.tables),
        np.zeros(last + 1, dtype=np.int64),
    )
    return LearningTask(layout, decomposition, problem, plan)


def _count_complete(plan: Plan, layout: Layout) -> Floats:
    """Weighted counts of every family in the rows where it is complete."""
    counts = np.zeros(int(layout.starts[-1]))
    for factor in plan.observed_factors:
        start, end = layout.starts[factor], layout.starts[factor + 1]
        counts[start:end] += weighted_counts(
            plan.observed_index(factor) - start, plan.dataset.weights, int(end - start)
        )
    for block in plan.blocks:
        for complete in block.complete:
            counts += weighted_counts(complete.index, block.weights[complete.local_rows], len(counts))
    return counts


def _likelihood_constants(dataset: Dataset, component_of: Ints, n_components: int) -> Floats:
    """Σ w log max λ over the likelihood cells, per component."""
    constant = np.zeros(n_components)
    for variable, vectors in dataset.likelihoods.items():
        codes = dataset.codes[variable]
        soft = np.flatnonzero(codes <= FIRST_LIKELIHOOD)
        vector = FIRST_LIKELIHOOD - codes[soft].astype(np.int64)
        constant[component_of[variable]] += dataset.weights[soft] @ np.log(vectors.max(axis=1))[vector]
    return constant


def _xlogy(weights: Floats, theta: Floats) -> Floats:
    """weights · log θ, and 0 where the weight is 0 whatever θ is."""
    return np.asarray(xlogy(weights, theta), dtype=np.float64)
