"""``python -m tests.benchmarks [--quick] [name …]``: all studies, or those that are named."""

from __future__ import annotations

import argparse
import sys

from tests.benchmarks.report import Report
from tests.benchmarks.studies import STUDIES, run_study


def main() -> None:
    """Run the studies that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure the engine's speed.")
    parser.add_argument("--quick", action="store_true", help="smaller cases and fewer repetitions")
    parser.add_argument("names", nargs="*", metavar="name", help=f"studies: {', '.join(STUDIES)}; all if none is named")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in STUDIES]
    if unknown:
        parser.error(f"no study is named {unknown[0]!r}; choose from {', '.join(STUDIES)}")
    report = Report(sys.stdout)
    for name in options.names or STUDIES:
        run_study(name, options.quick, report)


if __name__ == "__main__":
    main()
