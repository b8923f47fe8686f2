"""Opening what does not fit into memory: files of any size, tables of databases."""

from __future__ import annotations

import codecs
import glob
import gzip
import os
import re
import tempfile
import weakref
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlunsplit

from engine.formats.files import naming
from engine.formats.packing import is_packed, split_name
from engine.formats.tables import text
from engine.formats.tables.catalogue import DATA_FORMATS
from engine.formats.tables.columns import match_columns
from engine.formats.tables.table import Hints, Table
from engine.model.errors import FormatError, PgmError
from engine.model.variable import Variable, list_names
from engine.sources.engine import Engine, Watch
from engine.sources.failures import explain_failure
from engine.sources.groups import Counter
from engine.sources.misfits import Given
from engine.sources.places import is_url, list_secrets, split_url
from engine.sources.reading import MOST_ROWS, SourceDocument, read_source

ENGINES = ("memory", "duckdb", "spark")
PARQUET = (".parquet", ".pq")
DATABASES = (".duckdb", ".ddb")
LARGE_TEXT = 256 * 2**20
"""Bytes of a text file beyond which it is counted by DuckDB, where that is installed."""
LARGE_PARQUET = 50_000_000
"""Cells of a Parquet file beyond which it is."""
SAMPLE = 2**18
"""Bytes at the beginning of a text file that tell its delimiter and whether it has a header."""
POSTGRES = ("postgres", "postgresql")
CONNECT_SECONDS = 10
"""How long a server may take to answer, unless the URL says otherwise."""
DUCKDB: Mapping[str, Any] = {"memory_limit": "1GB", "enable_external_file_cache": False}
"""What DuckDB may use; beyond, it works on disk. Files that are asked about again are the system's to remember: kept by
DuckDB, they would be all of its memory that grows with them."""


@dataclass(frozen=True)
class Request:
    """What to open, and how.

    Attributes
    ----------
    where : str
        A path, a pattern of paths (``rows/*.parquet``), or a URL (``postgres://host/db?table=rows``).
    table : str, optional
        The table, where there are several.
    engine : str, optional
        One of :data:`ENGINES`; chosen by what is opened if not given.
    variables, missing, scopes, most, asks
        As in :func:`~engine.sources.reading.read_source`.
    watch : callable
        As in :class:`~engine.sources.engine.Engine`.
    option : str
        As in :class:`~engine.sources.groups.Counter`.
    renamed : mapping from str to str
        For variables that are called otherwise than their columns, these; empty for a column that is left out.
    given : mapping from column to (mapping from text to state)
        What texts mean that are not spelt like a state; None is missing.
    """

    where: str
    table: str | None = None
    engine: str | None = None
    variables: Sequence[Variable] | None = None
    missing: Sequence[str] = ()
    scopes: Sequence[Sequence[int]] = ()
    most: int = MOST_ROWS
    watch: Watch = lambda _: None
    option: str = Counter.option
    renamed: Mapping[str, str] = field(default_factory=dict)
    given: Given = field(default_factory=dict)
    asks: bool = False


class WhichTableError(PgmError):
    """A database of which it is not said, or not rightly, which of its tables is meant.

    Attributes
    ----------
    tables : list of str
        Those that it has.
    """

    def __init__(self, message: str, tables: Sequence[str]) -> None:
        super().__init__(message)
        self.tables = list(tables)


def is_large(where: str, engine: str | None) -> bool:
    """Whether data is to be counted where it lies, not read into memory: by what it is, its size, or as it is said."""
    if engine is not None:
        return engine != "memory"
    if is_url(where) or _is_database(where) or os.path.isdir(where):
        return True
    if not os.path.exists(where):
        return bool(glob.has_magic(where))
    size = os.path.getsize(where)
    if split_name(where)[1] in PARQUET:
        return size > 2**20 and _count_cells(where) > LARGE_PARQUET and _can_import("ibis")
    return size > LARGE_TEXT and not is_packed(where) and _can_import("ibis")


def check_table(where: str, table: str | None) -> None:
    """Refuse the name of a table for files, which have none."""
    if table is not None and not (is_url(where) or _is_database(where)):
        raise PgmError(f"{where}: --table {table} is for databases, and this is none; leave it out")


