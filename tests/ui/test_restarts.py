"""The restarts of a run, looked at for the first time while it goes on, and when it has ended."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.lab import Lab

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


@pytest.mark.parametrize("waits", [False, True], ids=["during the run", "after the run"])
def test_restarts_are_there_when_the_tab_is_first_opened(open_board, waits):
    lab = Lab(open_board(query="?example=hidden-cause&restarts=20").page)
    lab.button("Start").click()
    if waits:
        lab.expect_state("converged")
    lab.tab("Runs")
    expect(lab.page.get_by_text(re.compile(r"^20 restarts found \d+ solutions?, up to the names"))).to_be_visible()
    lab.page.wait_for_function(f"() => ({DOTS})() === 20")
    # Nor are they lost when the tab is left and opened again.
    lab.tab("Parts")
    expect(lab.page.get_by_text(re.compile(r"^20 restarts found"))).to_have_count(0)
    lab.tab("Runs")
    lab.page.wait_for_function(f"() => ({DOTS})() === 20")
