"""The button in the corner of a table that has no room for it."""

from __future__ import annotations

import panel as pn
from playwright.sync_api import expect

from pgmgui.components.grid.grid import Column, Grid, Source

COLUMNS = tuple(Column(title, "number", "", 84) for title in ("Without", "Likelihood", "Non-fixed"))


def test_where_headings_are_tight_the_button_is_above_them(stage):
    source = Source(COLUMNS, 3, lambda first, last: [["0.25"] * 3] * (last - first + 1), "Tight")
    # As wide as its columns are, and no more.
    table = Grid(source=source, sizing_mode="stretch_width", margin=0)
    room = pn.Column(table, width=3 * 84 + 2, margin=(40, 0, 0, 0))
    page = stage.show(lambda: ([], [room]))
    grid = page.get_by_role("grid", name="Tight")
    expect(grid).to_have_attribute("data-loads", "1")
    heading = grid.get_by_role("columnheader").last
    grid.hover()
    button = grid.locator("xpath=..").get_by_role("button")
    expect(button).to_have_css("opacity", "1")
    text, box = heading.evaluate(WORDS), button.bounding_box()
    assert box["y"] + box["height"] <= text["top"] or box["x"] >= text["right"]
    assert text["right"] <= grid.bounding_box()["x"] + grid.bounding_box()["width"]


# Where the text of a heading is, not its cell.
WORDS = """heading => {
  const range = document.createRange()
  range.selectNodeContents(heading)
  const {top, right} = range.getBoundingClientRect()
  return {top, right}
}"""
