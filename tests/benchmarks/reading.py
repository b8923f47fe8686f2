"""Reading a large CSV file and merging its rows, beside what pandas and pyarrow need to read it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas
import pyarrow.csv

from engine.formats import read_dataset, write_dataset
from engine.simulation.sampling import simulate
from tests.benchmarks.cases import load
from tests.benchmarks.clock import measure_together
from tests.benchmarks.report import Report, ratio, seconds

COLUMNS = ("a CSV file of alarm", "seconds", "of pandas' time", "of pyarrow's time")
NOTE = (
    "Ours: from the file to codes checked against the network's states (read_dataset), and with all equal rows merged. "
    "pandas: read_csv as it is, with categories, and with its pyarrow engine; pyarrow: read_csv in one thread, as all "
    "the others."
)


def run(quick: bool, report: Report) -> None:
    """Print the times of all readers of one file."""
    report.note(NOTE)
    network = load("alarm")
    rows = 5_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.csv"
        write_dataset(path, simulate(network, rows, 1))
        size = path.stat().st_size / 2**20
        every = range(len(network.variables))
        works = {
            "pandas.read_csv": lambda: pandas.read_csv(path),
            "pandas.read_csv, categories": lambda: pandas.read_csv(path, dtype="category"),
            "pandas.read_csv, engine pyarrow": lambda: pandas.read_csv(path, engine="pyarrow"),
            "pyarrow.csv.read_csv": lambda: read_with_pyarrow(path),
            "ours": lambda: read_dataset(path, network.variables),
            "ours, rows merged": lambda: read_dataset(path, network.variables).dataset.project(every),
            "ours, without a network": lambda: read_dataset(path),
        }
        times = measure_together(list(works.values()), 3, most_seconds=60)
        found = dict(zip(works, times, strict=True))
    report.note(f"{rows:,} rows × {len(network.variables)} columns, {size:,.0f} MB")
    with report.table(COLUMNS) as table:
        for name, time in found.items():
            fractions = [ratio(time / found[other]) for other in ("pandas.read_csv", "pyarrow.csv.read_csv")]
            table.row(name, seconds(time), *fractions)


def read_with_pyarrow(path: Path) -> pyarrow.Table:
    """The file as pyarrow reads it, in one thread."""
    return pyarrow.csv.read_csv(path, read_options=pyarrow.csv.ReadOptions(use_threads=False))
