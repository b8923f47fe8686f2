"""Counting what a change of the page needs, beside it: how far it is stands where messages do, with a way to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn

from engine.model.errors import Cancelled
from pgmgui.project.counting import Counting
from pgmgui.project.scene import Derived, Scene, prepare_derived
from pgmgui.project.troubles import explain
from pgmgui.state.session import Session, WayOut

TELLING = 0.4
"""Seconds between two words on how far it is."""
WHAT = "Counting what this needs"


class CountingBeside:
    """Counts for one change at a time; a newer one takes its place."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._counting = Counting(WHAT)

    def __call__(self, scene: Scene, then: Callable[[Derived], object]) -> None:
        """Have counted what follows from a scene, and do something with it then."""
        self.stop()
        self._counting = Counting(WHAT)
        pn.state.execute(partial(self._run, self._counting, scene, then))

    def stop(self) -> None:
        """End what is counted."""
        self._counting.stop()

    async def _run(self, counting: Counting, scene: Scene, then: Callable[[Derived], object]) -> None:
        session = self._session
        doing = asyncio.ensure_future(asyncio.to_thread(counting.run, partial(prepare_derived, scene)))
        while not (await asyncio.wait({doing}, timeout=TELLING))[0]:
            about = "end the query; the page stays as it is"
            way_out = WayOut(counting.describe(), "Stop", about, counting.stop)
            pn.state.execute(partial(session.offer, way_out), schedule=True)
        try:
            finish: Any = partial(then, await doing)
        except Cancelled:
            finish = partial(session.say, "Stopped: nothing has changed.")
        except Exception as error:  # whatever it is, it must reach the user
            finish = partial(session.say, explain(WHAT, error))
        pn.state.execute(finish, schedule=True)
