"""A network file to compare arrows with: it becomes the scene's true network."""

from __future__ import annotations

from functools import partial

import panel as pn

from engine.formats import NETWORK_FORMATS, PACKED
from pgmgui.project.apart import Apart
from pgmgui.project.network_files import NetworkFile
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved
from pgmgui.state.session import Session
from pgmgui.tabs.network_file_field import FieldWords, NetworkFileField

WORDS = FieldWords(
    "Compare with a network file: choose it, or drop it here",
    "Its arrows are taken for the true ones, until undone or until there is other data. "
    f"One of: {', '.join(NETWORK_FORMATS)}, perhaps packed ({PACKED}); or a session that was saved",
    ",".join((*NETWORK_FORMATS, PACKED)),
    "Path of a network to compare with",
    "A network file on the machine that pgmgui runs on: its arrows are taken for the true ones.",
    "Compare",
    "with the network file at this path",
    "There is no path to read. Type the path of a network file on this machine first.",
)


class TruthField(pn.viewable.Viewer):
    """A place for a file, and one for a path on this machine. The file is read apart from the page."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._field = NetworkFileField(session, WORDS, self._read)

    async def _read(self, file: NetworkFile) -> None:
        # Only its arrows matter: rows of its tables need not sum to 1.
        reading = Apart(partial(file.read, True), file.name, file.size)
        await self._field.work.run(f"Reading {file.name}", reading.run, self._finish, reading)

    def _finish(self, found: Scene | Saved) -> None:
        scene = found if isinstance(found, Scene) else found.scene
        self._session.compare_with(scene.document.network)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._field.__panel__()
