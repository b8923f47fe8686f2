"""Finding variables on the canvas and going there; selecting what is something to others."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.shared_data import DATA, needs_data
from tests.ui.board import Board

MUNIN = DATA / "networks" / "net" / "munin.net"


class Finder(Board):
    """A board with the panel that finds."""

    def __init__(self, shown: Board) -> None:
        super().__init__(shown)
        self.panel = self.page.get_by_role("search", name="Find variables")
        self.field = self.panel.get_by_role("combobox", name="Find")
        self.rows = self.panel.get_by_role("option")

    def find(self, text: str) -> list[str]:
        """Type a text; the names that are listed for it."""
        self.field.fill(text)
        expect(self.panel).to_have_attribute("data-found", text)
        return self.panel.locator(".finder-name").all_text_contents()

    def is_in_view(self, name: str) -> bool:
        """Whether a node is on the canvas, and not behind the panel."""
        self.wait_for_paint()
        frame, (x, y) = self.canvas.bounding_box(), self.middle(name)
        panel = self.panel.bounding_box()
        left = panel["x"] + panel["width"] if panel else frame["x"]
        return left < x < frame["x"] + frame["width"] and frame["y"] < y < frame["y"] + frame["height"]


def test_a_variable_is_found_with_keys(open_scene):
    board = Finder(open_scene("large"))
    board.press("Control+f")
    expect(board.field).to_be_focused()
    assert board.find("n25")[:3] == ["N25", "N250", "N251"]
    board.press("ArrowDown", "ArrowDown", "ArrowUp", "Enter")
    assert board.session.selected == ["N250"]
    assert board.is_in_view("N250")
    assert board.zoom() == 1
    board.press("Escape")
    expect(board.panel).to_be_hidden()
    assert board.focused() == "N250"
    board.button("Find").click()
    expect(board.field).to_have_value("n25")
    assert board.find("nobody") == []
    expect(board.panel.locator(".finder-said")).to_have_text("None found")
    board.press("Enter")
    assert board.session.selected == ["N250"]


def test_all_that_are_found_are_selected_and_shown(open_scene):
    board = Finder(open_scene("asia"))
    board.press("Control+f")
    assert board.find("hidden") == ["tub", "lung"]
    expect(board.rows.first).to_have_text("tubhidden")
    board.button("Select all 2").click()
    board.synced()
    assert board.session.selected == ["tub", "lung"]
    expect(board.status).to_have_text("2 selected")
    assert all(board.is_in_view(name) for name in board.session.selected)


def test_relatives_of_the_selected_are_selected(open_scene):
    board = Finder(open_scene("asia"))
    board.button("Find").click()
    board.button("Ancestors").click()
    expect(board.status).to_have_text("Select a variable first.")
    board.select("either")
    board.press("m")
    assert board.session.selected == ["tub", "lung", "bronc", "xray", "dysp"]
    board.select("either")
    for name, selected in (
        ("Ancestors", ["asia", "tub", "smoke", "lung"]),
        ("Descendants", ["tub", "lung", "bronc", "either", "xray", "dysp"]),
        ("Same role", [variable.name for variable in board.session.network.variables]),
    ):
        board.button(name).click()
        board.synced()
        assert board.session.selected == selected
        assert all(board.is_in_view(one) for one in selected)


@needs_data
@pytest.mark.alone
def test_munin_answers_in_a_second(open_scene):
    board = Finder(open_scene((MUNIN,)))
    last = board.session.network.variables[-1].name
    acts = {
        "opened": lambda: (board.press("Control+f"), board.find("")),
        "found": lambda: board.find(last),
        "gone to": lambda: (board.press("Enter"), expect(board.node(last)).to_be_visible()),
        "its ancestors": lambda: (board.button("Ancestors").click(), board.synced()),
        "all with a state": lambda: (board.find("no"), board.press("Control+Enter")),
    }
    seconds = {}
    for name, act in acts.items():
        start = time.perf_counter()
        act()
        seconds[name] = time.perf_counter() - start
    print("munin:", ", ".join(f"{name} {taken:.2f} s" for name, taken in seconds.items()))
    assert len(board.session.selected) > 500
    assert max(seconds.values()) < 1
