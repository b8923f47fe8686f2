"""Components on the canvas: hulls, badges, looking at one alone, gaps."""

from __future__ import annotations

import math
import re

import pytest
from playwright.sync_api import expect

from engine.learning.bounds import CERTIFIED
from engine.learning.learn import learn
from pgmgui.board.picture import look_at, shade
from pgmgui.project.words import show_gap
from pgmgui.state.session import Session
from tests.ui.lab import Lab
from tests.ui.panels import open_example


def test_a_component_is_looked_at_alone(open_scene):
    board = open_scene("asia")
    before = {name: board.middle(name) for name in board.names()}
    board.click_hull(2)
    expect(board.node("smoke")).to_have_class(re.compile("borrowed"))
    expect(board.node("smoke").get_by_text("borrowed")).to_be_visible()
    expect(board.node("asia")).to_have_class(re.compile("borrowed"))
    ghosts = board.page.locator("[data-node].ghost")
    expect(ghosts).to_have_count(3)
    assert set(ghosts.evaluate_all("all => all.map(node => node.dataset.node)")) == {"bronc", "xray", "dysp"}
    expect(board.edge("smoke", "lung")).not_to_have_class(re.compile("ghost"))
    expect(board.edge("smoke", "bronc")).to_have_class(re.compile("ghost"))
    expect(board.status).to_contain_text("Component 2 alone")
    board.wait_for_paint()
    frame = board.canvas.bounding_box()
    for name in ("asia", "smoke", "tub", "lung", "either"):
        x, y = board.middle(name)
        assert frame["x"] < x < frame["x"] + frame["width"]
        assert frame["y"] < y < frame["y"] + frame["height"]
    board.click_hull(2)
    expect(ghosts).to_have_count(0)
    expect(board.status).to_be_empty()
    board.wait_for_paint()
    assert {name: board.middle(name) for name in before} == {n: pytest.approx(p, abs=1) for n, p in before.items()}


def test_a_component_is_looked_at_with_keys(open_scene):
    chain = open_scene("thesis-chain")
    chain.node("Y").focus()
    chain.press("c")
    expect(chain.node("V")).to_have_class(re.compile("ghost"))
    expect(chain.node("X")).to_have_class(re.compile("borrowed"))
    chain.press("ArrowLeft")
    assert chain.focused() == "X"
    chain.press("ArrowLeft")  # ghosts are not walked to
    assert chain.focused() == "X"
    chain.press("Escape")
    expect(chain.page.locator(".ghost")).to_have_count(0)
    chain.node("V").focus()
    chain.press("c")  # complete: it has no hull until it is looked at
    expect(chain.hull(1)).to_have_count(1)
    chain.press("c")
    expect(chain.hull(1)).to_have_count(0)


def test_a_double_click_on_a_hull_adds_and_does_not_look(open_scene):
    board = open_scene("asia")
    (x1, y1), (x2, y2) = board.middle("tub"), board.middle("either")
    x, y = (x1 + x2) / 2 + 14 * board.zoom(), (y1 + y2) / 2  # beside the arrow
    under = "(hull, [x, y]) => hull.getRootNode().elementFromPoint(x, y) === hull"
    assert board.hull(2).evaluate(under, [x, y])
    board.page.mouse.dblclick(x, y)
    expect(board.name_field).to_be_focused()
    board.press("Enter")
    assert "A" in board.names()
    expect(board.page.locator(".ghost")).to_have_count(0)


def test_badges_tell_what_a_node_lends_itself_to(open_scene):
    board = open_scene("asia")
    expect(board.node("asia").locator(".badge")).to_have_text("1 → 2")
    expect(board.node("smoke").locator(".badge")).to_have_text("3 → 2, 4")
    expect(board.node("tub").locator(".badge")).to_have_text("2")
    expect(board.node("smoke").locator("title")).to_have_text(re.compile("Component 3, lent to 2, 4$"))


def test_gaps_are_told_by_shade_and_in_words(open_scene):
    session = Session()
    open_example(session, "asia")
    third = next(snapshot for snapshot in learn(session.network, session.seen) if snapshot.iteration == 3)
    gap = session.parts.gaps(third)[1]
    board = open_scene("learned")
    expect(board.hull(2)).to_have_class(f"hull gap-{math.ceil(math.log10(gap)) + 3}")
    expect(board.canvas.locator(".hull-name")).to_have_text([f"2: gap {gap:,.3g}"])
    board = open_scene("unlearned")
    expect(board.hull(2)).to_have_class("hull gap-none")
    expect(board.canvas.locator(".hull-name")).to_have_text(["2: no run yet"])


