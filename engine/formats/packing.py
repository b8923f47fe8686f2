"""Files packed by gzip: ``asia.bif.gz`` is read and written as ``asia.bif`` is.

What is packed is untrusted too: a few bytes may stand for any number of others. Unpacking goes piece by
piece and stops at a cap; the memory it needs is that of what is unpacked so far.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from engine.formats.files import check_size, encode
from engine.model.errors import FormatError

SUFFIX = ".gz"
"""The suffix of packed files, after that of their format."""
MOST_MEMBERS = 100_000
"""The most files that one ``.gz`` may be strung together from: empty ones cost time and say nothing."""
_MAGIC = b"\x1f\x8b"
_PADDING = re.compile(rb"\0*+")
_PIECE = 2**14
_MOST_AT_ONCE = 2**20
_GZIP = 16 + zlib.MAX_WBITS
"""Tells zlib to expect or to write gzip's header and checksum."""


def is_packed(name: str | Path) -> bool:
    """Whether a file is packed, by its name."""
    return Path(name).suffix.lower() == SUFFIX


def split_name(name: str | Path) -> tuple[str, str]:
    """The name of a file without folders and suffix, and the suffix that says its format, in lower case.

    >>> split_name("nets/Asia.BIF"), split_name("asia.bif.gz"), split_name("asia.gz"), split_name("asia")
    (('Asia', '.bif'), ('asia', '.bif'), ('asia', '.gz'), ('asia', ''))
    """
    path = Path(name)
    inner = Path(path.stem)
    if is_packed(path) and inner.suffix:
        return inner.stem, inner.suffix.lower()
    return path.stem, path.suffix.lower()


def pack(pieces: Iterable[str | bytes], name: str | Path) -> Iterator[bytes]:
    """Pieces of a file of that name as its bytes; packed, if its name says so."""
    plain = encode(pieces, name)
    if not is_packed(name):
        yield from plain
        return
    packer = zlib.compressobj(wbits=_GZIP)  # it writes no time into the header: the same content, the same file
    for piece in plain:
        yield packer.compress(piece)
    yield packer.flush()


def unpack(data: bytes, name: str | Path, most: int) -> bytes:
    """The content of a file of that name: unpacked, if its name says so, and no more than ``most`` bytes."""
    check_size(len(data), most)
    if not is_packed(name):
        return data
    if not data.startswith(_MAGIC):
        raise FormatError("the file is called .gz, but gzip did not pack it; rename it without .gz")
    try:
        content = _unpack(data, most)
    except zlib.error as error:
        raise FormatError(f"the file cannot be unpacked, it is damaged: {str(error).rpartition(': ')[2]}") from None
    if content.startswith(_MAGIC):
        raise FormatError("the file is packed twice; unpack it once")
    return content


def _unpack(data: bytes, most: int) -> bytes:
    """All members of a gzip file, one after another; zeros may pad it."""
    content = io.BytesIO()
    unpacker = zlib.decompressobj(_GZIP)
    members, position = 1, 0
    while position < len(data):
        piece = data[position : position + _PIECE]
        content.write(unpacker.decompress(piece, _MOST_AT_ONCE))
        if content.tell() > most:
            raise FormatError(f"unpacked, the file has more than {most >> 20:,} MB; at most that many are read")
        position += len(piece) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
        if unpacker.eof:
            position = cast(re.Match[bytes], _PADDING.match(data, position)).end()
            if position < len(data):
                unpacker, members = zlib.decompressobj(_GZIP), members + 1
        if members > MOST_MEMBERS:
            raise FormatError(f"the file is strung together from more than {MOST_MEMBERS:,} packed ones")
    if not unpacker.eof:
        raise FormatError("the file cannot be unpacked, it is cut off: its end is missing")
    return content.getvalue()
