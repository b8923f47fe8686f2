"""What comes before the first iteration: planning and compressing, in seconds and in memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path

import numpy as np

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import Dataset
from tests.benchmarks.cases import Case, hidden_case
from tests.benchmarks.clock import measure
from tests.benchmarks.report import Report, seconds, three_digits

HIDDEN = 0.2
ITERATIONS = 100
COLUMNS = ("rows of alarm, 20% hidden", "set-up", "ns a cell", "100 iterations", "data", "set-up adds", "learning adds")
NOTE = (
    "Set-up: from data in memory to a plan with every component's data projected and merged (make_task). The "
    "iterations are D-EM's, set-up included. Memory: how far the peak of a process of its own rises above what it "
    "had reached with the data in memory."
)


def run(quick: bool, report: Report) -> None:
    """Print the set-up's time and memory for ever more rows."""
    report.note(NOTE)
    with report.table(COLUMNS) as table:
        for exponent in (10, 12) if quick else (14, 17, 20):
            table.row(*_measure(exponent, 3 if quick else 7))


def _measure(exponent: int, repeats: int) -> list[str]:
    case = hidden_case("alarm", 2**exponent, HIDDEN)
    setup = measure(lambda: make_task(case.network, case.dataset), repeats)
    whole = measure(lambda: learn_some(case), 3)
    setup_peak, learning_peak = measure_memory(case)
    return [
        f"2^{exponent}",
        seconds(setup),
        three_digits(setup / case.dataset.codes.size * 1e9),
        seconds(whole),
        f"{case.dataset.codes.nbytes / 2**20:,.1f} MB",
        f"{setup_peak:,.1f} MB",
        f"{learning_peak:,.1f} MB",
    ]


def learn_some(case: Case) -> None:
    """A hundred iterations of D-EM."""
    deque(learn(case.network, case.dataset, stopping=Stopping(tol=0.0, max_iter=ITERATIONS)), maxlen=0)


def measure_memory(case: Case) -> tuple[float, float]:
    """How many MB set-up and learning add to the peak, in a process of its own that finds the data in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codes.npy"
        np.save(path, case.dataset.codes)
        command = [sys.executable, "-m", "tests.benchmarks.setup", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    before, after_setup, after_learning = map(float, done.stdout.split())
    return after_setup - before, after_learning - before


def _print_peaks(path: str) -> None:
    """The peak of this process in MB: with the data in memory, after set-up, after learning."""
    small = hidden_case("alarm", 2**8, HIDDEN)
    learn_some(small)  # what is imported and cached at the first call is not counted
    codes = np.load(path)
    dataset = Dataset(small.network.variables, codes, np.ones(codes.shape[1]))
    peaks = [_peak()]
    make_task(small.network, dataset)
    peaks.append(_peak())
    learn_some(Case("", small.network, dataset))
    peaks.append(_peak())
    print(*peaks)


def _peak() -> float:
    """The most memory this process has held, in MB. (On Linux ru_maxrss begins at what the parent held.)"""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


if __name__ == "__main__":
    _print_peaks(sys.argv[1])
