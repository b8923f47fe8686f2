"""The data: read, match, simulate, save, look at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui

from engine.formats import DATA_FORMATS, PACKED
from engine.formats.files import naming
from engine.formats.tables.table import Table
from pgmgui.components.fields import PATIENT, make_button
from pgmgui.components.plain_text import PlainText
from pgmgui.components.transfer.transfer import Upload
from pgmgui.project.apart import Apart
from pgmgui.project.counted_data import WHY, CountedData
from pgmgui.project.counted_matching import CountedMatching
from pgmgui.project.data_matching import Matching
from pgmgui.project.data_reading import DataFile, build_scene, read_data
from pgmgui.project.scene import Scene
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.tabs.data.data_grid import DataGrid
from pgmgui.tabs.data.data_saving import DataSaving
from pgmgui.tabs.data.match_form import MatchingPanel
from pgmgui.tabs.data.place_form import PlaceForm, describe_waiting
from pgmgui.tabs.data.simulate import SimulateForm
from pgmgui.tabs.data.studio_form import StudioForm
from pgmgui.tabs.work import Work

CLOSE = (4, 5, 4, 0)
"""Margins of buttons of which four have room in a row."""
SAVE = "as seen or complete; again to close"
MOST_NOTES = 6
"""Notes of the reader that are shown."""


class DataPanel(pn.viewable.Viewer):
    """Where the data comes from, what it is, and where it goes.

    A file is read apart from the page: until that is done, and if it fails, the page stays as it is. Where it does
    not fit the network, the user is asked first.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._file = DataFile("")
        self._work = Work(session, self._abandon)
        self._upload = Upload(
            label="Choose a data file, or drop it here",
            about=f"Opens data from one of: {', '.join(DATA_FORMATS)}, perhaps packed ({PACKED})",
            accept=",".join((*DATA_FORMATS, PACKED)),
            on_begin=lambda name: self._work.begin(f"Uploading {name}"),
            on_file=self._read_upload,
            on_trouble=self._fail,
            sizing_mode="stretch_width",
            margin=(4, 8, 4, 0),
        )
        self._matching = MatchingPanel(self._use, self._build_from_table, self._cancel)
        self._simulate, self._saving = SimulateForm(session, self._work), DataSaving(session, self._work)
        self._studio = StudioForm(session)
        self._as_new = _make_choice()
        self._status = PlainText(margin=(4, 0))
        self._grid = DataGrid(session)
        self._learn = make_button(
            "Learn structure…",
            "find arrows between these variables from the data",
            lambda _: session.turn_to("Structure"),
            "contained",
        )
        self._looking = pn.Column(self._status, self._learn, self._grid, sizing_mode="stretch_width", margin=0)
        self._place = self._make_place_form()
        self._view = pn.Column(
            self._upload,
            *([self._place] if session.local else []),
            self._as_new,
            self._make_buttons(),
            self._work,
            self._matching,
            self._simulate,
            self._saving,
            self._studio,
            self._looking,
            sizing_mode="stretch_both",
            margin=(0, 0, 0, 12),
            scroll="y-auto",
        )
        session.param.watch(lambda event: self._look(event.old, event.new), "scene")
        self._look(session.scene, session.scene)

    def look(self, looked_at: bool) -> None:
        """Say whether the tab is in view."""
        self._grid.look(looked_at)
        self._studio.look(looked_at)

    def _make_place_form(self) -> PlaceForm:
        return PlaceForm(
            self._session,
            self._work,
            self._read_path,
            lambda: bool(self._as_new.value),
            self._end_asking,
            lambda matching: self._ask(matching, matching.place.title),
        )

    def _make_buttons(self) -> pn.Row:
        """Those that open forms, and one that removes the data."""
        self._open_simulate = self._toggle("Simulate…", "draw data from the model on the page", self._simulate)
        about = "what decides which values are missing, what that takes, and how it biases what is learned"
        open_studio = self._toggle("Missingness…", about, self._studio)
        self._open_saving = self._toggle("Save data…", "", self._saving)
        self._remove = make_button("Remove the data", "the network stays", self._remove_data, margin=CLOSE)
        buttons = (self._open_simulate, open_studio, self._open_saving, self._remove)
        # In large type there are two rows of them.
        return pn.Row(*buttons, margin=0, sizing_mode="stretch_width", styles={"flex-wrap": "wrap"})

    def _toggle(self, name: str, about: str, form: SimulateForm | DataSaving | StudioForm) -> pmui.Button:
        """A button that opens a form, or closes it."""
        return make_button(
            name,
            f"{about}; again to close",
            lambda _: form.open(not form.is_open),
            margin=CLOSE,
            description_delay=PATIENT,
        )

    # --- reading

    async def _read_upload(self, name: str, content: bytes) -> None:
        await self._open(DataFile(name, content))

    async def _read_path(self, path: str) -> None:
        await self._open(DataFile(path))

    async def _open(self, file: DataFile) -> None:
        """Read a file and use it, or ask what does not fit."""
        self._file = file
        self._end_asking()
        network = self._session.network
        as_new = bool(self._as_new.value) or not network.variables
        reading = Apart(partial(read_data, file, None if as_new else network), file.name, file.size)
        await self._work.run(f"Reading {file.name}", reading.run, lambda found: self._take(*found), reading)

    def _take(self, table: Table, matching: Matching | None) -> None:
        self._session.say("")  # what was wrong with the last file
        if matching is None:
            self._start(partial(self._build, table))
        elif matching.items:
            self._ask(matching, self._file.name)
        else:
            self._start(partial(self._use, matching))

    def _ask(self, matching: Matching, name: str) -> None:
        self._matching.ask(matching, name)
        self._looking.visible = False
        if not matching.taken:
            self._session.say(
                f"{name}: no column is a variable of the network. Nothing has changed yet: "
                "say in the Data tab what the columns mean, or build variables from them there."
            )

    def _start(self, work: Callable[[], Any]) -> None:
        pn.state.execute(work, schedule=True)

    # --- the ways out

    async def _use(self, matching: Matching) -> None:
        if isinstance(matching, CountedMatching):
            await self._place.use(matching)
            return
        name = self._file.name

        def make(scene: Scene) -> Scene:
            with naming(name):
                return matching.follow(scene.document.network).apply(scene, f"read from {Path(name).name}")

        await self._work.change(f"Opening {name}", "open data", make, self._end_asking)

    async def _build_from_table(self) -> None:
        matching = self._matching.matching
        if isinstance(matching, CountedMatching):
            await self._place.build(matching.place)
        elif matching is not None:
            await self._build(matching.table)

    async def _build(self, table: Table) -> None:
        name = self._file.name
        make = partial(build_scene, table, name)
        await self._work.change(f"Building variables from {name}", "build variables", lambda _: make())

    async def _cancel(self) -> None:
        self._end_asking()
        self._session.say("")

    def _remove_data(self, _event: object) -> None:
        self._session.set_data(None)

    def _abandon(self) -> None:
        self._upload.abandon()
        self._status.write("Abandoned: the page is as it was.")

    def _fail(self, message: str) -> None:
        self._work.end()
        self._session.say(message)

    # --- what is there

    def _end_asking(self) -> None:
        self._matching.close()
        self._looking.visible = True

    def _look(self, old: Scene, new: Scene) -> None:
        asked, network = self._matching.matching, new.document.network
        # An edit changes the data too, where a variable goes.
        edited = (new.title, new.note) == (old.title, old.note) and network.variables != old.document.network.variables
        if asked is not None and edited:
            self._matching.ask_again(network)
        elif new.data is not old.data:
            self._end_asking()
            self._as_new.value = False
        counted = isinstance(new.data, CountedData)
        self._remove.disabled = new.data is None and new.place is None
        about = f"not here, for {WHY}" if counted else SAVE
        self._open_saving.param.update(disabled=new.data is None or counted, description=f"Save data…: {about}")
        self._open_simulate.disabled = not new.document.network.variables
        if new.data is None or counted:
            self._saving.open(False)
        self._learn.visible = new.data is not None and bool(network.variables) and not network.edges
        self._status.write(*describe(new))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def _make_choice() -> pmui.Checkbox:
    return pmui.Checkbox(
        label="Build variables from the columns",
        description="Open the next file as a new network, with a variable for each column and no arrows.",
        description_delay=700,
        size="small",
        margin=(0, 0),
    )


def describe(scene: Scene) -> list[str]:
    """What data there is, and what its reader had to say."""
    if scene.data is None:
        if scene.place is not None:
            return describe_waiting(scene.place)
        if not scene.document.network.variables:
            return ["No data. Open a file, and its columns become variables."]
        return ["No data. Open a file or simulate some."]
    dataset, notes = scene.data.dataset, scene.data.notes
    rows = count(dataset.total_weight, "row")
    if dataset.n_rows != dataset.total_weight:
        rows += f" in {count(dataset.n_rows, 'line')} with weights"
    lines = [f"Data: {rows}, {count(len(dataset.variables), 'variable')}."]
    lines += [f"Note: {note}." for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        lines.append(f"And {count(len(notes) - MOST_NOTES, 'more note')}.")
    return lines
