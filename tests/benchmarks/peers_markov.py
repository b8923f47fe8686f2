"""The decomposed gradient of Markov networks beside autodiff through variable elimination."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from engine.learning.learn import learn
from engine.learning.starts import make_starts
from engine.learning.stopping import Stopping
from engine.learning.task import LearningTask, make_task
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.network import MarkovNetwork
from engine.simulation.generators import chain_markov, grid_markov
from engine.simulation.missingness import hide_fraction
from engine.simulation.sampling import simulate
from tests.benchmarks.clock import measure_together, time_once
from tests.benchmarks.comparing import SAME, Attempt, compare
from tests.benchmarks.markov import HIDDEN, TABLE
from tests.benchmarks.report import Report, ratio, seconds

PEER = "jax"
"""The module that autodiff needs."""
CLOSE = 1e-8
"""How far its height may be from ours, as part of it, and its slopes, as part of the rows."""
ITERATIONS = 20
MOST_ITERATIONS = 1000
NOTE = (
    f"Markov networks: {HIDDEN:.0%} of the variables hidden. Autodiff is what a good engineer would write today: "
    "JAX differentiates variable elimination (CPU, one thread, double precision, compiled; equal rows merged, "
    "observed variables conditioned out, our elimination order, what is complete counted beforehand). Height and "
    f"slopes must be ours before anything is timed. Then SciPy's L-BFGS-B makes {ITERATIONS} iterations from the "
    "same start with each gradient. In CPU seconds; what it takes to prepare is apart (ours: the plan; autodiff: "
    "above all the compiler)."
)
COLUMNS = (
    "network, rows",
    "distinct",
    "ours a pass",
    "slopes apart",
    "a pass, ours",
    "autodiff",
    "as long",
    f"{ITERATIONS} iterations: apart",
    "ours",
    "autodiff",
    "as long",
    "prepared, ours",
    "autodiff",
    "why there is no ratio",
)
END_NOTE = (
    "To the end: autodiff with SciPy's L-BFGS-B until a step changes the height by no more than 1e-9 of it, "
    f"prepared before; and our own learner, D-L-BFGS, from the same start until it is as high, to {SAME:g} nats, "
    "its plan included."
)
END_COLUMNS = (
    "network, rows",
    "autodiff ends at",
    "iterations",
    "seconds",
    "ours above",
    "iterations",
    "seconds",
    "as long",
    "why there is no ratio",
)
Evaluate = Callable[[Floats], tuple[float, Floats]]


@dataclass(frozen=True, eq=False)
class Race:
    """A problem, and both ways to find height and slopes, which were found to be the same."""

    title: str
    network: MarkovNetwork
    data: Dataset
    task: LearningTask
    start: Floats
    ours: Evaluate
    peer: Evaluate


def run_markov(quick: bool, report: Report) -> None:
    """Print how long both gradients take; without JAX, what is absent."""
    report.note(NOTE)
    if find_spec(PEER) is None:
        report.note(f"absent: autodiff needs {PEER}; pip install --editable '.[peers]', as make bench does")
        return
    races = []
    with report.table(COLUMNS) as table:
        for title, network, rows in _problems(quick):
            data = hide_fraction(simulate(network, rows, 1), HIDDEN, 1)
            cells, race = _measure(f"{title}, {rows:,}", network, data)
            races += [race] if race else []
            table.row(*cells)
    report.note(END_NOTE)
    with report.table(END_COLUMNS) as table:
        for race in races:
            table.row(race.title, *_measure_end(race))


def _problems(quick: bool) -> Iterator[tuple[str, MarkovNetwork, int]]:
    if quick:
        yield "chain-8", chain_markov(8, random_state=1), 64
        return
    yield "chain-50", TABLE["chain-50"].make(), 2**12
    yield "grid 6 × 6", grid_markov(6, 6, random_state=1), 2**12
    yield "alarm", TABLE["alarm"].make(), 2**12
    yield "grid 9 × 9", TABLE["grid 9 × 9"].make(), 2**13


def evaluate_ours(work: Workspace, eta: Floats) -> tuple[float, Floats]:
    """Height and slopes at logarithms of the factors' cells."""
    geometry = work.objective.geometry
    theta = geometry.from_free(eta)
    found = work.evaluate(theta)
    return float(found.log_likelihood.sum()), geometry.pull_back(theta, found.counts, found.model_counts)


