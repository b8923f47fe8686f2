"""What a study found: as lines for people, and as files of numbers and a figure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.formats.files import write_text
from engine.studies.chart import Chart
from engine.studies.study import Outcome, Table
from pgmgui.project.figures import draw_charts


def table_lines(table: Table[Outcome]) -> list[str]:
    """The table for people: under every column our number, and the thesis' where it has one."""
    with_thesis = [c for c in table.columns if any(row.thesis[c] is not None for row in table.rows)]
    header = ["", "problems"]
    for column in table.columns:
        header += [column, "thesis"] if column in with_thesis else [column]
    lines = [header]
    for row in table.rows:
        cells = [row.category, str(row.problems)]
        for column in table.columns:
            cells.append(show_number(row.ours[column], table.unit))
            if column in with_thesis:
                cells.append(show_number(row.thesis[column], table.unit))
        lines.append(cells)
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    texts = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    return [table.title, "", *texts]


def show_number(value: float | None, unit: str) -> str:
    """A number for people, or a dash."""
    return "—" if value is None else f"{value:,.2f}{unit}"


def write_results(
    folder: Path, name: str, result: Mapping[str, Any], table: Table[Outcome], charts: Sequence[Chart]
) -> list[Path]:
    """Write the numbers as CSV and JSON, and the figure as SVG; the files."""
    texts = {
        ".csv": _as_csv(table),
        ".json": json.dumps(result, allow_nan=False, indent=1) + "\n",
        ".svg": draw_charts(charts) + "\n",
    }
    paths = [folder / f"{name}{suffix}" for suffix in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        write_text(path, text)
    return paths


def _as_csv(table: Table[Outcome]) -> str:
    """A line a number: easy to read for any program, however many columns a table has."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["category", "problems", "column", "unit", "ours", "paper"])
    for row in table.rows:
        for column in table.columns:
            writer.writerow(
                [row.category, row.problems, column, table.unit.strip(), row.ours[column], row.thesis[column]]
            )
    return file.getvalue()
