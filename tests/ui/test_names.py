"""Names on a drawing that is so small that those in the nodes cannot be read."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

from playwright.sync_api import expect

# Each name that is written from afar, with its box on the screen and the size of its letters there.
WRITTEN = """names => names.map(name => {
  const {left, top, right, bottom} = name.getBoundingClientRect()
  const size = parseFloat(getComputedStyle(name).fontSize) * name.getScreenCTM().a
  return {text: name.textContent, left, top, right, bottom, size}
})"""


def read_names(board):
    board.wait_for_paint()
    return board.page.locator(".far-names text").evaluate_all(WRITTEN)


def overlap(a, b):
    """Whether two names overlap, by more than the empty part of a line."""
    return min(a["right"], b["right"]) > max(a["left"], b["left"]) and min(a["bottom"], b["bottom"]) - 3 > max(
        a["top"], b["top"]
    )


def test_names_are_as_large_at_every_zoom_and_do_not_overlap(open_scene):
    board = open_scene("large")
    named = []
    for _ in range(2):
        assert board.zoom() < 0.6
        expect(board.node("N250").locator(".name")).to_be_hidden()
        written = read_names(board)
        assert {round(name["size"], 3) for name in written} == {12}
        assert not any(overlap(a, b) for a, b in combinations(written, 2))
        named.append(len(written))
        board.button("Zoom in").click()
        board.wait_for_paint()
    assert named[0] > 20
    frame = board.canvas.bounding_box()
    board.page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    board.page.mouse.wheel(0, -1500)
    expect(board.page.locator(".far-names")).to_be_hidden()
    expect(board.node("N250").locator(".name")).to_be_visible()


def test_the_important_ones_have_names_and_what_is_selected_always(open_scene):
    board = open_scene("large")
    edges = board.session.network.edges
    degree = {f"N{k}": sum(k in edge for edge in edges) for k in range(500)}
    written = [name["text"] for name in read_names(board)]
    assert max(degree, key=degree.get) in written
    rest = sorted(set(degree) - set(written))
    assert sum(map(degree.get, written)) / len(written) > sum(map(degree.get, rest)) / len(rest)
    board.press("Control+f")
    board.page.get_by_role("combobox", name="Find").fill(rest[0])
    expect(board.page.get_by_role("option").first).to_have_text(rest[0])
    board.press("Enter", "Escape", "0")
    assert rest[0] in [name["text"] for name in read_names(board)]
    expect(board.page.locator(".far-names .selected")).to_have_text(rest[0])


def test_a_picture_has_the_names_in_the_nodes(open_scene):
    board = open_scene("large")
    board.button("Picture").click()
    with board.page.expect_download() as download:
        board.page.get_by_role("menuitem", name="SVG").click()
    root = ElementTree.parse(download.value.path()).getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(text for text in texts if text and text.startswith("N")) == sorted(f"N{k}" for k in range(500))
    assert board.page.locator("svg.graph.distant").count() == 1
