"""What can be pressed stays where it is when something above it comes later."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from pgmgui.components.grid.grid import Grid


@pytest.mark.parametrize(
    ("panel", "table", "below"), [("variable", "Table of tub", "Uniform"), ("data", "Data", "Add a row")]
)
def test_nothing_moves_when_a_table_comes(open_panel, stage, monkeypatch, panel, table, below):
    """A button that moves away between press and release is not pressed."""
    held = []
    monkeypatch.setattr(Grid, "_send_msg", lambda grid, message: held.append((grid, message)))
    board = open_panel(panel).select("tub")
    button = board.button(below)
    expect(button).to_be_visible()
    expect(board.page.get_by_role("grid", name=table, exact=True)).to_have_count(0)
    board.wait_for_paint()
    before = button.bounding_box()
    monkeypatch.undo()
    stage.do(lambda: [grid._send_msg(message) for grid, message in held])
    expect(board.page.get_by_role("grid", name=table, exact=True)).to_be_visible()
    board.wait_for_paint()
    assert button.bounding_box() == before