def find_gap(ours: Evaluate, peer: Evaluate, eta: Floats, rows: float) -> tuple[float, str]:
    """How far slopes are apart, as part of the rows; and what is wrong if they or the heights are not the same."""
    (height, slopes), (other, others) = ours(eta), peer(eta)
    apart = float(np.abs(slopes - others).max()) / rows
    if not abs(height - other) <= CLOSE * abs(height):
        return apart, f"another height: {other - height:+.1e} nats"
    return apart, "" if apart <= CLOSE else "other slopes"


def _measure(title: str, network: MarkovNetwork, data: Dataset) -> tuple[list[str], Race | None]:
    from tests.benchmarks.autodiff import Autodiff

    made: list[Autodiff] = []
    tasks: list[LearningTask] = []
    planned = time_once(lambda: tasks.append(make_task(network, data)))
    compiled = time_once(lambda: made.append(Autodiff(network, data)))
    task, peer = tasks[0], made[0].evaluate
    eta = task.geometry.to_free(make_starts(task, "random", 1, 1)[0])
    ours = partial(evaluate_ours, Workspace(task.objective))
    apart, wrong = find_gap(ours, peer, eta, data.total_weight)
    cells = [title, f"{made[0].distinct:,}", f"{int(task.objective.rows_per_pass.sum()):,}", f"{apart:.0e}"]
    if wrong:
        return [*cells, *["—"] * 9, wrong], None
    mine, theirs = measure_together([lambda: ours(eta), lambda: peer(eta)], 9)
    cells += [seconds(mine), seconds(theirs), ratio(theirs / mine)]
    first, second = (_attempt(name, way, eta) for name, way in (("ours", ours), ("autodiff", peer)))
    _, difference, _, times, reason = compare(first, second)
    cells += [difference, seconds(first.seconds), seconds(second.seconds), times, seconds(planned), seconds(compiled)]
    return [*cells, reason], Race(title, network, data, task, eta, ours, peer)


def climb(evaluate: Evaluate, eta: Floats, most: int, relative: float) -> OptimizeResult:
    """SciPy's L-BFGS-B, which goes down, with a gradient."""

    def fall(eta: Floats) -> tuple[float, Floats]:
        height, slopes = evaluate(eta)
        return -height, -slopes

    options = {"maxiter": most, "maxfun": 10 * most, "ftol": relative, "gtol": 0.0}
    return minimize(fall, eta, jac=True, method="L-BFGS-B", options=options)


def _attempt(tool: str, evaluate: Evaluate, eta: Floats) -> Attempt:
    found: list[OptimizeResult] = []
    took = time_once(lambda: found.append(climb(evaluate, eta, ITERATIONS, 0.0)))
    return Attempt(tool, took, -float(found[0].fun))


def _measure_end(race: Race) -> list[str]:
    found: list[OptimizeResult] = []
    theirs = time_once(lambda: found.append(climb(race.peer, race.start, MOST_ITERATIONS, 1e-9)))
    height = -float(found[0].fun)
    start = race.network.with_tables(race.task.layout.tables(race.task.geometry.from_free(race.start)))
    began = time.process_time()
    stopping = Stopping(tol=0.0, criterion="likelihood", max_iter=MOST_ITERATIONS)
    for last in learn(race.network, race.data, "d-lbfgs", start=start, stopping=stopping):
        above = float(last.log_likelihood.sum()) - height
        if above >= -SAME:
            break
    mine = time.process_time() - began
    as_high = above >= -SAME
    return [
        f"{height:,.3f}",
        f"{found[0].nit:,}",
        seconds(theirs),
        f"{above:+.1e}",
        f"{last.iteration:,}",
        seconds(mine),
        ratio(theirs / mine) if as_high else "—",
        "" if as_high else "ours ends lower",
    ]