def open_source(request: Request) -> SourceDocument:
    """The source that a request names."""
    check_table(request.where, request.table)
    if request.most < 1:
        raise PgmError(f"--max-rows must be 1 or more; got {request.most}")
    if is_url(request.where):
        engine, table, notes = _open_url(request)
    elif request.engine == "spark":
        engine, table, notes = _open_spark(request)
    elif _is_database(request.where):
        engine, table, notes = _open_database(request)
    else:
        engine, table, notes = _open_files(request)
    called = {column: name for name, column in request.renamed.items()}
    found = read_source(
        engine,
        _rename(table, request.renamed),
        request.variables,
        request.missing,
        request.most,
        request.scopes,
        request.option,
        {called.get(column, column): texts for column, texts in request.given.items()},
        request.asks,
    )
    gone = [column for column in table.columns if request.renamed.get(column) == ""]
    if gone:
        notes.append(f"columns left out, as was said: {list_names(gone)}")
    return SourceDocument(found.data, (*notes, *found.notes), found.unmatched, found.absent)


def _rename(table: Any, renamed: Mapping[str, str]) -> Any:
    """The table with its columns called as variables are; what else has such a name is left out."""
    known = {name: column for name, column in renamed.items() if column in table.columns}
    gone = {*known, *known.values(), *(name for name, column in renamed.items() if not column)}
    if not gone:
        return table
    kept = {name: name for name in table.columns if name not in gone}
    return table.select(**{name: table[column] for name, column in {**kept, **known}.items()})


Opened = tuple[Engine, Any, list[str]]


def _is_database(where: str) -> bool:
    return Path(where).suffix.lower() in DATABASES


def _can_import(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def _import_ibis() -> Any:
    try:
        import ibis
    except ImportError:
        raise PgmError(
            'counting data where it lies needs Ibis and DuckDB: pip install "pgmgui[sql]"; '
            "or give a file that fits into memory"
        ) from None
    return ibis


def _count_cells(path: str) -> int:
    try:
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(path)
    except Exception:  # what is wrong with it is said by whoever reads it
        return 0
    return int(metadata.num_rows * metadata.num_columns)


def _open_url(request: Request) -> Opened:
    """A table of a database server: ``postgres://user:password@host/db?table=rows``."""
    parts, secrets = split_url(request.where), list_secrets(request.where)
    asked = dict(parse_qsl(parts.query))
    table = request.table or asked.pop("table", None)
    asked.pop("table", None)
    if parts.scheme in POSTGRES:
        asked.setdefault("connect_timeout", str(CONNECT_SECONDS))
    place = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
    name = f"{parts.scheme}://{place}{parts.path}"
    ibis = _import_ibis()
    try:
        backend = ibis.connect(urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(asked), "")))
    except Exception as error:
        raise PgmError(
            f"{name}: cannot connect: {explain_failure(error, secrets)}; "
            "expected a URL such as postgres://user@host/database?table=rows, and its password in the field for it on "
            "the page, in PGPASSWORD, or as user:password@host"
        ) from None
    return Engine(backend, name, secrets, request.watch), _choose_table(backend, table, name, secrets), []


def _open_database(request: Request) -> Opened:
    """A table of a DuckDB file."""
    if not os.path.exists(request.where):
        raise FormatError("cannot open the database: there is no such file; look at its path", path=request.where)
    ibis = _import_ibis()
    try:
        backend = ibis.duckdb.connect(request.where, read_only=True, **DUCKDB)
    except Exception as error:
        raise FormatError(f"cannot open the database: {explain_failure(error)}", path=request.where) from None
    _calm(backend)
    return Engine(backend, request.where, (), request.watch), _choose_table(backend, request.table, request.where), []


def _choose_table(backend: Any, table: str | None, name: str, secrets: tuple[str, ...] = ()) -> Any:
    from ibis.common.exceptions import TableNotFound

    try:
        known = backend.list_tables()
    except Exception as error:
        raise PgmError(f"{name}: its tables cannot be listed: {explain_failure(error, secrets)}") from None
    if table is None and len(known) == 1:
        table = known[0]
    if table is None:
        has = f"It has {list_names(known)}: name one with --table" if known else "It has none: name another database"
        raise WhichTableError(f"{name}: which table? {has}", known)
    schema, _, own = table.rpartition(".")
    try:
        return backend.table(own, database=schema) if schema and table not in known else backend.table(table)
    except TableNotFound:
        raise WhichTableError(f"{name}: there is no table {table!r}; it has {list_names(known)}", known) from None
    except Exception as error:
        raise PgmError(f"{name}: the table {table!r} cannot be opened: {explain_failure(error, secrets)}") from None


