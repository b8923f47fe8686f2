"""Data by where it lies: a path on this machine, a pattern of paths, or the URL of a database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import panel as pn
import panel_material_ui as pmui

from engine.model.errors import PgmError
from engine.sources.misfits import MisfitError
from engine.sources.opening import WhichTableError
from engine.sources.places import Place, is_url
from pgmgui.components.fields import make_button, make_path_field, make_select
from pgmgui.project.counted_data import CountedData
from pgmgui.project.counted_matching import CountedMatching, begin_counted
from pgmgui.project.counting import Counting, build_counted_scene, count_into, find_place, is_counted, recount
from pgmgui.project.scene import Derived, Scene
from pgmgui.project.troubles import explain
from pgmgui.project.words import count
from pgmgui.state.session import Session
from pgmgui.tabs.work import Work, prepare, settle

ABOUT = (
    "A data file on the machine that pgmgui runs on; or data of any size, which is counted where it lies: a pattern "
    "such as rows/*.parquet, a folder of Parquet files, a .duckdb file, or a URL such as "
    "postgres://user@host/database?table=rows."
)
PASSWORD = "Kept nowhere. Empty: the last one for the same place, or that of PGPASSWORD or ~/.pgpass."  # noqa: S105
TABLE = "Which table of the database holds the data."


class PlaceForm(pn.viewable.Viewer):
    """A field for the place, one for a password while that is a URL, and a choice of tables where there are several.

    What fits into memory is read as a file; the rest is counted beside the page, and the page stays as it is until
    that is done.

    Parameters
    ----------
    read_file : callable
        Reads the file at a path.
    builds : callable
        Whether variables are to be built from the columns.
    begins : callable
        Called before anything is counted.
    asks : callable
        Called with what does not fit.
    """

    def __init__(
        self,
        session: Session,
        work: Work,
        read_file: Callable[[str], Awaitable[None]],
        builds: Callable[[], bool],
        begins: Callable[[], None],
        asks: Callable[[CountedMatching], None],
    ) -> None:
        super().__init__()
        self._session, self._work = session, work
        self._read_file, self._builds, self._begins, self._asks = read_file, builds, begins, asks
        self._known = ("", "")  # the URL and the password of the last connection
        self._listed = ""
        self._counting = Counting("")
        if pn.state.curdoc is not None:  # nobody waits for it then
            pn.state.on_session_destroyed(lambda *_: self._counting.stop())
        self._path = make_path_field("Data path on this machine", ABOUT, "~/asia.csv or rows/*.parquet", self._read)
        button = make_button("Read", "the data at this path, pattern or URL", self._read)
        self._password = pmui.PasswordInput(
            label="Password",
            description=PASSWORD,
            size="small",
            visible=False,
            sizing_mode="stretch_width",
            margin=(6, 8, 4, 0),
        )
        self._password.param.watch(self._read, "enter_pressed")
        self._table = make_select("Table", TABLE, {}, lambda _: None)
        self._table.visible = False
        self._path.param.watch(lambda event: self._notice(event.new or ""), "value_input")
        self._view = pn.Column(
            pn.Row(self._path, button, margin=0, sizing_mode="stretch_width"),
            self._password,
            self._table,
            sizing_mode="stretch_width",
            margin=0,
        )
        session.param.watch(lambda event: self._follow(event.old, event.new), "scene")
        self._follow(Scene(), session.scene)

    # --- what the user does

    def _notice(self, text: str) -> None:
        """Ask for a password while a URL is typed, and for no table of another database."""
        self._password.visible = is_url(text.strip())
        if self._table.visible and text.strip() != self._listed:
            self._list_tables("", [])

    async def _read(self, _event: object) -> None:
        await settle()
        session, text = self._session, (self._path.value_input or "").strip()
        session.say("")  # what was wrong with the last path
        if not text:
            session.say("There is no path to read. Type the path of a data file on this machine first.")
            return
        try:
            where, password = self._understand(text)
            is_large = await asyncio.to_thread(is_counted, where)
        except PgmError as error:
            session.say(explain("Reading", error))
            return
        if is_large:
            await self._count(self._choose_place(where), password)
        else:
            await self._read_file(text)

    def _understand(self, text: str) -> tuple[str, str]:
        """The place that was typed, and its password, which the fields then no longer show."""
        where, typed = find_place(text)
        if not is_url(where):
            return where, ""
        password = self._password.value_input or typed or self._find_password(Place(where))
        self._known = where, password
        self._path.value = where
        self._password.param.update(value="", value_input="")
        self._listed = self._path.value if self._table.visible else ""
        return where, password

    def _choose_place(self, where: str) -> Place:
        """The place that is yet to be counted, if it is that one; or one with the chosen table."""
        waiting, table = self._session.scene.place, self._table.value if self._table.visible else None
        if waiting is not None and waiting.where == where and table in (None, waiting.table):
            return waiting
        return Place(where, table)

    async def use(self, matching: CountedMatching) -> None:
        """Count data with what was chosen where it does not fit."""

        def make(scene: Scene) -> Scene:
            return matching.follow(scene.document.network).count_into(scene, self._find_password(matching.place))

        await self._run(matching.place, make, "open data")

    async def build(self, place: Place) -> None:
        """Count data, and build variables from its columns."""
        await self._run(place, lambda _: build_counted_scene(place, self._find_password(place)), "build variables")

    async def _count(self, place: Place, password: str) -> None:
        def make(scene: Scene) -> Scene:
            # What columns mean of data that was counted before has been asked then.
            return recount(scene, password) if place is scene.place else count_into(scene, place, password, asks=True)

        self._begins()
        if self._builds() or not self._session.network.variables:
            await self.build(place)
        else:
            await self._run(place, make, "open data")

    def _find_password(self, place: Place) -> str:
        """That of the last connection, if it was to this place."""
        return self._known[1] if self._known[0] == place.where else ""

    async def _run(self, place: Place, make: Callable[[Scene], Scene], label: str) -> None:
        before = self._session.scene
        self._counting = counting = Counting(f"Counting {place.title}")

        def do() -> tuple[Scene, Derived] | WhichTableError | CountedMatching:
            try:
                return counting.run(partial(prepare, make, before))
            except WhichTableError as error:
                return error
            except MisfitError as error:
                return begin_counted(error.table, before.document.network, place)

        then = partial(self._take, label, before, place)
        await self._work.run(f"Counting {place.title}", do, then, counting, counting.describe, "Stop")

    # --- what comes of it

    def _take(
        self,
        label: str,
        before: Scene,
        place: Place,
        found: tuple[Scene, Derived] | WhichTableError | CountedMatching,
    ) -> None:
        session = self._session
        if isinstance(found, WhichTableError):
            self._ask_table(place, found)
            return
        if isinstance(found, CountedMatching):
            self._asks(found)
            return
        self._list_tables("", [])
        scene, derived = found
        if session.scene is before:
            session.replace_scene(label, scene, derived)
        elif isinstance(scene.data, CountedData) and label == "open data":
            session.set_data(scene.data)
        else:
            session.say(f"{place.title} was not opened, for the page has changed meanwhile. Read it again.")

    def _ask_table(self, place: Place, error: WhichTableError) -> None:
        if not error.tables:
            self._session.say(f"{place.where} has no tables. Choose another database.")
            return
        self._list_tables(self._path.value_input or "", error.tables)
        lack = "" if place.table is None else f"there is no table {place.table!r}; "
        self._session.say(
            f"{place.where}: {lack}it has {count(len(error.tables), 'table')}. Choose one in the Data tab, and press "
            "Read."
        )

    def _list_tables(self, where: str, tables: list[str]) -> None:
        """Offer the tables of a database; none hides the list."""
        self._listed = where.strip()
        first = tables[0] if tables else None
        self._table.param.update(options={name: name for name in tables}, value=first, visible=bool(tables))

    def _follow(self, old: Scene, new: Scene) -> None:
        """Fill in where the data of what was opened lies, if it is yet to be counted."""
        place = new.place
        if place is None or place == old.place or new.data is not None:
            return
        self._path.value = place.where
        self._notice(place.where)
        if place.table is not None:
            self._list_tables(place.where, [place.table])

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view


def describe_waiting(place: Place) -> list[str]:
    """What to do about data that is yet to be counted."""
    lines = [f"The data lies in {place.title}, and is not counted yet. If you trust that place, press Read above."]
    if is_url(place.where):
        lines.append("A password is kept nowhere: type it, unless PGPASSWORD or ~/.pgpass has it.")
    return lines
