"""Reading and writing files: the only module of the engine that touches them."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.formats.limits import MOST_BYTES
from engine.model.errors import FormatError, ModelError, PgmError


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Errors that happen inside name the file."""
    try:
        yield
    except FormatError as error:
        raise error.at(name) from None
    except ModelError as error:
        raise FormatError(str(error), path=name) from None


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, or Latin-1 where it is not."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_size(size: int, most: int) -> None:
    """Refuse a file that is too large."""
    if size > most:
        raise FormatError(f"the file has {size / 2**20:,.0f} MB; at most {most >> 20} MB are read")


def read_text(path: Path) -> str:
    """The text of a file. See :func:`decode`."""
    return decode(read_bytes(path))


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, unless there are too many."""
    try:
        status = path.stat()
        with naming(path):
            check_size(status.st_size, most)
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise FormatError("not a file but a device or a pipe, which may never end; save it first", path=path)
        return path.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot read the file: {error.strerror}", path=path) from None


def write_text(path: Path, text: str) -> None:
    """Write a text file; it is complete or untouched."""
    write_pieces(path, (text,))


def encode(pieces: Iterable[str | bytes], name: str | Path) -> Iterator[bytes]:
    """Pieces of a file of that name as its bytes."""
    try:
        for piece in pieces:
            yield piece.encode() if isinstance(piece, str) else piece
    except UnicodeEncodeError as error:
        raise PgmError(f"{name}: cannot write {error.object[error.start : error.end]!r} as UTF-8") from None


def write_pieces(path: Path, pieces: Iterable[str | bytes]) -> None:
    """Write a file beside and rename it, so that a failure leaves the old one whole."""
    try:
        target = Path(os.path.realpath(path))  # a link stays a link, to the new content
        handle, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(encode(pieces, path))
            os.chmod(beside, _mode(target))
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise PgmError(f"{path}: cannot write the file: {error.strerror}") from None


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    if path.is_file():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
