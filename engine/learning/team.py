"""Workers that learning is shared out among, and what has become of what they were given."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import TypeVar

Done = TypeVar("Done")

POLL_SECONDS = 0.1
"""How often those who wait for workers look whether to go on waiting."""
SHARED_SECONDS = 0.05
"""Estimated seconds of one pass from which on its rows are worth sharing out among processes: every pass is a round
trip."""


@dataclass(eq=False)
class Team:
    """Workers, how to stop them, and what has become of what they were given.

    Attributes
    ----------
    executor : Executor
    size : int
        How many of its workers work at the same time.
    is_stopped : callable, optional
        Sent to the workers and asked there: whether to stop. They then give back what they have reached.
    stop : callable
        Makes it say so.
    shares_from : float, optional
        Estimated seconds of a pass from which on its rows are shared out.
    parcels, left, lost : int
        What was shared out, how much of it is not done yet, and what a worker could not do, so that it was done here.
    trouble : str
        Why it could not, in the words of the last error.
    gone : str
        Why no worker is left; empty while there may be some. Then none is waited for, whatever the executor says.
    """

    executor: Executor
    size: int = os.cpu_count() or 1
    is_stopped: Callable[[], bool] | None = None
    stop: Callable[[], object] = lambda: None
    shares_from: float = SHARED_SECONDS
    parcels: int = 0
    left: int = 0
    lost: int = 0
    trouble: str = ""
    gone: str = ""

    def submit(self, function: Callable[..., Done], *words: object) -> Future[Done]:
        """Hand something over to a worker; a RuntimeError if there is none left."""
        if self.gone:
            raise RuntimeError(self.gone)
        return self.executor.submit(function, *words)

    def lose(self, error: BaseException) -> None:
        """Note that a worker could not do what it was given."""
        self.lost += 1
        self.trouble = " ".join(str(error).split())[:200] or "it was given up"
