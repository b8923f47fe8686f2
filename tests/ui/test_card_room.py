"""Bars that do not lie on other nodes: Layout leaves room for them."""

from __future__ import annotations

from itertools import combinations

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
def test_layout_leaves_room_for_bars(open_scene):
    board = open_scene((DATA / "networks" / "bif" / "alarm.bif",))
    board.button("Bars").click()
    expect(board.page.locator(".card")).to_have_count(37)
    assert count_overlaps(board) > 0
    board.button("Lay out the graph").click()
    board.synced()
    assert count_overlaps(board) == 0
    board.button("Bars").click()
    expect(board.page.locator(".card")).to_have_count(0)
    high = max(y for _, y in board.session.document.positions.values())
    board.button("Lay out the graph").click()
    board.synced()
    assert max(y for _, y in board.session.document.positions.values()) < high
