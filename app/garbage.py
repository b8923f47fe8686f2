"""When the server looks for garbage: after pages were closed, not while others wait for an answer.

What an open page is made of stays as long as the page. Python would search it through again and again while more pages
are opened: with twenty of them a fifth of a second, in which nobody is answered, every few seconds.
"""

from __future__ import annotations

import gc
import time

from bokeh.server.contexts import ApplicationContext
from tornado.ioloop import PeriodicCallback

from pgmgui.components.turns import get_turns

PERIOD = 1_000
"""Milliseconds between two looks at which pages are open."""
SETTLING = 10.0
"""Seconds after it was asked for in which a page has all its parts."""
REST = 20.0
"""Seconds between two searches, at least: of the pages that were closed meanwhile, the memory is still held."""


class Garbage:
    """Sets apart what open pages are made of, and searches that too once some of them were closed."""

    def __init__(self, context: ApplicationContext) -> None:
        self._context = context
        self._open: set[str] = set()
        self._any_closed = False
        self._settled = self._due = time.monotonic()

    def follow(self) -> None:
        """Look at the pages from now on, on the event loop that will run."""
        gc.freeze()  # what is there by now stays
        PeriodicCallback(self.look, PERIOD).start()

    async def look(self) -> None:
        """See which pages have come and gone."""
        now, before = time.monotonic(), self._open
        self._open = {session.id for session in self._context.sessions}
        self._any_closed = self._any_closed or bool(before - self._open)
        if self._open - before:
            self._settled = now + SETTLING
        if self._any_closed and now >= self._due:
            await get_turns().wait()
            self._any_closed, self._due = False, time.monotonic() + REST
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        elif now < self._settled:
            gc.freeze()
