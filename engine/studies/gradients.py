"""The gradient of Markov networks with and without data decomposition: what both take to the same optimum.

Decomposed L-BFGS climbs from random parameters until a step changes the objective by at most 10⁻⁹ of it, or
no slope is above 10⁻⁴ of the rows. The whole gradient makes one inference on the whole network per distinct
row, and goes the same way: it is timed on some rows, and scaled to all of them and to as many passes. Beside
the times stands the *work*: the cells of all tables that a pass visits, which is the same on every machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.learning.learn import learn
from engine.learning.objective import Objective
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import NEVER, Workspace
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.errors import Cancelled, MemoryLimitError
from engine.model.network import MarkovNetwork, as_markov
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import warm_up
from engine.studies.study import Settings

RELATIVE = 1e-9
"""The climb ends when a step changes the objective by no more than this part of it."""
SLOPE = 1e-4
"""It has converged before where no slope is above this part of the rows: either will do."""
TIMED_ROWS, TIMED_PASSES, TIMED_SECONDS = 64, 9, 3.0
"""The whole gradient is timed on so many distinct rows, so often unless that takes longer."""
WHOLE = (
    "whole: one inference on the whole network per distinct row, timed on some rows and scaled to all of them and to "
    "as many passes as the decomposed gradient makes, which has the same objective and gradient"
)

LIVE = Live(
    ("d-lbfgs",),
    "How few distinct rows has each component, of all rows of the data? The Parts tab lists them: each is propagated "
    "in a small part of the network, once an iteration.",
)


@dataclass(frozen=True)
class Climb:
    """The gradient on one problem.

    Attributes
    ----------
    passes : float
        How often all rows were propagated.
    distinct : int
        Rows that differ.
    cells, whole_cells : int
        Of the tables that a pass visits, decomposed and whole.
    seconds : float
        Processor time, decomposed, set-up included.
    whole_seconds, whole_cells : optional
        None where the whole network's tables do not fit into memory.
    stop : str
        "converged", "iterations" or "time".
    """

    network: str
    hidden: float
    rows: int
    iterations: int
    passes: float
    distinct: int
    cells: int
    whole_cells: int | None
    seconds: float
    whole_seconds: float | None
    objective: float
    stop: str

    @property
    def speed_up(self) -> float | None:
        """How many times longer the whole gradient takes; none is known if the climb was cut short."""
        if self.whole_seconds is None or self.stop == "time":
            return None
        return self.whole_seconds / self.seconds

    @property
    def work_saved(self) -> float | None:
        """How many times more cells a pass of the whole gradient visits."""
        return None if self.whole_cells is None else self.whole_cells / self.cells


def time_gradients(
    rows: int, settings: Settings, problem: LearningProblem, cancelled: Callable[[], bool] = NEVER
) -> Climb:
    """Climb on a problem of a Markov network."""
    markov, data = as_markov(problem.network), problem.dataset
    last, passes, seconds = climb(markov, data, settings, problem.start, cancelled)
    distinct = data.project(range(len(markov.variables)))
    whole = measure_whole(markov, distinct)
    return Climb(
        problem.name,
        problem.hidden,
        rows,
        last.iteration,
        passes,
        distinct.n_rows,
        _count_cells(last.task.objective)[0],
        None if whole is None else whole[1],
        seconds,
        None if whole is None else whole[0] * passes,
        float(last.objective.sum()),
        last.stop or ("time" if seconds >= settings.max_seconds else "converged"),
    )


def climb(
    network: MarkovNetwork,
    data: Dataset,
    settings: Settings,
    random_state: int = 0,
    cancelled: Callable[[], bool] = NEVER,
) -> tuple[Snapshot, float, float]:
    """The last snapshot of decomposed L-BFGS, its passes, and its seconds. Slopes are looked at off its time."""
    warm_up("d-lbfgs", 1.0)
    before, spent = -np.inf, 0.0
    started = time.process_time()
    work: Workspace | None = None
    stopping = Stopping(0.0, "likelihood", max_iter=settings.max_iter)
    for last in learn(network, data, "d-lbfgs", random_state=random_state, stopping=stopping, cancelled=cancelled):
        spent += time.process_time() - started
        if last.stop == "cancelled":
            raise Cancelled
        work = work or Workspace(last.task.objective)
        reached = float(last.objective.sum())
        is_still = abs(reached - before) <= RELATIVE * abs(reached)
        before = reached
        is_over = is_still or bool(last.stop) or spent >= settings.max_seconds
        if is_over or find_slope(work, last) <= SLOPE * data.total_weight:
            break
        started = time.process_time()
    return last, last.inferences / float(last.task.objective.rows_per_pass.sum()), spent


def find_slope(work: Workspace, snapshot: Snapshot) -> float:
    """The steepest slope of the objective by a logarithm of a factor."""
    found = work.evaluate(snapshot.theta[0])
    return float(np.abs(found.counts - found.model_counts).max())


def measure_whole(network: MarkovNetwork, distinct: Dataset) -> tuple[float, int] | None:
    """Seconds and cells of a pass that infers in the whole network per row; None where that needs too much memory."""
    some = distinct.take(np.arange(min(TIMED_ROWS, distinct.n_rows)))
    try:
        task = make_task(network, some, condition=False)
    except MemoryLimitError:
        return None
    times = distinct.n_rows / some.n_rows
    every, data = _count_cells(task.objective)
    seconds = time_pass(task.objective, task.layout.flatten(network.tables))
    return seconds * times, round(data * times) + every - data


def time_pass(objective: Objective, theta: Floats) -> float:
    """Processor seconds of a pass: the median of some."""
    work = Workspace(objective)
    work.evaluate(theta)  # makes its arrays
    found: list[float] = []
    while len(found) < TIMED_PASSES and sum(found) < TIMED_SECONDS:
        started = time.process_time()
        work.evaluate(theta)
        found.append(time.process_time() - started)
    return statistics.median(found)


def _count_cells(objective: Objective) -> tuple[int, int]:
    """The cells of the tables that a pass visits, and of these the data's."""
    every = sum(job.part.tree.cells * job.part.rows for job in objective.jobs)
    data = sum(job.part.tree.cells * job.part.rows for term in objective.terms if term.sign > 0 for job in term.jobs)
    return int(every), int(data)


def describe_limits(outcomes: Sequence[Climb]) -> list[str]:
    """Notes on climbs that did not come to their end."""
    limits = {
        "the whole gradient needs too much memory": [each.whole_seconds is None for each in outcomes],
        "the climb ran out of time: there is no speed-up": [each.stop == "time" for each in outcomes],
        "the climb stopped at the iteration limit": [each.stop == "iterations" for each in outcomes],
    }
    told = [f"in {sum(found)} of {len(outcomes)} problems {what}" for what, found in limits.items() if any(found)]
    return [WHOLE, *told]
