"""The map of a large graph: there while some of it is not in view, and a way to move the view."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

# How many pixels of the map are painted.
PAINTED = """map => {
  const sheet = map.querySelector("canvas")
  const {data} = sheet.getContext("2d").getImageData(0, 0, sheet.width, sheet.height)
  return data.filter((value, k) => k % 4 === 3 && value).length
}"""


def zoom_in(board, pixels):
    frame = board.canvas.bounding_box()
    board.page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 3)
    board.page.mouse.wheel(0, -pixels)
    board.wait_for_paint()


def test_the_map_shows_and_moves_what_is_in_view(open_scene):
    board = open_scene("large")
    shown = board.page.get_by_role("img", name="Map of the graph")
    expect(shown).to_be_hidden()
    zoom_in(board, 1500)
    expect(shown).to_be_visible()
    assert shown.evaluate(PAINTED) > 500
    sheet, frame = shown.locator("canvas").bounding_box(), shown.locator(".minimap-frame")
    view, zoom = board.canvas.bounding_box(), board.zoom()
    for share in (0.3, 0.7):
        x, y = sheet["x"] + share * sheet["width"], sheet["y"] + share * sheet["height"]
        board.page.mouse.click(x, y)
        board.wait_for_paint()
        box = frame.bounding_box()
        assert box["x"] + box["width"] / 2 == pytest.approx(x, abs=2)
        # The buttons take some of the canvas: the middle of the rest is where the pointer was.
        assert box["y"] <= y <= box["y"] + box["height"] / 2 + 2
        assert box["width"] / box["height"] == pytest.approx(view["width"] / view["height"], rel=0.3)
    assert board.zoom() == zoom
    board.button("Fit the graph").click()
    expect(shown).to_be_hidden()


def test_a_small_graph_has_no_map(open_scene):
    board = open_scene("asia")
    zoom_in(board, 1500)
    expect(board.page.locator(".minimap")).to_be_hidden()
