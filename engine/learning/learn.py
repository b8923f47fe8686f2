"""Learning from start to end: a method by name, restarts in one batch, snapshots along the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.learning.base import NEVER, Learner, Progress, Stopping, begin, iterate
from engine.learning.learners.edml import EDML
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.hybrid import Hybrid
from engine.learning.problem import LearningTask, Problem, make_task
from engine.learning.starts import Symmetry, find_symmetries, make_starts
from engine.model.arrays import Bools, Floats, Ints
from engine.model.dataset import Dataset
from engine.model.errors import Cancelled, ImpossibleEvidenceError, ModelError
from engine.model.network import BayesianNetwork
from engine.model.prior import Exponents
from engine.model.randomness import RandomState
from engine.model.variable import list_names

MOST_BATCH_CELLS = 20_000_000
"""Restarts share a batch while their tables have no more cells than this."""
POLL_SECONDS = 0.1
"""How often ``cancelled`` is asked while an executor works."""
STOPS = ("converged", "time", "iterations", "cancelled")
"""Why learning ended. Of several reasons, the last of these is told."""


@dataclass(frozen=True)
class Method:
    """A way to learn.

    Attributes
    ----------
    title : str
    learner : Learner
    decomposed : bool
        Whether each component stops on its own.
    conditioned : bool
        Whether inference conditions on observed variables; False is the textbook baseline.
    complete : bool
        Whether it needs complete data.
    """

    title: str
    learner: Learner
    decomposed: bool = False
    conditioned: bool = True
    complete: bool = False


METHODS: Mapping[str, Method] = {
    "d-em": Method("decomposed EM", EM(), decomposed=True),
    "em": Method("EM", EM()),
    "em-textbook": Method("textbook EM", EM(), conditioned=False),
    "d-edml": Method("decomposed EDML", EDML(), decomposed=True),
    "edml": Method("EDML", EDML()),
    "d-hybrid": Method("decomposed hybrid", Hybrid(), decomposed=True),
    "hybrid": Method("hybrid", Hybrid()),
    "d-lbfgs": Method("decomposed L-BFGS", Gradient("lbfgs"), decomposed=True),
    "lbfgs": Method("L-BFGS", Gradient("lbfgs")),
    "d-cg": Method("decomposed CG", Gradient("cg"), decomposed=True),
    "cg": Method("CG", Gradient("cg")),
    "counting": Method("counting", EM(), decomposed=True, complete=True),
}
"""All methods, by their names on the command line and in the order in which they are offered."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Where learning stands, for all restarts.

    Attributes
    ----------
    iteration : int
    seconds : float
        Since the data was in memory, set-up included.
    inferences : int
        Rows propagated so far: in every pass, also those of a line search, the rows of all components and
        restarts that had not converged by then.
    theta, counts : array (restarts, parameters)
        Parameters, and the expected counts at them.
    log_likelihood, objective : array (restarts, components + 1)
        The last column is that of pruned variables.
    iterations : array (restarts, components + 1)
        Iterations that each component has made.
    converged : array (restarts, components + 1) of bool
    stop : str
        Why learning ended: "converged", "iterations", "time" or "cancelled"; empty while it goes on.
    """

    task: LearningTask
    iteration: int
    seconds: float
    inferences: int
    theta: Floats
    counts: Floats
    log_likelihood: Floats
    objective: Floats
    iterations: Ints
    converged: Bools
    stop: str

    @property
    def best(self) -> int:
        """The restart with the highest objective."""
        return int(np.argmax(self.objective.sum(axis=1)))

    def network(self, restart: int | None = None) -> BayesianNetwork:
        """The network with the parameters of a restart, by default the best."""
        theta = self.theta[self.best if restart is None else restart]
        return self.task.layout.network.with_tables(self.task.layout.tables(theta))

    def only(self, restart: int | None = None) -> Snapshot:
        """A restart alone, by default the best."""
        one = slice(k := self.best if restart is None else restart, k + 1)
        return replace(
            self,
            theta=self.theta[one],
            counts=self.counts[one],
            log_likelihood=self.log_likelihood[one],
            objective=self.objective[one],
            iterations=self.iterations[one],
            converged=self.converged[one],
        )

    def unseen(self, restart: int | None = None) -> list[tuple[int, int]]:
        """Parameter sets with neither data nor prior, which keep their start: (variable, row of its table)."""
        problem, starts = self.task.problem, self.task.layout.starts
        weights = self.counts[self.best if restart is None else restart] + (problem.exponents - 1)
        sums = np.add.reduceat(weights, problem.row_starts) if weights.size else weights
        pruned = problem.component[problem.row_starts] == len(self.task.decomposition.components)
        found = problem.row_starts[(sums <= 0) & ~pruned]
        variables = np.searchsorted(starts, found, side="right") - 1
        sizes = [variable.cardinality for variable in self.task.layout.network.variables]
        return [(int(v), int(at - starts[v]) // sizes[v]) for v, at in zip(variables, found, strict=True)]

    def symmetries(self, restart: int = 0) -> list[Symmetry]:
        """Hidden states that the parameters do not tell apart: learning never will."""
        tables = self.task.layout.tables(self.theta[restart])
        exponents = self.task.layout.tables(self.task.problem.exponents)
        return find_symmetries(self.task.decomposition, tables, exponents)


def learn(
    network: BayesianNetwork,
    dataset: Dataset,
    method: str | Method = "d-em",
    *,
    start: str | BayesianNetwork = "random",
    random_state: RandomState = 0,
    n_init: int = 1,
    prior: Exponents = 1.0,
    stopping: Stopping | None = None,
    memory_limit: int = MEMORY_LIMIT,
    cancelled: Callable[[], bool] = NEVER,
    executor: Executor | None = None,
    task: LearningTask | None = None,
) -> Iterator[Snapshot]:
    """Learn the parameters of a network, yielding a snapshot before the first step and after every one.

    Parameters
    ----------
    method : str or Method
        A key of :data:`METHODS`, or a method of the caller's own.
    start : {"random", "uniform", "current"} or BayesianNetwork
    n_init : int
        Restarts, run together as one batch; all are kept.
    cancelled : callable
        Asked often, also inside a long step; learning ends with the last whole state when it says yes. What
        was not begun by then has the objective −∞.
    executor : concurrent.futures.Executor, optional
        With a decomposed method, components are learned on it, each to the end; there is then one
        snapshot for each share of components that is done.
    task : LearningTask, optional
        That of the network, dataset and prior, if it was made before; its problem is not worked in, so that
        several calls may share it. The textbook's method makes its own.
    """
    started = time.perf_counter()
    chosen, stopping = find_method(method), stopping or Stopping()
    if task is None or not chosen.conditioned:
        task = make_task(network, dataset, prior, memory_limit, condition=chosen.conditioned)
    else:
        task = replace(task, problem=task.problem.apart())
    if chosen.complete and task.problem.jobs:
        open_variables = [network.variables[v].name for block in task.plan.blocks for v in block.variables]
        raise ModelError(
            f"{chosen.title} needs complete data, but values of {list_names(open_variables)} are missing; use em"
        )
    starts = make_starts(task.layout, task.problem, start, n_init, random_state)
    runs = _Runs(task, chosen, starts, stopping, started)
    try:
        if executor is not None and chosen.decomposed:
            yield from runs.on_executor(executor, cancelled)
        else:
            yield from runs.in_batches(cancelled)
    except Cancelled:  # outside of a step: all that was learned is recorded
        yield runs.snapshot("cancelled")


def find_method(name: str | Method) -> Method:
    """The method of a name."""
    if isinstance(name, Method):
        return name
    if name not in METHODS:
        raise ModelError(f"the method {name!r} is not known; use one of {', '.join(METHODS)}")
    return METHODS[name]


class _Runs:
    """The restarts of one learning call, and what is known of each so far."""

    def __init__(self, task: LearningTask, method: Method, starts: Floats, stopping: Stopping, started: float) -> None:
        self.task, self.method, self.stopping, self.started = task, method, stopping, started
        self.theta = starts
        self._iteration = self._inferences = 0
        by_component = (len(starts), task.problem.n_components)
        self._known = {
            "theta": starts.copy(),
            "counts": np.zeros_like(starts),
            "log_likelihood": np.full(by_component, -np.inf),
            "objective": np.full(by_component, -np.inf),
            "iterations": np.zeros(by_component, dtype=np.int64),
            "converged": np.zeros(by_component, dtype=bool),
        }

    def in_batches(self, cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
        """All restarts, as many at a time as fit a batch."""
        problem = self.task.problem
        cells = max(1, sum(job.part.tree.cells * job.part.rows for job in problem.jobs))
        size = int(max(1, min(len(self.theta), MOST_BATCH_CELLS // cells)))
        seconds, stops = 0.0, []
        for first in range(0, len(self.theta), size):
            batch = slice(first, min(first + size, len(self.theta)))
            repeated = problem.repeated(batch.stop - first)
            begun = self._begin(repeated, batch, seconds, cancelled)
            yield self._record(batch, begun, "")
            for progress, rows in _iterate(self.method.learner, repeated, begun, self.stopping, cancelled):
                self._inferences += rows
                stops += [progress.stop] if progress.stop else []
                ends = progress.stop == "cancelled" or (progress.stop and batch.stop == len(self.theta))
                yield self._record(batch, progress, max(stops, key=STOPS.index) if ends else "")
            if progress.stop == "cancelled":
                return
            seconds = progress.seconds

    def on_executor(self, executor: Executor, cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
        """Shares of the components, each learned to the end by a worker."""
        problem = self.task.problem
        seconds, stops = 0.0, []
        for k in range(len(self.theta)):
            one = slice(k, k + 1)
            progress = self._begin(problem, one, seconds, cancelled)
            yield self._record(one, progress, "")
            started = time.perf_counter()
            futures = {}
            for share in _share_components(problem):
                begun = replace(progress, active=share)
                work = problem.only(share).apart()
                futures[executor.submit(_learn_share, self.method.learner, work, begun, self.stopping)] = share
            left = len(futures)
            for done in _completed(futures, cancelled):
                left -= 1
                learned, rows = done.result()
                self._inferences += rows
                progress = _merge(problem, progress, learned, futures[done])
                stops.append(learned.stop)
                ends = left == 0 and k == len(self.theta) - 1
                yield self._record(one, progress, max(stops, key=STOPS.index) if ends else "")
            seconds = progress.seconds + time.perf_counter() - started

    def _begin(self, problem: Problem, batch: slice, seconds: float, cancelled: Callable[[], bool]) -> Progress:
        """The progress of some restarts before their first step, when others have taken some seconds."""
        theta = self.theta[batch]
        before = problem.propagated.sum()
        progress = begin(self.method.learner, problem, theta.reshape(-1), self._units(len(theta)), cancelled)
        self._inferences += int(problem.propagated.sum() - before)
        self._check_possible(progress)
        return replace(progress, seconds=seconds + progress.seconds)

    def _units(self, restarts: int) -> Ints:
        """Per component of a batch, what it stops with: itself, or the whole restart."""
        per_restart = self.task.problem.n_components
        every = np.arange(restarts * per_restart)
        return every if self.method.decomposed else every // per_restart

    def _check_possible(self, progress: Progress) -> None:
        problem, components = self.task.problem, self.task.decomposition.components
        impossible = np.unique(np.flatnonzero(np.isneginf(progress.state.log_likelihood)) % problem.n_components)
        if self.method.learner.counts_complete_data:  # which needs no start
            impossible = np.intersect1d(impossible, problem.incomplete)
        if impossible.size:
            variables = components[impossible[0]].variables if self.task.is_decomposed else ()
            names = list_names([self.task.layout.network.variables[v].name for v in variables], most=6)
            raise ImpossibleEvidenceError(
                f"some rows have probability 0 under the starting parameters of {names or 'the network'}, "
                "so that nothing can be learned from them; start from other parameters (random or uniform)"
            )

    def _record(self, batch: slice, progress: Progress, stop: str) -> Snapshot:
        """A snapshot of all restarts; those of other batches are as they were left."""
        state, unit = progress.state, progress.unit
        news = {
            "theta": state.theta,
            "counts": state.counts,
            "log_likelihood": state.log_likelihood,
            "objective": state.objective,
            "iterations": progress.iterations[unit],
            "converged": ~progress.active[unit],
        }
        for name, values in news.items():
            rows = values.reshape(batch.stop - batch.start, -1)
            if len(rows) < len(self.theta):
                merged = self._known[name].copy()
                merged[batch] = rows
                rows = merged
            self._known[name] = rows
        self._iteration = progress.iteration
        return self.snapshot(stop)

    def snapshot(self, stop: str) -> Snapshot:
        """What is known of all restarts."""
        seconds = time.perf_counter() - self.started
        return Snapshot(self.task, self._iteration, seconds, self._inferences, stop=stop, **self._known)


def _iterate(
    learner: Learner, problem: Problem, progress: Progress, stopping: Stopping, cancelled: Callable[[], bool] = NEVER
) -> Iterator[tuple[Progress, int]]:
    """Step a learner; with every progress, the rows that its step has propagated for units that were active."""
    active = progress.active[progress.unit]
    before = problem.propagated.copy()
    for after in iterate(learner, problem, progress, stopping, cancelled):
        yield after, int((problem.propagated - before)[active].sum())
        active = after.active[after.unit]
        before = problem.propagated.copy()


def _share_components(problem: Problem) -> list[Bools]:
    """Components with something to propagate one by one, and all the others as one share."""
    busy = np.zeros(problem.n_components, dtype=bool)
    for job in problem.jobs:
        busy[job.component] = True
    shares = [np.arange(problem.n_components) == k for k in np.flatnonzero(busy)]
    return [*shares, ~busy] if not busy.all() else shares


def _completed(
    futures: Collection[Future[tuple[Progress, int]]], cancelled: Callable[[], bool]
) -> Iterator[Future[tuple[Progress, int]]]:
    """Futures as they end. When cancelled, those not begun are dropped, and the others not waited for."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, POLL_SECONDS, FIRST_COMPLETED)
        yield from done
        if pending and cancelled():
            for future in pending:
                future.cancel()
            raise Cancelled


def _learn_share(learner: Learner, problem: Problem, progress: Progress, stopping: Stopping) -> tuple[Progress, int]:
    """A worker's job: the active components to the end, and the rows it has propagated for them."""
    propagated = 0
    for after, rows in _iterate(learner, problem, progress, stopping):
        progress, propagated = after, propagated + rows
    return progress, propagated


def _merge(problem: Problem, whole: Progress, share: Progress, components: Bools) -> Progress:
    """The progress of a share written into that of the whole; every component is its own unit."""
    parameters = components[problem.component]
    state = replace(
        whole.state,
        theta=np.where(parameters, share.state.theta, whole.state.theta),
        log_likelihood=np.where(components, share.state.log_likelihood, whole.state.log_likelihood),
        objective=np.where(components, share.state.objective, whole.state.objective),
        counts=np.where(parameters, share.state.counts, whole.state.counts),
    )
    return replace(
        whole,
        state=state,
        iterations=np.where(components, share.iterations, whole.iterations),
        active=np.where(components, share.active, whole.active),
        iteration=max(whole.iteration, share.iteration),
    )
