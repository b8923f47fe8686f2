"""Autosave: what a tab works on is kept while it changes, and found again by the page's address.

The address of a page ends in ``?tab=KEY``; a reload, or a restart of the server, opens what was kept under it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

import panel as pn

from engine.errors import PgmError
from pgmgui.session import Session
from pgmgui.session_file import Saved
from pgmgui.store import Store

PERIOD = 700
"""Milliseconds between two looks whether something has changed."""


class Keeper:
    """Saves a session whenever it has changed.

    Parameters
    ----------
    key : str
        The name the tab is kept under; a new one if it is empty.
    """

    def __init__(self, session: Session, store: Store, key: str = "") -> None:
        self._session, self._store = session, store
        self.key = key or store.make_key()
        self._kept = (session.scene, session.settings) if key else None
        self._complained = False

    def start(self) -> None:
        """Look from now on, and write the key into the page's address."""
        if pn.state.curdoc is None:
            return
        pn.state.add_periodic_callback(self.keep, PERIOD)  # type: ignore[arg-type]
        pn.state.on_session_destroyed(lambda *_: self.keep_now())
        pn.state.onload(self._show_key)

    def _show_key(self) -> None:
        if pn.state.location is not None:
            pn.state.location.search = f"?tab={self.key}"

    async def keep(self) -> None:
        """Save what has changed, beside the page."""
        await asyncio.to_thread(self.keep_now)

    def keep_now(self) -> None:
        """Save what has changed. That it cannot be done is said once; learning goes on without."""
        now = self._session.scene, self._session.settings
        if self._kept is not None and all(a is b for a, b in zip(now, self._kept, strict=True)):
            return
        self._kept = now
        try:
            self._store.save(self.key, Saved(*now))
        except PgmError as error:
            if not self._complained:
                logging.getLogger(__name__).warning("autosave does not work: %s", error)
            self._complained = True


def read_query(arguments: Mapping[str, list[bytes]]) -> dict[str, str]:
    """The parameters of the page's address, each once, as text."""
    return {key: values[-1].decode("utf-8", "replace") for key, values in arguments.items() if values}
