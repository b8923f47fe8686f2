"""A graph so large that only what is in view is drawn, and all of it only from afar."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.ui.board import Board
from tests.ui.panels import VAST

AROUND = 150
"""Pixels around the canvas in which nodes are drawn too: as in canvas_sight.js."""
MOST_IN_VIEW = 300
"""Nodes that are drawn on their own: as in canvas_sight.js."""
NAME = "{http://www.w3.org/2000/svg}text"


def find_places(board: Board) -> dict[str, tuple[float, float]]:
    """Where the middle of each node is on the screen, drawn or not."""
    board.wait_for_paint()
    frame, zoom = board.canvas.bounding_box(), board.zoom()
    transform = board.page.locator(".viewport").get_attribute("transform")
    left, top = map(float, re.match(r"translate\((\S+) (\S+)\)", transform).groups())
    left, top = left + frame["x"], top + frame["y"]
    return {name: (left + zoom * x, top + zoom * y) for name, (x, y) in board.session.document.positions.items()}


def find_seen(board: Board, margin: float = 0.0) -> set[str]:
    """The nodes whose middle is on the canvas, or that far from it."""
    frame = board.canvas.bounding_box()
    return {
        name
        for name, (x, y) in find_places(board).items()
        if -margin <= x - frame["x"] <= frame["width"] + margin
        and -margin <= y - frame["y"] <= frame["height"] + margin
    }


def check_drawn(board: Board) -> set[str]:
    """Check that what is in view is drawn, and little more; what is drawn."""
    seen, drawn = find_seen(board), set(board.names())
    assert seen <= drawn
    # A node is wider than its middle; X0 is where Tab leads.
    assert drawn <= find_seen(board, AROUND + 100 * board.zoom()) | {"X0"}
    assert len(drawn) <= MOST_IN_VIEW + 1
    return drawn


def zoom_in(board: Board) -> Board:
    """Turn the wheel in the middle of the canvas until texts can be read."""
    frame = board.canvas.bounding_box()
    board.page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    board.page.mouse.wheel(0, -math.log(0.8 / board.zoom()) / 0.0015)
    board.wait_for_paint()
    return board


def test_only_what_is_in_view_is_drawn(open_scene):
    board = open_scene("vast")
    assert board.names() == ["X0"]
    assert len(find_seen(board)) == VAST
    marks = board.page.locator(".far-mark:not(.hollow)").get_attribute("d").count("M")
    assert marks == VAST - len(range(2, VAST, 5))  # the others are hidden, and hollow
    first = check_drawn(zoom_in(board))
    expect(board.page.locator(".far-mark")).to_have_count(0)
    edges = {(f"X{k}", f"X{k + 1}") for k in range(VAST - 1)}
    assert board.arrows() == {edge for edge in edges if set(edge) & first}
    frame = board.canvas.bounding_box()
    x, y = frame["x"] + 5, frame["y"] + 5
    board._drag((x, y), (x + 1000, y + 300))
    second = check_drawn(board)
    assert second - first
    assert first - second
    board.button("Fit the graph").click()
    board.wait_for_paint()
    assert board.names() == ["X0"]


def test_keys_reach_what_is_not_in_view_and_mark_it(open_scene):
    board = zoom_in(open_scene("vast"))
    assert "X0" not in find_seen(board)
    board.node("X0").focus()
    board.press(*["ArrowRight"] * 12)
    assert board.focused() == "X12"
    assert "X12" in find_seen(board)
    check_drawn(board)
    expect(board.node("X12")).to_have_attribute("data-role", "hidden")
    board.press("Enter", "h", "0")
    assert board.session.selected == ["X12"]
    assert "X12" not in board.session.marks
    # From afar the node in focus is drawn still, and what is selected stands out.
    assert board.focused() == "X12"
    expect(board.node("X12")).to_have_attribute("data-role", "observed")
    expect(board.page.locator(".far-mark.selected")).to_have_count(1)


def test_nodes_are_selected_and_moved_from_afar(open_scene):
    board = open_scene("vast")
    x, y = find_places(board)["X700"]
    before = board.session.document.positions["X700"]
    board.page.mouse.click(x, y)
    board.synced()
    assert board.session.selected == ["X700"]
    board._drag((x, y), (x + 60, y + 30))
    board.synced()
    after = board.session.document.positions["X700"]
    zoom = board.zoom()
    assert after == pytest.approx((before[0] + 60 / zoom, before[1] + 30 / zoom), abs=1)


def test_a_picture_holds_all_that_is_not_in_view(open_scene):
    board = zoom_in(open_scene("vast"))
    drawn = board.names()
    board.button("Picture").click()
    with board.page.expect_download() as download:
        board.page.get_by_role("menuitem", name="SVG").click()
    root = ElementTree.parse(download.value.path()).getroot()
    texts = {element.text for element in root.iter(NAME)}
    assert {f"X{k}" for k in range(VAST)} <= texts
    board.wait_for_paint()
    assert sorted(board.names()) == sorted(drawn)
