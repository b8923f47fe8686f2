"""Servers for browser tests: in a thread of this process, so that a test sees its state, or in one of their own."""

from __future__ import annotations

import asyncio
import logging
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import panel as pn

from app.server import _report, make_server

T = TypeVar("T")
ENDLESS = """
import time
import numpy as np
from engine.learning import stopping
def rest(focus, *_):
    time.sleep({rest})
    return np.full(len(focus.active), np.inf)
stopping._find_change = rest
"""
"""Has the runs of a server end only when they are stopped, and rest for so many seconds after each iteration."""
ROOT = Path(__file__).resolve().parents[2]
WAIT = 60.0
"""Seconds in which a server answers, however busy the machine."""
WAIT_FOR_START = 5 * WAIT
"""Seconds in which a process has loaded what it needs: many ask for the same disk and processor then."""
START = """
import logging, os, sys
logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
from app.main import serve
port = int(os.environ.get("PGMGUI_TEST_PORT", "0"))
serve(*(path or None for path in sys.argv[1:]), port=port, show=False, announce=lambda url: print(url, flush=True))
"""


class Complaints(logging.Handler):
    """What servers of this process complain about, each as one text."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if record.levelno >= logging.ERROR or "errored" in text:
            self.texts.append(text)


class House:
    """Pages served from one thread of this process."""

    def __init__(self) -> None:
        self._complaints = Complaints()
        logging.getLogger().addHandler(self._complaints)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(_report)
        self._loop.run_forever()

    def serve(self, build_page: Callable[[], pn.viewable.Viewable]) -> str:
        """Serve a page, and tell its address."""

        def start() -> str:
            server, url = make_server(build_page, 0)
            server.start()
            return url

        return self.call(self._loop.call_soon_threadsafe, start)

    def call(self, schedule: Callable[[Callable[[], None]], object], act: Callable[[], T]) -> T:
        """Have something done in the server's thread, and wait for what comes of it."""
        found: Future[T] = Future()

        def settle() -> None:
            try:
                found.set_result(act())
            except BaseException as error:
                found.set_exception(error)

        schedule(settle)
        return found.result(WAIT)

    def take_errors(self) -> list[str]:
        """What the servers have complained about since this was last asked."""
        texts, self._complaints.texts = self._complaints.texts, []
        return texts

    def close(self) -> None:
        """End the thread; the process ends the rest."""
        logging.getLogger().removeHandler(self._complaints)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT)


@dataclass
class Served:
    """A server in a process of its own."""

    url: str
    process: subprocess.Popen[str]
    log: Path

    def errors(self) -> list[str]:
        """What the server has complained about so far."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(("ERROR", "CRITICAL", "Traceback")) or "errored" in line]

    def stop(self) -> None:
        """End the process and wait for it."""
        self.process.terminate()
        self.process.wait(timeout=WAIT)
        self.process.stdout.close()


def start_process(arguments: tuple[str, ...], log: Path, port: int = 0, before: str = "") -> Served:
    """A server on files, that keeps its tabs beside its log; on any free port, or on this one.

    Parameters
    ----------
    before : str
        What its Python runs before all else.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "PGMGUI_HOME": str(log.parent / "kept"),
        "PGMGUI_TEST_PORT": str(port),
    }
    server = start_command([sys.executable, "-c", f"{before}\n{START}", *arguments], log, environment)
    assert server.url.startswith("http://127.0.0.1:"), log.read_text(encoding="utf-8")
    return server


def start_command(command: list[str], log: Path, environment: dict[str, str]) -> Served:
    """A server that some command starts; its address is the line that it says first."""
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=out, text=True)
    if not select.select([process.stdout], [], [], WAIT_FOR_START)[0]:
        process.kill()
        raise AssertionError(f"the server did not start within {WAIT_FOR_START:.0f} s")
    return Served(process.stdout.readline().strip(), process, log)
