"""A place on the page for what is made once the page is there, so that what matters most is there sooner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import panel as pn
from bokeh.document import Document

from pgmgui.components.turns import get_turns

_WAITING: set[asyncio.Task[None]] = set()
"""The event loop itself does not hold what it runs."""


class Later(pn.viewable.Viewer):
    """Room that is kept free until the page is loaded, and how to make what goes there. The options lay it out."""

    def __init__(self, make: Callable[[], pn.viewable.Viewer], **options: Any) -> None:
        super().__init__()
        self._make = make
        self._place = pn.Column(margin=0, **options)
        call_later(self._begin)

    def _begin(self) -> None:
        """Make it; put it into its place in another turn: either alone holds the page long enough."""
        made = self._make()
        call_later(lambda: self._place.append(made))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._place


def call_later(do: Callable[[], None]) -> None:
    """Call something that takes long once the page is loaded and its turn has come; at once where there is no page."""
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        pn.state.onload(do)
        return

    def ask() -> None:
        task = asyncio.get_running_loop().create_task(_call_in_turn(document, do))
        _WAITING.add(task)
        task.add_done_callback(_WAITING.discard)

    pn.state.onload(ask)


async def _call_in_turn(document: Document, do: Callable[[], None]) -> None:
    # Not with the document held, for which clicks on what is there already would wait.
    await get_turns().wait()
    document.add_next_tick_callback(do)
