"""A real server, a real browser, and the rules every browser test is held to.

A test fails on any error in the browser's console, any error the server logs, and any request to a
host other than the server.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.main import build_page, lay_out, read_files
from pgmgui.project.store import Store
from pgmgui.state.desk import Desk
from tests.ui.board import Board
from tests.ui.panels import make_board, make_desk, make_room
from tests.ui.serving import WAIT, House, Served, start_process
from tests.ui.stage import Stage
from tests.ui.watch import Watch

# A page that is right appears at once; a busy machine must not make it wrong.
PATIENCE = 1000 * WAIT
expect.set_options(timeout=PATIENCE)
REST = 0.1
"""Seconds that a run rests after each iteration, where it is not to end: in a minute it does not come to its limit."""
# Tabs and strip, with its plot, come when the rest is there.
BUILT = """() => Bokeh.documents.some(document => document.is_idle && ["Tabs", "plot of objective"].every(
  name => [...document._all_models.values()].some(
    model => model.name === name && Bokeh.index.find_one(model)?.has_finished())
)) && Bokeh.index.roots.every(view => view.has_finished())"""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Leave a test's outcome where its fixtures find it."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.failed_in_call = report.failed


@pytest.fixture(scope="session")
def house() -> Iterator[House]:
    """Servers in this process."""
    served = House()
    yield served
    served.close()


# --- panels on the stage


class Stages:
    """The stage that is open, if any: each worker of the tests has one."""

    def __init__(self, make: Callable[[], Stage]) -> None:
        self._make = make
        self._open: Stage | None = None

    def get(self) -> Stage:
        """The stage, opened if there is none."""
        if self._open is None:
            self._open = self._make()
        return self._open

    def close(self) -> None:
        """Close it; the next will be another."""
        if self._open is not None:
            self._open.close()
        self._open = None


@pytest.fixture(scope="session")
def stages(house, browser, browser_context_args) -> Iterator[Stages]:
    found = Stages(lambda: Stage(house, prepare(browser.new_context(**browser_context_args))))
    yield found
    found.close()


@pytest.fixture
def stage(request, stages, house) -> Iterator[Stage]:
    """A stage with nothing on it; at the end, nothing may have gone wrong."""
    house.take_errors()
    stage = stages.get()
    yield stage
    if getattr(request.node, "failed_in_call", True):
        print("What went wrong beside it:", stage.watch.problems + house.take_errors())
        stages.close()
        return
    stage.clear()
    problems, stage.watch.problems = stage.watch.problems + house.take_errors(), []
    if problems:
        stages.close()
    assert problems == []


@pytest.fixture
def show(stage, kept) -> Iterator[Callable[..., Board]]:
    """Put panels on the stage, with a scene: an example, a name of ``SCENES``, a link from its ?, or files."""
    desks: list[Desk] = []

    def show_one(make: Callable[[Desk], tuple[list, list]], scene: str | tuple[Path, ...]) -> Board:
        def build() -> tuple[list, list]:
            desks.append(make_desk(scene, kept))
            return make(desks[-1])

        page = stage.show(build)
        return Board(page, desks[-1].session).wait_for_load(1)

    yield show_one
    for desk in desks:
        stage.do(desk.race.stop)


@pytest.fixture
def open_scene(show) -> Callable[[str], Board]:
    """Show a scene on nothing but the canvas."""
    return lambda scene: show(make_board, scene)


@pytest.fixture
def open_panel(show) -> Callable[..., Board]:
    """Show panels beside the canvas, by the names on their tabs in small letters; and the strip."""

    def open_one(*panels: str, scene: str | tuple[Path, ...] = "asia") -> Board:
        return show(lambda desk: make_room(desk, panels), scene)

    return open_one


@pytest.fixture
def open_desk(show) -> Callable[..., Board]:
    """Show all that is on a page, on the stage: what a test of a whole page wants that is not about its opening.

    Nothing is kept of it, and its address stays as it is.
    """

    def open_one(scene: str | tuple[Path, ...] = "asia") -> Board:
        board = show(lay_out, scene)
        board.page.wait_for_function(BUILT)
        return board

    return open_one


@pytest.fixture
def slowly(monkeypatch) -> None:
    """A run ends only when it is stopped, and rests in between: else it takes a core from the page beside it."""

    def rest(focus, *_):
        time.sleep(REST)
        return np.full(len(focus.active), np.inf)

    monkeypatch.setattr("engine.learning.stopping._find_change", rest)


# --- whole pages


@pytest.fixture(scope="session")
def kept(tmp_path_factory) -> Path:
    """The folder where the whole pages of this process keep their work."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="session")
def start_server(house, kept) -> Callable[..., str]:
    """Serve the whole page on files (or on the first example), from this process; each combination once."""
    running: dict[tuple[Path, ...], str] = {}
    store = Store(kept)

    def start(*paths: Path) -> str:
        if paths not in running:
            opened = read_files(*(*paths, None, None)[:2])
            running[paths] = house.serve(lambda: build_page(opened, True, store))
        return running[paths]

    return start


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Served]:
    """A server for tests that provoke errors; in this process they would fail others."""
    server = start_process((), tmp_path_factory.mktemp("server") / "log")
    yield server
    server.stop()


def wait_for_page(tab: Page) -> Board:
    """Wait until a page that was opened is drawn and built."""
    board = Board(tab).wait_for_load(1)
    # Until it has built the whole page, Bokeh forgets that something is to be shown or hidden.
    tab.wait_for_function(BUILT)
    return board


@pytest.fixture(scope="session")
def profile(browser, browser_context_args) -> Iterator[BrowserContext]:
    """A profile that has been here before: scripts are not compiled anew for each page, which takes a second."""
    profile = prepare(browser.new_context(**browser_context_args))
    yield profile
    profile.close()


@pytest.fixture
def context(profile) -> Iterator[BrowserContext]:
    """The profile of the whole pages; at the end, no page of it is open, and nothing is kept but scripts."""
    yield profile
    for page in profile.pages:
        page.close()
    assert profile.storage_state()["cookies"] == []


@pytest.fixture
def page(context) -> Page:
    """An empty page, of the profile that all whole pages share."""
    return context.new_page()


def prepare(context: BrowserContext) -> BrowserContext:
    """Have a profile wait long, know that the guided first run was seen, and not take its time with movements."""
    context.set_default_timeout(PATIENCE)
    context.add_init_script("localStorage.setItem('pgmgui-first-run', 'seen')")
    context.on("page", _hurry)
    return context


def _hurry(page: Page) -> None:
    """Have what fades and slides do so in no time: each of its frames is painted by the processor.

    Without ``Animation.enable``, which would keep the rate: it also keeps all that was ever moved, with all around it.
    """
    devtools = page.context.new_cdp_session(page)
    page.on("domcontentloaded", lambda: devtools.send("Animation.setPlaybackRate", {"playbackRate": 1000}))


@pytest.fixture
def open_board(page, house, start_server) -> Iterator[Callable[..., Board]]:
    """Open a whole page and wait for its drawing; at the end, nothing may have gone wrong."""
    watch = Watch()
    house.take_errors()

    def open_one(*paths: Path, tab: Page | None = None, query: str = "") -> Board:
        url = start_server(*paths)
        tab = tab or page
        watch.follow(tab, url)
        tab.goto(f"{url}/{query}")
        return wait_for_page(tab)

    yield open_one
    assert watch.problems + house.take_errors() == []


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
