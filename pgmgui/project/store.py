"""Where tabs are kept, so that a reload of the page or a restart of the server loses nothing.

A row of a database for each tab, and one for each data: a mark that is changed does not write the data again. Several
servers may use one folder. Each says now and then that it is there, and which tabs are open on it: those are nobody
else's to write, and are never forgotten.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from engine.formats import DataDocument
from engine.formats.files import write_text
from engine.formats.limits import MOST_DATA_BYTES
from engine.model.errors import FormatError, PgmError
from pgmgui.project import session_file
from pgmgui.project.database import Database
from pgmgui.project.earlier_tabs import Earlier, find_earlier, remove_earlier
from pgmgui.project.session_file import Saved

MOST_KEPT = 100
"""Tabs that are kept unless another number is chosen, and copies; those not used for longest are forgotten."""
BEAT, LEASE = 30.0, 90.0
"""Seconds after which a server says again that it is there, and after which it is believed to be gone."""
_KEY = re.compile(r"[A-Za-z0-9_-]{8,40}")
_TABLES = (
    "CREATE TABLE data (sha256 TEXT PRIMARY KEY, packed BLOB NOT NULL)",
    "CREATE TABLE tab (key TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, data TEXT, "
    "used REAL NOT NULL, server TEXT)",
    "CREATE TABLE server (id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, seen REAL NOT NULL)",
)


class TakenError(PgmError):
    """A tab that is open on another server, which alone may write it."""


@dataclass(frozen=True)
class Room:
    """How many tabs are kept, of how many at most; and of a full store, which one a new tab will replace.

    Attributes
    ----------
    title : str
    used : float
        When that one was last used, in seconds since 1970; 0 where none will be replaced.
    """

    kept: int
    most: int
    title: str = ""
    used: float = 0.0

    @property
    def is_full(self) -> bool:
        """Whether a new tab will replace another."""
        return self.used > 0

    def describe(self, named: bool) -> str:
        """How full the store is, in a sentence or two; the tab that will be replaced is named only to its owner."""
        if not self.is_full:
            return f"Of at most {self.most:,} tabs, {self.kept:,} are kept."
        day = datetime.fromtimestamp(self.used).astimezone()
        which = f"“{self.title}”, last used on {day.day} {day:%B %Y}" if named else "the one not used for longest"
        return (
            f"No more than {self.most:,} tabs are kept: the next new one will replace {which}. Save what shall stay "
            "as a file, or start pgmgui with a larger --keep."
        )


class Store:
    """A folder of saved tabs. Several threads may use it, and several servers.

    Parameters
    ----------
    folder : Path
        Made on the first save.
    most : int
        Tabs that are kept. More are while they are open.

    Attributes
    ----------
    owners : dict from key to Keeper
        Which page of this server writes a tab: no two may.
    """

    def __init__(self, folder: Path, most: int = MOST_KEPT) -> None:
        self.folder, self.most = folder, most
        self.owners: dict[str, Any] = {}
        self._writer = ThreadPoolExecutor(1, "keeper")
        self._database = Database(folder, _TABLES)
        self._lock = threading.Lock()
        self._id = secrets.token_hex(8)
        self._held: set[str] = set()
        self._beating = False
        self._digests: WeakKeyDictionary[DataDocument, str] = WeakKeyDictionary()
        self._adopted = False

    def make_key(self) -> str:
        """A name for a new tab that nobody guesses."""
        return secrets.token_urlsafe(12)

    # --- tabs

    def save(self, key: str, saved: Saved) -> Room:
        """Keep a tab, which is open here from now on; how full the store is with it.

        Raises
        ------
        TakenError
            If it is open on another server.
        """
        _check(key)
        self._adopt()
        found = saved.scene.data
        data = found if isinstance(found, DataDocument) else None  # of what is counted elsewhere, the text says where
        digest, packed = (None, None) if data is None else self._pack(data)
        text = session_file.dump(saved, None if digest is None else _refer(digest))

        def write(connection: sqlite3.Connection) -> Room:
            living = self._appear(connection)
            if self._is_elsewhere(connection, key, living):
                raise TakenError(f"the tab {key!r} is open on another server, which keeps it")
            if data is not None and not _has(connection, digest):
                content = packed or _compress(session_file.dump_csv(data))  # others may have forgotten it just now
                connection.execute("INSERT INTO data VALUES (?, ?)", (digest, content))
            row = key, saved.scene.title, text, digest, time.time(), self._id
            connection.execute("INSERT OR REPLACE INTO tab VALUES (?, ?, ?, ?, ?, ?)", row)
            return self._forget_old(connection, living)

        room = self._database.change(write)
        self._hold(key)
        return room

    def save_later(self, key: str, saved: Saved) -> Future[Room]:
        """Keep a tab beside the page."""
        return self._writer.submit(self.save, key, saved)

    def load(self, key: str) -> Saved | None:
        """A tab that was kept; None if there is none of that name."""
        if not _KEY.fullmatch(key):
            return None
        self._adopt()
        question = "SELECT text, packed FROM tab LEFT JOIN data ON sha256 = data WHERE key = ?"
        rows = self._database.look(question, (key,))
        if not rows:
            return None
        ((text, packed),) = rows
        try:
            return session_file.parse(text, lambda name: _decompress(packed))
        except FormatError as error:
            raise error.at(f"the tab {key} in {self.folder}") from None

    def forget(self, key: str) -> None:
        """Remove what was kept of a tab, and data that no other tab has."""
        _check(key)

        def remove(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM tab WHERE key = ?", (key,))
            _forget_unused_data(connection)

        if self._database.exists:
            self._database.change_all(remove)

    # --- which tabs are open

    def claim(self, key: str) -> bool:
        """Have a tab that was kept open here; False if it is open on another server."""

        def take(connection: sqlite3.Connection) -> bool:
            if self._is_elsewhere(connection, key, self._appear(connection)):
                return False
            row = self._id, time.time(), key
            connection.execute("UPDATE tab SET server = ?, used = ? WHERE key = ?", row)
            return True

        if self._database.exists and not self._database.change(take):
            return False
        self._hold(key)
        return True

    def release(self, key: str) -> None:
        """Have a tab open no more."""
        with self._lock:
            self._held.discard(key)
            is_last = not self._held

        def write(connection: sqlite3.Connection) -> None:
            row = time.time(), key, self._id
            connection.execute("UPDATE tab SET server = NULL, used = ? WHERE key = ? AND server = ?", row)
            if is_last:
                connection.execute("DELETE FROM server WHERE id = ?", (self._id,))

        if self._database.exists:
            self._database.change(write)

    def _hold(self, key: str) -> None:
        """Say from now on that a tab is open here."""
        with self._lock:
            self._held.add(key)
            begins, self._beating = not self._beating, True
        if begins:
            threading.Thread(target=self._beat, name="store", daemon=True).start()

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT)
            with self._lock:
                if not self._held:
                    self._beating = False
                    return
            if self._database.exists:
                with suppress(PgmError):  # saving will say it
                    self._database.change(self._appear)

    def _appear(self, connection: sqlite3.Connection) -> set[str]:
        """Say that this server is there; the servers that are."""
        now, host = time.time(), socket.gethostname()
        row = self._id, host, os.getpid(), now
        connection.execute("INSERT OR REPLACE INTO server VALUES (?, ?, ?, ?)", row)
        connection.execute("DELETE FROM server WHERE seen < ?", (now - LEASE,))
        found = connection.execute("SELECT id, host, pid FROM server").fetchall()
        return {name for name, where, pid in found if where != host or _is_running(pid)}

    def _is_elsewhere(self, connection: sqlite3.Connection, key: str, living: set[str]) -> bool:
        row = connection.execute("SELECT server FROM tab WHERE key = ?", (key,)).fetchone()
        return row is not None and row[0] in living - {self._id}

    # --- what is forgotten

    def _forget_old(self, connection: sqlite3.Connection, living: Iterable[str]) -> Room:
        """Forget the tabs that were not used for longest, but none that is open."""
        rows = connection.execute("SELECT key, title, used, server FROM tab ORDER BY used").fetchall()
        closed = [row for row in rows if row[3] not in set(living)]
        excess = max(0, len(rows) - self.most)
        for key, *_ in closed[:excess]:
            connection.execute("DELETE FROM tab WHERE key = ?", (key,))
        _forget_unused_data(connection)
        left = closed[excess:]
        kept = len(rows) - len(closed) + len(left)
        if kept < self.most or not left:
            return Room(kept, self.most)
        return Room(kept, self.most, left[0][1], left[0][2])

    # --- data

    def _pack(self, data: DataDocument) -> tuple[str, bytes | None]:
        """The digest of data; and they themselves, if they may not have been written yet."""
        with self._lock:
            digest = self._digests.get(data)
        if digest is not None:
            return digest, None
        text = session_file.dump_csv(data)
        digest = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            self._digests[data] = digest
        return digest, _compress(text)

    # --- copies, and what was kept before

    def save_copy(self, saved: Saved) -> Path:
        """Keep a session as it is now, whatever becomes of its tab; the file it is in, data and all."""
        text = session_file.dump(saved)
        path = self.folder / f"copy-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        self._database.make_folder()
        with suppress(OSError):  # writing will say it
            path.touch(0o600)  # which stays so when it is written
        write_text(path, text)
        times = {}
        for copy in self.folder.glob("copy-*.json"):
            with suppress(OSError):  # another server has forgotten it
                times[copy] = copy.stat().st_mtime
        for copy in sorted(times, key=times.__getitem__, reverse=True)[self.most :]:
            copy.unlink(missing_ok=True)
        return path

    def _adopt(self) -> None:
        """Take over, once, what earlier versions have kept in files."""
        with self._lock:
            if not self._adopted:
                for earlier in find_earlier(self.folder):
                    self._database.change(partial(_insert, earlier))
                    remove_earlier(self.folder, earlier)
            self._adopted = True


def _insert(earlier: Earlier, connection: sqlite3.Connection) -> None:
    if earlier.csv is not None:
        row = earlier.sha256, _compress(earlier.csv)
        connection.execute("INSERT OR IGNORE INTO data VALUES (?, ?)", row)
    tab = earlier.key, earlier.title, earlier.text, earlier.sha256, earlier.used, None
    connection.execute("INSERT OR IGNORE INTO tab VALUES (?, ?, ?, ?, ?, ?)", tab)


def _check(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise PgmError(f"{key!r} is no name of a saved tab")


def _refer(digest: str) -> dict[str, str]:
    return {"file": f"data-{digest}.csv", "sha256": digest}


def _has(connection: sqlite3.Connection, digest: str | None) -> bool:
    return connection.execute("SELECT 1 FROM data WHERE sha256 = ?", (digest,)).fetchone() is not None


def _forget_unused_data(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM data WHERE sha256 NOT IN (SELECT data FROM tab WHERE data IS NOT NULL)")


def _compress(text: str | bytes) -> bytes:
    return zlib.compress(text.encode() if isinstance(text, str) else text, 1)


def _decompress(packed: bytes | None) -> bytes:
    if packed is None:
        raise FormatError("its data is not there any more")
    try:
        return zlib.decompressobj().decompress(packed, MOST_DATA_BYTES)
    except zlib.error:
        raise FormatError("its data is damaged") from None


def _is_running(pid: int) -> bool:
    """Whether there is such a process on this machine."""
    if sys.platform == "win32":  # where asking would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
