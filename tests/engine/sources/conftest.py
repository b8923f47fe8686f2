"""A PostgreSQL server of our own, in a folder that is gone afterwards."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

USER = "nobody" if os.getuid() == 0 else None
"""Whom the server runs as, which refuses to be root."""


class Server:
    """A server that listens on a socket in its folder only."""

    def __init__(self) -> None:
        found = [*glob.glob("/usr/lib/postgresql/*/bin"), *filter(None, [shutil.which("initdb")])]
        assert found, "these tests need PostgreSQL: make postgresql"
        self.programs = Path(found[-1]) if os.path.isdir(found[-1]) else Path(found[-1]).parent
        self.folder = Path(tempfile.mkdtemp(prefix="pgmgui-postgresql-"))
        if USER:
            shutil.chown(self.folder, USER)
        self._run("initdb", "--pgdata", self.folder / "data", "--no-sync", "--auth=trust", "--username=counter")
        self.start()

    def _run(self, program: str, *words: object) -> None:
        command = [str(self.programs / program), *map(str, words)]
        done = subprocess.run(command, user=USER, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        settings = f"-c listen_addresses= -c fsync=off -k {self.folder}"
        log = self.folder / "log"
        self._run("pg_ctl", "start", "--wait", "--pgdata", self.folder / "data", "--log", log, "--options", settings)

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "--mode=immediate", "--pgdata", self.folder / "data")

    def url(self, table: str = "", password: str = "") -> str:
        """The address of a table, for ``learn``."""
        secret = f":{password}" if password else ""
        named = f"&table={table}" if table else ""
        return f"postgres://counter{secret}@/postgres?host={self.folder}{named}"


@pytest.fixture(scope="session")
def postgresql():
    server = Server()
    yield server
    server.stop()
    shutil.rmtree(server.folder)
