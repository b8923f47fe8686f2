"""Tabs as earlier versions have kept them: a file for each, and the data in files named by their content."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.formats.files import read_bytes, read_text
from engine.model.errors import FormatError


@dataclass(frozen=True)
class Earlier:
    """A tab that was kept in a file.

    Attributes
    ----------
    text : str
        The session; it refers to its data, if it has any, by ``sha256``.
    used : float
        When it was last written, in seconds since 1970.
    """

    path: Path
    key: str
    title: str
    text: str
    used: float
    sha256: str | None = None
    csv: bytes | None = None


def find_earlier(folder: Path) -> Iterator[Earlier]:
    """The tabs of a folder that can be read. The others are left as they are, with a word about each."""
    for path in sorted(folder.glob("tab-*.json")):
        try:
            yield _read(path)
        except FormatError as error:
            logging.getLogger(__name__).warning("a tab that an earlier version kept is left in its file: %s", error)


def remove_earlier(folder: Path, earlier: Earlier) -> None:
    """Remove a tab that has been taken over, and its data unless another tab's file has them too."""
    with suppress(OSError):  # what stays behind is only in the way
        earlier.path.unlink(missing_ok=True)
        if earlier.sha256 is not None:
            others = [path.read_bytes() for path in folder.glob("tab-*.json")]
            if not any(earlier.sha256.encode() in other for other in others):
                _data_path(folder, earlier.sha256).unlink(missing_ok=True)


def _read(path: Path) -> Earlier:
    key, text = path.stem.removeprefix("tab-"), read_text(path)
    try:
        root = json.loads(text)
        title, data, used = str(root["title"]), root["data"], path.stat().st_mtime
        if data is None:
            return Earlier(path, key, title, text, used)
        digest = str(data["sha256"])
    except (ValueError, KeyError, TypeError, RecursionError, OSError) as error:
        raise FormatError(f"not a session: {error!r}", path=path) from None
    csv = read_bytes(_data_path(path.parent, digest))
    if hashlib.sha256(csv).hexdigest() != digest:
        raise FormatError("its data have changed", path=path)
    return Earlier(path, key, title, text, used, digest, csv)


def _data_path(folder: Path, digest: str) -> Path:
    return folder / f"data-{digest}.csv"
