"""A network file to compare arrows with: it becomes the scene's true network."""

from __future__ import annotations

from functools import partial

import panel as pn

from engine.formats import NETWORK_FORMATS, PACKED
from pgmgui.components.fields import make_button, make_path_field
from pgmgui.components.transfer.transfer import Upload
from pgmgui.project.apart import Apart
from pgmgui.project.network_files import NetworkFile
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved
from pgmgui.state.session import Session
from pgmgui.tabs.work import Work


class TruthField(pn.viewable.Viewer):
    """A place for a file, and one for a path on this machine. The file is read apart from the page."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._work = Work(session, lambda: self._upload.abandon())
        self._upload = Upload(
            label="Compare with a network file: choose it, or drop it here",
            about="Its arrows are taken for the true ones, until undone or until there is other data. "
            f"One of: {', '.join(NETWORK_FORMATS)}, perhaps packed ({PACKED}); or a session that was saved",
            accept=",".join((*NETWORK_FORMATS, PACKED)),
            on_begin=lambda name: self._work.begin(f"Uploading {name}"),
            on_file=self._read_upload,
            on_trouble=self._fail,
            sizing_mode="stretch_width",
            margin=(4, 8, 4, 0),
        )
        self._path = make_path_field(
            "Path of a network to compare with",
            "A network file on the machine that pgmgui runs on: its arrows are taken for the true ones.",
            "~/networks/asia.bif",
            self._read_path,
        )
        read = make_button("Compare", "with the network file at this path", self._read_path)
        self._view = pn.Column(
            self._upload,
            *([pn.Row(self._path, read, margin=0, sizing_mode="stretch_width")] if session.local else []),
            self._work,
            sizing_mode="stretch_width",
            margin=0,
        )

    async def _read_upload(self, name: str, content: bytes) -> None:
        await self._read(NetworkFile(name, content))

    async def _read_path(self, _event: object) -> None:
        path = self._path.value_input or ""
        if path.strip():
            await self._read(NetworkFile(path))
        else:
            self._session.say("There is no path to read. Type the path of a network file on this machine first.")

    async def _read(self, file: NetworkFile) -> None:
        # Only its arrows matter: rows of its tables need not sum to 1.
        reading = Apart(partial(file.read, True), file.name, file.size)
        await self._work.run(f"Reading {file.name}", reading.run, self._finish, reading)

    def _finish(self, found: Scene | Saved) -> None:
        scene = found if isinstance(found, Scene) else found.scene
        self._session.compare_with(scene.document.network)

    def _fail(self, message: str) -> None:
        self._work.end()
        self._session.say(message)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
