"""Copying, pasting, connecting many, and the menus of the canvas, with a real pointer and a real keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.panels import make_board


@pytest.fixture
def chain(open_scene):
    """The example V → X → Y → Z, of which Y is hidden."""
    return open_scene("thesis-chain")


def test_copies_are_pasted_beside_and_undone_in_one_step(chain):
    chain.select("X", "Y").press("ControlOrMeta+c")
    expect(chain.status).to_contain_text("2 variables copied, for this page only")
    expect(chain.canvas).to_have_attribute("data-copied", "1")
    chain.press("ControlOrMeta+v")
    expect(chain.status).to_have_text("2 variables pasted")
    assert chain.names() == ["V", "X", "Y", "Z", "X 2", "Y 2"]
    assert ("X 2", "Y 2") in chain.arrows()
    assert chain.selected() == ["X 2", "Y 2"]
    assert chain.focused() == "X 2"
    expect(chain.node("Y 2")).to_have_attribute("data-role", "hidden")
    chain.press("ControlOrMeta+d")
    assert chain.selected() == ["X 3", "Y 3"]
    chain.undo(2)
    assert chain.names() == ["V", "X", "Y", "Z"]
    chain.press("ControlOrMeta+x")
    expect(chain.node("X")).to_have_count(0)


def test_another_page_pastes_from_the_clipboard_what_it_holds(chain, show):
    context = chain.page.context
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    chain.select("X", "Y").press("ControlOrMeta+c")
    expect(chain.status).to_have_text("2 variables copied")
    other = show(make_board, "empty")
    other.canvas.locator("svg.graph").focus()
    other.press("ControlOrMeta+v")
    assert (other.names(), other.arrows()) == (["X", "Y"], {("X", "Y")})
    other.page.evaluate('navigator.clipboard.writeText(\'{"format": "pgmgui-session", "version": 2}\')')
    other.press("ControlOrMeta+v")
    expect(other.message).to_contain_text("What is on the clipboard cannot be pasted")
    context.clear_permissions()
    assert other.names() == ["X", "Y"]


def test_all_that_is_selected_is_connected_at_once(chain):
    chain.add(60, 60, "W").select("V", "X", "Y").connect("V", "W")
    assert {("V", "W"), ("X", "W"), ("Y", "W")} <= chain.arrows()
    chain.undo()
    assert chain.arrows() == {("V", "X"), ("X", "Y"), ("Y", "Z")}
    chain.select("W", "Z")
    chain.node("Z").focus()
    chain.page.keyboard.press("e")
    expect(chain.status).to_contain_text("From 2 variables to …")
    chain.page.mouse.click(*chain.middle("X"))
    chain.synced()
    expect(chain.message).to_contain_text("An arrow from 'Z' to 'X' would close a cycle: X → Y → Z → X")
    assert chain.arrows() == {("V", "X"), ("X", "Y"), ("Y", "Z")}


def item(board, name):
    return board.page.get_by_role("menuitem", name=name, exact=True)


def test_a_node_has_a_menu_for_the_pointer_and_for_keys(chain):
    chain.page.mouse.click(*chain.middle("X"), button="right")
    menu = chain.page.get_by_role("menu", name="X", exact=True)
    expect(menu).to_be_visible()
    expect(item(chain, "Rename")).to_be_focused()
    assert chain.synced().selected() == ["X"]
    item(chain, "Duplicate").click()
    chain.synced()
    expect(menu).to_be_hidden()
    assert chain.names() == ["V", "X", "Y", "Z", "X 2"]
    chain.node("Z").focus()
    chain.page.keyboard.press("Shift+F10")
    expect(chain.page.get_by_role("menu", name="Z", exact=True)).to_be_visible()
    chain.page.keyboard.press("s")
    expect(item(chain, "Suppose")).to_be_focused()
    chain.page.keyboard.press("ArrowRight")
    expect(chain.page.get_by_role("menuitemradio").first).to_be_focused()
    chain.page.keyboard.press("Escape")
    expect(item(chain, "Rename")).to_be_focused()
    chain.page.keyboard.press("ArrowUp")
    expect(item(chain, "Delete")).to_be_focused()
    chain.page.keyboard.press("Escape")
    assert chain.focused() == "Z"


def test_states_and_marks_are_chosen_from_the_menu(chain):
    chain.page.mouse.click(*chain.middle("X"), button="right")
    item(chain, "Suppose").click()
    chain.page.get_by_role("menuitemradio").first.click()
    chain.synced()
    expect(chain.node("X")).to_have_class("node selected supposed")
    chain.page.mouse.click(*chain.middle("Z"), button="right")
    item(chain, "Mark").click()
    chain.after_style(chain.page.get_by_role("menuitemradio", name="Hide").click)
    expect(chain.node("Z")).to_have_attribute("data-role", "hidden")
    chain.page.mouse.click(*chain.middle("Z"), button="right")
    item(chain, "Mark").click()
    expect(chain.page.get_by_role("menuitemradio", name="Hide")).to_have_attribute("aria-checked", "true")
    chain.page.keyboard.press("Tab")
    expect(chain.page.get_by_role("menu")).to_have_count(0)


def test_a_menu_of_several_says_of_how_many(chain):
    heading = chain.page.locator(".menu-heading")
    chain.select("X", "Z")
    chain.page.mouse.click(*chain.middle("Z"), button="right")
    expect(chain.page.get_by_role("menu", name="2 variables", exact=True)).to_be_visible()
    expect(heading).to_have_text("2 variables")
    item(chain, "Select").click()
    expect(heading).to_have_count(0)  # a further list has its own name, to go back with
    chain.page.keyboard.press("Escape")
    expect(heading).to_have_text("2 variables")
    chain.page.keyboard.press("Escape")
    chain.page.mouse.click(*chain.middle("V"), button="right")
    expect(chain.page.get_by_role("menu", name="V", exact=True)).to_be_visible()
    expect(heading).to_have_count(0)


def test_states_that_a_menu_has_no_room_for_are_in_the_query_tab(open_desk, stage):
    board = open_desk("thesis-chain")
    states = [(0, "s0"), (1, "s1"), *((None, f"s{k}") for k in range(2, 70))]
    stage.do(lambda: board.session.set_states("V", states))
    board.page.mouse.click(*board.middle("V"), button="right")
    item(board, "Suppose").click()
    expect(board.page.get_by_role("menuitemradio")).to_have_count(60)
    item(board, "… 10 more in the Query tab").click()
    expect(board.page.get_by_role("tab", name="Query", exact=True)).to_have_attribute("aria-selected", "true")
    assert board.synced().selected() == ["V"]


def test_the_canvas_has_a_menu_that_stays_in_the_window(chain):
    frame = chain.canvas.bounding_box()
    right, bottom = frame["x"] + frame["width"] - 3, frame["y"] + frame["height"] - 60
    chain.page.mouse.click(right, bottom, button="right")
    box = chain.page.get_by_role("menu", name="Canvas").bounding_box()
    size = chain.page.viewport_size
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= size["height"]
    item(chain, "Add a variable here").click()
    expect(chain.name_field).to_be_focused()
    chain.press("Enter")
    assert chain.names() == ["V", "X", "Y", "Z", "A"]
    chain.select_edge("X", "Y")
    chain.page.keyboard.press("ContextMenu")
    expect(chain.page.get_by_role("menu", name="X → Y")).to_be_visible()
    item(chain, "Delete").click()
    assert ("X", "Y") not in chain.synced().arrows()


def test_an_edge_of_a_markov_network_opens_its_factor(open_panel):
    board = open_panel("variable", scene="thesis-triangle")
    (ax, ay), (bx, by) = (board.middle(name) for name in board.names()[:2])
    board.page.mouse.click(0.7 * ax + 0.3 * bx, 0.7 * ay + 0.3 * by)  # the square of the factor is half-way
    expect(board.status).to_contain_text("Factor 1 over")
    expect(board.page.get_by_text("Factor 1 over:")).to_be_visible()
    board.press("Delete")
    assert len(board.arrows()) == 2


def test_a_note_is_written_in_its_tab_and_seen_on_the_node(open_panel):
    board = open_panel("variable", scene="thesis-chain")
    board.select("X")
    note = board.page.get_by_role("textbox", name="Note")
    note.fill("seen <b>twice</b>\nin 2019")
    note.blur()
    expect(board.node("X")).to_have_class("node selected noted")
    expect(board.node("X").locator("title")).to_contain_text("seen <b>twice</b>")
    board.select("Y")
    expect(note).to_have_value("")
    board.undo()
    expect(board.node("X")).to_have_class("node selected")


def test_the_network_is_renamed_at_its_title_and_in_the_open_tab(open_panel):
    board = open_panel("open", scene="thesis-chain")
    zoom = board.canvas.locator(".viewport").get_attribute("transform")
    board.heading.get_by_role("button").click()
    field = board.page.get_by_role("textbox", name="Name of the network")
    expect(field).to_be_focused()
    field.fill("<i>Mine</i>")
    field.press("Enter")
    expect(board.heading).to_have_text("<i>Mine</i>")
    expect(board.button("Undo")).to_have_attribute("title", "Undo: rename the network to <i>Mine</i> (Ctrl+Z)")
    assert board.canvas.locator(".viewport").get_attribute("transform") == zoom  # what is seen stays
    called = board.page.get_by_role("textbox", name="Network's name")
    expect(called).to_have_value("<i>Mine</i>")
    called.fill("Chain")
    called.press("Enter")
    expect(board.heading).to_have_text("Chain")
    board.undo(2)
    expect(board.heading).to_have_text("Chain of four")
    board.heading.get_by_role("button").click()
    field.fill("other")
    field.press("Escape")
    expect(board.heading).to_have_text("Chain of four")
