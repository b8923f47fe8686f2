"""Tables in a file of a folder, for several threads and several servers at once: SQLite keeps them apart.

The file is ``kept-1.db``. Where it turns out to be damaged, no database of ours or not ours to write, it is left as it
is, and ``kept-2.db`` is begun: every server that looks into the folder writes into the last one, and reads all of them.

Each call opens the file anew, so that no thread waits for another's connection. SQLite's plain journal is used, not
its write-ahead log: that needs memory which the servers share, and the folder may lie on a network.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from engine.model.errors import PgmError

T = TypeVar("T")
PATIENCE = 20.0
"""Seconds to wait for another thread or server that writes."""
OURS = 0x70676D31
"""What a database of ours has for its ``application_id``."""
_NAME = re.compile(r"kept-([1-9][0-9]{0,5})\.db")
_UNUSABLE = {
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is no database",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_READONLY: "it may not be written",
    sqlite3.SQLITE_PERM: "it may not be opened",
}
_HINDERED = {
    sqlite3.SQLITE_FULL: "the disk is full; make some room",
    sqlite3.SQLITE_BUSY: "another program has been using it for too long; end that program",
    sqlite3.SQLITE_IOERR: "the disk fails, or is full",
}
# Closing a file lets go of all locks that this process has on it, SQLite's too: nobody may look at a file that is
# being made.
_making = threading.Lock()


class _Foreign(Exception):  # noqa: N818 - not an error: the file is somebody else's
    """A database that is not ours."""


class Database:
    """Tables in a file of a folder.

    Parameters
    ----------
    folder : Path
        Made with the first change. One that was there keeps its permissions.
    tables : sequence of str
        The statements that make the tables.
    """

    def __init__(self, folder: Path, tables: Sequence[str]) -> None:
        self._folder, self._tables = folder, tables

    @property
    def exists(self) -> bool:
        return bool(self._find())

    def change(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Do something in one transaction: all of it is written, or nothing.

        Raises
        ------
        PgmError
            What hinders it, and what to do.
        """
        self.make_folder()
        last = max(self._find(), default=1)
        try:
            return self._run(last, action)
        except (sqlite3.Error, _Foreign) as error:
            if not _is_unusable(error):
                raise self._explain(last, error) from None
            why = self._explain(last, error)
        found = self._begin_next(last, action)
        logging.getLogger(__name__).warning("%s; it is left as it is, and %s is begun", why, self._path(last + 1).name)
        return found

    def change_all(self, action: Callable[[sqlite3.Connection], object]) -> None:
        """Do something in the newest file, and in the older ones as far as they can be written."""
        for number in sorted(self._find())[:-1]:
            with suppress(sqlite3.Error, _Foreign, PgmError):
                self._run(number, action)
        self.change(action)

    def look(self, question: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that answer a question, of the newest file that has any.

        Raises
        ------
        PgmError
            If there are none, and some file cannot be read.
        """
        trouble: PgmError | None = None
        for number in sorted(self._find(), reverse=True):
            try:
                with closing(self._connect(number)) as connection:
                    rows = connection.execute(question, values).fetchall()
            except sqlite3.Error as error:
                if _code(error) != sqlite3.SQLITE_ERROR:  # that is a file without our tables
                    trouble = trouble or self._explain(number, error)
                continue
            if rows:
                return rows
        if trouble is not None:
            raise trouble
        return []

    def _run(self, number: int, action: Callable[[sqlite3.Connection], T]) -> T:
        self._make(number)
        with closing(self._connect(number)) as connection:
            connection.execute("PRAGMA auto_vacuum = FULL")  # what is forgotten leaves the file
            connection.execute("BEGIN IMMEDIATE")
            self._prepare(connection)
            found = action(connection)
            connection.execute("COMMIT")  # without it, closing takes all back
        return found

    def _begin_next(self, last: int, action: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return self._run(last + 1, action)
        except (sqlite3.Error, _Foreign) as error:
            raise self._explain(last + 1, error) from None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables, if there are none."""
        if connection.execute("PRAGMA application_id").fetchone()[0] == OURS:
            return
        if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise _Foreign
        for statement in (*self._tables, f"PRAGMA application_id = {OURS}"):
            connection.execute(statement)

    def _connect(self, number: int) -> sqlite3.Connection:
        with _making:
            name = f"{self._path(number).absolute().as_uri()}?mode=rw"
            return sqlite3.connect(name, timeout=PATIENCE, isolation_level=None, uri=True)

    def _make(self, number: int) -> None:
        """Make the file, which nobody else may read; SQLite's journal beside it will have its permissions."""
        path = self._path(number)
        try:
            with _making:
                if not path.exists():
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:  # another server was quicker
            return
        except OSError as error:
            raise PgmError(f"{path}: cannot make the file that tabs are kept in: {error.strerror}") from None

    def make_folder(self) -> None:
        """Make the folder, if it is not there."""
        try:
            self._folder.mkdir(0o700, parents=True, exist_ok=True)  # the data may be nobody else's business
        except OSError as error:
            raise PgmError(f"{self._folder}: cannot make the folder that tabs are kept in: {error.strerror}") from None

    def _find(self) -> list[int]:
        """The numbers of the files that are there."""
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return [int(found[1]) for found in map(_NAME.fullmatch, names) if found]

    def _path(self, number: int) -> Path:
        return self._folder / f"kept-{number}.db"

    def _explain(self, number: int, error: Exception) -> PgmError:
        why = "it is another program's" if isinstance(error, _Foreign) else {**_UNUSABLE, **_HINDERED}.get(_code(error))
        return PgmError(f"{self._path(number)}: tabs cannot be kept in this file: {why or error}")


def _is_unusable(error: Exception) -> bool:
    return isinstance(error, _Foreign) or _code(error) in _UNUSABLE


def _code(error: Exception) -> int:
    """SQLite's number for an error, without what it adds to tell apart errors of a kind."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
