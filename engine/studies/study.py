"""What the studies share: learning problems, runs of a method on them, and tables of the outcomes.

A learning problem is a network, a share of its variables that is hidden, and a simulated dataset. Every
method starts a problem from the same random parameters. As in the thesis (§2.3.1, §3.7), parameters are MAP
estimates under Dirichlet exponents of 2, known as Laplace smoothing.

Seconds are those of the processor, not of the clock, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np

from engine.learning.decomposition import find_hidden_leaves
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.workspace import NEVER
from engine.model.arrays import Floats
from engine.model.dataset import FIRST_LIKELIHOOD, Dataset
from engine.model.errors import Cancelled, MemoryLimitError, ModelError
from engine.model.network import BayesianNetwork
from engine.simulation.missingness import hide_fraction
from engine.simulation.sampling import simulate

Networks = Mapping[str, BayesianNetwork]


@dataclass(frozen=True)
class Settings:
    """The size of a study.

    Attributes
    ----------
    rows, datasets : int
        Rows of a dataset; datasets per network and hidden share.
    hidden : tuple of float
        Shares of the variables that are hidden.
    max_iter : int
    max_seconds : float
        The most processor time that one method may take on one problem.
    prior : float
        The Dirichlet exponent of every parameter.
    keep_leaves : bool
        Whether hidden leaves are learned along with the rest, as in the thesis, rather than given the
        prior's mode at once, as our learners do. EM takes many iterations to creep there, EDML one.
    random_state : int
    """

    rows: int = 1024
    datasets: int = 3
    hidden: tuple[float, ...] = (0.10, 0.25, 0.35, 0.50, 0.70)
    max_iter: int = 1000
    max_seconds: float = 60.0
    prior: float = 2.0
    keep_leaves: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.datasets < 1:
            raise ModelError(f"a study needs 1 row and 1 dataset at least; got {self.rows} and {self.datasets}")
        if not self.max_seconds > 0:
            raise ModelError(f"max_seconds must be more than 0; got {self.max_seconds}")
        if self.random_state < 0:
            raise ModelError(f"the random state is {self.random_state}; expected a whole number ≥ 0")


@dataclass(frozen=True, eq=False)
class LearningProblem:
    """A network and an incomplete dataset to learn it from.

    Attributes
    ----------
    name : str
        Of the network.
    hidden : float
        The share of hidden variables.
    number : int
        Of the dataset, from 1.
    start : int
        The seed of the parameters that every method starts from.
    """

    name: str
    hidden: float
    number: int
    network: BayesianNetwork
    dataset: Dataset
    start: int

    def __str__(self) -> str:
        return f"{self.name}, {self.hidden:.0%} hidden, dataset {self.number}"


def make_problems(networks: Networks, settings: Settings) -> Iterator[LearningProblem]:
    """Every problem of a study; the datasets vary slowest, so that a study cut short is balanced.

    The seed of a problem does not depend on which other problems there are.
    """
    for number in range(1, settings.datasets + 1):
        for name, network in networks.items():
            for hidden in settings.hidden:
                seed = [settings.random_state, zlib.crc32(name.encode()), round(hidden * 10_000), number]
                generator = np.random.default_rng(seed)
                data = hide_fraction(simulate(network, settings.rows, generator), hidden, generator)
                if settings.keep_leaves:
                    data = keep_leaves(network, data)
                yield LearningProblem(name, hidden, number, network, data, int(generator.integers(2**31)))


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
    """

    objective: Floats
    seconds: Floats
    stop: str

    @property
    def iterations(self) -> int:
        """Iterations made."""
        return len(self.objective) - 1


def run_method(
    problem: LearningProblem,
    method: str,
    settings: Settings,
    stopping: Stopping,
    target: float = np.inf,
    cancelled: Callable[[], bool] = NEVER,
) -> Run:
    """Learn until the method stops, its time is over (after one step at least), or it reaches a target."""
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
        if not stop and seconds[-1] >= settings.max_seconds and snapshot.iteration:
            stop = "time"
        if stop:
            break
    return Run(np.array(objectives), np.array(seconds), stop)


class Outcome(Protocol):
    """What came out of a problem."""

    @property
    def network(self) -> str: ...

    @property
    def hidden(self) -> float: ...


O = TypeVar("O", bound=Outcome)  # noqa: E741 - an outcome


@dataclass(frozen=True)
class Row:
    """One line of a table: our numbers and the thesis', by column; None where there is none."""

    category: str
    problems: int
    ours: Mapping[str, float | None]
    thesis: Mapping[str, float | None]


@dataclass(frozen=True)
class Table(Generic[O]):
    """A table of the thesis with our numbers beside.

    Attributes
    ----------
    unit : str
        Of every number: "%" or "x".
    outcomes : tuple
        Per problem, what the numbers are made of.
    notes : tuple of str
        What a reader should know of problems that were cut short or left out.
    """

    title: str
    unit: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    outcomes: tuple[O, ...]
    notes: tuple[str, ...]


def run_study(
    problems: Iterable[LearningProblem],
    solve: Callable[[LearningProblem], O],
    tabulate: Callable[[Sequence[O], Sequence[str]], Table[O]],
) -> Iterator[Table[O]]:
    """Solve problem after problem; the table so far, after each. Cancelled, it ends with the last whole one."""
    outcomes: list[O] = []
    notes: list[str] = []
    for problem in problems:
        try:
            outcomes.append(solve(problem))
        except MemoryLimitError as error:
            notes.append(f"{problem} is left out: {error}")
        except Cancelled:
            return
        yield tabulate(outcomes, notes)


def count_problems(networks: Networks, settings: Settings) -> int:
    """How many problems a study has."""
    return len(networks) * len(settings.hidden) * settings.datasets


def categorise(outcomes: Sequence[O]) -> dict[str, list[O]]:
    """Outcomes by network, by hidden share, and all of them."""
    groups: dict[str, list[O]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.network, []).append(outcome)
    for hidden in sorted({outcome.hidden for outcome in outcomes}):
        groups[f"hiding {hidden:.0%}"] = [outcome for outcome in outcomes if outcome.hidden == hidden]
    return {**groups, "average": list(outcomes)}


def percentage(part: float, whole: float) -> float | None:
    """A share in percent, of something."""
    return 100 * part / whole if whole else None
