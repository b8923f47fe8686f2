"""Long work beside the page: it shows that it runs, can be abandoned, and changes nothing if it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

import panel as pn
import panel_material_ui as pmui

from engine.model.errors import Cancelled
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import make_button
from pgmgui.components.plain_text import PlainText
from pgmgui.project.apart import start
from pgmgui.project.scene import Derived, Scene, prepare_derived
from pgmgui.project.troubles import explain
from pgmgui.state.session import Session

T = TypeVar("T")
SETTLING = 0.1
"""Seconds that a button waits for the fields beside it."""
TELLING = 0.4
"""Seconds between two words on how far work is."""
TRIES = 3
"""How often work is done again because the page has changed meanwhile."""


class Stoppable(Protocol):
    """Work that can be ended."""

    def stop(self) -> None:
        """Have it end."""


class Work(pn.viewable.Viewer):
    """One piece of work at a time: a bar, what is done, and a button to abandon it."""

    def __init__(self, session: Session, on_abandon: Callable[[], object]) -> None:
        super().__init__()
        self._session = session
        self._on_abandon = on_abandon
        self._turn = 0
        self._reading: Stoppable | None = None
        self._text = PlainText(margin=(4, 0))
        self._abandon = make_button("Abandon", "the page stays as it is", self._give_up)
        bar = pmui.LinearProgress(value=-1, variant="indeterminate", sizing_mode="stretch_width", margin=(4, 0))
        self._view = Drawer(
            bar,
            pn.Row(self._text, self._abandon, margin=0, sizing_mode="stretch_width"),
        )

    def begin(self, what: str, end: str = "Abandon") -> None:
        """Show that something is being done, in place of what was; a button with this name ends it."""
        self._forget()
        self._abandon.param.update(label=end, description=f"{end}: the page stays as it is")
        self._text.write(f"{what} …")
        self._view.open()

    def end(self) -> None:
        """Show nothing any more; what still runs is forgotten."""
        self._forget()
        self._view.open(False)

    def _forget(self) -> None:
        self._turn += 1
        if self._reading is not None:
            self._reading.stop()
        self._reading = None

    async def run(
        self,
        what: str,
        do: Callable[[], T],
        then: Callable[[T], Any],
        reading: Stoppable | None = None,
        progress: Callable[[], str] | None = None,
        end: str = "Abandon",
    ) -> None:
        """Do something in a thread, and then something with its result, when the page may be changed.

        What is read apart meanwhile is stopped when the work is abandoned. ``progress`` says how far it is.
        """
        self.begin(what, end)
        turn, self._reading = self._turn, reading
        try:
            doing = asyncio.ensure_future(asyncio.to_thread(do) if reading is None else asyncio.wrap_future(start(do)))
            while progress is not None and not (await asyncio.wait({doing}, timeout=TELLING))[0]:
                pn.state.execute(partial(self._tell, turn, progress()), schedule=True)
            finish: Callable[[], Any] = partial(then, await doing)
        except Cancelled:
            return
        except Exception as error:  # whatever it is, it must reach the user
            finish = partial(self._session.say, explain(what, error))
        if turn == self._turn:
            pn.state.execute(partial(self._finish, turn, finish), schedule=True)

    async def change(
        self,
        what: str,
        label: str,
        make: Callable[[Scene], Scene],
        then: Callable[[], object] = lambda: None,
        tries: int = TRIES,
    ) -> None:
        """Replace the scene by what is made of it, in a thread; again if it has been changed meanwhile."""
        before = self._session.scene

        def commit(made: tuple[Scene, Derived]) -> None:
            if self._session.scene is before:
                self._session.replace_scene(label, *made)
                then()
            elif tries > 1:
                pn.state.execute(partial(self.change, what, label, make, then, tries - 1), schedule=True)
            else:
                self._session.say(f"{what} was given up, for the page kept changing. Try again.")

        await self.run(what, partial(prepare, make, before), commit)

    def _tell(self, turn: int, text: str) -> None:
        if turn == self._turn:
            self._text.write(text)

    def _finish(self, turn: int, finish: Callable[[], Any]) -> None:
        if turn == self._turn:
            self.end()
            finish()

    def _give_up(self, _event: object) -> None:
        self.end()
        self._on_abandon()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view.__panel__()


async def settle() -> None:
    """Wait until fields hold what was typed: Panel passes it on 50 ms later than a click that comes after it."""
    await asyncio.sleep(SETTLING)


def prepare(make: Callable[[Scene], Scene], before: Scene) -> tuple[Scene, Derived]:
    """A new scene and what follows from it, with all that the page will ask of its data."""
    scene = make(before)
    return scene, prepare_derived(scene)
