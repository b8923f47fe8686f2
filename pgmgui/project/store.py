"""Where tabs are kept, so that a reload of the page or a restart of the server loses nothing.

One small file a tab, and the data in files of their own, named by their content: a mark that is changed does
not write the data again.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.formats import DataDocument
from engine.formats.files import read_bytes, read_text, write_text
from engine.model.errors import FormatError, PgmError
from pgmgui.project import session_file
from pgmgui.project.session_file import Saved

MOST_KEPT = 100
"""Tabs that are kept, and copies; those saved longest ago are forgotten."""
_KEY = re.compile(r"[A-Za-z0-9_-]{8,40}")
_NAMED = re.compile(r'"file": "(data-[0-9a-f]{64}\.csv)"')


class Store:
    """A folder of saved tabs. Several threads may use it.

    Parameters
    ----------
    folder : Path
        Made on the first save.

    Attributes
    ----------
    owners : dict from key to Keeper
        Which page of this server writes a tab's file: no two may.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.owners: dict[str, Any] = {}
        self._writer = ThreadPoolExecutor(1, "keeper")
        self._lock = threading.Lock()
        self._written: tuple[DataDocument, dict[str, str]] | None = None

    def make_key(self) -> str:
        """A name for a new tab that nobody guesses."""
        return secrets.token_urlsafe(12)

    def save(self, key: str, saved: Saved) -> Path:
        """Keep a tab; the file it is in."""
        path = self._path(key)
        with self._lock:
            self._make_folder()
            reference = None if saved.scene.data is None else self._write_data(saved.scene.data)
            write_text(path, session_file.dump(saved, reference))
            self._forget_old()
        return path

    def save_later(self, key: str, saved: Saved) -> Future[Path]:
        """Keep a tab beside the page."""
        return self._writer.submit(self.save, key, saved)

    def forget(self, key: str) -> None:
        """Remove what was kept of a tab, and data that no other tab has."""
        with self._lock:
            self._path(key).unlink(missing_ok=True)
            self._forget_unused_data()

    def save_copy(self, saved: Saved) -> Path:
        """Keep a session as it is now, whatever becomes of its tab; the file it is in, data and all."""
        text = session_file.dump(saved)
        path = self.folder / f"copy-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        with self._lock:
            self._make_folder()
            write_text(path, text)
            self._forget_old()
        return path

    def load(self, key: str) -> Saved | None:
        """A tab that was kept; None if there is none of that name."""
        if not _KEY.fullmatch(key) or not self._path(key).is_file():
            return None
        path = self._path(key)
        try:
            return session_file.parse(read_text(path), lambda name: read_bytes(self.folder / name))
        except FormatError as error:
            raise error.at(path) from None

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            os.chmod(self.folder, 0o700)  # the data may be nobody else's business
        except OSError as error:
            raise PgmError(f"{self.folder}: cannot make the folder that tabs are kept in: {error.strerror}") from None

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise PgmError(f"{key!r} is no name of a saved tab")
        return self.folder / f"tab-{key}.json"

    def _write_data(self, data: DataDocument) -> dict[str, str]:
        """Write data unless they are there; where they are."""
        if self._written is not None and self._written[0] is data:
            reference = self._written[1]
            if (self.folder / reference["file"]).is_file():
                return reference
        text = session_file.dump_csv(data)
        digest = hashlib.sha256(text.encode()).hexdigest()
        name = f"data-{digest}.csv"
        if not (self.folder / name).is_file():
            write_text(self.folder / name, text)
        self._written = data, {"file": name, "sha256": digest}
        return self._written[1]

    def _forget_old(self) -> None:
        forgotten = [
            path for pattern in ("tab-*.json", "copy-*.json") for path in self._newest_first(pattern)[MOST_KEPT:]
        ]
        for path in forgotten:
            path.unlink(missing_ok=True)
        if forgotten:
            self._forget_unused_data()

    def _forget_unused_data(self) -> None:
        texts = (path.read_text(encoding="utf-8") for path in self._newest_first("tab-*.json"))
        used = {name for text in texts for name in _NAMED.findall(text)}
        for path in self._data_files():
            if path.name not in used:
                path.unlink(missing_ok=True)

    def _newest_first(self, pattern: str) -> list[Path]:
        return sorted(self.folder.glob(pattern), key=lambda path: -path.stat().st_mtime)

    def _data_files(self) -> Iterator[Path]:
        return self.folder.glob("data-*.csv")


def default_folder() -> Path:
    """The folder for the user's own data on this system; ``PGMGUI_HOME`` names another."""
    if os.environ.get("PGMGUI_HOME"):
        return Path(os.environ["PGMGUI_HOME"])
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "pgmgui"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "pgmgui"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "pgmgui"
