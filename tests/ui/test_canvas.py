"""Drawing on the canvas, with a real pointer and a real keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

HOSTILE = "<img src=x onerror=alert(1)>"
CHAIN = {("V", "X"), ("X", "Y"), ("Y", "Z")}


@pytest.fixture
def empty(open_scene):
    """An empty Bayesian network."""
    return open_scene("empty")


@pytest.fixture
def chain(open_scene):
    """The example V → X → Y → Z, of which Y is hidden."""
    return open_scene("thesis-chain")


def test_a_network_is_drawn_named_and_connected_and_all_of_it_undone(empty):
    expect(empty.canvas.get_by_text("Double-click to add a variable; drag from its rim to connect")).to_be_visible()
    empty.add(150, 60, "rain").add(320, 60, "sprinkler").add(230, 170)
    assert empty.names() == ["rain", "sprinkler", "A"]
    expect(empty.canvas.get_by_text("Double-click to add")).to_be_hidden()
    assert empty.selected() == ["A"]
    empty.rename("A", "wet grass")
    empty.connect("rain", "wet grass").connect("sprinkler", "wet grass")
    assert empty.arrows() == {("rain", "wet grass"), ("sprinkler", "wet grass")}
    expect(empty.button("Undo")).to_have_attribute("title", "Undo: connect sprinkler and wet grass (Ctrl+Z)")
    empty.undo(8)
    assert (empty.names(), empty.arrows()) == ([], set())
    empty.redo(8)
    assert empty.names() == ["rain", "sprinkler", "wet grass"]
    assert empty.arrows() == {("rain", "wet grass"), ("sprinkler", "wet grass")}


def test_a_new_variable_appears_where_the_pointer_is_and_the_view_stays(empty):
    frame = empty.canvas.bounding_box()
    empty.add(200, 90)
    assert empty.middle("A") == pytest.approx((frame["x"] + 200, frame["y"] + 90), abs=1)
    empty.add(400, 150)
    assert empty.middle("A") == pytest.approx((frame["x"] + 200, frame["y"] + 90), abs=1)
    assert empty.middle("B") == pytest.approx((frame["x"] + 400, frame["y"] + 150), abs=1)


def test_a_name_typed_at_once_is_not_lost(empty):
    frame = empty.canvas.bounding_box()
    empty.page.mouse.dblclick(frame["x"] + 200, frame["y"] + 100)
    empty.page.keyboard.type("hen")  # each letter is a shortcut of the canvas as well
    empty.page.keyboard.press("Enter")
    empty.synced()
    assert empty.names() == ["hen"]
    assert empty.focused() == "hen"


def test_renaming_can_be_given_up_and_refuses_a_name_that_is_taken(chain):
    chain.page.mouse.dblclick(*chain.middle("X"))
    expect(chain.name_field).to_be_focused()
    expect(chain.name_field).to_have_value("X")
    chain.page.keyboard.type("other")
    chain.page.keyboard.press("Escape")
    expect(chain.name_field).to_have_count(0)
    assert chain.synced().names() == list("VXYZ")
    chain.rename("X", "Z")
    expect(chain.message).to_contain_text("There is a variable 'Z' already")
    assert chain.names() == list("VXYZ")
    chain.node("X").focus()
    chain.page.keyboard.press("F2")
    chain.page.keyboard.type("smoke")
    chain.press("Enter")
    assert chain.names() == ["V", "smoke", "Y", "Z"]
    assert chain.focused() == "smoke"
    assert ("V", "smoke") in chain.arrows()
    expect(chain.message).to_have_count(0)


def test_a_name_is_kept_when_the_pointer_goes_elsewhere(chain):
    chain.page.mouse.dblclick(*chain.middle("X"))
    expect(chain.name_field).to_be_focused()
    chain.page.keyboard.type("smoke")
    chain.page.mouse.click(*chain.middle("Z"))
    expect(chain.node("smoke")).to_be_visible()
    assert chain.synced().selected() == ["Z"]


def test_a_hostile_name_is_just_a_name(empty):
    empty.add(200, 80, HOSTILE).add(200, 170, "B")
    assert empty.names() == [HOSTILE, "B"]
    empty.connect(HOSTILE, "B").connect("B", HOSTILE)
    expect(empty.message).to_contain_text(HOSTILE)
    expect(empty.edge(HOSTILE, "B")).to_have_count(1)
    empty.page.mouse.dblclick(*empty.middle(HOSTILE))
    expect(empty.name_field).to_have_value(HOSTILE)
    empty.page.keyboard.press("Escape")
    empty.node(HOSTILE).focus()
    empty.press("e")
    expect(empty.status).to_contain_text(HOSTILE)
    expect(empty.button("Undo")).to_have_attribute("title", re.compile(re.escape(HOSTILE)))
    expect(empty.page.locator("img")).to_have_count(0)


def test_odd_names_are_names(empty):
    empty.add(350, 150, "B")
    for name in ("__proto__", 'say "hi"', "a\\b", "é ∈ Ω 漢"):
        empty.add(150, 80, name).connect(name, "B")
        assert empty.arrows() == {(name, "B")}
        before = empty.middle(name)
        empty.drag(name, 40, 20)
        assert empty.middle(name) == pytest.approx((before[0] + 40, before[1] + 20), abs=1)
        empty.press("Delete")
        assert empty.names() == ["B"]


# --- moving


def test_dragging_moves_a_node_with_its_edges_and_hulls(chain):
    edge, hull = chain.edge("X", "Y"), chain.hull(3)
    x, y = chain.middle("Y")
    before, outline, other = edge.get_attribute("d"), hull.get_attribute("d"), chain.middle("X")
    loads = chain.canvas.get_attribute("data-loads")
    chain.page.mouse.move(x, y)
    chain.page.mouse.down()
    chain.page.mouse.move(x + 20, y + 40, steps=4)
    chain.wait_for_paint()
    assert chain.middle("Y") == pytest.approx((x + 20, y + 40), abs=1)
    assert edge.get_attribute("d") != before
    assert hull.get_attribute("d") != outline
    expect(chain.canvas).to_have_attribute("data-loads", loads)  # not before the button is let go
    chain.page.mouse.up()
    chain.synced()
    assert chain.middle("Y") == pytest.approx((x + 20, y + 40), abs=1)
    assert chain.middle("X") == pytest.approx(other, abs=1)
    assert chain.selected() == ["Y"]
    chain.undo()
    assert chain.middle("Y") == pytest.approx((x, y), abs=1)
    assert (edge.get_attribute("d"), hull.get_attribute("d")) == (before, outline)


def test_a_selection_moves_together_by_pointer_and_by_keys(chain):
    before = {name: chain.middle(name) for name in "VXYZ"}
    chain.select("X", "Z").drag("Z", 10, -30)
    for name in "VXYZ":
        dx, dy = (10, -30) if name in "XZ" else (0, 0)
        assert chain.middle(name) == pytest.approx((before[name][0] + dx, before[name][1] + dy), abs=1)
    chain.undo()
    step = 10 * chain.zoom()
    chain.node("X").focus()
    chain.press("Control+ArrowDown", "Alt+ArrowDown", "Control+ArrowLeft")
    for name in "VXYZ":
        dx, dy = (-step, 2 * step) if name in "XZ" else (0, 0)
        assert chain.middle(name) == pytest.approx((before[name][0] + dx, before[name][1] + dy), abs=1)


def test_a_key_held_down_is_one_step_to_undo(chain):
    before = chain.middle("V")
    chain.node("V").focus()
    chain.page.keyboard.down("Control")
    for _ in range(5):
        chain.page.keyboard.down("ArrowDown")
    chain.page.keyboard.up("ArrowDown")
    chain.page.keyboard.up("Control")
    chain.synced()
    assert chain.middle("V") == pytest.approx((before[0], before[1] + 50 * chain.zoom()), abs=1)
    chain.undo()
    assert chain.middle("V") == pytest.approx(before, abs=1)


def test_escape_gives_a_drag_up(chain):
    x, y = chain.middle("X")
    chain.page.mouse.move(x, y)
    chain.page.mouse.down()
    chain.page.mouse.move(x, y + 50, steps=3)
    chain.page.keyboard.press("Escape")
    chain.page.mouse.move(x + 30, y + 50, steps=3)
    chain.page.mouse.up()
    chain.synced()
    assert chain.middle("X") == pytest.approx((x, y), abs=1)


def test_layout_puts_the_graph_in_order_and_into_view(chain):
    before = {name: chain.middle(name) for name in "VXYZ"}
    chain.drag("V", 300, 90).drag("Z", -200, 60)
    chain.button("Lay out the graph").click()
    chain.synced()
    frame = chain.canvas.bounding_box()
    for name in "VXYZ":
        x, y = chain.middle(name)
        assert frame["x"] < x < frame["x"] + frame["width"]
        assert frame["y"] < y < frame["y"] + frame["height"]
    assert sorted("VXYZ", key=lambda name: chain.middle(name)[1]) == list("VXYZ")  # layered: arrows point down
    chain.undo(3)
    chain.page.get_by_role("button", name="Fit the graph").click()
    chain.wait_for_paint()
    assert {name: chain.middle(name) for name in "VXYZ"} == {n: pytest.approx(p, abs=1) for n, p in before.items()}


# --- connecting


def test_a_band_follows_the_pointer_and_the_target_lights_up(chain):
    box, (x, y) = chain.node("V").locator(".shape").bounding_box(), chain.middle("Z")
    chain.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] + 6 * chain.zoom())
    expect(chain.node("V").locator(".rim")).not_to_have_css("stroke", "rgba(0, 0, 0, 0)")
    chain.page.mouse.down()
    chain.page.mouse.move(x, y, steps=5)
    chain.wait_for_paint()
    expect(chain.node("Z")).to_have_class(re.compile("target"))
    expect(chain.canvas.locator(".band")).to_have_attribute("d", re.compile("^M.*Z$"))
    chain.page.mouse.up()
    chain.synced()
    assert chain.arrows() == CHAIN | {("V", "Z")}
    expect(chain.canvas.locator(".band")).to_have_attribute("d", "")
    expect(chain.node("Z")).not_to_have_class(re.compile("target"))


def test_what_cannot_be_connected_is_refused_with_the_reason(chain):
    for start, end, words in (
        ("Z", "V", "would close a cycle: V → X → Y → Z → V"),
        ("V", "X", "There is an arrow from 'V' to 'X' already"),
        ("Y", "X", "There is an arrow from 'X' to 'Y' already"),
    ):
        chain.connect(start, end)
        expect(chain.message).to_contain_text(words)
        assert chain.arrows() == CHAIN
        expect(chain.button("Undo")).to_be_disabled()


def test_connecting_in_the_mode_for_it(empty):
    empty.add(120, 80).add(300, 80).add(210, 170)
    button = empty.button("Connect variables")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(empty.status).to_contain_text("choose a variable, then another")
    for name in "ABCB":
        empty.page.mouse.click(*empty.middle(name))
        empty.synced()
    assert empty.arrows() == {("A", "B"), ("C", "B")}
    empty.drag("A", *(b - a for a, b in zip(empty.middle("A"), empty.middle("C"), strict=True)))
    assert ("A", "C") in empty.arrows()
    empty.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")
    empty.select("B")
    assert empty.selected() == ["B"]


def test_connecting_by_keys(chain):
    chain.select("V")
    chain.press("e")
    expect(chain.status).to_contain_text("From V to …")
    for name in "XYZ":
        chain.press("ArrowRight")
        assert chain.focused() == name
    chain.press("Enter")
    assert chain.arrows() == CHAIN | {("V", "Z")}
    expect(chain.status).to_be_empty()
    assert chain.focused() == "Z"
    chain.press("Enter")  # no longer connecting
    assert set(chain.selected()) == {"V", "Z"}


def test_a_markov_network_is_drawn_with_edges(open_scene):
    board = open_scene("markov")
    board.add(120, 80).add(300, 130).connect("B", "A")
    assert board.edges() == [("undirected", "A", "B")]
    board.connect("A", "B")
    expect(board.message).to_contain_text("'A' and 'B' are connected already")
    board.select_edge("A", "B").press("Delete")
    assert board.edges() == []
    board.undo()
    assert board.edges() == [("undirected", "A", "B")]


# --- selecting and removing


def test_nodes_are_selected_by_clicks_boxes_and_keys(chain):
    chain.select("V")
    chain.select("X")
    assert chain.selected() == ["X"]
    chain.select("X", "Z", "V")
    assert set(chain.selected()) == {"V", "X", "Z"}
    expect(chain.node("V")).to_have_attribute("aria-label", re.compile("Selected$"))
    chain.page.keyboard.down("Control")
    chain.page.mouse.click(*chain.middle("X"))
    chain.page.keyboard.up("Control")
    assert set(chain.synced().selected()) == {"V", "Z"}
    chain.press("Escape")
    assert chain.selected() == []
    chain.press("Control+a")
    assert chain.selected() == list("VXYZ")
    frame = chain.canvas.bounding_box()
    chain.page.mouse.click(frame["x"] + 10, frame["y"] + 10)
    assert chain.synced().selected() == []
    (x1, y1), (x2, y2) = chain.middle("V"), chain.middle("X")
    chain.page.keyboard.down("Shift")
    chain._drag((x1 - 60 * chain.zoom(), y1 - 40), (x2 + 10, y2 + 30))
    chain.page.keyboard.up("Shift")
    assert chain.synced().selected() == ["V", "X"]


def test_selected_nodes_are_removed_with_their_edges(chain):
    for key in ("Delete", "Backspace"):
        chain.press("Escape")
        chain.select("X", "Z").press(key)
        assert (chain.names(), chain.arrows()) == (["V", "Y"], set())
        assert chain.focused() is not None
        chain.press("Control+z")
        assert (chain.names(), chain.arrows()) == (list("VXYZ"), CHAIN)
        expect(chain.hull(3)).to_have_count(1)


def test_edges_are_selected_and_removed_by_pointer_and_keys(chain):
    chain.select_edge("X", "Y")
    expect(chain.edge("X", "Y")).to_have_class(re.compile("selected"))
    assert chain.selected() == []
    chain.press("Delete")
    assert chain.arrows() == CHAIN - {("X", "Y")}
    assert chain.names() == list("VXYZ")
    chain.undo()
    chain.node("X").focus()
    chain.press("l")
    expect(chain.status).to_have_text("Selected: V → X")
    chain.press("l")
    expect(chain.status).to_have_text("Selected: X → Y")
    expect(chain.edge("V", "X")).not_to_have_class(re.compile("selected"))
    chain.press("Backspace")
    assert chain.arrows() == CHAIN - {("X", "Y")}
    assert chain.focused() == "X"


def test_buttons_are_off_where_there_is_nothing_to_do(open_scene):
    board = open_scene("asia")
    expect(board.button("Undo")).to_be_disabled()
    expect(board.button("Redo")).to_be_disabled()
    expect(board.button("Remove what is selected")).to_be_disabled()
    board.select("smoke")
    board.button("Remove what is selected").click()
    assert "smoke" not in board.synced().names()
    board.undo()
    expect(board.button("Undo")).to_be_disabled()
    expect(board.button("Redo")).to_have_attribute("title", "Redo: remove smoke (Ctrl+Shift+Z)")
