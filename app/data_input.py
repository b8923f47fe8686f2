"""The data that a command names: a file that is read, or what is counted where it lies."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from engine.formats import read_dataset
from engine.model.messages import count
from engine.model.source import Source
from engine.model.variable import Variable
from engine.sources.engine import Asking
from engine.sources.ibis_table import IbisTable
from engine.sources.opening import ENGINES, Request, check_table, is_large, open_source
from engine.sources.reading import MOST_ROWS, SourceDocument


def add_source(parser: argparse.ArgumentParser) -> None:
    """The options of data that is counted where it lies."""
    parser.add_argument("--table", metavar="NAME", help="the table, where DATA is a database that has several")
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="who counts the rows: this program, having read the file into memory, or DuckDB or Spark where they lie "
        "(default: DuckDB for patterns such as 'rows/*.parquet', .duckdb files and large files; the server for a URL)",
    )
    parser.add_argument(
        "--max-rows",
        type=int,
        default=MOST_ROWS,
        metavar="N",
        help="the most distinct rows that are fetched for what is learned together (default: %(default)s)",
    )


def read_data(
    options: argparse.Namespace,
    where: str,
    variables: Sequence[Variable] | None = None,
    scopes: Sequence[Sequence[int]] = (),
) -> SourceDocument:
    """The data at a path, a pattern of paths, or a URL; over these variables, or over ones made from its columns."""
    missing: Sequence[str] = getattr(options, "missing_code", ())
    if not is_large(where, options.engine):
        check_table(where, options.table)
        found = read_dataset(where, variables, missing=missing)
        return SourceDocument(found.dataset, found.notes, found.unmatched, found.absent)
    return open_source(
        Request(where, options.table, options.engine, variables, missing, scopes, options.max_rows, show_asking)
    )


def show_asking(now: Asking | None) -> None:
    """One line on a terminal, written over while an engine counts."""
    if not sys.stderr.isatty():
        return
    if now is None:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        return
    print(f"\r\x1b[Kcounting: {now.describe()}", end="", file=sys.stderr, flush=True)


def describe_source(data: Source) -> tuple[dict[str, Any], list[str]]:
    """Who has counted the data, and how often it was asked: for JSON, and in a line; nothing for rows in memory."""
    if not isinstance(data, IbisTable):
        return {}, []
    asked = data.counter.engine.questions
    told = {"name": data.name, "questions": asked, "columns": sum(name is not None for name in data.columns)}
    return {"source": told}, [
        f"{data.n_rows:,} rows of {data.name} counted where they lie, by {count(asked, 'question')}"
    ]
