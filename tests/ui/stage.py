"""A stage: one page of the browser on which the panels of one test after another are put.

To load a page takes seconds of the processor's time, to put a panel on it a tenth of one. Each test has a session and
panels of its own; after a test that failed, the next has a new page.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import panel as pn
from bokeh.document import Document
from panel_material_ui.template.base import Page as MaterialPage
from playwright.sync_api import BrowserContext, Page

from app.main import PAGE_STYLE, THEME, _forget_busy, _stay_local
from tests.ui.serving import WAIT, House
from tests.ui.watch import Watch

# Whether what is on the stage is of that name, and all of it has been built; or nothing is, where there is no name.
# While Bokeh still builds or takes away, it forgets what else is to be shown.
BUILT = """name => window.Bokeh?.documents.some(document => {
  const stage = document.is_idle && document.get_model_by_name("stage")
  const view = stage && Bokeh.index.find_one(stage)
  const names = view && view.child_views.map(child => child.model.name)
  return view && view.has_finished() && names.join() === name
})"""
# What was taken away, Bokeh lets go when nothing has changed for 30 s: on a stage, never. It would be more with each
# test, and the browser's searches for garbage would take more of the processor than the tests.
LET_GO = "() => Bokeh.documents.forEach(document => document._recompute_all_models())"


class Stage:
    """A page with room for a header and a body."""

    def __init__(self, house: House, context: BrowserContext) -> None:
        self._house, self._context = house, context
        self._built: list[Document] = []
        self._loaded = threading.Event()
        self._head = pn.Row(sizing_mode="stretch_width", margin=0)
        self._body = pn.Column(name="stage", sizing_mode="stretch_both", margin=0)
        self._acts = 0
        url = house.serve(self._build)
        self.watch = Watch()
        self.page = context.new_page()
        self._size = self.page.viewport_size
        self.watch.follow(self.page, url)
        self.page.goto(url)
        # Before the server knows that the browser is there, what is changed may not reach it.
        assert self._loaded.wait(WAIT)
        self._wait("")

    def _build(self) -> pn.viewable.Viewable:
        _stay_local()
        self._built.append(pn.state.curdoc)
        pn.state.onload(self._loaded.set)
        page = MaterialPage(title="stage", header=[self._head], main=[self._body], theme_config=THEME, sx=PAGE_STYLE)
        _forget_busy(page)
        return page

    def begin(self, make: Callable[[], tuple[list, list]]) -> str:
        """Put what is made on the stage, in place of what was there: for the header, and the body. Its name."""
        self._acts += 1
        name = f"act {self._acts}"

        def put() -> None:
            head, body = make()
            self._head[:] = head
            self._body[:] = [pn.Column(*body, name=name, sizing_mode="stretch_both", margin=0)]

        self.do(put)
        return name

    def show(self, make: Callable[[], tuple[list, list]]) -> Page:
        """Put what is made on the stage, and wait until the browser has built it."""
        self._wait(self.begin(make))
        return self.page

    def do(self, act: Callable[[], object]) -> None:
        """Do something where the page may be changed."""
        self._house.call(self._built[-1].add_next_tick_callback, act)

    def _wait(self, name: str) -> None:
        self.page.wait_for_function(BUILT, arg=name)

    def clear(self) -> None:
        """Leave nothing on it, the pointer in its corner, and the window as large as it was."""

        def leave() -> None:
            self._head[:] = self._body[:] = []

        self.do(leave)
        self.page.mouse.move(0, 0)
        if self.page.viewport_size != self._size:
            self.page.set_viewport_size(self._size)
        self._wait("")
        self.page.evaluate(LET_GO)

    def close(self) -> None:
        """Close the page."""
        self._context.close()
