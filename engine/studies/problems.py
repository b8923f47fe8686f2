"""Learning problems of Bayesian networks, and runs of a method on them.

A learning problem is a network, a share of its variables that is hidden, and a simulated dataset. Every
method starts a problem from the same random parameters. As in the thesis (§2.3.1, §3.7), parameters are MAP
estimates under Dirichlet exponents of 2, known as Laplace smoothing.

Seconds are those of the processor, not of the clock, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from engine.learning.decomposition import find_hidden_leaves
from engine.learning.learn import learn
from engine.learning.methods import Method, find_method
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from engine.learning.workspace import NEVER
from engine.model.arrays import Floats
from engine.model.dataset import FIRST_LIKELIHOOD, Dataset
from engine.model.errors import Cancelled
from engine.model.network import BayesianNetwork, Network
from engine.simulation.generators import chain, chain_markov
from engine.simulation.missingness import draw_names, hide, hide_fraction
from engine.simulation.sampling import simulate
from engine.studies.problem import LearningProblem
from engine.studies.study import Cell, Networks, O, Settings


def make_problem(
    name: str, network: BayesianNetwork, hidden: float, number: int, settings: Settings
) -> LearningProblem:
    """A problem of a study. Its seed does not depend on which other problems there are."""
    problem = draw_problem(name, network, settings.rows, hidden, number, settings)
    if settings.keep_leaves:
        return replace(problem, dataset=keep_leaves(network, problem.dataset))
    return problem


def draw_problem(
    name: str, network: Network, rows: int, hidden: float, number: int, settings: Settings
) -> LearningProblem:
    """Rows of a network with a share of its variables hidden, and where to start from.

    Which variables are hidden does not depend on how many rows there are: studies by rows compare like with like.
    """
    generator = draw_generator(name, hidden, number, settings)
    names = draw_names(network.variables, hidden, generator)
    complete = simulate(network, rows, generator)
    start = int(generator.integers(2**31))
    return LearningProblem(name, hidden, number, network, hide(complete, names), start, complete)


def draw_generator(name: str, hidden: float, number: int, settings: Settings) -> np.random.Generator:
    """What all that is random in a problem is drawn from: the same, whatever else is studied."""
    return np.random.default_rng([settings.random_state, zlib.crc32(name.encode()), round(hidden * 10_000), number])


def list_problems(
    networks: Networks, settings: Settings, solve: Callable[[LearningProblem, Settings, Callable[[], bool]], O]
) -> list[Cell[O]]:
    """A cell for every problem: network, hidden share, dataset.

    Datasets vary slowest, so that a study cut short is balanced.
    """

    def solve_one(problem: LearningProblem, cancelled: Callable[[], bool]) -> O:
        return solve(problem, settings, cancelled)

    return [
        Cell(
            name_problem(name, hidden, number),
            partial(make_problem, name, network, hidden, number, settings),
            solve_one,
        )
        for number in range(1, settings.datasets + 1)
        for name, network in networks.items()
        if isinstance(network, BayesianNetwork)
        for hidden in settings.hidden
    ]


def name_problem(name: str, hidden: float, number: int) -> str:
    """What a problem is called in notes and kept cells."""
    return f"{name}, {hidden:.0%} hidden, dataset {number}"


def keep_leaves(network: BayesianNetwork, dataset: Dataset) -> Dataset:
    """The same data, in which no hidden leaf is pruned: each is seen with the likelihood 1 of every state."""
    leaves = sorted(find_hidden_leaves(network, dataset.roles))
    codes = dataset.codes.copy()
    codes[leaves] = FIRST_LIKELIHOOD
    vague = {v: np.ones((1, network.variables[v].cardinality)) for v in leaves}
    return replace(dataset, codes=codes, likelihoods={**dataset.likelihoods, **vague})


@dataclass(frozen=True, eq=False)
class Run:
    """One method on one problem.

    Attributes
    ----------
    objective, seconds : array (iterations + 1,)
        Log posterior, and processor time since the data was in memory; first at the start.
    stop : str
        Why it ended: "converged", "iterations", "time", or "target".
    last : Snapshot
        Where it ended.
    """

    objective: Floats
    seconds: Floats
    stop: str
    last: Snapshot

    @property
    def best(self) -> float:
        """The highest log posterior, of those that are numbers: a step may lead to impossible rows."""
        return float(self.objective[np.isfinite(self.objective)].max())

    @property
    def iterations(self) -> int:
        """Iterations made."""
        return len(self.objective) - 1


def run_method(
    problem: LearningProblem,
    method: str | Method,
    settings: Settings,
    stopping: Stopping,
    target: float = np.inf,
    relative: float = 0.0,
    cancelled: Callable[[], bool] = NEVER,
) -> Run:
    """Learn until the method stops, its time is over (after one step at least), or it reaches a target.

    It has converged too when a step changes the objective by no more than a relative part of it.
    """
    warm_up(method, settings.prior)
    objectives, seconds = [], []
    started = time.process_time()
    for snapshot in learn(
        problem.network,
        problem.dataset,
        method,
        random_state=problem.start,
        prior=settings.prior,
        stopping=stopping,
        cancelled=cancelled,
    ):
        seconds.append(time.process_time() - started)
        objectives.append(float(snapshot.objective.sum()))
        if snapshot.stop == "cancelled":
            raise Cancelled
        stop = "target" if objectives[-1] >= target else snapshot.stop
        if not stop and relative and len(objectives) > 1:
            is_still = abs(objectives[-1] - objectives[-2]) <= relative * abs(objectives[-1])
            stop = "converged" if is_still else ""
        if not stop and seconds[-1] >= settings.max_seconds and snapshot.iteration:
            stop = "time"
        if stop:
            break
    return Run(np.array(objectives), np.array(seconds), stop, snapshot)


@cache
def warm_up(method: str | Method, prior: float) -> None:
    """Learn something small, once: what is loaded with the first use of a method is not on its time."""
    network = chain(3) if BayesianNetwork in find_method(method).kinds else chain_markov(3)
    data = hide_fraction(simulate(network, 4), 0.4)
    for _ in learn(network, data, method, prior=prior, stopping=Stopping(max_iter=2)):
        pass
