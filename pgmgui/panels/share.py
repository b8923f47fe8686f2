"""Taking work along: the session as a file, a run as a script or a command, a report, a link."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import panel as pn

from engine.errors import PgmError
from pgmgui import session_file
from pgmgui.copybox import CopyBox
from pgmgui.examples import find_example
from pgmgui.links import is_linkable, make_link
from pgmgui.network_files import suggest_name
from pgmgui.panels.work import make_button
from pgmgui.race import Race
from pgmgui.report import make_report
from pgmgui.reproduce import as_command, as_python
from pgmgui.session import Session, Settings
from pgmgui.session_file import Saved
from pgmgui.store import Store
from pgmgui.transfer import Download
from pgmgui.views.plain_text import PlainText
from pgmgui.words import LEARNERS


class SharePanel(pn.viewable.Viewer):
    """Buttons that give a file, and a box for what is to be copied."""

    def __init__(self, session: Session, race: Race, store: Store) -> None:
        super().__init__()
        self._session, self._race, self._store = session, race, store
        self._download, self._box, self._status = (
            Download(),
            CopyBox(sizing_mode="stretch_width"),
            PlainText(margin=(0, 0)),
        )
        self._view = pn.Column(
            pn.Row(
                make_button("Save session", "network, data, marks and settings in one file", self._save),
                make_button("Report", "this run as one HTML page that opens anywhere", self._report),
                make_button("Link", "an address that opens this scene", self._link),
                margin=0,
            ),
            pn.Row(
                make_button("As Python", "a script that repeats this run", self._python),
                make_button("As command", "what to type to repeat this run", self._command),
                self._download,
                margin=0,
            ),
            self._status,
            self._box,
            sizing_mode="stretch_width",
            margin=0,
        )
        # What was to be copied speaks of what was open.
        session.param.watch(lambda *_: self._forget(), ["scene", "settings"])

    async def _save(self, _event: object) -> None:
        text = await asyncio.to_thread(session_file.dump, self._saved)
        name = f"{suggest_name(self._session.scene.title)}.session.json"
        self._give(name, text)

    def _report(self, _event: object) -> None:
        curves = {
            LEARNERS[method]: [(float(point.iteration), point.objective) for point in curve.points]
            for method, curve in self._race.curves.items()
        }
        page = make_report(self._session, curves, self._race.describe(), datetime.now().astimezone())
        self._give(f"{suggest_name(self._session.scene.title)}.html", page)

    def _link(self, _event: object) -> None:
        scene = self._session.scene
        if not is_linkable(scene):
            self._session.say(
                "A link can only open an example of the gallery with other marks; save the session as a file instead."
            )
            return
        link = make_link(find_example(scene.example), scene, self._session.settings)
        address = "" if pn.state.location is None else f"{pn.state.location.href.split('?')[0]}"
        self._show("A link that opens this scene", f"{address}{link}")

    async def _python(self, _event: object) -> None:
        await self._repeat("A script that repeats this run", as_python)

    async def _command(self, _event: object) -> None:
        await self._repeat("Commands that repeat this run", as_command)

    async def _repeat(self, label: str, write: Callable[[Path, Settings], str]) -> None:
        try:
            path = await asyncio.to_thread(self._store.save_copy, self._saved)
        except PgmError as error:
            self._session.say(f"{error}.")
            return
        self._show(label, write(path, self._session.settings))

    @property
    def _saved(self) -> Saved:
        return Saved(self._session.scene, self._session.settings)

    def _give(self, name: str, text: str) -> None:
        self._download.give(name, text.encode())
        self._status.write(f"Saved as {name}.")

    def _show(self, label: str, text: str) -> None:
        self._status.write(f"{label}:")
        self._box.param.update(label=label, text=text)

    def _forget(self) -> None:
        self._status.write()
        self._box.text = ""

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
