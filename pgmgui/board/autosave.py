"""Autosave at work on a page: it looks at what has changed, and writes where that is kept into the address.

How the page looks is not kept by the server: the address says it.
"""

from __future__ import annotations

import panel as pn
from panel.io import PeriodicCallback

from pgmgui.components.address.address import Address
from pgmgui.project.look import LOOKS, write_look
from pgmgui.state.keeper import Keeper
from pgmgui.state.session import Session

PERIOD = 700
"""Milliseconds from a change to the look at it, and from one look to the next until all is kept."""


def start_keeping(keeper: Keeper) -> Address:
    """Let a keeper look from now on, once the page is there; the page's address, to be put on the page.

    A page on which nothing changes costs the server nothing.
    """
    address = Address(looks=list(LOOKS))
    keeper.param.watch(lambda event: address.param.update(query=event.new), "query")
    keeper.param.watch(lambda event: address.param.update(unkept=bool(event.new)), "trouble")
    if pn.state.curdoc is not None:

        def look() -> None:
            keeper.keep()
            if keeper.is_done:
                ticker.stop()

        def wake() -> None:
            if not ticker.running:
                ticker.start()

        def begin() -> None:
            keeper.claim()
            keeper.watch(wake)
            wake()

        ticker = PeriodicCallback(callback=look, period=PERIOD, background=True)
        pn.state.on_session_destroyed(lambda *_: keeper.leave())
        pn.state.onload(begin)
    return address


def keep_look(session: Session, address: Address) -> None:
    """Let the page's address say how the page looks, from now on."""

    def follow(*_: object) -> None:
        address.look = write_look(session.look)

    session.param.watch(follow, ["dark", "lecture", "bars", "tab", "step", "side", "strip", "arrow_colour"])
    follow()
