"""Taking the work along: a session's file, the run as a script or a command, a report, a link."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import panel as pn

from engine.model.errors import PgmError
from pgmgui.board.arrow_layer import paint
from pgmgui.components.copybox.copybox import CopyBox
from pgmgui.components.fields import make_button
from pgmgui.components.plain_text import HtmlText, PlainText
from pgmgui.components.transfer.transfer import Download
from pgmgui.project import session_file
from pgmgui.project.examples import find_example
from pgmgui.project.link_data import find_place
from pgmgui.project.links import is_linkable, make_link
from pgmgui.project.network_files import suggest_name
from pgmgui.project.session_file import Saved
from pgmgui.project.words import LEARNERS
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.keeper import Keeper
from pgmgui.state.predicting import foretell
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.tabs.share.report import make_report
from pgmgui.tabs.share.reproduce import MOST_EMBEDDED, as_command, as_python, as_python_beside

KEPT = {
    "unchanged": "Nothing was changed on this page since it was opened, so nothing is kept of it yet.",
    "changed": "Keeping the last change …",
    "kept": "All changes are kept: a reload of this page, or a restart of pgmgui, brings everything back.",
    "failed": "The work cannot be kept: {trouble}. Save the session as a file instead.",
}
COUNTED = (
    "But for the data, which is counted where it lies: its place is kept, and Read in the Data tab has it counted "
    "again."
)
_WRAPPED: dict[str, str | None] = {"flex-wrap": "wrap"}
_STYLE = """
h2 { color: var(--panel-on-surface-color); font: 600 0.9375rem/1.3 var(--bokeh-base-font); margin: 0; }
"""


class SharePanel(pn.viewable.Viewer):
    """Buttons that give a file, a box for what is to be copied, and what is kept on this machine."""

    def __init__(self, session: Session, race: Race, keeper: Keeper, arrow_facts: ArrowFacts) -> None:
        super().__init__()
        self._arrow_facts = arrow_facts
        self._session, self._race, self._keeper = session, race, keeper
        self._download = Download()
        self._box = CopyBox(sizing_mode="stretch_width", margin=(4, 0))
        self._status, self._kept = PlainText(margin=(2, 0)), PlainText(margin=(2, 0))
        self._forget_copy = make_button("Forget this tab's copy", "remove what is kept of this page", self._forget)
        self._view = pn.Column(
            _heading("Files"),
            pn.Row(
                make_button("Save session", "network, data, marks, settings and results in one file", self._save),
                make_button("Report", "this run as one HTML page that opens anywhere", self._report),
                self._download,
                margin=0,
                styles=_WRAPPED,
            ),
            _heading("Show it to others, do it again"),
            pn.Row(
                make_button("Copy link", "an address that opens this scene", self._link),
                make_button("Copy as Python", "a script that repeats this run", self._python),
                make_button("Copy as command", "what to type to repeat this run", self._command),
                margin=0,
                styles=_WRAPPED,
            ),
            self._status,
            self._box,
            _heading("Kept by itself"),
            self._kept,
            self._forget_copy,
            sizing_mode="stretch_both",
            margin=(4, 8, 0, 12),
            scroll="y-auto",
        )
        # What was to be copied speaks of what was open.
        session.param.watch(lambda *_: self._clear(), ["scene", "settings", "axes", "supposed"])
        keeper.param.watch(lambda *_: self._tell(), "status")
        self._tell()

    # --- files

    async def _save(self, _event: object) -> None:
        await self._give_session(self._race.saved())

    async def _give_session(self, saved: Saved) -> str:
        name = f"{suggest_name(saved.scene.title)}.session.json"
        self._give(name, await asyncio.to_thread(session_file.dump, saved))
        return name

    async def _report(self, _event: object) -> None:
        session = self._session
        predicted = await asyncio.to_thread(foretell, session.parts, session.learned, session.foretold)
        curves = {
            LEARNERS[method]: [(float(point.iteration), point.objective) for point in curve.points]
            for method, curve in self._race.curves.items()
        }
        if predicted is not None and predicted.parts is not session.parts:
            predicted = None  # something was changed meanwhile
        # What the canvas shows in place of the network's arrows is not told.
        arrows = paint(session, self._arrow_facts) if session.structure is None else None
        page = make_report(session, curves, self._race.describe(), datetime.now().astimezone(), predicted, arrows)
        self._give(f"{suggest_name(session.scene.title)}.html", page)

    # --- what is to be copied

    def _link(self, _event: object) -> None:
        session, scene = self._session, self._session.scene
        try:
            linkable = is_linkable(scene)
        except PgmError as error:  # a session's file may name any example
            session.say(f"A link cannot open this: {error}. Save the session as a file instead.")
            return
        if not linkable:
            session.say(
                "A link can only open an example of the gallery with other marks; save the session as a file instead."
            )
            return
        link = make_link(
            find_example(scene.example), Saved(scene, session.settings, session.supposed, axes=session.axes)
        )
        address = "" if pn.state.location is None else f"{pn.state.location.href.split('?')[0]}"
        self._show("A link that opens this scene", f"{address}{link}")

    async def _python(self, _event: object) -> None:
        run = self._find_run()
        if run is None:
            return
        label, text = "A script that repeats this run", await asyncio.to_thread(session_file.dump, run)
        if len(text) <= MOST_EMBEDDED:
            self._show(label, as_python(text, run.settings))
        else:
            name = await self._give_session(run)
            self._show(f"{label}; keep {name} beside it", as_python_beside(name, run.settings))

    async def _command(self, _event: object) -> None:
        run = self._find_run()
        if run is None:
            return
        try:
            path: str | Path
            if self._session.local:
                path = await asyncio.to_thread(self._keeper.store.save_copy, run)
            else:  # the file goes to the machine that the command will run on
                path = await self._give_session(run)
        except PgmError as error:
            self._session.say(f"{error}.")
            return
        self._show("Commands that repeat this run", as_command(path, run.scene, run.settings))

    def _find_run(self) -> Saved | None:
        """What the run on the page was started with, or would be if there is none; None, and why, without data."""
        race, session = self._race, self._session
        scene, settings = session.scene, session.settings
        if race.began is not None and not race.stale:
            scene, settings = race.began
        if scene.data is not None:
            return Saved(scene, settings)
        session.say("There is no run to repeat: learning needs data. Open or simulate some in the Data tab.")
        return None

    def _give(self, name: str, text: str) -> None:
        self._download.give(name, text.encode())
        self._status.write(f"Saved as {name}.")

    def _show(self, label: str, text: str) -> None:
        self._status.write(f"{label}:")
        self._box.param.update(label=label, text=text)
        self._box.copy()

    def _clear(self) -> None:
        self._status.write()
        self._box.text = ""

    # --- what is kept

    def _forget(self, _event: object) -> None:
        self._keeper.forget()

    def _tell(self) -> None:
        keeper = self._keeper
        lines = [KEPT[keeper.status].format(trouble=keeper.trouble)]
        if keeper.status == "kept" and find_place(self._session.scene) is not None:
            lines.append(COUNTED)
        if keeper.status in ("kept", "changed"):
            where = f"in {self._keeper.store.folder}" if self._session.local else "by the machine that serves this page"
            lines.append(f"They are stored {where}; only this page's address leads to them.")
        if keeper.room is not None:
            lines.append(keeper.room.describe(self._session.local))
        self._kept.write(*lines)
        self._forget_copy.disabled = keeper.status != "kept"

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _heading(text: str) -> pn.viewable.Viewable:
    return HtmlText(f"<h2>{text}</h2>", margin=(10, 0, 2, 0), sizing_mode="stretch_width", stylesheets=[_STYLE])