def _open_files(request: Request) -> Opened:
    """Files of any size, by DuckDB."""
    paths = _list_files(request.where)
    folder = tempfile.TemporaryDirectory(prefix="pgmgui-")
    ibis = _import_ibis()
    backend = ibis.duckdb.connect(os.path.join(folder.name, "rows.duckdb"), preserve_insertion_order=False, **DUCKDB)
    weakref.finalize(backend, folder.cleanup)
    _calm(backend)
    engine = Engine(backend, request.where, (), request.watch)
    if split_name(paths[0])[1] in PARQUET:
        return engine, _ask(request.where, lambda: backend.read_parquet(paths)), []
    layout, options = _find_layout(paths[0], request)
    rows = _ask(request.where, lambda: backend.read_csv(paths, **options))
    # Text is read once: into a table by columns, which is fast to count.
    engine.plan(1)
    engine.run(lambda: backend.create_table("rows", rows))
    return engine, backend.table("rows"), [note for note in layout.notes if "no header" in note or "separated" in note]


def _calm(backend: Any) -> None:
    """Have DuckDB tell how far it is, but not print it."""
    backend.settings["enable_progress_bar"] = True
    backend.settings["enable_progress_bar_print"] = False


def _ask(where: str, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:
        raise FormatError(f"cannot be read: {explain_failure(error)}", path=where) from None


def _list_files(where: str) -> list[str]:
    """The files that a path or a pattern names, or that are in a folder; all are of one kind."""
    pattern = os.path.join(glob.escape(where), "*.parquet") if os.path.isdir(where) else where
    paths = [where] if os.path.isfile(where) else sorted(glob.glob(pattern, recursive=True))
    if not paths:
        if os.path.isdir(where):
            raise FormatError(
                "no Parquet file is in this folder; name text files by a pattern, as in *.csv", path=where
            )
        raise FormatError("no file is there, or matches; look at the path", path=where)
    kinds = {"parquet" if split_name(path)[1] in PARQUET else "text" for path in paths}
    known = {suffix for suffix, form in DATA_FORMATS.items() if form.name in ("CSV", "Tabs", "Parquet")}
    strange = [path for path in paths if split_name(path)[1] not in known]
    if strange or len(kinds) > 1:
        raise FormatError(
            f"expected files of one kind, CSV or Parquet; got {list_names(strange or paths, 4)}", path=where
        )
    return paths


def _find_layout(path: str, request: Request) -> tuple[Table, dict[str, Any]]:
    """What the first lines of a text file tell, and how DuckDB is to read it."""
    try:
        with gzip.open(path) if is_packed(path) else open(path, "rb") as file:
            data = file.read(SAMPLE)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"cannot read the file: {error}", path=path) from None
    with naming(path):
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise FormatError("this is UTF-16 text, which DuckDB does not read; save it as UTF-8, or as Parquet")
        data = data[: data.rfind(b"\n") + 1] or data
        _, encoding = text.clean(data)
        tabs = "\t" if split_name(path)[1] == ".tsv" else None
        layout = text.parse(data, Hints(request.variables, request.missing, tabs))
        if request.variables and not match_columns(layout, request.variables):
            layout = text.parse(data, Hints(None, request.missing, tabs))  # the user says what the columns mean
        if layout.delimiter == " " or re.search(rb"^\s*(#|%|//)", data, re.MULTILINE):
            raise FormatError(
                "this text has comments, or spaces between its cells, which DuckDB does not read as they are meant; "
                "write it with commas, and without comments, or as Parquet"
            )
    names = [column.name for column in layout.columns]
    options = {
        "columns": dict.fromkeys(names, "VARCHAR"),
        "sep": layout.delimiter,
        "header": layout.has_header,
        "quote": '"',
        "escape": '"',
        "encoding": encoding,
        "force_not_null": names,
    }
    return layout, options


def _open_spark(request: Request) -> Opened:
    """Parquet files of any size, by Spark."""
    ibis, paths = _import_ibis(), _list_files(request.where)
    if split_name(paths[0])[1] not in PARQUET:
        raise PgmError(f"{request.where}: --engine spark reads Parquet files; write the rows as Parquet")
    try:
        from pyspark.sql import SparkSession

        quiet: dict[str, Any] = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        backend = ibis.pyspark.connect(SparkSession.builder.config(map=quiet).getOrCreate())
    except Exception as error:
        raise PgmError(
            f'--engine spark needs Spark and Java: pip install "pgmgui[spark]" ({explain_failure(error)})'
        ) from None
    engine = Engine(backend, request.where, (), request.watch)
    return engine, _ask(request.where, lambda: backend.read_parquet(request.where)), []
