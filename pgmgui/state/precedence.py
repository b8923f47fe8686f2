"""The page goes first: a learner begins no iteration while the page has something to do.

Learners and the page share one interpreter. With five learners at work, what takes the page a tenth of a second takes
it six; they have time whenever the page waits for its users, which it mostly does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

LONGEST = 0.5
"""Seconds that a learner waits before an iteration, however busy the page: a run goes on."""


class Precedence:
    """Whether the page has time."""

    def __init__(self) -> None:
        self._has_time = threading.Event()
        self._has_time.set()

    def wait(self) -> None:
        """Wait until the page has time, or long enough."""
        self._has_time.wait(LONGEST)

    def follow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take note of when an event loop has nothing to do: while it waits for its sockets and clocks."""
        selector = loop._selector  # type: ignore[attr-defined]
        selector.select = self._mark(selector.select)

    def _mark(self, select: Callable[[float | None], Any]) -> Callable[[float | None], Any]:
        def wait_for_work(timeout: float | None = None) -> Any:
            if timeout == 0:  # there is work
                return select(timeout)
            self._has_time.set()
            try:
                return select(timeout)
            finally:
                self._has_time.clear()

        return wait_for_work


PAGE = Precedence()
"""That of the page of this process."""
