"""Autosave at work on a page: it looks now and then, and writes where the work is kept into the address."""

from __future__ import annotations

import panel as pn
from panel.io import PeriodicCallback

from pgmgui.components.address.address import Address
from pgmgui.state.keeper import Keeper

PERIOD = 700
"""Milliseconds between two looks whether something has changed."""


def start_keeping(keeper: Keeper) -> Address:
    """Let a keeper look from now on, once the page is there; the page's address, to be put on the page."""
    address = Address()
    keeper.param.watch(lambda event: address.param.update(query=event.new), "query")
    if pn.state.curdoc is not None:
        ticker = PeriodicCallback(callback=keeper.keep, period=PERIOD, background=True)

        def begin() -> None:
            keeper.claim()
            ticker.start()

        pn.state.on_session_destroyed(lambda *_: keeper.leave())
        pn.state.onload(begin)
    return address
