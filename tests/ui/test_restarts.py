"""The restarts of a run, looked at for the first time while it goes on, and when it has ended."""

from __future__ import annotations

import re
from functools import partial

import panel as pn
import pytest
from playwright.sync_api import expect

from engine.learning.learn import learn
from pgmgui.components.lazy_tabs import LazyTabs
from pgmgui.state.desk import Desk
from pgmgui.tabs.catalogue import TABS
from pgmgui.tabs.runs.restarts import Restarts
from tests.ui.lab import Lab
from tests.ui.panels import make_board, make_room

# How many dots the figure of the restarts shows, once it is drawn.
DOTS = """() => {
  for (const document of Bokeh.documents)
    for (const figure of document._all_models.values()) {
      const view = figure.type === "Figure" && Bokeh.index.find_one(figure)
      if (view && view.el.offsetParent && figure.below[0].axis_label === "restart")
        return figure.renderers[0].data_source.data.x.length
    }
  return 0
}"""


def make_tabs(desk: Desk) -> tuple[list, list]:
    """Two tabs and the strip."""
    tabs = LazyTabs({name: partial(TABS[name], desk) for name in ("Variable", "Runs")}, "stretch_both")
    head, (room, strip) = make_room(desk, ("strip",))
    room.append(pn.Column(tabs, sizing_mode="stretch_both", max_width=440, margin=0))
    return head, [room, strip]


@pytest.mark.parametrize("waits", [False, True], ids=["during the run", "after the run"])
def test_restarts_are_there_when_the_tab_is_first_opened(show, waits):
    lab = Lab(show(make_tabs, "?example=hidden-cause&restarts=20"))
    lab.button("Start").click()
    if waits:
        lab.expect_state("converged")
    lab.tab("Runs")
    expect(lab.page.get_by_text(re.compile(r"^20 restarts found \d+ solutions?, up to the names"))).to_be_visible()
    lab.page.wait_for_function(f"() => ({DOTS})() === 20")
    # Nor are they lost when the tab is left and opened again.
    lab.tab("Variable")
    expect(lab.page.get_by_text(re.compile(r"^20 restarts found"))).to_have_count(0)
    lab.tab("Runs")
    lab.page.wait_for_function(f"() => ({DOTS})() === 20")


# Where a dot of the figure of the restarts is on the screen. Bokeh builds a figure twice, now and then,
# when much arrives at once, and forgets the first: here it does so each time.
DOT = """async () => {
  for (const document of Bokeh.documents)
    for (const figure of document._all_models.values()) {
      const view = figure.type === "Figure" && Bokeh.index.find_one(figure)
      if (!view || !view.el.offsetParent || figure.below[0].axis_label !== "restart") continue
      const forgotten = new figure.default_view({model: figure, parent: view.parent, owner: view.owner})
      forgotten.initialize()
      await forgotten.lazy_initialize()
      const box = view.el.getBoundingClientRect()
      const {x, y} = figure.renderers[0].data_source.data
      const {x_scale, y_scale} = view.frame
      return [box.left + x_scale.compute(x[1]), box.top + y_scale.compute(y[1])]
    }
}"""


def test_a_dot_says_what_it_is_though_its_figure_was_built_twice(show, stage):
    made: list[Restarts] = []

    def make(desk: Desk) -> tuple[list, list]:
        made.append(Restarts(desk.traveller))
        head, body = make_board(desk)
        return head, [*body, made[0]]

    board = show(make, "hidden-cause")
    *_, last = learn(board.session.network, board.session.seen, n_init=3)
    stage.do(lambda: made[0].follow(last, None))
    board.page.wait_for_function(f"() => ({DOTS})() === 3 && Bokeh.documents.every(document => document.is_idle)")
    board.page.mouse.move(*board.page.evaluate(DOT))
    expect(board.page.locator(".bk-tooltip-row-label").first).to_have_text("restart:")
