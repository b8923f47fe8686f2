"""Hill climbing beside pyAgrum's and pgmpy's: score, distance from the true network, and time."""

from __future__ import annotations

import logging
import tempfile
import tracemalloc
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas
import pyagrum

from engine.formats import read_dataset, write_dataset
from engine.model.dataset import Dataset
from engine.model.network import BayesianNetwork
from engine.simulation.sampling import simulate
from engine.structure.comparison import compare
from engine.structure.constraints import Constraints
from engine.structure.counts import count_rows
from engine.structure.families import Families, Parents
from engine.structure.graphs import sort_parents
from engine.structure.hill_climbing import Climb, climb
from engine.structure.scores import make_score
from tests.benchmarks.agrum import convert, make_frame
from tests.benchmarks.cases import Case, load
from tests.benchmarks.clock import measure, measure_together, time_once
from tests.benchmarks.report import Report, ratio, seconds

COLUMNS = (
    "rows, seed, way",
    "score (BIC)",
    "SHD",
    "between classes",
    "arrows",
    "seconds",
    "of pyAgrum's",
    "pgmpy's by ours",
)
NOTE = (
    "BIC of the structure found, all computed by us, and its structural Hamming distance from the network that the "
    "rows were drawn from, as arrows and between classes of equivalent structures. From data in memory to structure: "
    "ours from codes of rows, merging of equal ones included; pyAgrum's (greedy hill climbing, no prior, one thread) "
    "from its loaded database on, and in brackets with its loading of a frame of texts; pgmpy's (HillClimbSearch, "
    "bic-d, its own tabu list) from that frame. Ours: greedy, without tabu list and restarts; and by default, as on "
    "the command line, with a tabu list of ten steps and as many restarts as the data is worth."
)
MANY_COLUMNS = (
    "many rows",
    "distinct",
    "a pass",
    "CSV read",
    "Parquet read",
    "merged",
    "greedy",
    "passes",
    "by default",
    "passes",
    "memory",
)
MANY_NOTE = (
    "A pass: the least that every cell is looked at once, a bincount of each column in memory. Read: what a pass over "
    "a file of the same rows takes. Merged: equal rows found, as part of each climb. Hill climbing, all of it, in "
    "seconds and in passes; and the most memory that it takes at a time besides the data."
)
SEEDS = (301, 302, 303)
"""Of the samples. The defaults of hill climbing were chosen on those of smaller seeds; to change them, take others."""
GREEDY, DEFAULT = Climb(tabu=0, restarts=0), Climb()


@dataclass(frozen=True)
class _Found:
    """A structure, and the time it took."""

    name: str
    parents: Parents
    seconds: float
    loaded: float = 0.0


def run(quick: bool, report: Report) -> None:
    """Print what each tool finds, and how long it takes."""
    report.note(NOTE)
    names = ["asia"] if quick else ["asia", "alarm", "insurance", "hailfinder"]
    with report.table(COLUMNS) as table:
        for name in names:
            for rows in [100] if quick else [1_000, 10_000]:
                for seed in SEEDS[:1] if quick else SEEDS:
                    for line in _compare_tools(name, rows, seed, quick):
                        table.row(*line)
    report.note(MANY_NOTE)
    with report.table(MANY_COLUMNS) as table:
        table.row(*_measure_many("asia" if quick else "alarm", 1_000 if quick else 1_000_000))


def search(dataset: Dataset, climbing: Climb) -> Parents:
    """What hill climbing finds, from the rows on."""
    counts = count_rows(dataset)
    *_, last = climb(Families(counts, make_score("bic", counts)), Constraints(counts.variables), climbing)
    return last.best


