"""The studies by name."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping

from tests.benchmarks import (
    auto,
    bounds,
    closing,
    decomposition,
    em,
    inference,
    kernel,
    load,
    markov,
    opening,
    reading,
    setup,
    structure,
)
from tests.benchmarks.cases import NetworkAbsentError
from tests.benchmarks.report import Report

STUDIES: Mapping[str, Callable[[bool, Report], None]] = {
    "inference": inference.run,
    "em": em.run,
    "decomposition": decomposition.run,
    "bounds": bounds.run,
    "auto": auto.run,
    "markov": markov.run,
    "structure": structure.run,
    "setup": setup.run,
    "reading": reading.run,
    "kernel": kernel.run,
    "opening": opening.run,
    "load": load.run,
    "closing": closing.run,
}


def run_study(name: str, quick: bool, report: Report) -> None:
    """Run a study; one whose networks are not there says so and ends."""
    report.title(name)
    started, load = time.perf_counter(), os.getloadavg()[0]
    try:
        STUDIES[name](quick, report)
    except NetworkAbsentError as absent:
        report.note(f"skipped: {absent}")
    report.note(
        f"{time.perf_counter() - started:.0f} s; Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {load:.1f} when it began and {os.getloadavg()[0]:.1f} now"
    )
