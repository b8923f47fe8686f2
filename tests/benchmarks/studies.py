"""The studies by name."""

from __future__ import annotations

import os
import platform
import time
from importlib import import_module

from tests.benchmarks.cases import NetworkAbsentError
from tests.benchmarks.report import Report

STUDIES = (
    "inference",
    "em",
    "peers",
    "decomposition",
    "bounds",
    "auto",
    "markov",
    "structure",
    "setup",
    "reading",
    "sources",
    "kernel",
    "opening",
    "load",
    "closing",
)
"""The modules of the studies, loaded when they are run: what they compare with takes seconds to load."""


def run_study(name: str, quick: bool, report: Report) -> None:
    """Run a study; one whose networks are not there says so and ends."""
    report.title(name)
    started, load = time.perf_counter(), os.getloadavg()[0]
    try:
        import_module(f"tests.benchmarks.{name}").run(quick, report)
    except NetworkAbsentError as absent:
        report.note(f"skipped: {absent}")
    report.note(
        f"{time.perf_counter() - started:.0f} s; Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {load:.1f} when it began and {os.getloadavg()[0]:.1f} now"
    )
