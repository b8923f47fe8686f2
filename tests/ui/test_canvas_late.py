"""What comes late to the canvas, or lies elsewhere on it than Python has it: menus, pasting and bars."""

from __future__ import annotations

import panel as pn
import pytest
from playwright.sync_api import expect

from pgmgui.board.board import make_canvas
from pgmgui.components.fields import make_select

# Ask for the states of one node, and open the menu of another before they can have come.
ASK_AND_LEAVE = """(canvas, [one, other]) => {
  const open = (name) => {
    const node = canvas.querySelector(`[data-node="${name}"] .shape`)
    const {x, y, width, height} = node.getBoundingClientRect()
    const place = {clientX: x + width / 2, clientY: y + height / 2}
    node.dispatchEvent(new MouseEvent("contextmenu", {bubbles: true, composed: true, cancelable: true, ...place}))
  }
  open(one)
  canvas.querySelector("[role=menu] [aria-label=Suppose]").click()
  open(other)
}"""


def test_a_late_answer_is_not_shown_in_the_menu_of_another_node(open_scene):
    chain = open_scene("thesis-chain")
    chain.canvas.evaluate(ASK_AND_LEAVE, ["X", "Z"])
    chain.synced()
    assert chain.selected() == ["Z"]
    menu = chain.page.get_by_role("menu", name="Z", exact=True)
    expect(menu.get_by_role("menuitem", name="Rename")).to_be_focused()
    expect(menu.get_by_role("menuitemradio")).to_have_count(0)


def spread_of(board, one, other):
    """How much farther apart two nodes are drawn than Python has them, downwards."""
    places = board.session.document.positions
    drawn = board.middle(other)[1] - board.middle(one)[1]
    return drawn / board.zoom() / (places[other][1] - places[one][1])


def show_stretched(open_scene, stage):
    """A graph with two nodes so near that all are drawn farther apart while there are bars."""
    board = open_scene("asia")
    x, y = board.session.document.positions["either"]
    stage.do(lambda: board.session.move({"dysp": (x, y + 50)}))
    board.button("Bars").click()
    expect(board.page.locator(".card")).to_have_count(8)
    board.wait_for_paint()
    assert spread_of(board, "asia", "dysp") > 1.1
    return board


def test_what_is_pasted_here_is_under_the_pointer_while_bars_are_shown(open_scene, stage):
    board = show_stretched(open_scene, stage)
    board.select("asia").press("ControlOrMeta+c")
    expect(board.canvas).to_have_attribute("data-copied", "1")
    frame = board.canvas.bounding_box()
    x, y = frame["x"] + 60, frame["y"] + frame["height"] - 150
    board.page.mouse.click(x, y, button="right")
    board.page.get_by_role("menuitem", name="Paste here").click()
    expect(board.status).to_have_text("1 variable pasted")
    assert board.synced().middle("asia 2") == (pytest.approx(x, abs=2), pytest.approx(y, abs=2))


def test_a_graph_is_not_left_stretched_where_bars_go_before_they_have_come(open_scene, stage):
    board = show_stretched(open_scene, stage)

    def edit_and_hide() -> None:
        board.session.add_variable(0.0, 0.0, "new")
        board.session.show_bars(False)

    stage.do(edit_and_hide)
    expect(board.node("new")).to_have_count(1)
    expect(board.page.locator(".card")).to_have_count(0)
    expect(board.button("Bars")).to_have_attribute("aria-pressed", "false")
    board.wait_for_paint()
    assert spread_of(board, "asia", "dysp") == pytest.approx(1, abs=0.01)


def test_letters_typed_into_a_list_are_not_keys_of_the_canvas(show):
    def make(desk):
        field = make_select("Fruit", "One of them.", {"apple": "a", "banana": "b"}, lambda _: None)
        canvas = make_canvas(desk.session, desk.answers)
        return [], [pn.Column(field, canvas, height=560, sizing_mode="stretch_width", margin=0)]

    board = show(make, "thesis-chain")
    fruit = board.page.get_by_role("combobox", name="Fruit")
    fruit.focus()
    board.page.keyboard.press("b")
    fruit.click()
    listed = board.page.locator(".MuiMenuItem-root").filter(has_text="banana")
    expect(listed).to_be_visible()
    board.page.keyboard.press("b")
    board.page.keyboard.press("?")
    board.page.keyboard.press("Escape")
    expect(fruit).to_be_focused()
    assert not board.synced().session.bars
    expect(board.page.get_by_role("dialog")).to_have_count(0)
    board.node("X").focus()
    board.press("b")
    assert board.session.bars
