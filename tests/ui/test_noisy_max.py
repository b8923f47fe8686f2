"""The small table of a noisy-MAX in the Variable tab."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.inspector import inspect

SMALL = "Noisy-MAX of dysp: what each parent causes on its own"


def test_a_variable_is_made_noisy_max_edited_and_undone(open_panel):
    board = inspect(open_panel("variable"), "dysp", section="Noisy-MAX")
    expect(board.page.get_by_text("Its table would change by up to")).to_be_visible()
    board.button("Make noisy-MAX").click()
    expect(board.cell(SMALL, 4, 0)).to_have_text("Leak")
    assert [row[:2] for row in board.texts(SMALL)] == [
        ["bronc", "yes"],
        ["bronc", "no"],
        ["either", "yes"],
        ["either", "no"],
        ["Leak", "all else"],
    ]
    board.type_into(SMALL, 4, 2, "0.25")
    expect(board.cell(SMALL, 4, 3)).to_have_text("0.750000")
    board.type_into(SMALL, 1, 2, "0.25")
    expect(board.message).to_contain_text("one state must do nothing")
    expect(board.cell(SMALL, 1, 2)).to_have_text("0.000000")
    board.tab("Table")
    expect(board.page.get_by_role("grid").filter(has_text="0.75")).to_be_visible()
    board.undo(2)
    board.tab("Noisy-MAX")
    expect(board.button("Make noisy-MAX")).to_be_visible()
    expect(board.grid(SMALL)).to_be_hidden()
