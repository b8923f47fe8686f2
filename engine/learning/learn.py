"""Learning from start to end: a method by name, restarts in one batch, snapshots along the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.learning.course import Course
from engine.learning.distance import no_history
from engine.learning.learner import State
from engine.learning.learners.auto.learner import Auto
from engine.learning.methods import FACTOR_WISE, Method, find_method
from engine.learning.snapshot import Snapshot
from engine.learning.starts import make_starts
from engine.learning.stopping import Progress, Stopping, begin, iterate
from engine.learning.target_conflicts import describe_conflict
from engine.learning.targets.splitting import drop_targets
from engine.learning.task import LearningTask, make_task
from engine.learning.team import Team
from engine.learning.workers import learn_on_workers
from engine.learning.workspace import NEVER, Workspace
from engine.learning.zeros import describe_zeros
from engine.model.arrays import Floats, Ints
from engine.model.errors import Cancelled, ImpossibleEvidenceError, ModelError
from engine.model.network import MarkovNetwork, Network
from engine.model.prior import Prior
from engine.model.randomness import RandomState
from engine.model.source import Source
from engine.model.variable import list_names

MOST_BATCH_CELLS = 20_000_000
"""Restarts share a batch while their tables have no more cells than this."""
STOPS = ("converged", "time", "iterations", "cancelled")
"""Why learning ended. Of several reasons, the last of these is told."""


def learn(
    network: Network,
    dataset: Source,
    method: str | Method = "d-em",
    *,
    start: str | Network = "random",
    random_state: RandomState = 0,
    n_init: int = 1,
    prior: Prior = 1.0,
    given: Collection[int] = (),
    fixed: bool = True,
    ties: Sequence[Sequence[int]] = (),
    stopping: Stopping | None = None,
    memory_limit: int = MEMORY_LIMIT,
    cancelled: Callable[[], bool] = NEVER,
    executor: Executor | Team | None = None,
    task: LearningTask | None = None,
    resume: Snapshot | None = None,
) -> Iterator[Snapshot]:
    """Learn the parameters of a network, yielding a snapshot before the first step and after every one.

    Parameters
    ----------
    method : str or Method
        A key of :data:`~engine.learning.methods.METHODS`, or a method of the caller's own.
    start : {"random", "uniform", "current"} or Network
    n_init : int
        Restarts, run together as one batch; all are kept.
    given, ties, fixed : variables, groups of variables, bool
        See :func:`~engine.learning.task.make_task`. If targets are not fixed, the last snapshot has the best iterates.
    cancelled : callable
        Asked often, also inside a step: learning then ends with the last whole state, −∞ for what was not begun.
    executor : concurrent.futures.Executor or Team, optional
        Learns restarts, or components of them, each to the end, and counts the rows of what is large.
    task : LearningTask, optional
        That of the network, dataset and prior, if it was made before; the textbook's method makes its own.
    resume : Snapshot, optional
        Go on from there, counting on, with what has not converged; what a learner remembers besides is begun anew.
    """
    started = time.perf_counter() - (0.0 if resume is None else resume.seconds)
    chosen, stopping = find_method(method), stopping or Stopping()
    _refuse(chosen, chosen.reason_against(network, given, prior))
    if task is None or not chosen.conditioned:
        task = make_task(
            network, dataset, prior, memory_limit, given=given, ties=ties, condition=chosen.conditioned, fixed=fixed
        )
    _refuse(chosen, chosen.reason_against_data(task))
    restarts = max(n_init, chosen.restarts) if n_init > 0 else n_init
    starts = resume.theta if resume else make_starts(task, start, restarts, random_state)
    yield from _Runs(task, chosen, starts, stopping, started, resume).run(executor, cancelled)


def _refuse(method: Method, reason: str) -> None:
    if reason:
        raise ModelError(f"{method.title} {reason}")


class _Runs:
    """The restarts of one learning call, and what is known of each so far."""

    def __init__(
        self,
        task: LearningTask,
        method: Method,
        starts: Floats,
        stopping: Stopping,
        started: float,
        resumed: Snapshot | None = None,
    ) -> None:
        self.task, self.learner, self.started, self.resumed = task, method.learner_for(task), started, resumed
        self.can_share = not method.reason_to_stay(task)
        self.is_split = method.decomposed and task.objective.is_separable
        self.stopping = self._share(stopping)
        self.theta = starts
        self._iteration = self._inferences = 0
        self._courses: dict[int, tuple[Course, ...]] = {}  # per restart, that of its batch
        by_component = (len(starts), task.objective.n_components)
        self._known = {
            "theta": starts.copy(),
            "counts": np.zeros_like(starts),
            "log_likelihood": np.full(by_component, -np.inf),
            "objective": np.full(by_component, -np.inf),
            "iterations": np.zeros(by_component, dtype=np.int64),
            "converged": np.zeros(by_component, dtype=bool),
            "recent": np.array([no_history(by_component[1] if self.is_split else 1)] * len(starts)),
        }
        self.has_begun = False
        if resumed is not None and resumed.iterations.shape == by_component:  # the textbook's have one for all
            same = resumed.recent.shape == self._known["recent"].shape
            self._known |= {name: getattr(resumed, name) for name in self._known if same or name != "recent"}

    def _share(self, stopping: Stopping) -> Stopping:
        """When units end: if each has no more to go than its share, a restart has no more than was asked for."""
        if stopping.until is None or not self.is_split:
            return stopping
        objective = self.task.objective
        counted = self.learner.counts_complete_data
        units = len(objective.incomplete) if counted else objective.n_components
        return replace(stopping, until=stopping.until / max(1, units))

    def run(self, executor: Executor | Team | None, cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
        """All restarts, to the end or until they are cancelled."""
        try:
            if executor is not None and self.can_share and self.resumed is None:
                team = executor if isinstance(executor, Team) else Team(executor)
                yield from self.on_workers(team, cancelled)
            else:
                yield from self.in_batches(cancelled)
        except Cancelled:  # outside of a step: all that was learned is recorded
            before = None if self.has_begun else self.resumed
            yield self.snapshot("cancelled") if before is None else replace(before, stop="cancelled")

    def in_batches(self, cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
        """All restarts, as many at a time as fit a batch."""
        objective = self.task.objective
        cells = max(1, sum(job.part.tree.cells * job.part.rows for job in objective.jobs))
        size = int(max(1, min(len(self.theta), MOST_BATCH_CELLS // cells)))
        seconds, stops, inferences = 0.0, [], 0
        if self.resumed is not None:
            seconds, inferences = self.resumed.seconds, self.resumed.inferences
        for first in range(0, len(self.theta), size):
            batch = slice(first, min(first + size, len(self.theta)))
            work = Workspace(objective.repeated(batch.stop - first))
            begun = self._begin(work, batch, seconds, cancelled)
            self._inferences = inferences + begun.inferences
            yield self._record(batch, begun, "")
            best = begun.state
            for progress in iterate(self.learner, work, begun, self.stopping, cancelled):
                self._inferences = inferences + progress.inferences
                if self.task.has_moving_targets:
                    best = self._keep_best(progress.state, best)
                    progress = replace(progress, state=best) if progress.stop else progress
                stops += [progress.stop] if progress.stop else []
                ends = progress.stop == "cancelled" or (progress.stop and batch.stop == len(self.theta))
                yield self._record(batch, progress, max(stops, key=STOPS.index) if ends else "")
            if progress.stop == "cancelled":
                return
            seconds, inferences = progress.seconds, self._inferences

    def on_workers(self, team: Team, cancelled: Callable[[], bool]) -> Iterator[Snapshot]:
        """Restarts, or components of each, learned to the end by workers."""
        work, objective = Workspace(self.task.objective), self.task.objective
        begun: list[Progress] = []
        stops: list[str] = []
        spent = np.zeros(len(self.theta), dtype=np.int64)
        for k in range(len(self.theta)):
            progress = self._begin(work, slice(k, k + 1), begun[-1].seconds if begun else 0.0, cancelled)
            begun.append(progress)
            spent[k] = progress.inferences
            self._inferences = int(spent.sum())
            yield self._record(slice(k, k + 1), progress, "")
        begun = [replace(progress, seconds=begun[-1].seconds) for progress in begun]
        shares_rows = not isinstance(self.learner, FACTOR_WISE)
        for k, progress in learn_on_workers(
            team, self.learner, objective, begun, self.stopping, cancelled, shares_rows
        ):
            spent[k] = progress.inferences
            self._inferences = int(spent.sum())
            stops += [progress.stop] if progress.stop else []
            ends = bool(progress.stop) and not team.left
            whole = replace(progress, iteration=max(self._iteration, progress.iteration))
            yield self._record(slice(k, k + 1), whole, max(stops, key=STOPS.index) if ends else "")

    def _begin(self, work: Workspace, batch: slice, seconds: float, cancelled: Callable[[], bool]) -> Progress:
        """The progress of some restarts before their first step, when others have taken some seconds."""
        theta = self.theta[batch]
        progress = begin(self.learner, work, theta.reshape(-1), self._units(len(theta)), cancelled)
        self._check_possible(progress)
        self.has_begun = True
        return replace(self._go_on(progress, batch), seconds=seconds + progress.seconds)

    def _go_on(self, progress: Progress, batch: slice) -> Progress:
        """A progress before the first step, of restarts that have come some way before."""
        if self.resumed is None:
            return progress
        iterations, converged = self.resumed.iterations[batch], self.resumed.converged[batch]
        recent = self._known["recent"][batch].reshape(progress.recent.shape)
        if self.is_split:
            iterations, converged = iterations.reshape(-1), converged.reshape(-1)
        else:
            iterations, converged = iterations.max(axis=1), converged.min(axis=1)
        is_known = np.isfinite(recent[:, 0])
        return replace(
            progress,
            iterations=iterations,
            active=progress.active & ~converged,
            recent=np.where(is_known[:, None], recent, progress.recent),
            iteration=int(iterations.max(initial=0)),
        )

    def _keep_best(self, state: State, best: State) -> State:
        """Of each restart, the better of two states."""
        per_restart = self.task.objective.n_components
        is_better = state.objective.reshape(-1, per_restart).sum(axis=1) > (
            best.objective.reshape(-1, per_restart).sum(axis=1)
        )
        parameters = np.repeat(is_better, self.theta.shape[1])
        return state.choose(np.repeat(is_better, per_restart), parameters, best)

    def _units(self, restarts: int) -> Ints:
        """Per component of a batch, what it stops with: itself, those it shares tables with, or the whole restart."""
        per_restart = self.task.objective.n_components
        if not self.is_split:
            return np.arange(restarts * per_restart) // per_restart
        shift = np.arange(restarts)[:, None] * per_restart
        return (self.task.objective.stops_with + shift).reshape(-1)

    def _check_possible(self, progress: Progress) -> None:
        likelihood = progress.state.log_likelihood
        if np.minimum.reduce(likelihood) > -np.inf:
            return
        is_impossible = np.isneginf(likelihood)
        objective, components = self.task.objective, self.task.decomposition.components
        impossible = np.unique(np.flatnonzero(is_impossible) % objective.n_components)
        if self.learner.counts_complete_data and objective.is_separable:  # which needs no start
            impossible = np.intersect1d(impossible, objective.incomplete)
        if impossible.size:
            restart = int(np.flatnonzero(is_impossible)[0]) // objective.n_components
            self._check_targets(progress.state.theta.reshape(-1, self.theta.shape[1])[restart])
            if isinstance(self.task.network, MarkovNetwork):
                data = drop_targets(self.task.dataset.rows())
                raise ImpossibleEvidenceError(describe_zeros(self.task.network, data, objective.memory_limit))
            first = int(impossible[0])
            variables = components[first].variables if self.task.is_decomposed and first < len(components) else ()
            names = list_names([self.task.network.variables[v].name for v in variables], most=6)
            raise ImpossibleEvidenceError(
                f"some rows have probability 0 under the starting parameters of {names or 'the network'}, "
                "so that nothing can be learned from them; start from other parameters (random or uniform)"
            )

    def _check_targets(self, theta: Floats) -> None:
        """Raise an error if the starting parameters exclude a target."""
        task = self.task
        if not task.dataset.targets:
            return
        start = task.network.with_tables(task.layout.tables(theta))
        is_fixed, limit = not task.has_moving_targets, task.objective.memory_limit
        conflict = describe_conflict(start, task.dataset.rows(), is_fixed, limit)
        if conflict:
            raise ImpossibleEvidenceError(conflict)

    def _record(self, batch: slice, progress: Progress, stop: str) -> Snapshot:
        """A snapshot of all restarts; those of other batches are as they were left."""
        state, unit = progress.state, progress.unit
        news = {
            "theta": state.theta,
            "counts": self.task.geometry.follow(state.counts.reshape(batch.stop - batch.start, -1)),
            "log_likelihood": state.log_likelihood,
            "objective": state.objective,
            "iterations": progress.iterations[unit],
            "converged": ~progress.active[unit],
            "recent": progress.recent,
        }
        is_whole = batch.stop - batch.start == len(self.theta)
        for name, values in news.items():
            known = self._known[name]
            if is_whole:
                self._known[name] = values.reshape(known.shape)
            else:
                self._known[name] = known = known.copy()
                known[batch] = values.reshape(known[batch].shape)
        self._iteration = progress.iteration
        if isinstance(self.learner, Auto):
            courses = self.learner.courses(state)
            if courses and self.is_split:
                courses = tuple(courses[k] for k in self.task.objective.stops_with)
            self._courses |= dict.fromkeys(range(batch.start, batch.stop), courses)
        return self.snapshot(stop)

    def snapshot(self, stop: str) -> Snapshot:
        """What is known of all restarts."""
        seconds = time.perf_counter() - self.started
        courses: tuple[Course, ...] = ()
        if self._courses:
            courses = self._courses.get(int(np.argmax(self._known["objective"].sum(axis=1))), ())
        return Snapshot(
            self.task, self._iteration, seconds, self._inferences, stop=stop, courses=courses, **self._known
        )
