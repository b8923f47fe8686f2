"""Tied tables with a real pointer: from the canvas' menu, and in the Variable tab."""

from __future__ import annotations

from playwright.sync_api import expect


def test_variables_are_tied_on_the_canvas_and_untied_beside_it(open_panel):
    board = open_panel("variable", scene="thesis-chain")
    page = board.page
    board.select("V", "Z")
    page.get_by_role("button", name="Tie tables").click()
    expect(board.message).to_contain_text("'V' and 'Z' cannot share a table: 'V' has 0 parents, 'Z' has 1")
    board.select("X", "Y", "Z")
    page.mouse.click(*board.middle("Y"), button="right")
    board.after_style(page.get_by_role("menuitem", name="Tie tables").click)
    expect(board.node("Y").locator(".below")).to_have_text("tied")
    expect(board.node("Y")).to_have_attribute(
        "aria-label", "Y: y, ¬y. Hidden. Tied: one table with X, Z. Component 3. Selected"
    )
    expect(page.get_by_text("Tied: one table for X, Y, Z.")).to_be_visible()
    board.select("Z")
    expect(page.get_by_text("Tied: Z shares one table with X, Y.")).to_be_visible()
    board.after_style(board.button("Untie").click)
    expect(board.node("Z").locator(".below")).to_have_text("")
    expect(board.node("X").locator(".below")).to_have_text("tied")
    board.after_style(board.undo)
    expect(board.node("Z").locator(".below")).to_have_text("tied")
    assert board.session.scene.ties == (("X", "Y", "Z"),)
