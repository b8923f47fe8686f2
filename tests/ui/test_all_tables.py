"""Tables filled, pasted into, drawn anew and ranked; with a real pointer and keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.inspector import Inspector, inspect

PASTE = """(element, text) => {
  const clipboardData = new DataTransfer()
  clipboardData.setData("text/plain", text)
  element.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}))
}"""


def test_a_row_is_filled_and_a_block_pasted_each_as_one_step(open_panel):
    board = inspect(open_panel("variable", scene="student"), "Grade")
    table = "Table of Grade"
    before = board.texts(table)
    board.type_into(table, 0, 2, "0.5")
    board.button("Fill").click()
    expect(board.cell(table, 0, 5)).to_have_text("1")
    share = float(before[0][3]) / (float(before[0][3]) + float(before[0][4]))
    assert abs(float(board.cell(table, 0, 3).inner_text()) - share / 2) < 1e-5
    board.undo()
    expect(board.cell(table, 0, 2)).to_have_text(before[0][2])
    board.cell(table, 1, 2).click()
    grid = board.grid(table)
    grid.evaluate(PASTE, "0.5\t0.25\t0.25\n0.1\t0.1\t0.8\n")
    expect(board.cell(table, 2, 4)).to_have_text("0.80")
    expect(board.cell(table, 1, 2)).to_have_text("0.50")
    grid.evaluate(PASTE, "0.5,0.25,0.25\n0.1,much,0.8\n")
    expect(board.message).to_contain_text(re.compile(r"Row 3, '[^']+': 'much' is no number"))
    grid.evaluate(PASTE, "1\n" * 9)
    expect(board.message).to_contain_text("9 rows are pasted at row 2")
    board.undo()
    expect(board.cell(table, 1, 2)).to_have_text(before[1][2])
    assert board.texts(table) == before


def test_all_tables_are_drawn_anew_and_ranked_by_how_far_they_moved(open_panel):
    board = Inspector(open_panel("variable"))
    board.button("What moved").click()
    expect(board.page.get_by_text("There is nothing to compare with yet: learn")).to_be_visible()
    before = board.session.network
    board.button("Randomise all tables").click()
    ranking = board.grid("Tables by how far they moved")
    expect(ranking).to_have_attribute("aria-rowcount", "9")
    assert board.session.undoable == "randomise all tables"
    first = board.cell("Tables by how far they moved", 0, 0)
    expect(first).not_to_be_empty()
    farthest = first.inner_text()
    ranking.get_by_role("columnheader", name="Variable").click()
    expect(first).to_have_text("asia")
    ranking.get_by_role("columnheader", name="Variable").click()
    expect(first).to_have_text("xray")
    ranking.get_by_role("columnheader", name="Variable").click()
    expect(first).to_have_text(farthest)
    first.click()
    expect(board.grid(f"Differences of {farthest}")).to_be_visible()
    assert board.session.selected == [farthest]
    board.undo()
    expect(board.button("Undo")).to_be_disabled()
    assert board.session.network is before
