"""The formats of data, by suffix, and reading and writing by it.

A new format is a module with ``parse(data, hints)`` and perhaps ``dump(chunks)``, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from engine.formats.files import naming, read_bytes, write_pieces
from engine.formats.format import Format, find_dump, find_format
from engine.formats.limits import MOST_DATA_BYTES
from engine.formats.packing import pack, unpack
from engine.formats.tables import arff, cases, parquet, text
from engine.formats.tables.columns import DataDocument, build_dataset
from engine.formats.tables.output import dump_parquet, dump_texts
from engine.formats.tables.table import Hints, Table
from engine.model.dataset import Dataset
from engine.model.variable import Variable

TableFormat = Format[Callable[[bytes, Hints], Table], Callable[[Iterable[Dataset]], Iterable[str | bytes]]]
_TEXT = TableFormat("CSV", text.parse, partial(dump_texts, delimiter=","))
_PARQUET = TableFormat("Parquet", parquet.parse, dump_parquet, needs="pyarrow")

DATA_FORMATS: Mapping[str, TableFormat] = {
    ".csv": _TEXT,
    ".txt": _TEXT,
    ".data": _TEXT,
    ".dat": _TEXT,
    ".train": _TEXT,
    ".test": _TEXT,
    ".tsv": TableFormat("Tabs", text.parse_tabs, partial(dump_texts, delimiter="\t")),
    ".cas": TableFormat("Case", cases.parse),
    ".arff": TableFormat("ARFF", arff.parse),
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
}


def read_dataset(
    path: str | Path,
    variables: Sequence[Variable] | None = None,
    *,
    missing: Sequence[str] = (),
    delimiter: str | None = None,
) -> DataDocument:
    """The dataset in a file, by its suffix.

    Parameters
    ----------
    variables : sequence of Variable, optional
        The dataset is over exactly these, in this order; one without a column is hidden. Without, there is
        a variable for every column, with its states in the file's order.
    missing : sequence of str
        Codes of missing cells besides ``? NA * N/A NaN`` and nothing; a state of that name wins.
    delimiter : str, optional
        What stands between the cells of a text file; a space means any run of spaces and tabs.
        Otherwise it is found out.
    """
    table = read_table(path, variables, missing=missing, delimiter=delimiter)
    with naming(path):
        return build_dataset(table, variables, missing)


def read_table(
    path: str | Path,
    variables: Sequence[Variable] | None = None,
    *,
    missing: Sequence[str] = (),
    delimiter: str | None = None,
) -> Table:
    """The table in a file, by its suffix: cells as texts, matched to nothing yet. See :func:`read_dataset`."""
    hints = Hints(variables, missing, delimiter)
    find_format(path, DATA_FORMATS)  # before the file is read, which may take long
    return _parse(read_bytes(Path(path), MOST_DATA_BYTES), path, hints)


def parse_table(
    data: bytes,
    name: str | Path,
    variables: Sequence[Variable] | None = None,
    *,
    missing: Sequence[str] = (),
    delimiter: str | None = None,
) -> Table:
    """The table in the bytes of a file of that name. See :func:`read_table`."""
    return _parse(data, name, Hints(variables, missing, delimiter))


def _parse(data: bytes, name: str | Path, hints: Hints) -> Table:
    form = find_format(name, DATA_FORMATS)
    with naming(name):
        return form.parse(unpack(data, name, MOST_DATA_BYTES), hints)


def write_dataset(path: str | Path, dataset: Dataset) -> None:
    """Write a dataset in the format of the suffix; the file is complete or untouched.

    See :mod:`engine.formats.tables.output` for how cells are written. Read with the dataset's variables, it is
    the same; read without, states that do not occur are lost.
    """
    write_chunks(path, [dataset])


def write_chunks(path: str | Path, chunks: Iterable[Dataset]) -> None:
    """Write rows that come in chunks, all with the same variables, and weights or none; see :func:`write_dataset`."""
    write_pieces(Path(path), pack(find_dump(path, DATA_FORMATS)(chunks), path))


def dump_dataset(dataset: Dataset, name: str) -> bytes:
    """The content of a file of that name. See :func:`write_dataset`."""
    return b"".join(pack(find_dump(name, DATA_FORMATS)([dataset]), name))
