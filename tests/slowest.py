"""The slowest tests of the runs whose reports are named: ``python -m tests.slowest report.xml …``."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

SHOWN = 10


def list_slowest(reports: list[Path]) -> list[tuple[float, str]]:
    """Seconds and name of the slowest tests, the slowest first; with what they were set up by."""
    cases = [case for report in reports for case in ElementTree.parse(report).iter("testcase")]
    found = [(float(case.get("time", "0")), f"{case.get('classname')}.{case.get('name')}") for case in cases]
    return sorted(found, reverse=True)[:SHOWN]


if __name__ == "__main__":
    print(f"The {SHOWN} slowest tests:")
    for seconds, name in list_slowest([Path(argument) for argument in sys.argv[1:]]):
        print(f"{seconds:7.1f} s  {name}")
