"""Parquet files, where pyarrow is installed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from engine.formats.tables.table import MOST_COLUMNS, Column, Hints, Table, smallest
from engine.model.errors import FormatError, PgmError

MOST_CELLS = 2**30
"""The most cells a file may declare: a few bytes of Parquet can stand for any number of equal ones."""


def parse(data: bytes, _hints: Hints) -> Table:
    """The table of a Parquet file; a null is a missing cell, numbers are taken as their text."""
    arrow = _import_arrow()
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        rows, names = file.metadata.num_rows, file.schema_arrow.names
        if len(names) > MOST_COLUMNS or rows * max(len(names), 1) > MOST_CELLS:
            raise FormatError(f"{rows:,} rows of {len(names):,} columns; at most {MOST_CELLS:,} cells are supported")
        if len(set(names)) < len(names):
            raise FormatError("two columns have the same name; names must differ")
        read = file.read()
        if read.num_rows != rows:
            raise FormatError(f"the file declares {rows:,} rows and holds {read.num_rows:,}; write it anew")
        return Table([read_column(name, read.column(k)) for k, name in enumerate(names)], rows)
    except (arrow.ArrowException, OSError, OverflowError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise FormatError(f"not a Parquet file that can be read: {reason}") from None


def read_column(name: str, column: Any) -> Column:
    """A column of an Arrow table; a null is a missing cell, and so is a number that is none."""
    arrow = _import_arrow()
    if arrow.types.is_floating(column.type):
        import pyarrow.compute as pc

        column = pc.if_else(pc.is_nan(column), None, column)
    coded = column.cast(arrow.string()).combine_chunks().dictionary_encode()
    if isinstance(coded, arrow.ChunkedArray):
        coded = coded.combine_chunks()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    texts = coded.dictionary.to_pylist()
    return Column(name, texts, smallest(np.asarray(codes), len(texts)))


Columns = tuple[Sequence[tuple[str, Sequence[str], Any]], tuple[str, Any] | None]
"""Columns (name, texts, codes), whose codes pick texts, −1 being written as null; and perhaps (name, weights)."""


def dump(chunks: Iterable[Columns]) -> Iterator[bytes]:
    """The pieces of a Parquet file whose rows come in chunks, all with the same columns."""
    _import_arrow()
    import pyarrow.parquet as pq

    buffer, writer = _Pieces(), None
    for chunk in chunks:
        table = _make_table(*chunk)
        if writer is None:
            writer = pq.ParquetWriter(buffer, table.schema)
        writer.write_table(table)
        yield buffer.take()
    if writer is not None:
        writer.close()
    yield buffer.take()


def _make_table(columns: Sequence[tuple[str, Sequence[str], Any]], weights: tuple[str, Any] | None) -> Any:
    arrow = _import_arrow()
    names = [name for name, _, _ in columns]
    arrays = []
    for _, texts, codes in columns:
        indices = arrow.array(codes.astype(np.int32), mask=codes < 0)
        arrays.append(arrow.DictionaryArray.from_arrays(indices, arrow.array(list(texts), type=arrow.string())))
    if weights:
        names.append(weights[0])
        arrays.append(arrow.array(weights[1]))
    return arrow.Table.from_arrays(arrays, names=names)


class _Pieces(io.RawIOBase):
    """A file that is only written to, and whose bytes are taken away."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        return len(self._pieces[-1])

    def take(self) -> bytes:
        """What was written since the last time."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def _import_arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise PgmError("Parquet files need pyarrow; install it (pip install pyarrow) or use CSV") from None
    return pyarrow
