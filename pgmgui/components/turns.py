"""Turns on the event loop, for what holds it long: one at a time, and when nobody waits for an answer.

Building a page holds the loop for some tenths of a second, several times. Where many are opened at once, whoever
clicks on a page that is there would wait for all of them; so, for one.
"""

from __future__ import annotations

import asyncio
import math
import time
from weakref import WeakKeyDictionary

REST = 0.02
"""Seconds between two turns, in which the loop does what else there is."""
PASSES = 6
"""Times that the loop then does what there is by now: where the machine has much else to do, a rest may be over before
anything was begun in it."""
BUSY = 0.005
"""Seconds of CPU in a rest, from which on there may be more to do: then another rest follows."""
LONGEST = 0.5
"""Seconds of CPU after which it is the turn of the next, however much there is to do. They begin when the last has had
its turn: what has waited for that is done first."""
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


class Turns:
    """The turns on one event loop, given in the order in which they are asked for."""

    def __init__(self) -> None:
        self._waiting = asyncio.Lock()

    @property
    def is_free(self) -> bool:
        """Whether nobody waits for a turn."""
        return not self._waiting.locked()

    async def wait(self) -> None:
        """Wait for a turn. It is that of the caller until the caller gives up the loop."""
        async with self._waiting:
            longest = math.inf
            is_busy = True
            # The thread's own clock: that the machine has much else to do does not matter here.
            while is_busy and time.thread_time() < longest:
                begun = time.thread_time()
                await asyncio.sleep(REST)
                for _ in range(PASSES):
                    await asyncio.sleep(0)
                is_busy = time.thread_time() > begun + BUSY
                longest = min(longest, time.thread_time() + LONGEST)


def get_turns() -> Turns:
    """The turns on the event loop that runs."""
    return _TURNS.setdefault(asyncio.get_running_loop(), Turns())