def _compare_tools(name: str, rows: int, seed: int, quick: bool) -> list[list[str]]:
    network = load(name)
    case = Case(name, network, simulate(network, rows, seed))
    frame = make_frame(case)
    repeats = 1 if quick else 9
    model = convert(network)
    times = measure_together(
        [
            lambda: search(case.dataset, GREEDY),
            lambda: search(case.dataset, DEFAULT),
            lambda: _search_agrum(pyagrum.BNLearner(frame, model)),
            lambda: pyagrum.BNLearner(frame, model),
        ],
        repeats,
    )
    found = [
        _Found("ours, greedy", search(case.dataset, GREEDY), times[0]),
        _Found("ours, by default", search(case.dataset, DEFAULT), times[1]),
        _Found("pyAgrum", _read_agrum(pyagrum.BNLearner(frame, model), network), times[2] - times[3], times[3]),
        _search_pgmpy(network, frame),
    ]
    counts = count_rows(case.dataset)
    families = Families(counts, make_score("bic", counts))
    return [_describe(f"{name}, {rows:,}, {seed}: {each.name}", each, found, families, network) for each in found]


def _describe(
    title: str, each: _Found, found: Sequence[_Found], families: Families, network: BayesianNetwork
) -> list[str]:
    beside = compare(each.parents, sort_parents(network.parents))
    agrum, pgmpy = found[-2:]
    is_ours = each.name.startswith("ours")
    loaded = f" ({ratio(each.seconds / (agrum.seconds + agrum.loaded))})"
    return [
        title,
        f"{families.total(each.parents):,.1f}",
        str(beside.distance),
        str(beside.class_distance),
        str(sum(map(len, each.parents))),
        seconds(each.seconds) + (f" ({seconds(each.seconds + each.loaded)})" if each.loaded else ""),
        ratio(each.seconds / agrum.seconds) + loaded if is_ours else "",
        ratio(pgmpy.seconds / each.seconds) if is_ours else "",
    ]


def _search_agrum(learner: pyagrum.BNLearner) -> pyagrum.DAG:
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useNoPrior()
    learner.useGreedyHillClimbing()
    return learner.learnDAG()


def _read_agrum(learner: pyagrum.BNLearner, network: BayesianNetwork) -> Parents:
    arcs = [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in _search_agrum(learner).arcs()]
    return _list_parents(arcs, network)


def _search_pgmpy(network: BayesianNetwork, frame: pandas.DataFrame) -> _Found:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.causal_discovery import HillClimbSearch

        logging.getLogger("pgmpy").setLevel(logging.ERROR)
        learner = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
        took = time_once(lambda: learner.fit(frame))
    return _Found("pgmpy", _list_parents(learner.causal_graph_.edges(), network), took)


def _list_parents(arcs: Sequence[tuple[str, str]], network: BayesianNetwork) -> Parents:
    parents: list[list[int]] = [[] for _ in network.variables]
    for parent, child in arcs:
        parents[network.index[child]].append(network.index[parent])
    return sort_parents(parents)


def _measure_many(name: str, rows: int) -> list[str]:
    dataset = simulate(load(name), rows, SEEDS[0])
    one = measure(lambda: [np.bincount(column) for column in dataset.codes], 3)
    merged = time_once(lambda: count_rows(dataset))
    cells = [f"{name}, {rows:,} × {len(dataset.variables)}", f"{count_rows(dataset).n_rows:,}", seconds(one)]
    cells += [seconds(took) for took in _time_reading(dataset)]
    cells.append(seconds(merged))
    for climbing in (GREEDY, DEFAULT):
        took = measure(lambda: search(dataset, climbing), 3)  # noqa: B023 - called at once
        cells += [seconds(took), ratio(took / one)]
    tracemalloc.start()
    search(dataset, DEFAULT)
    cells.append(f"{tracemalloc.get_traced_memory()[1] / 1e6:,.0f} MB")
    tracemalloc.stop()
    return cells


def _time_reading(dataset: Dataset) -> list[float]:
    """What it takes to read the same rows from a CSV file and from a Parquet file."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("rows.csv", "rows.parquet"):
            path = Path(folder) / name
            write_dataset(path, dataset)
            times.append(measure(lambda: read_dataset(path, dataset.variables), 3))  # noqa: B023 - called at once
    return times
