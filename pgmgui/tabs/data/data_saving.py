"""Saving the data: as a download, or at a path on this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import panel as pn
import panel_material_ui as pmui

from engine.formats import DATA_FORMATS, dump_dataset, split_name, write_dataset
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from pgmgui.components.drawer import Drawer
from pgmgui.components.fields import TextField, make_button
from pgmgui.components.plain_text import PlainText
from pgmgui.components.transfer.transfer import MOST_BYTES, Download
from pgmgui.project.counted_data import need_rows
from pgmgui.project.network_files import find_path, suggest_name
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.tabs.work import Work, settle

SEEN, COMPLETE = "as seen under the marks", "complete, as if nothing were marked"
_FIELD = {"sizing_mode": "stretch_width", "size": "small", "margin": (8, 8, 4, 0)}


class DataSaving(pn.viewable.Viewer):
    """What to save, in which format, and where to."""

    def __init__(self, session: Session, work: Work) -> None:
        super().__init__()
        self._session, self._work = session, work
        self._download = Download()
        self._status = PlainText(margin=(0, 0))
        self._what = pmui.Select(
            label="Save the data", options=[SEEN, COMPLETE], value=SEEN, description="With or without marks.", **_FIELD
        )
        self._format = pmui.Select(
            label="Data format",
            options=list_writable(),
            value=".csv",
            description="Of the file that is written.",
            **_FIELD,
        )
        self._path = TextField(
            label="Data file on this machine",
            placeholder="~/data/asia.csv",
            description="Where to write, on the machine that pgmgui runs on.",
            **_FIELD,
        )
        self._path.param.watch(lambda *_: self._ask(None), "value_input")
        self._overwrite = make_button("Overwrite the data file", "replace it", partial(self._write, True))
        self._overwrite.visible = False
        give = make_button("Download the data", "as a file of your own", self._give)
        write = make_button("Write the data", "to this path", partial(self._write, False))
        self._view = Drawer(
            self._what,
            pn.Row(self._format, give, self._download, margin=0, sizing_mode="stretch_width"),
            *([pn.Row(self._path, write, margin=0, sizing_mode="stretch_width")] if session.local else []),
            self._overwrite,
            self._status,
        )

    @property
    def is_open(self) -> bool:
        """Whether the form is open."""
        return self._view.is_open

    def open(self, is_open: bool) -> None:
        """Open or close the form."""
        self._view.open(is_open)
        self._ask(None)

    def _chosen(self) -> Dataset:
        seen, data = self._session.seen, self._session.data
        if seen is None or data is None:
            raise PgmError("There is no data to save. Open or simulate some first")
        return need_rows(seen if self._what.value == SEEN else data.dataset, "There are no rows to save")

    async def _give(self, _event: object) -> None:
        await settle()
        name = f"{suggest_name(self._session.scene.title)}{self._format.value}"

        def dump() -> tuple[int, bytes]:
            dataset = self._chosen()
            content = dump_dataset(dataset, name)
            if len(content) > MOST_BYTES:
                raise PgmError(
                    f"{name}: the file would have {len(content) >> 20:,} MB, too much for the browser; "
                    "write it to a path on this machine instead"
                )
            return dataset.n_rows, content

        def give(dumped: tuple[int, bytes]) -> None:
            self._download.give(name, dumped[1])
            self._status.write(f"Saved {count(dumped[0], 'row')} as {name}.")

        await self._work.run(f"Writing {name}", dump, give)

    async def _write(self, overwrite: bool, _event: object) -> None:
        await settle()
        self._ask(None)
        try:
            target = find_target(self._path.value_input or "", self._session.scene.title, self._format.value)
        except PgmError as error:
            self._session.say(f"{error}.")
            return
        if target.exists() and not overwrite:
            self._ask(target)
            return

        def write() -> int:
            dataset = self._chosen()
            write_dataset(target, dataset)
            return dataset.n_rows

        def tell(rows: int) -> None:
            self._status.write(f"Wrote {count(rows, 'row')} to {target.absolute()}.")

        await self._work.run(f"Writing {target.name}", write, tell)

    def _ask(self, target: Path | None) -> None:
        """Ask whether to replace a file, or no longer."""
        self._overwrite.visible = target is not None
        self._status.write(*(() if target is None else [f"{target.absolute()} is there already."]))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view.__panel__()


def list_writable() -> dict[str, str]:
    """For each format that is written, its first suffix, from what the chooser calls it."""
    first: dict[str, str] = {}
    for suffix, form in DATA_FORMATS.items():
        if form.is_writable:
            first.setdefault(form.name, suffix)
    return {f"{name} ({suffix})": suffix for name, suffix in first.items()}


def find_target(path: str, title: str, suffix: str) -> Path:
    """Where to write: a folder is given a file of the title, a name without a data format's suffix the chosen one."""
    target = find_path(path)
    if target.is_dir():
        target = target / suggest_name(title)
    return target if split_name(target)[1] in DATA_FORMATS else target.with_name(target.name + suffix)
