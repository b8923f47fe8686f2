"""What is left of pages that were opened and closed: the memory of a server that many have used.

Closed pages are freed after some minutes, should their browser come back; here, after some seconds.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from tests.benchmarks.load import memory_of
from tests.benchmarks.report import Report
from tests.light_page import LightPage
from tests.own_loop import run_apart
from tests.ui.conftest import start_process

PAGES, AT_ONCE, STEP = 200, 5, 50
LINGERING = "import app.server; app.server.UNUSED_SESSION_SECONDS = 5"
SETTLING = 50.0
"""Seconds until the server has noticed which pages are closed, and has searched for what they leave."""


def run(quick: bool, report: Report) -> None:
    """Measure a server of its own."""
    folder = Path(tempfile.mkdtemp())
    server = start_process((), folder / "log", before=LINGERING)
    plan = (2, 1, 1, 0.0) if quick else (PAGES, AT_ONCE, STEP, SETTLING)
    try:
        run_apart(lambda: _measure(report, server.url, server.process.pid, *plan))
    finally:
        server.stop()
        shutil.rmtree(folder)


async def _measure(
    report: Report, url: str, process: int, pages: int, at_once: int, step: int, settling: float
) -> None:
    with report.table(("pages opened and closed", "memory")) as table:
        table.row("0", f"{memory_of(process):.0f} MB")
        for closed in range(step, pages + 1, step):
            for _ in range(step // at_once):
                await asyncio.gather(*(_visit(url) for _ in range(at_once)))
            await asyncio.sleep(settling)
            table.row(str(closed), f"{memory_of(process):.0f} MB")


async def _visit(url: str) -> None:
    """Open a page, change something on it, so that it is kept, and close it."""
    page = await LightPage.open(url)
    await page.act("hide", names=["smoke"])
    await page.close()
