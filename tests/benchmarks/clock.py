"""Measuring time: CPU seconds of this process, repeated, the median.

Everything that is compared runs in one thread, where CPU seconds are what the clock on the wall shows on an
idle machine, and do not grow when other work takes its turns.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

Work = Callable[[], object]


def time_once(work: Work) -> float:
    """The CPU seconds of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(work: Work, repeats: int, *, most_seconds: float = 10.0) -> float:
    """The median of several calls; fewer than asked for once they take too long together."""
    return measure_together([work], repeats, most_seconds=most_seconds)[0]


def measure_together(works: Sequence[Work], repeats: int, *, most_seconds: float = 20.0) -> list[float]:
    """The medians of several kinds of work, called in turn so that what disturbs one disturbs the others."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for found, work in zip(times, works, strict=True):
            found.append(time_once(work))
        if sum(map(sum, times)) > most_seconds:
            break
    return [statistics.median(found) for found in times]
