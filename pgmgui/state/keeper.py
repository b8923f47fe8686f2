"""Autosave: what a tab works on is kept while it changes, and found again by the page's address.

The address of a page ends in ``?tab=KEY`` once something was changed on it; a reload, or a restart of the
server, opens what was kept under that key. Of two open tabs with the same key (a duplicated one, or one on another
server), the second goes on under a key of its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait

import param

from engine.model.errors import PgmError
from pgmgui.project.session_file import Saved
from pgmgui.project.store import Room, Store, TakenError
from pgmgui.state.race import Race
from pgmgui.state.session import Session

EVERY = 5.0
"""Seconds after which what a run has reached is kept again; more where keeping takes long."""
AGAIN = 5.0
"""Seconds after which keeping is tried again when it has failed."""


class Keeper(param.Parameterized):
    """Saves a session whenever it has changed: its scene, settings, evidence, axes or search, or what was learned at a
    run's end; and now and then what a run has reached, how it stands on rows held out, and which iteration is
    looked at.

    Parameters
    ----------
    key : str
        The name that what is open was kept under, if it was.
    is_closed : callable
        Whether nobody looks at the page any more.
    """

    status = param.String(default="unchanged", doc="How it stands, in a word: unchanged, kept, changed or failed.")
    trouble = param.String(doc="Why what was changed last is not kept; empty if it is.")
    query = param.String(doc="What the page's address shall have after the question mark; empty for nothing.")

    def __init__(
        self,
        session: Session,
        race: Race,
        store: Store,
        key: str = "",
        is_closed: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__()
        self._session, self._race, self.store = session, race, store
        self._is_closed = is_closed
        self.key = key or store.make_key()
        self._kept, self._reached = self._look(), self._look_at_runs()
        self._writing: Future[Room] | None = None
        self.room: Room | None = None
        self._since, self._due = 0.0, 0.0
        if key:
            self.status = "kept"

    def claim(self) -> None:
        """Be the one that writes this tab. Where another open page is, here or on another server, take a new key."""
        owner = self.store.owners.get(self.key)
        if owner is not None and owner is not self and not owner.is_closed:
            self._move()
        elif self.status == "kept":
            try:
                if not self.store.claim(self.key):
                    self._move()
            except PgmError as error:
                self._complain(error)
        self.store.owners[self.key] = self

    def _move(self) -> None:
        """Keep everything under a new key."""
        if self.is_owner:
            del self.store.owners[self.key]
        self.key = self.store.make_key()
        self.store.owners[self.key] = self
        self._kept = ()

    @property
    def is_closed(self) -> bool:
        """Whether nobody looks at the page any more."""
        return self._is_closed()

    @property
    def is_owner(self) -> bool:
        return self.store.owners.get(self.key) is self

    # --- keeping

    @property
    def is_done(self) -> bool:
        """Whether nothing is being written, and nothing has changed or goes on since."""
        climbs = self._race.running and not self._race.paused
        return self._writing is None and not climbs and self._is_kept

    @property
    def _is_kept(self) -> bool:
        return _is_same(self._look(), self._kept) and _is_same(self._look_at_runs(), self._reached)

    def watch(self, changed: Callable[[], object]) -> None:
        """Have something called whenever there may be something to keep."""
        self._session.param.watch(lambda *_: changed(), ["scene", "settings", "supposed", "axes", "search", "moment"])
        self._race.param.watch(lambda *_: changed(), ["curves", "running", "stale"])

    def keep(self) -> None:
        """Save what has changed, beside the page; call it now and then."""
        if not self.is_owner:
            if self.is_closed:  # the page was reloaded: the new one writes the tab
                return
            self._move()
        if self._writing is not None:
            if not self._writing.done():
                return
            self._finish(self._writing)
        now, reached, is_due = self._look(), self._look_at_runs(), time.monotonic() >= self._due
        has_changed = not _is_same(now, self._kept) and (is_due or not self.trouble)
        if has_changed:
            self._kept, self.status = now, "changed"
        if has_changed or (is_due and not _is_same(reached, self._reached)):
            self._reached, self._since = reached, time.monotonic()
            self._writing = self.store.save_later(self.key, self._race.saved())

    def keep_now(self) -> None:
        """Save what has changed, and wait for it, without a word to the page: it may be gone."""
        if not self.is_owner:
            return
        if self._writing is not None:
            wait([self._writing])
        if self._race.running or not self._is_kept:
            try:
                self.store.save(self.key, self._race.saved())
            except PgmError as error:
                self._complain(error)

    def leave(self) -> None:
        """Save for the last time: the page is gone."""
        self.keep_now()
        if self.is_owner:
            del self.store.owners[self.key]
            try:
                self.store.release(self.key)
            except PgmError as error:
                self._complain(error)

    def forget(self) -> None:
        """Remove what was kept of this tab; the next change is kept again."""
        if self._writing is not None:
            self._finish(self._writing)
        self._kept, self._reached = self._look(), self._look_at_runs()  # a change of just before is not the next one
        self.store.forget(self.key)
        self.status, self.query = "unchanged", ""

    def _look(self) -> tuple[object, ...]:
        """What a change is a change of. A run counts when it begins and when it ends; what else it finds, see keep."""
        session, race = self._session, self._race
        run = race.began, bool(race.curves), race.running, race.stale
        return session.origin, session.settings, session.supposed, session.axes, session.search, *run

    def _look_at_runs(self) -> tuple[object, ...]:
        """What runs have found, and which iteration is looked at: this is kept now and then."""
        return self._session.moment, self._race.best, *(curve.tested or () for curve in self._race.curves.values())

    def _finish(self, writing: Future[Room]) -> None:
        """Take note of what has been written. That it cannot be done is logged once; learning goes on without."""
        self._writing = None
        before = self.room
        try:
            self.room = writing.result()
        except TakenError:
            self._move()
            return
        except PgmError as error:
            self._complain(error)
            self._kept, self.status, self._due = (), "failed", time.monotonic() + AGAIN
            return
        took = time.monotonic() - self._since
        self._due = time.monotonic() + max(EVERY, 5 * took)
        self.trouble, self.status = "", "kept"
        self.query = f"tab={self.key}"
        if self.room.is_full and not (before is not None and before.is_full):
            self._session.say(self.room.describe(self._session.local))

    def _complain(self, error: PgmError) -> None:
        if not self.trouble:
            logging.getLogger(__name__).warning("autosave does not work: %s", error)
        self.trouble = str(error)


def find_kept(store: Store, key: str) -> Saved | None:
    """What was kept under a key, up to the last change of a page that is still being left; None if nothing was."""
    owner = store.owners.get(key)
    if owner is not None:
        owner.keep_now()
    return store.load(key)


def read_query(arguments: Mapping[str, list[bytes]]) -> dict[str, str]:
    """The parameters of the page's address, each once, as text."""
    return {key: values[-1].decode("utf-8", "replace") for key, values in arguments.items() if values}


def _is_same(now: tuple[object, ...], before: tuple[object, ...]) -> bool:
    return len(now) == len(before) and all(a is b for a, b in zip(now, before, strict=True))
