"""The decomposed gradient of Markov networks against the whole one, as in Table 7.1 [thesis]; and by number of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from engine.formats import read_network
from engine.learning.learn import learn
from engine.learning.snapshot import Snapshot
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.dataset import Dataset
from engine.model.network import MarkovNetwork, as_markov
from engine.simulation.generators import chain_markov, grid_markov, tree_markov
from engine.simulation.missingness import hide_fraction
from engine.simulation.sampling import simulate
from engine.studies.gradients import RELATIVE, SLOPE, find_slope, measure_whole, time_pass
from tests.benchmarks.cases import NetworkAbsentError, load
from tests.benchmarks.clock import time_once
from tests.benchmarks.report import Report, ratio, seconds
from tests.shared_data import DATA

HIDDEN = 0.2
MOST_ITERATIONS = 3000
COLUMNS = (
    "network, rows",
    "components",
    "rows a pass",
    "iterations",
    "D-gradient",
    "whole, scaled",
    "whole / D",
    "paper: D",
    "paper: whole / D",
    "iterations to 1e-9",
    "D to 1e-9",
)
NOTE = (
    "20% of the variables hidden, L-BFGS from a random start, set-up included, until a step changes the objective "
    "by no more than 1e-9 of it or no slope is above 1e-4 of the rows; beside it, how long the first of these alone "
    "takes. Whole: one inference on the whole network per distinct row, timed on some rows and scaled to all of them "
    "and to as many passes. Paper: its Table 7.1, on its machine; at the end, what it says in words."
)


@dataclass(frozen=True)
class Line:
    """A line of the table: how to make the network, its rows, and what the paper has (seconds, times)."""

    make: Callable[[], MarkovNetwork]
    rows: int
    decomposed: float
    speedup: float


def _tables(name: str) -> Callable[[], MarkovNetwork]:
    return lambda: as_markov(load(name))


def _problem(name: str) -> Callable[[], MarkovNetwork]:
    def read() -> MarkovNetwork:
        path = DATA / "uai" / name / f"{name}.uai"
        if not path.is_file():
            raise NetworkAbsentError(f"there is no file {path}")
        return as_markov(read_network(path).network)

    return read


TABLE: Mapping[str, Line] = {
    "chain-50": Line(partial(chain_markov, 50, random_state=1), 4096, 1.7, 165),
    "chain-100": Line(partial(chain_markov, 100, random_state=1), 4096, 2.9, 253),
    "tree-63": Line(partial(tree_markov, 63, random_state=1), 4096, 2.36, 152),
    "tree-127": Line(partial(tree_markov, 127, random_state=1), 4096, 5.77, 187),
    "tree-255": Line(partial(tree_markov, 255, random_state=1), 4096, 13, 236),
    "grid 9 × 9": Line(partial(grid_markov, 9, 9, random_state=1), 8192, 73, 50),
    "grid 10 × 10": Line(partial(grid_markov, 10, 10, random_state=1), 8192, 34, 130),
    "alarm": Line(_tables("alarm"), 4096, 13.6, 15),
    "54.wcsp": Line(_problem("54.wcsp"), 1024, 79, 1.1),
    "win95pts": Line(_tables("win95pts"), 1024, 7.8, 33),
    "smokers_20": Line(_problem("smokers_20"), 2048, 98, 9.7),
    "grid 9 × 9 with more rows": Line(partial(grid_markov, 9, 9, random_state=1), 2**16, 180, 340),
    "Family2Recessive": Line(_problem("Family2Recessive.15.5loci"), 4096, 55 * 60, 26),
}
"""The last two are in the text: 3 minutes against 17 hours, and 55 minutes against more than a day."""


def run(quick: bool, report: Report) -> None:
    """Print Table 7.1 beside the paper's numbers, and what a pass costs by number of rows."""
    report.note(NOTE)
    with report.table(COLUMNS) as table:
        for name, line in TABLE.items():
            if not quick or name == "chain-50":
                table.row(*_measure(name, line, 256 if quick else line.rows))
    report.note("The grid of 9 × 9 by number of rows: the data costs by its distinct projected rows, log Z the same.")
    with report.table(("rows", "distinct", "rows a pass", "data's part", "a pass")) as table:
        network = grid_markov(9, 9, random_state=1)
        for power in (10,) if quick else range(10, 21, 2):
            data = hide_fraction(simulate(network, 2**power, 1), HIDDEN, 1)
            task = make_task(network, data)
            theta = task.layout.flatten(network.tables)
            only_data = replace(task.objective, terms=task.objective.terms[:1])
            costs = [time_pass(objective, theta) for objective in (only_data, task.objective)]
            propagated = int(only_data.rows_per_pass.sum())
            table.row(f"2^{power}", f"{task.whole_rows:,}", f"{propagated:,}", *map(seconds, costs))


def _measure(name: str, line: Line, rows: int) -> list[str]:
    network = line.make()
    data = hide_fraction(simulate(network, rows, 1), HIDDEN, 1)
    climb = _climb(network, data)
    whole = measure_whole(network, data.project(range(len(network.variables))))
    scaled = None if whole is None else whole[0] * climb.passes
    return [
        f"{name}, {rows:,}",
        f"{len(climb.last.task.decomposition.components):,}",
        f"{int(climb.last.task.objective.rows_per_pass.sum()):,}",
        f"{climb.iterations:,}",
        seconds(climb.seconds),
        "memory" if scaled is None else seconds(scaled),
        "—" if scaled is None else ratio(scaled / climb.seconds),
        seconds(line.decomposed),
        ratio(line.speedup),
        f"{climb.last.iteration:,}",
        seconds(climb.whole_seconds),
    ]


@dataclass(frozen=True, eq=False)
class Climb:
    """A run: the iterations, passes and seconds until it has converged, and where it is when it does not change."""

    iterations: int
    passes: float
    seconds: float
    last: Snapshot
    whole_seconds: float


def _climb(network: MarkovNetwork, data: Dataset) -> Climb:
    """Until nothing changes any more. Where it had converged is looked at between iterations, not on its time."""
    stopping = Stopping(0.0, "likelihood", max_iter=MOST_ITERATIONS)
    snapshots = learn(network, data, "d-lbfgs", stopping=stopping)
    before, spent = -float("inf"), 0.0
    found: list[Snapshot] = []
    converged: tuple[int, float, float] | None = None
    work: Workspace | None = None
    while True:
        spent += time_once(lambda: found.append(next(snapshots)))
        last = found.pop()
        work = work or Workspace(last.task.objective)
        reached = float(last.objective.sum())
        is_still = abs(reached - before) <= RELATIVE * abs(reached)
        if converged is None and (is_still or last.stop or find_slope(work, last) <= SLOPE * data.total_weight):
            passes = last.inferences / float(last.task.objective.rows_per_pass.sum())
            converged = last.iteration, passes, spent
        if converged is not None and (is_still or last.stop):
            return Climb(*converged, last, spent)
        before = reached
