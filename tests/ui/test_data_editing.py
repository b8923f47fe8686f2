"""Typing into the data, with a real pointer and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from engine.model.dataset import MISSING
from tests.ui.data_tab import DataTab


@pytest.fixture
def tab(open_panel) -> DataTab:
    return DataTab(open_panel("data"))


def test_cells_become_states_missing_and_likelihoods_and_back(tab):
    keyboard, codes = tab.page.keyboard, tab.session.data.dataset.codes
    before = ["yes", "no"][codes[2, 1]]
    other = {"yes": "no", "no": "yes"}[before]
    tab.cell(tab.rows, 1, 3).click()
    keyboard.type(other[0])
    keyboard.press("Enter")
    expect(tab.cell(tab.rows, 1, 3)).to_have_text(other)
    keyboard.type("[0.4;0.8]")
    keyboard.press("Enter")
    expect(tab.cell(tab.rows, 2, 3).locator(".bar")).to_have_count(2)
    keyboard.press("Delete")
    expect(tab.cell(tab.rows, 3, 3)).to_have_text("?")
    expect(tab.cell(tab.rows, 2, 3)).to_have_attribute("title", "likelihood: yes 0.4, no 0.8")
    tab.cell(tab.rows, 2, 3).click()
    keyboard.press("F2")
    expect(tab.page.get_by_role("combobox", name="smoke, row 3")).to_have_value("[0.4;0.8]")
    keyboard.press("Escape")
    assert tab.session.data.dataset.codes[2, 1:4].tolist() == [1 - codes[2, 1], -2, MISSING]
    for _ in range(3):
        keyboard.press("ControlOrMeta+z")
    expect(tab.cell(tab.rows, 1, 3)).to_have_text(before)
    expect(tab.button("Undo")).to_be_disabled()
    assert tab.session.data.dataset.codes[2, :9].tolist() == codes[2, :9].tolist()


def test_a_target_is_typed_shown_in_braces_read_otherwise_and_undone(tab):
    keyboard, codes = tab.page.keyboard, tab.session.data.dataset.codes
    cell, below = tab.cell(tab.rows, 1, 3), tab.cell(tab.rows, 2, 3)
    cell.click()
    keyboard.type("{0.3;0.7}")
    keyboard.press("Enter")
    expect(cell).to_have_attribute("title", "target for the posterior: yes 0.3, no 0.7")
    expect(cell.locator(".bar")).to_have_count(2)
    keyboard.type("[0.3;0.7]")
    keyboard.press("Enter")
    expect(below).to_have_attribute("title", "likelihood: yes 0.3, no 0.7")
    signs = [each.evaluate("cell => getComputedStyle(cell, '::before').content[1]") for each in (cell, below)]
    assert signs == ["{", "["]
    cell.click()
    keyboard.press("F2")
    expect(tab.page.get_by_role("combobox", name="smoke, row 2")).to_have_value("{0.3;0.7}")
    keyboard.press("Escape")
    tab.node("smoke").click()
    tab.button("As likelihoods").click()
    expect(cell).to_have_attribute("title", re.compile(r"^likelihood: yes 0\.3, no 0\.7; .*: \{0\.3;0\.7\}$"))
    for _ in range(3):
        keyboard.press("ControlOrMeta+z")
    expect(tab.button("Undo")).to_be_disabled()
    assert tab.session.data.dataset.codes[2, :9].tolist() == codes[2, :9].tolist()
    assert not tab.session.data.dataset.targets


def test_wrong_texts_are_refused_and_not_lost(tab):
    tab.cell(tab.rows, 1, 3).click()
    tab.page.keyboard.type("maybe")
    tab.page.keyboard.press("Enter")
    expect(tab.message).to_contain_text("Row 2, 'smoke': 'maybe' is nothing that 'smoke' can be")
    expect(tab.message).to_contain_text("type a state ('yes', 'no'), ? for missing, a likelihood as [0.4;0.8] (2 n")
    expect(tab.message).to_contain_text("or a target for the posterior as {0.3;0.7} (2 numbers of 0 or more that sum")
    field = tab.page.get_by_role("combobox", name="smoke, row 2")
    expect(field).to_have_value("maybe")
    tab.page.keyboard.press("ControlOrMeta+a")
    tab.page.keyboard.type("?")
    tab.page.keyboard.press("Enter")
    undo = tab.page.get_by_role("button", name="Undo")
    expect(undo).to_have_attribute("title", "Undo: change smoke in row 2 (Ctrl+Z)")
    expect(tab.cell(tab.rows, 1, 3)).to_have_text("?")


def test_a_mark_stays_over_what_is_edited_and_says_so(tab):
    tab.node("smoke").focus()
    tab.page.keyboard.press("h")
    hidden = tab.cell(tab.rows, 0, 3)
    expect(hidden).to_have_text("?")
    state = ["yes", "no"][tab.session.data.dataset.codes[2, 0]]
    expect(hidden).to_have_attribute("title", f"missing; seen through a mark (hidden); in the data: {state}")
    hidden.click()
    tab.page.keyboard.type("[1;0.5]")
    tab.page.keyboard.press("Enter")
    expect(hidden).to_have_attribute("title", re.compile(r"in the data: \[1;0\.5\]$"))
    expect(hidden).to_have_text("?")


def test_rows_are_added_chosen_and_removed_and_blocks_pasted(tab):
    tab.button("Add a row").click()
    tab.expect_rows(501)
    expect(tab.cell(tab.rows, 500, 1)).to_have_text("?")
    expect(tab.cell(tab.rows, 500, 1)).to_be_in_viewport()
    tab.cell(tab.rows, 498, 1).click()
    tab.page.keyboard.press("Shift+End")
    tab.page.keyboard.press("ControlOrMeta+c")
    copied = tab.session.data.dataset.codes[:, 498].tolist()
    tab.cell(tab.rows, 500, 1).click()
    tab.page.keyboard.press("ControlOrMeta+v")
    expect(tab.cell(tab.rows, 500, 1)).not_to_have_text("?")
    assert tab.session.data.dataset.codes[:, 500].tolist() == copied
    assert tab.session.undoable == "change 8 cells of the data"
    tab.page.keyboard.press("Shift+ArrowUp")
    tab.button("Remove 2 rows").click()
    tab.expect_rows(499)
    tab.page.get_by_role("button", name="Undo").click()
    tab.expect_rows(501)
    tab.cell(tab.rows, 498, 1).click()
    tab.page.keyboard.press("Control+Home")
    expect(tab.button("Remove 1 row")).to_be_enabled()
    tab.page.keyboard.press("ArrowUp")  # into the headings
    expect(tab.button("Remove rows")).to_be_disabled()
    tab.rows.get_by_role("columnheader", name="Row").click()
    tab.page.keyboard.press("Enter")
    expect(tab.rows.get_by_role("columnheader", name="Row")).to_have_attribute("aria-sort", "descending")
    tab.page.keyboard.press("Control+Home")
    expect(tab.cell(tab.rows, 0, 0)).to_have_text("501")


def test_a_copy_that_the_browser_refuses_is_told(tab):
    # As without HTTPS; the page is that of other tests too.
    tab.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    tab.cell(tab.rows, 0, 1).click()
    tab.page.keyboard.press("ControlOrMeta+a")
    tab.page.keyboard.press("ControlOrMeta+c")
    expect(tab.message).to_contain_text("The browser does not lend its clipboard")
    assert tab.page.evaluate("delete navigator.clipboard && Boolean(navigator.clipboard)")
