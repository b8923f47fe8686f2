"""Room: dividers between the panes, what fills the window, large type in a small one, and how full a node is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pgmgui.project.marks import Partial
from tests.ui.lab import Lab

SMALL = {"width": 1024, "height": 768}
FRAME = """[...Bokeh.documents[0]._all_models.values()].filter(model => model.name === "plot of objective")
  .map(model => Bokeh.index.find_one(model)).find(Boolean).frame.bbox"""
HEIGHT = "element => element.getBoundingClientRect().height"


def test_dividers_are_moved_kept_and_reset(open_board):
    page = open_board(query="?side=520&strip=300").page
    side = page.get_by_role("separator", name="Width of the side panel")
    strip = page.get_by_role("separator", name="Height of the strip")
    expect(side).to_have_attribute("aria-valuenow", "520")
    expect(strip).to_have_attribute("aria-valuenow", "300")
    box, panel = side.bounding_box(), page.get_by_role("tablist").bounding_box()
    assert panel["width"] == pytest.approx(520, abs=4)
    x, y = box["x"] + box["width"] / 2, box["y"] + 100
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y, steps=3)
    page.mouse.up()
    expect(side).to_have_attribute("aria-valuenow", "580")
    expect(page).to_have_url(re.compile("side=580&strip=300"))
    strip.focus()
    page.keyboard.press("ArrowDown")
    expect(strip).to_have_attribute("aria-valuenow", "276")
    page.keyboard.press("Enter")
    expect(strip).to_have_attribute("aria-valuenow", "236")
    side.dblclick()
    expect(side).to_have_attribute("aria-valuenow", "440")
    expect(page).not_to_have_url(re.compile("side|strip"))
    # It never takes the canvas's room for its buttons.
    side.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    expect(side).to_have_attribute("aria-valuenow", str(1440 - 320))


def test_the_side_panel_grows_on_a_wide_screen_and_large_type_has_room_in_a_small_window(open_desk):
    lab = Lab(open_desk())
    page = lab.page
    panel = page.get_by_role("tablist")
    assert panel.bounding_box()["width"] == pytest.approx(440, abs=4)
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.get_by_role("separator", name="Width of the side panel")).to_have_attribute("aria-valuenow", "576")
    page.set_viewport_size(SMALL)
    lab.wait_for_paint()
    name = lab.node("tub").locator(".name")
    before = name.evaluate(HEIGHT)
    page.keyboard.press("t")
    expect(lab.button("Aa ✓")).to_be_visible()
    page.wait_for_function(f"([name, before]) => ({HEIGHT})(name) > 1.1 * before", arg=[name.element_handle(), before])
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("tab")).to_have_count(9)
    for switch in ("log gap", "seconds"):
        expect(page.get_by_role("button", name=switch)).to_be_in_viewport(ratio=1)
    words = page.get_by_text("An iteration: 7 small inferences, not 28.")
    assert words.evaluate("element => element.scrollWidth <= element.clientWidth || !element.clientWidth")
    # The buttons of the canvas lie below what is drawn.
    tools = page.get_by_role("toolbar", name="Canvas").bounding_box()
    drawing = page.locator("svg.graph").bounding_box()
    assert drawing["y"] + drawing["height"] <= tools["y"]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_what_is_enlarged_fills_the_window_until_escape(open_panel):
    page = open_panel("data", "strip").page
    for what in ("the table", "the plot"):
        enlarge(page, what)


def enlarge(page: Page, what: str) -> None:
    """Enlarge something, and have it as before."""
    button = page.get_by_role("button", name=f"Enlarge: {what} fills the window").first
    thing = page.get_by_role("grid").first if what == "the table" else page.locator(".bk-Figure").first
    before = thing.bounding_box()
    button.click()
    expect(page.get_by_role("button", name=f"{what} as before")).to_be_focused()
    page.wait_for_function("thing => thing.clientWidth > 0.9 * innerWidth", arg=thing.element_handle())
    if what == "the plot":
        page.wait_for_function(f"() => {FRAME}.height > 0.8 * innerHeight && {FRAME}.width > 0.6 * innerWidth")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    if what == "the plot":
        page.wait_for_function(f"() => {FRAME}.height < 300")
    page.wait_for_function(
        "([thing, width]) => Math.abs(thing.getBoundingClientRect().width - width) < 2",
        arg=[thing.element_handle(), before["width"]],
    )


def test_a_node_is_as_full_as_its_column(open_scene, stage):
    board = open_scene("asia")
    node = board.node("smoke")

    def mark() -> None:
        board.session.mark(["smoke"], Partial(0.8))

    board.after_style(lambda: stage.do(mark))
    share = board.session.seen.shares_seen[board.session.network.index["smoke"]]
    assert 0.1 < share < 0.3
    part, whole = (node.locator(kind).evaluate("element => element.getBBox().width") for kind in (".part", ".shape"))
    assert part / whole == pytest.approx(share, abs=0.01)
    expect(node).to_have_attribute(
        "aria-label", re.compile(f"Partial in the data: seen in {100 * share:.1f}% of the rows")
    )
