"""Reading and writing datasets by suffix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.formats import arff, cases, parquet, text_table
from engine.formats.data_columns import DataDocument, build_dataset
from engine.formats.data_output import dump_parquet, dump_text
from engine.formats.data_table import Table
from engine.formats.files import read_bytes, write_pieces
from engine.model.dataset import Dataset
from engine.model.errors import FormatError, ModelError, PgmError
from engine.model.variable import Variable

MOST_DATA_BYTES = 2**30
"""The largest data file that is read."""
TEXT_SUFFIXES: Mapping[str, str | None] = {
    ".csv": None,
    ".txt": None,
    ".data": None,
    ".dat": None,
    ".train": None,
    ".test": None,
    ".tsv": "\t",
}
"""Tables in text files, and the delimiter where the suffix tells it; otherwise it is found out."""
DATA_SUFFIXES = (*TEXT_SUFFIXES, ".cas", ".arff", ".parquet", ".pq")
"""The suffixes of data files."""


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
    path = Path(path)
    _check(path, delimiter)
    return parse_table(read_bytes(path, MOST_DATA_BYTES), path, variables, missing=missing, delimiter=delimiter)


def parse_table(
    data: bytes,
    name: str | Path,
    variables: Sequence[Variable] | None = None,
    *,
    missing: Sequence[str] = (),
    delimiter: str | None = None,
) -> Table:
    """The table in the bytes of a file of that name. See :func:`read_table`."""
    suffix = _check(Path(name), delimiter)
    with naming(name):
        return _parse(data, suffix, variables, missing, delimiter)


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Errors that happen inside name the file."""
    try:
        yield
    except FormatError as error:
        raise error.at(name) from None
    except ModelError as error:
        raise FormatError(str(error), path=name) from None


def _parse(
    data: bytes, suffix: str, variables: Sequence[Variable] | None, missing: Sequence[str], delimiter: str | None
) -> Table:
    if suffix == ".cas":
        return cases.parse(data, variables, missing, delimiter)
    if suffix == ".arff":
        return arff.parse(data)
    if suffix in (".parquet", ".pq"):
        return parquet.parse(data)
    return text_table.parse(data, variables, missing, delimiter or TEXT_SUFFIXES[suffix])


def write_dataset(path: str | Path, dataset: Dataset) -> None:
    """Write a dataset in the format of the suffix; the file is complete or untouched.

    See :mod:`engine.formats.data_output` for how cells are written. Read with the dataset's variables, it is
    the same; read without, states that do not occur are lost.
    """
    path = Path(path)
    suffix = _find_suffix(path)
    if suffix in (".cas", ".arff"):
        raise PgmError(f"{path}: {suffix} files can be read but not written; use .csv")
    write_pieces(path, _dump(dataset, suffix))


def dump_dataset(dataset: Dataset, suffix: str) -> bytes:
    """The content of a file of a text format or Parquet. See :func:`write_dataset`."""
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in _dump(dataset, suffix))


def _dump(dataset: Dataset, suffix: str) -> Iterator[str] | Iterator[bytes]:
    if suffix in (".parquet", ".pq"):
        return dump_parquet(dataset)
    return dump_text(dataset, TEXT_SUFFIXES[suffix] or ",")


def _check(path: Path, delimiter: str | None) -> str:
    """The suffix of a file that can be read."""
    suffix = _find_suffix(path)
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise ModelError(f"the delimiter {delimiter!r} cannot be used; expected one character, such as ',' or ';'")
    return suffix


def _find_suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in DATA_SUFFIXES:
        raise FormatError(f"unknown suffix {path.suffix!r}; expected one of {', '.join(DATA_SUFFIXES)}", path=path)
    return suffix
