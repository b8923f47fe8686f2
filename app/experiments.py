"""The command ``experiment``: tables of the thesis run again, our numbers beside its own."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from app.commands import check_seed, show
from engine.formats import NETWORK_FORMATS, PACKED, read_network
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.studies import table_4_1, table_4_2, table_6_1
from engine.studies.study import Outcome, Settings, Table, count_problems

FOLDER = Path("..") / "shared" / "data" / "networks"
FILES = {
    "alarm": "bif/alarm.bif",
    "andes": "bif/andes.bif",
    "asia": "bif/asia.bif",
    "diagnose": "uai/converted_diagnose_a.uai",
    "pigs": "bif/pigs.bif",
    "spect": "uai/ucla_spect.uai",
    "water": "bif/water.bif",
    "win95pts": "bif/win95pts.bif",
}
"""Where the networks of the thesis are in the folder of networks, unless they are in it by their name."""
TABLES: Mapping[str, ModuleType] = {"table-4.1": table_4_1, "table-4.2": table_4_2, "table-6.1": table_6_1}
QUICK = Settings(rows=128, datasets=1, hidden=(0.25, 0.50), max_iter=50, max_seconds=2)


def experiment(options: argparse.Namespace) -> None:
    """Run a study and print its table."""
    study = TABLES[options.table]
    settings = _settings(options)
    networks, notes = _read_networks(options, study.NETWORKS)
    table: Table[Any] | None = None
    total = count_problems(networks, settings)
    with _interruptible() as cancelled:
        for table in study.run(networks, settings, cancelled):
            _show_progress(len(table.outcomes), total)
    if table is None or not table.outcomes:
        raise PgmError("; ".join(["no problem was solved", *(table.notes if table else ())]))
    solved = len(table.outcomes)
    if solved < total:
        notes.append(f"{solved} of {total} problems were solved; the table is about them")
    notes += table.notes
    result = {
        "table": options.table,
        "title": table.title,
        "unit": table.unit,
        "settings": dataclasses.asdict(settings),
        "rows": [dataclasses.asdict(row) for row in table.rows],
        "problems": [dataclasses.asdict(outcome) for outcome in table.outcomes],
    }
    show(options, notes, result, _table_lines(table))


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Ctrl+C ends the study with the problems it has solved, rather than the command; pressed again, the command."""
    pressed = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def press(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        pressed.set()

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _settings(options: argparse.Namespace) -> Settings:
    """The settings of a study: the thesis', or quick ones, and what was asked for."""
    base = QUICK if options.quick else Settings()
    decomposes = options.table == "table-6.1"
    if decomposes and not options.quick:
        base = dataclasses.replace(base, hidden=table_6_1.HIDDEN)
    asked = {
        "rows": options.rows,
        "datasets": options.datasets,
        "max_iter": options.max_iter,
        "max_seconds": options.max_seconds,
        "random_state": check_seed(options.random_state),
    }
    given = {name: value for name, value in asked.items() if value is not None}
    return dataclasses.replace(base, keep_leaves=not (decomposes or options.prune), **given)


def _read_networks(options: argparse.Namespace, wanted: Sequence[str]) -> tuple[dict[str, BayesianNetwork], list[str]]:
    """The networks of the study that are in the folder, and notes on them."""
    folder = Path(options.networks) if options.networks else FOLDER
    found = {name: path for name in wanted if (path := _find(folder, name))}
    absent = [name for name in wanted if name not in found]
    if not found:
        raise PgmError(
            f"{folder}: found none of the networks {', '.join(absent)}; give a folder that has them with --networks"
        )
    notes = [f"not found in {folder}, and left out: {', '.join(absent)}"] if absent else []
    if options.quick:
        found = dict(sorted(found.items(), key=lambda item: item[1].stat().st_size)[:2])
        notes.append(f"quick: only the smallest networks, {' and '.join(found)}")
    networks = {}
    for name, path in found.items():
        document = read_network(path)
        if not isinstance(document.network, BayesianNetwork):
            raise PgmError(f"{path}: a Markov network; the studies need Bayesian networks")
        networks[name] = document.network
        notes += [f"{name}: {note}" for note in document.notes]
    return networks, notes


def _find(folder: Path, name: str) -> Path | None:
    names = [FILES[name], *(f"{name}{suffix}" for suffix in NETWORK_FORMATS)]
    candidates = [folder / f"{found}{packed}" for found in names for packed in ("", PACKED)]
    return next((path for path in candidates if path.is_file()), None)


def _show_progress(done: int, total: int) -> None:
    """One line on a terminal, written over after every problem."""
    if sys.stderr.isatty():
        end = "\r\x1b[K" if done == total else ""
        print(
            f"\r\x1b[K{done} of {total} problems (Ctrl+C ends with what there is)", end=end, file=sys.stderr, flush=True
        )


def _table_lines(table: Table[Outcome]) -> list[str]:
    """The table for people: under every column our number, and the thesis' where it has one."""
    with_thesis = [c for c in table.columns if any(row.thesis[c] is not None for row in table.rows)]
    header = ["", "problems"]
    for column in table.columns:
        header += [column, "thesis"] if column in with_thesis else [column]
    lines = [header]
    for row in table.rows:
        cells = [row.category, str(row.problems)]
        for column in table.columns:
            cells.append(_format(row.ours[column], table.unit))
            if column in with_thesis:
                cells.append(_format(row.thesis[column], table.unit))
        lines.append(cells)
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    texts = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    return [table.title, "", *texts]


def _format(value: float | None, unit: str) -> str:
    return "—" if value is None else f"{value:,.2f}{unit}"


def add_study(parser: argparse.ArgumentParser) -> None:
    """The options of a study."""
    parser.add_argument("table", choices=TABLES, help="which table")
    parser.add_argument("--networks", metavar="FOLDER", help=f"where the network files are (default: {FOLDER})")
    parser.add_argument("--quick", action="store_true", help="two small networks and little data, for a first look")
    parser.add_argument("--rows", type=int, metavar="N", help="rows per dataset (default: 1024)")
    parser.add_argument("--datasets", type=int, metavar="K", help="per network and hidden share (default: 3)")
    parser.add_argument("--max-iter", type=int, metavar="I", help="iterations of a method (default: 1000)")
    parser.add_argument(
        "--max-seconds", type=float, metavar="SECONDS", help="processor time of a method on a problem (default: 60)"
    )
    parser.add_argument(
        "--prune",
        action="store_true",
        help="tables 4.1 and 4.2: do not learn hidden leaves, as our learners never do but the thesis' did",
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