def test_the_gap_of_a_component_is_told_by_variable(open_panel):
    lab = Lab(open_panel("parts", "strip", scene="?example=asia&hide=smoke"))
    lab.button("Start").click()
    lab.expect_state("converged")
    number = next(k for k, c in enumerate(lab.session.parts.task.decomposition.components) if not c.is_complete)
    lab.row(number + 1).click()
    told = lab.page.get_by_role("grid", name=f"Gap of component {number + 1} by variable")
    expect(told).to_be_visible()
    shares = lab.session.gap_shares
    expect(told).to_have_attribute("aria-rowcount", f"{len(shares) + 1}")
    bounds = lab.session.parts.bounds
    expect(lab.page.get_by_text(f"Its bound is {bounds.imap[number]:,.2f} nats.")).to_be_visible()
    expect(lab.page.get_by_text(f"would be {bounds.decomposition[number]:,.2f}:")).to_be_visible()
    lab.page.get_by_role("button", name="gap", exact=True).click()
    names = [variable.name for variable in lab.session.network.variables]
    for v, share in shares.items():
        expect(lab.node(names[v])).to_have_attribute("data-shade", shade(share.gap))
        badge = "✓" if share.gap <= CERTIFIED else show_gap(share.gap)
        expect(lab.node(names[v]).locator(".badge")).to_have_text(badge)
    expect(lab.node("smoke")).to_have_attribute("data-shade", "")


# Whether the canvas is that wide, and all names of hulls are inside of it.
NAMES_INSIDE = """([canvas, width, count]) => {
  const names = [...canvas.querySelectorAll(".hull-name")].map(name => name.getBoundingClientRect())
  const frame = canvas.getBoundingClientRect()
  const inside = ({left, top, right, bottom}) =>
    left >= frame.left && top >= frame.top && right <= frame.right && bottom <= frame.bottom
  return Math.abs(frame.width - width) < 60 && names.length === count && names.every(inside)
}"""


def test_the_names_of_hulls_are_in_view_however_large_the_drawing(open_scene):
    board = open_scene("grid-corners")
    board.button("Fit").click()
    canvas = board.canvas.element_handle()
    for width, height in ((1024, 768), (1440, 900), (1920, 1080)):
        board.page.set_viewport_size({"width": width, "height": height})
        board.page.wait_for_function(NAMES_INSIDE, arg=[canvas, width, 4])


# Whether all nodes are in view, as far from the left as from the right, in a canvas of some width: where they stay.
NODES_FITTED = """([canvas, width]) => {
  const frame = canvas.getBoundingClientRect()
  const nodes = [...canvas.querySelectorAll(".node .shape")].map((node) => node.getBoundingClientRect())
  const before = Math.min(...nodes.map((node) => node.left)) - frame.left
  const after = frame.right - Math.max(...nodes.map((node) => node.right))
  return Math.abs(frame.width - width) < 60 && before >= 0 && Math.abs(before - after) < 4
    && nodes.every(({top, bottom}) => top >= frame.top && bottom <= frame.bottom)
}"""


def test_the_graph_is_fitted_to_another_window_until_the_user_moves_it(open_scene):
    """A click on a node, or moving one, is no choice of what to see; zooming is."""
    board = open_scene("asia")
    canvas = board.canvas.element_handle()
    board.page.set_viewport_size({"width": 1920, "height": 1080})
    board.page.wait_for_function(NODES_FITTED, arg=[canvas, 1920])
    board.page.mouse.click(*board.middle("dysp"))
    board.drag("xray", 30, 10).synced()
    board.page.set_viewport_size({"width": 800, "height": 500})
    board.page.wait_for_function(NODES_FITTED, arg=[canvas, 800])
    board.wait_for_paint()
    fitted = board.zoom()
    board.button("Zoom in").click()
    board.wait_for_paint()
    own = board.zoom()
    assert own > fitted
    board.page.set_viewport_size({"width": 1920, "height": 1080})
    board.page.wait_for_function("([canvas]) => canvas.getBoundingClientRect().width > 1800", arg=[canvas])
    board.wait_for_paint()
    assert board.zoom() == own


# Whether the middle of a node lies on a hull.
ON_HULL = """([hull, node]) => {
  const {e, f} = node.transform.baseVal.consolidate().matrix
  const point = new DOMPoint(e, f)
  return hull.isPointInFill(point) || hull.isPointInStroke(point)
}"""


def test_a_hull_holds_its_own_and_leaves_out_a_stranger_amid_them(open_scene):
    board = open_scene("asia")
    (tub, y), (lung, _) = board.middle("tub"), board.middle("lung")
    x, top = board.middle("xray")
    board.drag("xray", (tub + lung) / 2 - x, y - top)
    members = [board.session.network.variables[v].name for v in look_at(board.session).components[0]]
    assert {"tub", "lung", "either"} <= set(members) <= set(board.names()) - {"xray"}
    hull = board.hull(2).element_handle()
    found = [name for name in board.names() if board.page.evaluate(ON_HULL, [hull, board.node(name).element_handle()])]
    assert sorted(found) == sorted(members)
