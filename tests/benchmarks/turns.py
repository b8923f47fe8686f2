"""How long a server's event loop is held at a time, as its own process sees it.

In seconds of CPU of the loop's thread: that the machine has much else to do does not matter.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

LONG = 0.01
"""Seconds of CPU from which on a turn is written down."""


def watch(path: str) -> None:
    """Write down the long turns of this process's event loop from now on: when each ended, and how long it was."""
    stream = Path(path).open("a", buffering=1, encoding="ascii")  # noqa: SIM115 (as long as the process)
    run_once = asyncio.BaseEventLoop._run_once  # type: ignore[attr-defined]

    def run_and_time(loop: Any) -> None:
        begun = time.thread_time()
        run_once(loop)
        took = time.thread_time() - begun
        if took > LONG:
            stream.write(f"{time.perf_counter()} {took}\n")

    asyncio.BaseEventLoop._run_once = run_and_time  # type: ignore[attr-defined]


def find_longest(path: Path, begun: float, ended: float) -> float:
    """Seconds of the longest turn that ended between two readings of the machine's clock."""
    turns = (map(float, line.split()) for line in path.read_text(encoding="ascii").splitlines())
    return max((took for at, took in turns if begun <= at <= ended), default=0.0)
