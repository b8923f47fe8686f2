"""Learning shared out among the workers of an executor: components, restarts, and the rows of what is large.

What a worker is given is decided by the problem and not by how many workers there are, and the rows of a large
component are added up in the same order whoever counts them. So results do not depend on the number of workers, to the
last bit.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace

import numpy as np

from engine.learning.learner import Learner
from engine.learning.objective import Objective
from engine.learning.shared_rows import SharedRows
from engine.learning.stopping import Progress, Stopping, iterate
from engine.learning.team import POLL_SECONDS, Team
from engine.learning.workspace import NEVER, Workspace
from engine.model.arrays import Bools, Floats, weighted_counts
from engine.model.errors import Cancelled, PgmError

STOP_SECONDS = 5.0
"""How long workers that were told to stop are waited for."""
AHEAD = 2
"""Parcels per worker that are handed over at a time: what each works on, and the next."""
PARCEL_SECONDS = 1e-3
"""Estimated seconds of one pass that a parcel has at least: sending it takes as long as some of these."""
MOST_PARCELS = 64
"""Parcels of a restart at most, about."""


@dataclass(frozen=True, eq=False)
class Parcel:
    """Components of a restart that one worker learns to the end: what it is sent, and how long a pass takes it."""

    restart: int
    components: Bools
    units: Bools
    seconds: float


def learn_on_workers(
    team: Team,
    learner: Learner,
    objective: Objective,
    begun: Sequence[Progress],
    stopping: Stopping,
    cancelled: Callable[[], bool],
    shares_rows: bool = False,
) -> Iterator[tuple[int, Progress]]:
    """A restart and its progress, each time that one of its parcels is done; of what is learned here after every step.

    The progress's ``stop`` says why that parcel ended.

    Parameters
    ----------
    begun : sequence of Progress
        Of every restart, before its first step.
    shares_rows : bool
        Whether the learner asks for no more than counts, which are added up from chunks of the rows.
    """
    yield from _Sharing(team, learner, objective, begun, stopping, cancelled).run(shares_rows)


class _Sharing:
    """What is shared out, and what has come back of it."""

    def __init__(
        self,
        team: Team,
        learner: Learner,
        objective: Objective,
        begun: Sequence[Progress],
        stopping: Stopping,
        cancelled: Callable[[], bool],
    ) -> None:
        self.team, self.learner, self.objective, self.stopping = team, learner, objective, stopping
        self.begun, self.wholes, self.cancelled = begun, list(begun), cancelled
        self.started = time.perf_counter()
        self.lost: list[Parcel] = []

    def run(self, shares_rows: bool) -> Iterator[tuple[int, Progress]]:
        masks = split_components(self.objective, self.begun[0])
        parcels = [Parcel(k, *each) for k in range(len(self.begun)) for each in masks]
        parcels.sort(key=lambda parcel: -parcel.seconds)  # those that take longest first: the others fill in
        self.team.parcels = self.team.left = len(parcels)
        share = sum(parcel.seconds for parcel in parcels) / self.team.size
        fits = shares_rows and not self.objective.n_fitted
        large = [parcel for parcel in parcels if fits and parcel.seconds > max(self.team.shares_from, share)]
        for parcel in parcels:
            if not parcel.seconds:  # done in a step
                yield from self._learn_alone(parcel)
        for parcel in large:
            rows = SharedRows(self.objective.only(parcel.components), self.team)
            yield from self._learn_here(parcel, rows)
            if rows.trouble is not None:
                self.team.lose(rows.trouble)
        others = [parcel for parcel in parcels[len(large) :] if parcel.seconds]
        if len(others) > 1:
            yield from self._learn_there(deque(others))
        for parcel in self.lost if len(others) > 1 else others:
            yield from self._learn_alone(parcel)

    def _learn_alone(self, parcel: Parcel) -> Iterator[tuple[int, Progress]]:
        """A parcel learned in this process by nobody else."""
        yield from self._learn_here(parcel, Workspace(self.objective.only(parcel.components)))

    def _learn_here(self, parcel: Parcel, work: Workspace) -> Iterator[tuple[int, Progress]]:
        """A parcel learned in this process, whoever propagates its rows."""
        done = 0
        for some in iterate(self.learner, work, self._begin(parcel), self.stopping, self.cancelled):
            self.team.left -= bool(some.stop)
            yield self._merge(parcel, replace(some, inferences=some.inferences - done))
            done = some.inferences
        if some.stop == "cancelled":
            raise Cancelled

    def _learn_there(self, todo: deque[Parcel]) -> Iterator[tuple[int, Progress]]:
        """Parcels learned by workers. When cancelled, those not begun are dropped; what others have reached is kept."""
        pending: dict[Future[Progress], Parcel] = {}
        try:
            while todo or pending:
                while todo and len(pending) < AHEAD * self.team.size:
                    self._submit(todo.popleft(), pending)
                done, _ = wait(pending, POLL_SECONDS, FIRST_COMPLETED)
                yield from self._collect(done, pending)
                if (todo or pending) and self.cancelled():
                    yield from self._stop(pending)
                    raise Cancelled
                if self.team.gone:  # whatever the executor says: Dask may leave a future without an answer
                    for parcel in (*pending.values(), *todo):
                        self._lose(parcel, RuntimeError(self.team.gone))
                    return
        finally:
            for future in pending:
                future.cancel()

    def _submit(self, parcel: Parcel, pending: dict[Future[Progress], Parcel]) -> None:
        own = self.objective.only(parcel.components)
        try:
            future = self.team.submit(
                _learn_some, self.learner, own, self._begin(parcel), self.stopping, self.team.is_stopped
            )
        except RuntimeError as error:  # nobody is left
            self._lose(parcel, error)
        else:
            pending[future] = parcel

    def _collect(
        self, done: set[Future[Progress]], pending: dict[Future[Progress], Parcel]
    ) -> Iterator[tuple[int, Progress]]:
        for future in done:
            parcel = pending.pop(future)
            try:
                some = future.result()
            except PgmError:
                raise
            except Exception as error:  # if it is not the worker's fault, it comes up here again
                self._lose(parcel, error)
            else:
                self.team.left -= 1
                yield self._merge(parcel, some)

    def _lose(self, parcel: Parcel, error: BaseException) -> None:
        self.team.lose(error)
        self.lost.append(parcel)

    def _stop(self, pending: dict[Future[Progress], Parcel]) -> Iterator[tuple[int, Progress]]:
        """Stop the workers, and take what they have reached; what was not begun comes back as it was."""
        self.team.stop()
        if self.team.is_stopped is not None:
            done, _ = wait(pending, STOP_SECONDS)
            yield from self._collect(done, pending)

    def _begin(self, parcel: Parcel) -> Progress:
        """The progress of a parcel before its first step. Time is that of all together."""
        begun = self.begun[parcel.restart]
        seconds = begun.seconds + time.perf_counter() - self.started
        return replace(begun, active=begun.active & parcel.units, inferences=0, seconds=seconds)

    def _merge(self, parcel: Parcel, some: Progress) -> tuple[int, Progress]:
        """The progress of some components written into that of the whole restart."""
        whole, units = self.wholes[parcel.restart], parcel.units
        parameters = parcel.components[self.objective.component]
        merged = self.wholes[parcel.restart] = replace(
            whole,
            state=some.state.choose(parcel.components, parameters, whole.state),
            iterations=np.where(units, some.iterations, whole.iterations),
            active=np.where(units, some.active, whole.active),
            recent=np.where(units[:, None], some.recent, whole.recent),
            inferences=whole.inferences + some.inferences,
            iteration=max(whole.iteration, some.iteration),
            stop=some.stop,
        )
        return parcel.restart, merged


def split_components(objective: Objective, begun: Progress) -> list[tuple[Bools, Bools, float]]:
    """Parcels by components, units and seconds of a pass: what takes long alone, small things together.

    Units with nothing to propagate are a parcel of their own.
    """
    spent = weighted_counts(begun.unit, _estimate_seconds(objective), len(begun.active))
    least = max(PARCEL_SECONDS, float(spent.sum()) / MOST_PARCELS)
    parcels, small, gathered = [np.flatnonzero(begun.active & (spent == 0))], [], 0.0
    for unit in np.flatnonzero(spent):
        if spent[unit] >= least:
            parcels.append(np.array([unit]))
            continue
        small.append(unit)
        gathered += spent[unit]
        if gathered >= least:
            parcels.append(np.array(small))
            small, gathered = [], 0.0
    parcels.append(np.array(small, dtype=np.int64))
    found = []
    for some in parcels:
        if some.size:
            components = np.isin(begun.unit, some)
            units = np.isin(np.arange(len(begun.active)), some)
            found.append((components, units, float(spent[some].sum())))
    return found


def _estimate_seconds(objective: Objective) -> Floats:
    """Per component, how long a pass over its rows takes, by estimate."""
    seconds = np.zeros(objective.n_components)
    for job in objective.jobs:
        each = job.part.seconds / len(job.component)
        seconds += each * np.bincount(job.component, minlength=objective.n_components)
    return seconds


def _learn_some(
    learner: Learner,
    objective: Objective,
    progress: Progress,
    stopping: Stopping,
    is_stopped: Callable[[], bool] | None,
) -> Progress:
    """A worker's job: the active units to the end, or until it is told to stop. What the learner remembers is left."""
    for after in iterate(learner, Workspace(objective), progress, stopping, is_stopped or NEVER):
        progress = after
    return replace(progress, state=replace(progress.state, memory=None))
