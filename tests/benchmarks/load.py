"""A class at work: many pages of one server, some of them learning, while more are opened.

The pages are without a browser (``tests/light_page.py``): what is measured is the server. An answer is what a click on
the canvas waits for: from a mark that is sent to the acknowledgement that comes when all that follows from it was sent.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.opening import cpu_seconds
from tests.benchmarks.report import Report, seconds
from tests.benchmarks.turns import find_longest
from tests.light_page import LightPage
from tests.own_loop import run_apart
from tests.ui.conftest import start_process

LEARN = "/?example=chain-12&hide=X3,X6,X9&tol=0&restarts=1000&run=1"
"""A run that never converges, and goes on from its iteration limit with a key."""
FRAME = '"number"'
"""What is in a drawing of the plot."""
NAMES = ("smoke", "bronc", "xray", "dysp")


@dataclass(frozen=True)
class Plan:
    """How many pages there are, and what they do.

    Attributes
    ----------
    learning : int
        Of the pages, those that learn as long as they are open. They are opened first.
    together : int
        Pages that are being opened at the same time.
    gap : float
        Seconds from one page to the next, at least.
    longest : float
        Seconds after which no more pages are opened.
    pause : float
        Seconds between two clicks on a page.
    after : float
        Seconds of clicking when all are open.
    """

    pages: int = 50
    learning: int = 5
    together: int = 3
    gap: float = 0.3
    longest: float = 240.0
    pause: float = 5.0
    after: float = 20.0


QUICK = Plan(pages=2, learning=1, together=1, gap=0.0, pause=0.02, after=0.2)


def run(quick: bool, report: Report) -> None:
    """Measure a server of its own."""
    folder = Path(tempfile.mkdtemp())
    turns = folder / "turns"
    server = start_process(
        (), folder / "log", before=f"from tests.benchmarks.turns import watch; watch({str(turns)!r})"
    )
    try:
        load = Load(server.url, server.process.pid, QUICK if quick else Plan(), turns)
        run_apart(lambda: load.measure(report))
    finally:
        server.stop()
        shutil.rmtree(folder)


@dataclass(frozen=True)
class Answer:
    """How long a click waited, and how much of that the server worked, for whomever; both in seconds.

    The rest is the machine's: the server waited for a core, or for its learners, or the page itself did.
    """

    waited: float
    worked: float


class Load:
    """The pages of a server, and how long they waited, in seconds."""

    def __init__(self, url: str, process: int, plan: Plan, turns: Path) -> None:
        self._url, self._process, self._plan, self._turns = url, process, plan, turns
        self._pages: list[LightPage] = []
        self._users: list[asyncio.Task[None]] = []
        self._opening: list[float] = []
        self._answers: list[Answer] = []
        self._drawn = 0
        self._gap = asyncio.Lock()

    async def measure(self, report: Report) -> None:
        """Open the pages, use them for a while, close them, and write what was found."""
        plan, process = self._plan, self._process
        memory, worked, begun = memory_of(process), cpu_seconds(process), time.perf_counter()
        numbers = iter(range(plan.pages))
        await asyncio.gather(*(self._open_some(numbers, begun + plan.longest) for _ in range(plan.together)))
        opened, used = time.perf_counter(), cpu_seconds(process) - worked
        each = (memory_of(process) - memory) / len(self._pages)
        while_opening, self._answers, self._drawn = self._answers, [], 0
        await asyncio.sleep(plan.after)
        ended = time.perf_counter()
        await self._close()
        columns = (f"{len(self._pages)} pages, {plan.learning} of them learning", "number", "median", "worst")
        with report.table(columns) as table:
            for name, found in (
                ("opening a page", self._opening),
                ("answers while others open", [answer.waited for answer in while_opening]),
                ("of that, the server at work", [answer.worked for answer in while_opening]),
                ("answers when all are open", [answer.waited for answer in self._answers]),
                ("of that, the server at work", [answer.worked for answer in self._answers]),
            ):
                if found:  # a quick study may end before the first
                    table.row(name, str(len(found)), seconds(statistics.median(found)), seconds(max(found)))
        drawn = self._drawn / plan.learning / plan.after
        longest = [seconds(find_longest(self._turns, *times)) for times in ((begun, opened), (opened, ended))]
        report.note(f"longest turn of the event loop, CPU: {longest[0]} while others open, {longest[1]} after")
        report.note(
            f"opened in {opened - begun:.0f} s, with {used:.0f} s of CPU; "
            f"then runs are drawn {drawn:.1f} times a second"
        )
        report.note(f"memory of the server: {memory:.0f} MB without a page, {each:.1f} MB more for each\n")

    async def _open_some(self, numbers: Iterator[int], end: float) -> None:
        plan = self._plan
        for number in numbers:
            async with self._gap:
                await asyncio.sleep(plan.gap)
            begun = time.perf_counter()
            if begun > end:
                return
            page = await LightPage.open(self._url, LEARN if number < plan.learning else "/")
            self._opening.append(time.perf_counter() - begun)
            self._pages.append(page)
            uses = (_go_on(page), self._watch(page)) if number < plan.learning else (self._click(page),)
            self._users += map(asyncio.create_task, uses)
            self._check()

    async def _close(self) -> None:
        self._check()
        for user in self._users:
            user.cancel()
        await asyncio.gather(*self._users, return_exceptions=True)
        await asyncio.gather(*(page.close() for page in self._pages))

    def _check(self) -> None:
        """A page that does not work any more would not be measured."""
        for user in self._users:
            if user.done():
                user.result()

    async def _click(self, page: LightPage) -> None:
        for name in itertools.cycle(NAMES):
            await asyncio.sleep(self._plan.pause)
            begun, worked = time.perf_counter(), _loop_seconds(self._process)
            await page.act("hide", names=[name])
            self._answers.append(Answer(time.perf_counter() - begun, _loop_seconds(self._process) - worked))

    async def _watch(self, page: LightPage) -> None:
        """Take what a run has drawn. One that has ended would draw nothing more, and this end in an error."""
        while True:
            await page.hear(FRAME)
            self._drawn += 1


async def _go_on(page: LightPage) -> None:
    """Let a run go on whenever it has ended."""
    while True:
        await page.press("g")
        await asyncio.sleep(0.5)


def _loop_seconds(process: int) -> float:
    """Seconds that the first thread of a process was on a core: the one that answers. Learners have their own."""
    numbers = Path(f"/proc/{process}/task/{process}/schedstat").read_text(encoding="ascii")
    return int(numbers.split()[0]) / 1e9


def memory_of(process: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found is not None
    return int(found[1]) / 1024
