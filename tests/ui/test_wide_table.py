"""A table that is wider than its place, in the browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect


def test_columns_that_have_no_room_are_told_and_gone_to(open_panel):
    board = open_panel("parts")
    table = board.page.get_by_role("grid", name="Components")
    frame = table.locator("xpath=..")
    bound = table.get_by_role("columnheader", name="Bound")
    expect(frame).to_have_class(re.compile(r"\bmore\b"))
    expect(bound).not_to_be_in_viewport(ratio=0.9)
    table.focus()
    board.press("End")
    expect(bound).to_be_in_viewport(ratio=0.9)
    expect(frame).not_to_have_class(re.compile(r"\bmore\b"))
