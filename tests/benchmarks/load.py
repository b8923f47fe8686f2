"""A class at work: many pages of one server, some of them learning, while more are opened.

The pages are without a browser (``tests/light_page.py``): what is measured is the server. An answer is what a click on
the canvas waits for: from a mark that is sent to the acknowledgement that comes when all that follows from it was sent.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from tests.benchmarks.report import Report, seconds
from tests.light_page import LightPage
from tests.ui.conftest import start_process

PAGES = 50
LEARNING = 5
"""Of the pages, those that learn meanwhile, as long as the others are open."""
TOGETHER = 2
"""Pages that are being opened at the same time."""
PAUSE = 2.0
"""Seconds between two clicks on a page."""
LEARN = "/?example=chain-12&hide=X3,X6,X9&tol=1e-12&restarts=20&run=1"
NAMES = ("smoke", "bronc", "xray", "dysp")


def run(quick: bool, report: Report) -> None:
    """Measure a server of its own."""
    pages, learning, pause = (4, 1, 0.2) if quick else (PAGES, LEARNING, PAUSE)
    folder = Path(tempfile.mkdtemp())
    server = start_process((), folder / "log")
    try:
        asyncio.run(_measure(report, server.url, server.process.pid, pages, learning, pause))
    finally:
        server.stop()
        shutil.rmtree(folder)


async def _measure(report: Report, url: str, process: int, pages: int, learning: int, pause: float) -> None:
    opened: list[LightPage] = []
    opening: list[float] = []
    before = _memory(process)
    while_opening: list[float] = []
    alone: list[float] = []
    clicking: list[asyncio.Task[None]] = []
    answers = while_opening
    waiting = list(range(pages))

    async def click(page: LightPage) -> None:
        for turn in range(10**9):
            await asyncio.sleep(pause)
            begun = time.perf_counter()
            await page.act("hide", names=[NAMES[turn % len(NAMES)]])
            answers.append(time.perf_counter() - begun)

    async def open_some() -> None:
        while waiting:
            number = waiting.pop()
            begun = time.perf_counter()
            page = await LightPage.open(url, LEARN if number < learning else "/")
            opening.append(time.perf_counter() - begun)
            opened.append(page)
            clicking.append(asyncio.create_task(click(page) if number >= learning else page.listen()))

    await asyncio.gather(*(open_some() for _ in range(TOGETHER)))
    each = (_memory(process) - before) / pages
    answers = alone
    await asyncio.sleep(5 * pause)
    for task in clicking:
        task.cancel()
    await asyncio.gather(*clicking, return_exceptions=True)
    await asyncio.gather(*(page.close() for page in opened))
    with report.table((f"{pages} pages, {learning} of them learning", "number", "median", "worst")) as table:
        for name, found in (
            ("opening a page", opening),
            ("answers while others open", while_opening),
            ("answers when all are open", alone),
        ):
            table.row(name, str(len(found)), seconds(statistics.median(found)), seconds(max(found)))
    report.note(f"memory of the server: {before:.0f} MB without a page, {each:.1f} MB more for each\n")


def _memory(process: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found is not None
    return int(found[1]) / 1024
