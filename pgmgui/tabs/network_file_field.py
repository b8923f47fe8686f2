"""A place for a network file, and one for the path of one on this machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import panel as pn

from pgmgui.components.fields import make_button, make_path_field
from pgmgui.components.transfer.transfer import Upload
from pgmgui.project.network_files import NetworkFile
from pgmgui.state.session import Session
from pgmgui.tabs.work import Work


@dataclass(frozen=True)
class FieldWords:
    """What the places are called.

    Attributes
    ----------
    upload, upload_about : str
    accept : str
        The suffixes of files, with commas between.
    path, path_about : str
    button, button_about : str
        That which reads the path.
    nothing : str
        What is said if there is no path.
    """

    upload: str
    upload_about: str
    accept: str
    path: str
    path_about: str
    button: str
    button_about: str
    nothing: str


class NetworkFileField(pn.viewable.Viewer):
    """A file that is dropped or chosen, or a path where the page is on the user's own machine.

    Attributes
    ----------
    work : Work
        Shows that a file is being uploaded or read.

    Parameters
    ----------
    read : callable
        Reads a file, apart from the page.
    on_abandon : callable, optional
        Called when the user gives up.
    """

    def __init__(
        self,
        session: Session,
        words: FieldWords,
        read: Callable[[NetworkFile], Awaitable[None]],
        on_abandon: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__()
        self._session, self._words, self._read, self._on_abandon = session, words, read, on_abandon
        self.work = Work(session, self._abandon)
        self._upload = Upload(
            label=words.upload,
            about=words.upload_about,
            accept=words.accept,
            on_begin=lambda name: self.work.begin(f"Uploading {name}"),
            on_file=self._read_upload,
            on_trouble=self._fail,
            sizing_mode="stretch_width",
            margin=(4, 8, 4, 0),
        )
        self._path = make_path_field(words.path, words.path_about, "~/networks/asia.bif", self._read_path)
        button = make_button(words.button, words.button_about, self._read_path)
        self._view = pn.Column(
            self._upload,
            *([pn.Row(self._path, button, margin=0, sizing_mode="stretch_width")] if session.local else []),
            self.work,
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
            self._session.say(self._words.nothing)

    def _abandon(self) -> None:
        self._upload.abandon()
        self._on_abandon()

    def _fail(self, message: str) -> None:
        self.work.end()
        self._session.say(message)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view
