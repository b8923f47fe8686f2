"""The command ``experiment``: tables and figures of the papers run again, our numbers beside theirs."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.commands import check_seed, show
from app.study_networks import gather_datasets, gather_networks, tell_folders
from app.study_output import table_lines, write_results
from app.study_page import Section, describe_totals, describe_verdict, make_page
from engine.formats.files import write_text
from engine.model.errors import PgmError
from engine.studies.catalogue import STUDIES
from engine.studies.kept import Kept
from engine.studies.study import AnyStudy, Cell, Datasets, Finished, Networks, Settings, Table, run_cells
from pgmgui.project.study_files import SHARED, find_files, list_folders

ALL, PAGE = "all", "index.html"
CUT = "ended before all of its problems were solved; the same command goes on, where they are kept"
INTERVAL = 60
"""Seconds: less time left than this is told in seconds."""


def experiment(options: argparse.Namespace) -> None:
    """Run a study and print its table; without a name, list the studies; or run all of them."""
    if options.table is None:
        _list_studies(options)
    elif options.table == ALL:
        _run_all(options)
    else:
        with _interruptible() as cancelled:
            done = _run(options, options.table, cancelled)
        show(options, [*done.notes, done.told], done.result, done.lines)


@dataclasses.dataclass(frozen=True)
class _Done:
    """A study that was run: for JSON, for people, and for the page."""

    result: dict[str, Any]
    lines: list[str]
    notes: list[str]
    section: Section

    @property
    def told(self) -> str:
        """What it says of the paper."""
        verdict = self.section.verdict
        return f"{describe_verdict(self.section)}: {verdict.why if verdict else self.section.reason}"


def _run(options: argparse.Namespace, name: str, cancelled: Callable[[], bool]) -> _Done:
    """Run a study; write what it found, where a folder is given."""
    study = STUDIES[name]
    settings = _settings(options, study)
    folders = _find_folders(options)
    networks, notes = gather_networks(folders, study, settings, options.quick)
    datasets, more = ({}, []) if options.quick else gather_datasets(folders, study)
    notes += more
    kept = _open_folder(options, name, settings, networks, datasets)
    cells = study.list_all(networks, datasets, settings)
    table = study.table(_solve(cells, kept, cancelled))
    if not table.outcomes:
        raise PgmError("; ".join(["no problem was solved", *table.notes]))
    if len(table.outcomes) < len(cells):
        notes.append(f"{len(table.outcomes)} of {len(cells)} problems were solved; the table is about them")
    notes += [*study.stand_ins, *table.notes]
    # What was ended in its middle would often be judged otherwise at its end.
    is_cut = len(table.outcomes) < len(cells) and cancelled()
    charts, verdict = study.chart(table), None if is_cut else study.judge(table)
    result = _describe(name, table, settings) | {"verdict": dataclasses.asdict(verdict) if verdict else None}
    section = Section(name, study.shows, table, charts, verdict, notes, CUT if is_cut else "")
    lines = table_lines(table)
    if options.out:
        whole = {**result, "charts": [dataclasses.asdict(chart) for chart in charts], "notes": notes}
        paths = write_results(Path(options.out), name, whole, table, charts)
        lines += ["", f"wrote {', '.join(path.name for path in paths)} to {options.out}"]
    return _Done(result, lines, notes, section)


def _find_folders(options: argparse.Namespace) -> list[Path]:
    """Where the networks are looked for."""
    return list_folders(Path(options.networks) if options.networks else None)


def _run_all(options: argparse.Namespace) -> None:
    """Run every study, and write one page of them; what is finished already is taken from the folder."""
    if not options.out:
        raise PgmError(f"experiment {ALL} writes a page; say where with --out FOLDER")
    known = {name for study in STUDIES.values() for name in study.networks}
    folders = _find_folders(options)
    told = f"of the studies' {len(known)} networks, {len(find_files(known, folders))} found in {tell_folders(folders)}"
    print(f"{told}; name another folder with --networks FOLDER", file=sys.stderr)
    sections = []
    with _interruptible() as cancelled:
        for name, study in STUDIES.items():
            if cancelled():
                break
            try:
                sections.append(_run(options, name, cancelled).section)
            except PgmError as error:
                sections.append(Section(name, study.shows, reason=str(error)))
            print(f"{name}: {describe_verdict(sections[-1])}", file=sys.stderr)
    form = "in its quick form, with little data: a first look" if options.quick else "with the papers' settings"
    left = len(STUDIES) - len(sections)
    totals = describe_totals(sections, len(STUDIES))
    about = f"{totals}. Each study was run {form}." + (f" Not begun: {left}." if left else "")
    page = Path(options.out) / PAGE
    write_text(page, make_page(sections, about))
    found = [
        {"name": each.name, "verdict": describe_verdict(each), "why": each.verdict.why if each.verdict else each.reason}
        for each in sections
    ]
    lines = [f"{each['name']}: {each['verdict']}: {each['why']}" for each in found]
    show(options, [], {"studies": found, "page": str(page)}, [*lines, "", f"{totals}; wrote {page}"])


def _list_studies(options: argparse.Namespace) -> None:
    """Print what can be run, and what it takes."""
    lines = [f"{len(STUDIES)} studies; run one with: pgmgui experiment NAME [--quick] [--out FOLDER]"]
    found = []
    for name, study in STUDIES.items():
        found.append(
            {
                "name": name,
                "shows": study.shows,
                "networks": study.networks,
                "drawn": list(study.drawn),
                "file": study.measured.file if study.measured else None,
                "stand_ins": study.stand_ins,
            }
        )
        lines += ["", f"{name}  {study.shows}"]
        lines += [f"    needs the networks {', '.join(study.networks)}"] if study.networks else []
        lines += [f"    needs {study.measured.file} for {', '.join(study.measured.names)}"] if study.measured else []
        lines += [f"    draws {', '.join(study.drawn)}"] if study.drawn else []
        lines += [f"    {each}" for each in study.stand_ins]
    show(options, [], {"studies": found}, lines)


def _describe(name: str, table: Table[Any], settings: Settings) -> dict[str, Any]:
    return {
        "table": name,
        "title": table.title,
        "unit": table.unit,
        "settings": dataclasses.asdict(settings),
        "rows": [dataclasses.asdict(row) for row in table.rows],
        "problems": [dataclasses.asdict(outcome) for outcome in table.outcomes],
    }


def _solve(cells: list[Cell[Any]], kept: Kept[Any] | None, cancelled: Callable[[], bool]) -> list[Finished[Any]]:
    """The cells that are finished, before or now, in their order."""
    finished = {} if kept is None else dict(kept.finished)
    left = [cell for cell in cells if cell.name not in finished]
    progress = _Progress(len(cells), len(left))
    for each in run_cells(left, cancelled):
        finished[each.cell] = each
        if kept is not None:
            kept.add(each)
        progress.step()
    progress.end()
    return [finished[cell.name] for cell in cells if cell.name in finished]


def _open_folder(
    options: argparse.Namespace, name: str, settings: Settings, networks: Networks, datasets: Datasets
) -> Kept[Any] | None:
    """The cells that the folder keeps; None without a folder."""
    if not options.out:
        return None
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PgmError(f"{folder}: cannot make the folder: {error.strerror}") from None
    return Kept(folder / f"{name}.jsonl", name, STUDIES[name], settings, networks, datasets)


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


def _settings(options: argparse.Namespace, study: AnyStudy) -> Settings:
    """The settings of a study: the paper's, or quick ones, and what was asked for."""
    asked = {
        "rows": options.rows,
        "datasets": options.datasets,
        "max_iter": options.max_iter,
        "max_seconds": options.max_seconds,
        "random_state": check_seed(options.random_state),
        "keep_leaves": False if options.prune else None,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    return dataclasses.replace(study.quick if options.quick else study.settings, **given)


class _Progress:
    """One line on a terminal, written over after every cell."""

    def __init__(self, total: int, left: int) -> None:
        self._total, self._left, self._done, self._started = total, left, 0, time.monotonic()
        self._show("")

    def step(self) -> None:
        """One more cell is finished."""
        self._done += 1
        left = (time.monotonic() - self._started) / self._done * (self._left - self._done)
        self._show(f", about {describe_time(left)} left")

    def end(self) -> None:
        """Leave no line behind."""
        self._print("")

    def _show(self, how_long: str) -> None:
        done = self._total - self._left + self._done
        self._print(f"{done} of {self._total} problems{how_long} (Ctrl+C ends with what there is)")

    def _print(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def describe_time(seconds: float) -> str:
    """A time as people say it.

    >>> describe_time(8.4), describe_time(200), describe_time(7600)
    ('8 s', '3 min', '2.1 h')
    """
    if seconds < INTERVAL:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 60 * INTERVAL else f"{seconds / 3600:.1f} h"


def add_study(parser: argparse.ArgumentParser) -> None:
    """The options of a study."""
    parser.add_argument(
        "table",
        nargs="?",
        choices=[*STUDIES, ALL],
        metavar="NAME",
        help=f"which one, or {ALL}; without, they are listed",
    )
    parser.add_argument(
        "--networks",
        metavar="FOLDER",
        help="where the network files are (default: with the program, in the folder networks of the user's data, "
        f"and in {SHARED})",
    )
    parser.add_argument("--quick", action="store_true", help="two small networks and little data, for a first look")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="keep what is finished there, and go on from it; at the end write numbers (CSV, JSON) and a figure (SVG)",
    )
    parser.add_argument("--rows", type=int, metavar="N", help="rows per dataset, or the most (default: as the paper)")
    parser.add_argument("--datasets", type=int, metavar="K", help="per problem (default: as the paper)")
    parser.add_argument("--max-iter", type=int, metavar="I", help="iterations of a method (default: as the paper)")
    parser.add_argument(
        "--max-seconds", type=float, metavar="SECONDS", help="processor time of a method on a problem (default: 60)"
    )
    parser.add_argument(
        "--prune",
        action="store_true",
        help="tables 4.1 and 4.2: do not learn hidden leaves, as our learners never do but the thesis' did",
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
