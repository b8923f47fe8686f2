"""A real server, a real browser, and the rules every browser test is held to.

A test fails on any error in the browser's console, any error the server logs, and any request to a
host other than the server.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from _pytest.runner import runtestprotocol
from playwright.sync_api import Page, expect

from tests.ui.board import Board

expect.set_options(timeout=30_000)  # a page that is right appears at once; a busy machine must not make it wrong
# Tabs and strip, with its plot, come when the rest is there.
BUILT = """() => Bokeh.documents.some(document => document.is_idle && ["Tabs", "plot of objective"].every(name => {
  const model = document.get_model_by_name(name)
  return model && Bokeh.index.find_one(model)?.has_finished()
})) && Bokeh.index.roots.every(view => view.has_finished())"""
ROOT = Path(__file__).resolve().parents[2]
START = """
import logging, os, sys
logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
from app.main import serve
port = int(os.environ.get("PGMGUI_TEST_PORT", "0"))
serve(*(path or None for path in sys.argv[1:]), port=port, show=False, announce=lambda url: print(url, flush=True))
"""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem) -> bool:
    """Give a browser test a second try, and tell of the first: a busy machine can hold a browser up for long.

    What measures times has only one.
    """
    place = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**place)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    failed = [report for report in reports if report.failed]
    if failed and item.get_closest_marker("alone") is None:
        warnings.warn(f"{item.nodeid} failed at first:\n{failed[0].longreprtext[-2000:]}", stacklevel=1)
        item._initrequest()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**place)
    return True


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
        self.process.wait(timeout=20)


@dataclass
class Watch:
    """What went wrong in the browser."""

    problems: list[str] = field(default_factory=list)

    def follow(self, page: Page, url: str) -> None:
        """Listen to a page that may only talk to one server."""
        ours = urlsplit(url).netloc

        def check(address: str) -> None:
            parts = urlsplit(address)
            if parts.scheme not in ("data", "blob") and parts.netloc != ours:
                self.problems.append(f"request to {address}")

        page.on("request", lambda request: check(request.url))
        page.on("websocket", lambda websocket: check(websocket.url))
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("console", lambda said: self.problems.append(f"console: {said.text}") if said.type == "error" else None)

        def refuse(dialog):  # a dialog is a script that ran: alert(1)
            self.problems.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", refuse)


@pytest.fixture(scope="session")
def start_server(tmp_path_factory) -> Iterator[Callable[..., Served]]:
    """Start a server on files (or on the first example); each combination once."""
    running: dict[tuple[str, ...], Served] = {}

    def start(*paths: Path) -> Served:
        key = tuple(map(str, paths))
        if key not in running:
            running[key] = start_process(key, tmp_path_factory.mktemp("server") / "log")
        return running[key]

    yield start
    for served in running.values():
        served.stop()


def start_process(arguments: tuple[str, ...], log: Path, port: int = 0) -> Served:
    """A server on files, that keeps its tabs beside its log; on any free port, or on this one."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "PGMGUI_HOME": str(log.parent / "kept"),
        "PGMGUI_TEST_PORT": str(port),
    }
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=out,
            text=True,
        )
    assert select.select([process.stdout], [], [], 60)[0], "the server did not start within a minute"
    url = process.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:"), log.read_text(encoding="utf-8")
    return Served(url, process, log)


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Served]:
    """A server for tests that provoke errors; on a shared one these would fail the browser tests."""
    server = start_process((), tmp_path_factory.mktemp("server") / "log")
    yield server
    server.stop()


def wait_for_page(tab: Page) -> Board:
    """Wait until a page that was opened is drawn and built."""
    board = Board(tab).wait_for_load(1)
    # Until it has built the whole page, Bokeh forgets that something is to be shown or hidden.
    tab.wait_for_function(BUILT)
    return board


@pytest.fixture
def context(context):
    """A profile that has been here before: the guided first run does not show itself."""
    context.add_init_script("localStorage.setItem('pgmgui-first-run', 'seen')")
    return context


@pytest.fixture
def open_board(page, start_server) -> Iterator[Callable[..., Board]]:
    """Open a page and wait for its drawing; at the end, nothing may have gone wrong."""
    watch, used = Watch(), []

    def open_one(*paths: Path, tab: Page | None = None, query: str = "") -> Board:
        server = start_server(*paths)
        used.append(server)
        tab = tab or page
        watch.follow(tab, server.url)
        tab.goto(f"{server.url}/{query}")
        return wait_for_page(tab)

    yield open_one
    assert watch.problems == []
    for server in used:
        assert server.errors() == []


@pytest.fixture(scope="session")
def canvas_server(tmp_path_factory) -> Iterator[Served]:
    """A server of pages with nothing but a canvas."""
    log = tmp_path_factory.mktemp("canvas") / "log"
    with log.open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", "tests.ui.canvas_page"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=out, text=True)
    server = Served(process.stdout.readline().strip(), process, log)
    yield server
    server.stop()


@pytest.fixture
def open_scene(page, canvas_server) -> Iterator[Callable[[str], Board]]:
    """Open a scene of the canvas page; at the end, nothing may have gone wrong."""
    watch = Watch()

    def open_one(scene: str) -> Board:
        watch.follow(page, canvas_server.url)
        page.goto(f"{canvas_server.url}?scene={scene}")
        return Board(page).wait_for_load(1)

    yield open_one
    assert watch.problems == []
    assert canvas_server.errors() == []


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Debian's Chromium, without its own windows where there is such a package: it takes less of the machine."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert chromium, "the browser tests need Debian's package 'chromium-headless-shell' or 'chromium'"
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    return {**browser_type_launch_args, "executable_path": chromium, "args": flags}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """The size of a laptop's window."""
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}}
