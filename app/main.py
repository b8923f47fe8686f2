"""The page, and serving it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import panel as pn
import param
from bokeh.server.server import Server
from panel import reactive
from panel.io.resources import LOCAL_DIST
from panel_material_ui.template.base import Page

from app.data_input import show_asking
from app.server import ADDRESS, TITLE, is_loopback, make_server, run
from app.window import HOW_TO, Window
from engine.formats import NETWORK_FORMATS, read_dataset, read_network, split_name
from engine.model.errors import PgmError
from engine.sources.engine import watching
from engine.sources.opening import check_table
from engine.sources.places import Place, hide_password
from pgmgui.board.arrow_layer import with_arrows
from pgmgui.board.autosave import keep_look, start_keeping
from pgmgui.board.beside import work_beside
from pgmgui.board.board import make_canvas
from pgmgui.board.browser_tab import is_closed
from pgmgui.board.counting_beside import CountingBeside
from pgmgui.board.first_run_card import make_first_run_card
from pgmgui.board.mark_bar import MarksBar
from pgmgui.board.message import Message
from pgmgui.board.summary import Summary
from pgmgui.board.type_size import make_type_controls
from pgmgui.components.divider.divider import Divider
from pgmgui.components.later import Later
from pgmgui.components.lazy_tabs import LazyTabs
from pgmgui.project.apart import prepare
from pgmgui.project.counting import ELSEWHERE, build_counted_scene, count_into, find_place, is_counted
from pgmgui.project.data_reading import DataFile, is_table, read_scene
from pgmgui.project.examples import load_gallery
from pgmgui.project.folders import default_folder
from pgmgui.project.links import Link, parse_link
from pgmgui.project.look import take_look
from pgmgui.project.network_files import open_scene
from pgmgui.project.scene import Derived, Scene, derive
from pgmgui.project.session_file import Saved, is_session, read_session
from pgmgui.project.store import MOST_KEPT, Store
from pgmgui.state.answers import Answers
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.desk import Desk
from pgmgui.state.first_run import FirstRun
from pgmgui.state.keeper import Keeper, find_kept, read_query
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.slacks import Slacks
from pgmgui.state.standings import Standings
from pgmgui.state.structuring import Structuring
from pgmgui.state.tightening import Tightening
from pgmgui.state.travel import Traveller
from pgmgui.strip.run_keys import make_run_keys
from pgmgui.strip.strip import HEIGHT, LearnStrip
from pgmgui.tabs.catalogue import TABS

# A tooltip opens below, where it covers no button of the same row; and never catches a click.
_COMPONENTS = {
    "MuiTooltip": {
        "defaultProps": {"slotProps": {"popper": {"placement": "bottom"}}},
        "styleOverrides": {
            "popper": {"pointerEvents": "none !important"},
            "tooltip": {"width": "max-content", "maxWidth": "260px"},
        },
    }
}
_DARK = {"primary": {"main": "#6fb1f0"}, "background": {"paper": "#14181d", "default": "#14181d"}}
THEME = {
    "light": {"palette": {"primary": {"main": "#1b5e9e"}}, "components": _COMPONENTS},
    "dark": {"palette": _DARK, "components": _COMPONENTS},
}
TAB_STYLE = {
    # All are seen without scrolling, also with large type in a narrow panel: there it is not so large.
    "& .MuiTabs-root": {"containerType": "inline-size"},
    "& .MuiTab-root": {
        "minWidth": "0",
        "padding": "8px min(6px, 1.1cqw)",
        "textTransform": "none",
        "letterSpacing": 0,
        "fontSize": "min(0.875rem, 3.15cqw)",
    },
    "& .MuiTabs-scrollButtons": {"display": "none"},
}
# More on a wide screen and with large type, and never so much that the canvas is too narrow for its buttons.
SIDE = "clamp(240px, var(--side-width, clamp(440px, 30vw + 20 * (1rem - 16px), 640px)), calc(100% - 320px))"
# A low bar of the same colour in both themes: the room belongs to the canvas.
PAGE_STYLE = {
    "& .MuiAppBar-root": {"backgroundColor": "#123f6d", "color": "#ffffff", "backgroundImage": "none"},
    "& .MuiToolbar-root": {"minHeight": "44px !important", "height": "44px", "margin": "0 4px"},
    "& .MuiToolbar-root h3": {"fontSize": "22px", "flexShrink": 0, "marginRight": "12px"},
    # Never seen (see _forget_busy), and without a name for screen readers.
    "& .MuiAppBar-root > .MuiLinearProgress-root": {"display": "none"},
    "& .MuiToolbar-root > .MuiBox-root": {"minWidth": 0},
}


def serve(
    network_path: str | Path | None = None,
    data_path: str | Path | None = None,
    port: int | None = None,
    show: bool = True,
    announce: Callable[[str], None] | None = None,
    address: str = ADDRESS,
    normalise: bool = False,
    keep: int = MOST_KEPT,
    window: bool = False,
    table: str | None = None,
) -> None:
    """Serve the dashboard until interrupted.

    Parameters
    ----------
    network_path, data_path, table : optional
        What each new tab opens; an example without them. A file that cannot be read raises PgmError
        before the server starts.
    port : int, optional
        None is 5006 or the next free port after it; 0 any free port; another must be free.
    show : bool
        Open the page in the browser.
    announce : callable, optional
        Called with the address once the server listens, to print it.
    address : str
        Where to listen. On another than the loopback address, the page cannot read and write paths: whoever
        opens it may sit at another machine.
    normalise : bool
        Rescale table rows of the network that do not sum to 1, instead of refusing it.
    keep : int
        How many tabs are kept.
    window : bool
        Open the page in a window of its own, and end when that is closed; in the browser if there can be none.
    """
    local, store = is_loopback(address), Store(default_folder(), keep)
    opened = read_files(network_path, data_path, normalise, local, table)
    server, url = make_server(lambda: build_page(opened, local, store), port, address)
    prepare()
    if announce is not None:
        announce(url)
    opened_in = _open_window(server, url, network_path) if window else None
    try:
        run(server, show and not window)
    finally:
        if opened_in is not None:
            opened_in.close()
        for keeper in list(store.owners.values()):
            keeper.leave()


def _open_window(server: Server, url: str, path: str | Path | None) -> Window:
    """Show the page in a window; the server ends with it."""
    loop = server.io_loop

    def end(was_shown: bool) -> None:
        if was_shown:
            loop.add_callback(loop.stop)
        else:
            print(f"pgmgui: {HOW_TO}: {url}", file=sys.stderr)
            loop.add_callback(server.show, "/")

    title = TITLE if path is None else f"{Path(hide_password(str(path))).name} – {TITLE}"
    return Window(url, title, default_folder() / "window", end)


def read_files(
    network_path: str | Path | None,
    data_path: str | Path | None,
    normalise: bool = False,
    local: bool = True,
    table: str | None = None,
) -> tuple[Saved, Derived] | None:
    """What the files of the command line hold, and what follows from it: found once, for all tabs."""
    if network_path is None:
        if data_path is not None:
            raise PgmError(f"{data_path}: a dataset needs a network; give the network's file first")
        return None
    is_network = split_name(network_path)[1] in NETWORK_FORMATS
    if data_path is None and not is_network and is_counted(find_place(str(network_path))[0]):
        scene = _count(str(network_path), table, local, build_counted_scene)
        return Saved(scene), derive(scene)
    if is_table(network_path):
        if data_path is not None:
            raise PgmError(
                f"{network_path} is a table, not a network; give the network's file first, or the table alone"
            )
        scene = read_scene(DataFile(str(network_path)))
        return Saved(scene), derive(scene)
    if is_session(network_path):
        if data_path is not None:
            raise PgmError(f"{network_path}: a session has its own data; leave {data_path} out, or open it on the page")
        saved = read_session(network_path)
        return saved, derive(saved.scene)
    scene = open_scene(read_network(network_path, normalise), str(network_path))
    if data_path is not None:
        where = find_place(str(data_path))[0]
        if is_counted(where):
            scene = _count(str(data_path), table, local, partial(count_into, scene))
        else:
            check_table(where, table)
            scene = replace(scene, data=read_dataset(data_path, scene.document.network.variables))
    return Saved(scene), derive(scene)


def _count(text: str, table: str | None, local: bool, make: Callable[[Place, str], Scene]) -> Scene:
    """The scene that is made of data that is counted where it lies, as was said on the command line."""
    where, password = find_place(text)
    if not local:
        raise PgmError(ELSEWHERE)
    with watching(show_asking):
        return make(Place(where, table), password)


def build_page(
    opened: tuple[Saved, Derived] | None = None, local: bool = True, store: Store | None = None
) -> pn.viewable.Viewable:
    """The page of one tab: on what its address names, or else on what was opened, or on the first example."""
    _stay_local()
    desk = _make_desk(opened, local, store or Store(default_folder()))
    address = start_keeping(desk.keeper)
    keep_look(desk.session, address)
    header, main = lay_out(desk, address)
    page = Page(title="pgmgui", header=header, main=main, theme_config=THEME, sx=PAGE_STYLE)
    _forget_busy(page)
    page.param.watch(lambda event: desk.session.darken(event.new), "dark_theme")
    return page


def lay_out(desk: Desk, *unseen: pn.viewable.Viewable) -> tuple[list[object], list[object]]:
    """What is on the page: in the bar at the top, and below it. What is not seen has its place there too."""
    session = desk.session
    tabs = {name: partial(make, desk) for name, make in TABS.items()}
    work = pn.Column(
        MarksBar(session),
        make_first_run_card(desk.first_run, session, desk.race),
        Message(session, desk.keeper),
        with_arrows(make_canvas(session, desk.answers), session, desk.arrow_facts),
        *unseen,
        sizing_mode="stretch_both",
        margin=0,
    )
    aside = Divider(label="Width of the side panel", upright=True, variable="--side-width", size=session.side)
    below = Divider(label="Height of the strip", variable="--strip-height", size=session.strip)
    aside.on_move, below.on_move = session.widen_side, session.heighten_strip
    strip = partial(LearnStrip, session, desk.race, desk.traveller, desk.playback)
    body = pn.Column(
        pn.Row(work, aside, _lay_out_tabs(tabs, session), sizing_mode="stretch_both", margin=0),
        below,
        Later(strip, styles={"flex": f"0 0 {HEIGHT}"}, sizing_mode="stretch_both"),
        sizing_mode="stretch_both",
        margin=(4, 0, 0, 0),
    )
    return [Summary(session), *make_type_controls(session, make_run_keys(desk.race, desk.traveller, desk.playback))], [
        body
    ]


def _make_desk(opened: tuple[Saved, Derived] | None, local: bool, store: Store) -> Desk:
    """What the page is about."""
    session = Session(local=local)
    session.count_first = counting = CountingBeside(session)
    race = Race(session)
    if pn.state.curdoc is not None:
        pn.state.on_session_destroyed(lambda *_: counting.stop())
        pn.state.on_session_destroyed(lambda *_: race.stop())
    key, link = _open(session, race, store, opened)
    if link is not None and link.run:
        pn.state.onload(race.begin)
    tightening = Tightening(session, work_beside)
    pn.state.onload(tightening.begin)
    answers = Answers(session, work_beside)
    pn.state.onload(answers.begin)
    standings = Standings(session, race, work_beside)
    pn.state.onload(standings.begin)
    arrow_facts = ArrowFacts(session, work_beside)
    pn.state.onload(arrow_facts.begin)
    if pn.state.curdoc is not None:
        pn.state.on_session_destroyed(lambda *_: arrow_facts.resampling.stop())
    traveller = Traveller(session, race)
    structuring = Structuring(session)
    if pn.state.curdoc is not None:
        pn.state.on_session_destroyed(lambda *_: structuring.close())
    if link is not None and link.structure:
        session.turn_to("Structure")
        pn.state.onload(structuring.begin)
    return Desk(
        session,
        race,
        traveller,
        Playback(session, race, traveller),
        answers,
        Slacks(session, work_beside),
        FirstRun(session),
        Keeper(session, race, store, key, partial(is_closed, pn.state.curdoc)),
        tightening,
        standings,
        structuring,
        arrow_facts,
    )


def _lay_out_tabs(makers: Mapping[str, Callable[[], pn.viewable.Viewer]], session: Session) -> Later:
    # What is in the first tab has a turn of its own: both at once would hold the server twice as long.
    name, make = next(iter(makers.items()))
    parts = {**makers, name: lambda: Later(make, sizing_mode="stretch_both")}

    def make_tabs() -> LazyTabs:
        tabs = LazyTabs(parts, "stretch_both", lambda tab: session.turn_to("" if tab == name else tab), sx=TAB_STYLE)
        if session.tab:
            tabs.open(session.tab)
        session.param.watch(lambda event: tabs.open(event.new or name), "tab")
        session.param.watch(lambda event: None if event.new is None else tabs.open("Data"), "row")
        return tabs

    return Later(
        make_tabs,
        # Not Panel's width: it would make the whole page at least as wide as all of its parts together.
        styles={"flex": f"0 0 {SIDE}", "max-width": SIDE},
        sizing_mode="stretch_both",
    )


def _open(session: Session, race: Race, store: Store, opened: tuple[Saved, Derived] | None) -> tuple[str, Link | None]:
    """Open what the page's address names, or else the rest.

    The key of the tab that was found again, if one was, or the link that was opened, which may begin something at once.
    What the address names and cannot be opened is told.
    """
    query = read_query(pn.state.session_args or {})
    key = query.pop("tab", "")
    trouble = ""
    try:
        session.wear(take_look(query, TABS))
        if key:
            saved = find_kept(store, key)
            if saved is not None and race.open(saved):
                return key, None
            gone = "The work that this address names is not kept here any more. Open its file, or begin anew."
            trouble = gone if saved is None else session.message
        elif query:
            link = parse_link(query)
            if race.open(link.saved):
                return "", link
            trouble = session.message
    except PgmError as error:
        trouble = f"What the address names cannot be opened: {error}."
    if opened is None:
        session.open_example(load_gallery()[0])
    else:
        race.open(*opened)
    if trouble:
        session.say(trouble)
    return "", None


def _forget_busy(page: Page) -> None:
    """Keep the page from following Panel's sign that something is being done, anywhere on the server.

    Each time, Panel would look through all models of all open pages. What takes long shows its own progress.
    Param forgets to take away the watcher with the reference; through it, Panel would hold every page ever opened.
    """
    with param.edit_constant(page), param.parameterized.discard_events(page):
        page.busy = False
    for _, watcher in page._param__private.ref_watchers:
        watcher.inst.param.unwatch(watcher)
    page._param__private.ref_watchers = []


def _stay_local() -> None:
    """Keep Panel from fetching the style sheets of what is made after the page from the net.

    It does so where it does not know the document, or the document does not say where they are.
    """
    reactive.CDN_DIST = LOCAL_DIST  # type: ignore[attr-defined]
    if pn.state.curdoc is not None:
        pn.state.curdoc.template_variables["dist_url"] = LOCAL_DIST
