"""The small table of a noisy-MAX in the Variable tab."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from engine.model.noisy_max import stack
from tests.ui.grids import GridView


def test_a_variable_is_made_noisy_max_edited_and_undone(open_panel):
    board = open_panel("variable", scene="asia")
    board.session.select(["dysp"])
    board.page.get_by_role("tab", name="Noisy-MAX").click()
    expect(board.page.get_by_text("Each parent causes a state by itself")).to_be_visible()
    board.button("Make noisy-MAX").click()
    grid = GridView(board.page, "Noisy-MAX of dysp")
