"""Data that does not fit: commands that have DuckDB count it, beside DuckDB's own group-bys, time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.cases import find_network
from tests.benchmarks.report import Report, ratio, seconds

NETWORK = "child"
HOLES = ("--hide", "LungParench,Sick", "--missing", "Age,LVH=0.1")
COMMANDS = (("decompose",), ("bound",), ("learn", "--method", "d-em", "--tol", "1e-4"))
ROWS = (10**5, 10**6, 10**7)
"""Or as many as PGMGUI_ROWS says (``100000000``); a row takes 5 bytes of disk."""
PRELUDE = """
import atexit, sys, time
def tell():
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(time.process_time(), peak, file=sys.stderr)
atexit.register(tell)
"""
GROUP_BY = """
import json, duckdb
connection = duckdb.connect(config={"memory_limit": "1GB"})
for columns in json.loads(sys.argv[2]):
    names = ", ".join(f'"{name}"' for name in columns)
    connection.execute(f"SELECT {names}, count(*) FROM read_parquet(?) GROUP BY {names}", [sys.argv[1]]).fetchall()
"""


@dataclass(frozen=True)
class Measured:
    """What a process printed, and what it took."""

    out: str
    wall: float
    cpu: float
    bytes: int

    @property
    def result(self) -> dict[str, Any]:
        """The JSON that it printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def run(quick: bool, report: Report) -> None:
    """Rows of 20 columns as Parquet, ten times as many each time."""
    network = find_network(NETWORK)
    sizes = [int(text) for text in os.environ.get("PGMGUI_ROWS", "").split(",") if text] or ROWS
    with tempfile.TemporaryDirectory() as folder:
        heads = ["rows", "what", "time", "CPU", "peak memory", "CPU of group-bys", "questions", "iterations"]
        with report.table(heads) as table:
            for rows in (1000,) if quick else sizes:
                path = Path(folder) / "rows.parquet"
                made = _measure("simulate", network, "--rows", rows, *HOLES, "--out", path)
                table.row(f"{rows:,}", "simulate", *_tell(made), "", "", "")
                found = [(name, _ask(name, network, path, *words)) for name, *words in COMMANDS[: 1 if quick else None]]
                scopes = [part["variables"] + part["boundary"] for part in found[0][1].result["components"]]
                own = _watch(GROUP_BY, path, json.dumps(scopes))
                table.row(f"{rows:,}", "group-bys", *_tell(own), "", f"{len(scopes)}", "")
                for name, each in found:
                    asked, steps = each.result["source"]["questions"], each.result.get("iterations", "")
                    compared = ratio(each.cpu / own.cpu)
                    table.row(f"{rows:,}", name, *_tell(each), compared, f"{asked}", f"{steps}")
                path.unlink()
    report.note(f"{NETWORK}: {' '.join(HOLES)}; {'; '.join(map(' '.join, COMMANDS))}; each a process of its own")


def _ask(command: str, network: Path, path: Path, *words: str) -> Measured:
    return _measure(command, network, path, "--engine", "duckdb", "--json", *words)


def _measure(command: str, *words: object) -> Measured:
    return _watch("from app.__main__ import main; sys.exit(main())", command, *words)


def _watch(code: str, *words: object) -> Measured:
    """Run some Python. What the system says of a process that has ended includes the one that it was forked from."""
    begun = time.perf_counter()
    command = [sys.executable, "-c", f"{PRELUDE}\n{code}", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, (cpu, kilobytes) = time.perf_counter() - begun, done.stderr.splitlines()[-1].split()
    return Measured(done.stdout, wall, float(cpu), 1024 * int(kilobytes))


def _tell(found: Measured) -> tuple[str, str, str]:
    return seconds(found.wall), seconds(found.cpu), f"{found.bytes / 2**20:,.0f} MB"
