"""Saving the network: as a download, or at a path on this machine."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import panel as pn
import panel_material_ui as pmui

from engine.formats import Document, describe_losses, dump_network, write_network
from engine.model.errors import PgmError
from pgmgui.components.fields import TextField, make_button, make_field
from pgmgui.components.plain_text import PlainText
from pgmgui.components.transfer.transfer import Download
from pgmgui.project.network_files import find_target, list_writable, suggest_name
from pgmgui.project.words import count_edges
from pgmgui.state.session import Session


class Saving(pn.viewable.Viewer):
    """A name, a format, and where to."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._title = ""
        self._download = Download()
        self._status = PlainText(margin=(0, 0))
        self._make_controls()
        rows = [
            self._called,
            pn.Row(self._name, self._format, self._give, self._download, margin=0, sizing_mode="stretch_width"),
            *([pn.Row(self._path, self._write, margin=0, sizing_mode="stretch_width")] if session.local else []),
            self._learned,
            self._overwrite,
            self._status,
        ]
        self._view = pn.Column(*rows, sizing_mode="stretch_width", margin=0)
        session.param.watch(lambda *_: self._look(), "scene")
        session.param.watch(lambda *_: self._offer(), "learned")
        self._look()
        self._offer()

    def _make_controls(self) -> None:
        self._called = make_field("Network's name", "Its title here, and its name in files.", self._rename)
        self._name = TextField(
            label="File name",
            description="Without suffix; a suffix that is typed chooses the format.",
            size="small",
            sizing_mode="stretch_width",
            margin=(6, 8, 4, 0),
        )
        self._name.param.watch(lambda event: self._split_name(event.new), "value")
        self._format = pmui.Select(
            label="Format",
            description="JSON keeps everything; UAI keeps no names. Undirected networks fit into JSON and UAI.",
            size="small",
            max_width=160,
            sizing_mode="stretch_width",
            margin=(6, 8, 4, 0),
        )
        self._give = make_button("Download", "the network on the page, with its drawing", self._save)
        self._path = TextField(
            label="Folder or file on this machine",
            placeholder="~/networks/",
            description="Where to write, on the machine that pgmgui runs on; the suffix of a file says its format.",
            size="small",
            sizing_mode="stretch_width",
            margin=(6, 8, 4, 0),
        )
        self._path.param.watch(lambda *_: self._ask(None), "value_input")
        self._write = make_button("Write", "the network to this path", partial(self._store, False))
        self._overwrite = make_button("Overwrite it", "replace the file", partial(self._store, True))
        self._overwrite.visible = False
        self._learned = pmui.Checkbox(
            label="With the learned parameters",
            description="Those that Apply would give the network; the network on the page stays as it is.",
            size="small",
            margin=0,
        )

    # --- what the controls do

    def _rename(self, title: str) -> None:
        self._session.rename_network(title)
        self._called.value = self._session.scene.title

    def _split_name(self, name: str) -> None:
        """A suffix that is typed after the name is a choice of format."""
        suffix = Path(name).suffix.lower()
        if suffix in self._format.options.values():
            self._format.value = suffix
            self._name.value = name[: -len(suffix)]

    def _choose_document(self) -> Document:
        """What to save: the network on the page, or with what was learned in place of its tables."""
        document, learned = self._session.document, self._session.learned
        return document.with_network(learned.network()) if learned is not None and self._learned.value else document

    async def _save(self, _event: object) -> None:
        document, suffix = self._choose_document(), self._format.value
        name = suggest_name(self._name.value_input or "") + suffix
        try:
            content = await asyncio.to_thread(dump_network, document, name)
        except PgmError as error:
            self._session.say(f"{error}.")
            return
        self._download.give(name, content)
        self._status.write(f"Saved {count_edges(document.network)} as {name}.", *_tell_losses(document, name))

    async def _store(self, overwrite: bool, _event: object) -> None:
        document = self._choose_document()
        self._ask(None)
        try:
            path, name = self._path.value_input or "", self._name.value_input or ""
            target = find_target(path, name, self._format.value)
            if target.exists() and not overwrite:
                self._ask(target)
                return
            await asyncio.to_thread(write_network, target, document)
        except PgmError as error:
            self._session.say(f"{error}.")
            return
        said = f"Wrote {count_edges(document.network)} to {target.absolute()}."
        self._status.write(said, *_tell_losses(document, target.name))

    def _ask(self, target: Path | None) -> None:
        """Ask whether to replace a file, or no longer."""
        self._overwrite.visible = target is not None
        self._status.write(*(() if target is None else [f"{target.absolute()} is there already."]))

    def _offer(self) -> None:
        """Offer what was learned while there is anything."""
        is_there = self._session.learned is not None
        self._learned.visible = is_there
        if not is_there:
            self._learned.value = False

    def _look(self) -> None:
        scene = self._session.scene
        options = list_writable(scene.document.network)
        if self._format.options != options:
            kept = self._format.value if self._format.value in options.values() else next(iter(options.values()))
            self._format.param.update(options=options, value=kept)
        if self._title != scene.title:
            self._title = scene.title
            self._called.value = scene.title
            self._name.value = suggest_name(scene.title)
            self._ask(None)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _tell_losses(document: Document, name: str) -> list[str]:
    return [f"Note: {loss}." for loss in describe_losses(document, name)]
