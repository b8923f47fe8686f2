"""Opening data that is counted where it lies, and having it counted: watched, and ended when the user says so."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from engine.formats import DataDocument
from engine.model.dataset import Dataset
from engine.model.errors import Cancelled, PgmError
from engine.model.network import Network
from engine.sources.engine import Asking, watching
from engine.sources.ibis_table import IbisTable
from engine.sources.opening import Request, is_large, open_source
from engine.sources.places import Place, add_password, drop_password, find_password, is_url, mask
from pgmgui.project.counted_data import WHY, AnyData, CountedData
from pgmgui.project.data_reading import make_scene
from pgmgui.project.network_files import find_path
from pgmgui.project.scene import Scene, with_data

T = TypeVar("T")
ELSEWHERE = (
    "data at a path or a URL is not opened here: this page is open to others, who would read what is on the machine "
    "that serves it; upload a file, or start pgmgui without --address"
)


class Counting:
    """How far an engine is with what it was asked, and a way to end that."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._stopped = threading.Event()
        self._now: Asking | None = None

    def run(self, do: Callable[[], T]) -> T:
        """Do something; Cancelled is raised in it once it is stopped, and what is asked then ends."""
        with watching(self._watch):
            found = do()
        if self._stopped.is_set():
            raise Cancelled
        return found

    def _watch(self, now: Asking | None) -> None:
        if now is None:
            return
        self._now = now
        if self._stopped.is_set():
            raise Cancelled

    def stop(self) -> None:
        """End it as soon as possible, the query too."""
        self._stopped.set()

    def describe(self) -> str:
        """How far it is, in words."""
        return f"{self._what}: {'opening' if self._now is None else self._now.describe()} …"


def find_place(text: str) -> tuple[str, str]:
    """Where data lies that a user has typed, wherever this program runs; and the password, if it has one."""
    text = text.strip().strip("\"'")
    if is_url(text):
        return drop_password(text), find_password(text)
    if mask(text) != text and not os.path.exists(text):
        raise PgmError(f"{mask(text)} is no URL; write it as postgres://user@host/database?table=rows")
    return os.path.abspath(find_path(text)), ""


def is_counted(where: str) -> bool:
    """Whether data at a place is counted there, and not read into memory."""
    return is_large(where, None)


def open_place(place: Place, network: Network | None, password: str = "", asks: bool = False) -> AnyData:
    """The data at a place: over the variables of a network, or over ones made from its columns.

    A MisfitError is raised where values are no states; and, if the user is to be asked, where columns are no variables.
    """
    where = add_password(place.where, password) if is_url(place.where) else place.where
    variables, scopes = (None, ()) if network is None else (network.variables, network.scopes)
    request = Request(where, place.table, None, variables, (), scopes, option="", asks=asks)
    found = open_source(replace(request, renamed=dict(place.columns), given=place.given))
    notes = [f"counted where it lies, in {place.title}", *found.notes]
    if isinstance(found.data, Dataset):
        return DataDocument(found.data, tuple(notes), found.unmatched, found.absent)
    table = found.data
    assert isinstance(table, IbisTable)
    every = range(len(table.variables))
    if network is None and table.can_merge(every):
        table.prepare([every])  # what arrows are looked for in
    return CountedData(table, place, tuple(notes), found.unmatched, found.absent)


def count_into(scene: Scene, place: Place, password: str = "", asks: bool = False) -> Scene:
    """A scene with the data at a place; rows are not held out any more. See :func:`open_place`."""
    data = open_place(place, scene.document.network, password, asks)
    if isinstance(data, CountedData) and scene.hold_out is not None:
        data = replace(data, notes=(*data.notes, f"no rows are held out any more, for {WHY}"))
        scene = replace(scene, hold_out=None)
    return with_data(scene, data)


def recount(scene: Scene, password: str = "") -> Scene:
    """A scene whose data is yet to be counted, with it; others stay as they are."""
    if scene.place is None or scene.data is not None:
        return scene
    return replace(scene, data=open_place(scene.place, scene.document.network, password), place=None)


def build_counted_scene(place: Place, password: str = "") -> Scene:
    """A new network with a variable for each column of the data at a place, uniform and without arrows."""
    data = open_place(place, None, password)
    name = place.table or Path(place.where.partition("?")[0]).name
    return make_scene(data, name, name)
