"""The page, and serving it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import panel as pn
import panel_material_ui as pmui
import param
from panel_material_ui.template.base import Page

from engine.errors import PgmError
from engine.formats import DataDocument, Document, read_dataset, read_network
from pgmgui.canvas import Canvas
from pgmgui.examples import load_gallery
from pgmgui.layout import arrange
from pgmgui.panels.data import DataPanel
from pgmgui.panels.files import FilesPanel
from pgmgui.panels.learn import LearnStrip
from pgmgui.panels.marks import MarksBar
from pgmgui.panels.parts import PartsPanel
from pgmgui.panels.variable import VariablePanel
from pgmgui.picture import draw, look_at
from pgmgui.scene import Scene
from pgmgui.server import make_server, run
from pgmgui.session import Session
from pgmgui.views.message import Message
from pgmgui.views.summary import Summary

# A tooltip opens over the next button: it must not catch the click meant for that.
_COMPONENTS = {"MuiTooltip": {"styleOverrides": {"popper": {"pointerEvents": "none !important"}}}}
_DARK = {"primary": {"main": "#6fb1f0"}, "background": {"paper": "#14181d", "default": "#14181d"}}
THEME = {
    "light": {"palette": {"primary": {"main": "#1b5e9e"}}, "components": _COMPONENTS},
    "dark": {"palette": _DARK, "components": _COMPONENTS},
}
# A low bar of the same colour in both themes: the room belongs to the canvas.
PAGE_STYLE = {
    "& .MuiAppBar-root": {"backgroundColor": "#123f6d", "color": "#ffffff", "backgroundImage": "none"},
    "& .MuiToolbar-root": {"minHeight": "44px !important", "margin": "0 4px"},
}


def serve(
    network_path: str | Path | None = None,
    data_path: str | Path | None = None,
    port: int | None = None,
    show: bool = True,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve the dashboard on this machine until interrupted.

    Parameters
    ----------
    network_path, data_path : path, optional
        What each new tab opens; an example without them. A file that cannot be read raises PgmError
        before the server starts.
    port : int, optional
        None is 5006 or the next free port after it; 0 any free port; another must be free.
    show : bool
        Open the page in the browser.
    announce : callable, optional
        Called with the address once the server listens, to print it.
    """
    document, data = read_files(network_path, data_path)
    title = "" if network_path is None else Path(network_path).stem
    server, url = make_server(lambda: build_page(document, data, title), port)
    if announce is not None:
        announce(url)
    run(server, show)


def read_files(
    network_path: str | Path | None, data_path: str | Path | None
) -> tuple[Document | None, DataDocument | None]:
    """The files of the command line."""
    if network_path is None:
        if data_path is not None:
            raise PgmError(f"{data_path}: a dataset needs a network; give the network's file first")
        return None, None
    document = read_network(network_path)
    return document, None if data_path is None else read_dataset(data_path, document.network.variables)


def build_page(
    document: Document | None = None, data: DataDocument | None = None, title: str = ""
) -> pn.viewable.Viewable:
    """The page of one tab, on a network or on the first example."""
    session = Session()
    if document is None:
        session.open_example(load_gallery()[0])
    else:
        session.open(Scene(title or document.name or "Untitled", "", arrange(document), data))
    tabs = pmui.Tabs(
        ("Open", FilesPanel(session)),
        ("Variable", VariablePanel(session)),
        ("Data", DataPanel(session)),
        ("Parts", PartsPanel(session)),
        # Not a fixed width: Panel would make the whole page at least as wide as all of its parts together.
        max_width=440,
        sizing_mode="stretch_both",
        margin=0,
    )
    work = pn.Column(
        Summary(session),
        MarksBar(session),
        Message(session),
        make_canvas(session),
        sizing_mode="stretch_both",
        margin=0,
    )
    page: pn.viewable.Viewable = Page(
        title="pgmgui",
        main=[
            pn.Column(
                pn.Row(work, tabs, sizing_mode="stretch_both", margin=0),
                LearnStrip(session),
                sizing_mode="stretch_both",
                margin=0,
            )
        ],
        theme_config=THEME,
        sx=PAGE_STYLE,
    )
    return page


def make_canvas(session: Session) -> Canvas:
    """The canvas, drawing the session and telling it what the user does."""
    canvas = Canvas(
        graph=draw(session.document),
        look=look_at(session),
        on_select=session.select,
        on_hide=session.toggle_hidden,
        sizing_mode="stretch_both",
        margin=0,
    )

    def update(*events: param.parameterized.Event) -> None:
        changed = {event.name for event in events}
        if "scene" in changed:
            canvas.graph = draw(session.document)
        canvas.look = look_at(session)
        canvas.selected = session.selected

    session.param.watch(update, ["scene", "derived", "selected", "component", "colour", "learned"])
    return canvas
