"""Bars that do not lie on other nodes: while they are shown, nodes are drawn farther apart."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import expect

from tests.shared_data import DATA, needs_data

# The boxes on the screen of each node's shape and of each card.
BOXES = """() => {
  const all = (root, found = []) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(".node .shape, .card .paper")) found.push(element.getBoundingClientRect())
      if (element.shadowRoot) all(element.shadowRoot, found)
    }
    return found
  }
  return all(document).map(({left, top, right, bottom}) => [left, top, right, bottom])
}"""


def count_overlaps(board):
    board.wait_for_paint()
    boxes = board.page.evaluate(BOXES)
    assert len(boxes) == 2 * len(board.names())
    return sum(
        min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1]) for a, b in combinations(boxes, 2)
    )


@needs_data
def test_bars_have_room(open_scene):
    board = open_scene((DATA / "networks" / "bif" / "alarm.bif",))
    positions = dict(board.session.document.positions)
    board.button("Bars").click()
    expect(board.page.locator(".card")).to_have_count(37)
    assert count_overlaps(board) == 0
    assert board.session.document.positions == positions
    # What is moved lies where it was let go, and all else where it was, without bars too.
    node = board.node("HISTORY").locator(".shape").bounding_box()
    x, y = node["x"] + node["width"] / 2, node["y"] + node["height"] / 2
    board.page.mouse.move(x, y)
    board.page.mouse.down()
    board.page.mouse.move(x + 40, y + 10, steps=4)
    board.page.mouse.up()
    board.synced()
    moved = board.node("HISTORY").locator(".shape").bounding_box()
    assert (moved["x"] - node["x"], moved["y"] - node["y"]) == (pytest.approx(40, abs=1), pytest.approx(10, abs=1))
    changed = {name for name, place in board.session.document.positions.items() if place != positions[name]}
    assert changed == {"HISTORY"}
    board.button("Lay out the graph").click()
    board.synced()
    assert count_overlaps(board) == 0
