"""A grid as a spreadsheet: a list to choose from, blocks, headings that sort; in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.grids import make_sheet


class Sheet:
    """The sheet as tests see it."""

    def __init__(self, page) -> None:
        self.page, self.grid = page, page.get_by_role("grid", name="Sheet")
        expect(self.grid).to_have_attribute("aria-rowcount", "7")

    def cell(self, row: int, column: int) -> Locator:
        return self.grid.locator(f'[data-row="{row}"][data-column="{column}"]')

    def expect(self, rows: list[list[str]], first: int = 0) -> None:
        """The cells of some rows but their numbers."""
        for row, texts in enumerate(rows, first):
            for column, text in enumerate(texts, 1):
                expect(self.cell(row, column)).to_have_text(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def heading(self, name: str) -> Locator:
        return self.grid.get_by_role("columnheader", name=name)


@pytest.fixture
def sheet(stage) -> Sheet:
    return Sheet(stage.show(lambda: ([], [make_sheet()])))


def test_a_state_is_chosen_from_a_list_or_by_its_first_letters(sheet):
    sheet.cell(0, 1).dblclick()
    options = sheet.page.get_by_role("option")
    expect(options).to_have_text(["yes", "no", "?  missing"])
    field = sheet.page.get_by_role("combobox", name="Rain, row 1")
    sheet.press("ArrowDown", "ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "choice-1")
    sheet.press("Enter")
    expect(options).to_have_count(0)
    sheet.page.keyboard.type("n")  # in the next row
    expect(options).to_have_text(["no"])
    sheet.press("Enter")
    sheet.expect([["no", "no"], ["no", "no"], ["yes", "no"]])
    sheet.cell(3, 2).dblclick()
    options.filter(has_text="missing").click()
    sheet.expect([["yes", "?"]], 3)
    expect(sheet.grid).to_be_focused()
    sheet.press("F2", "Escape")
    sheet.expect([["yes", "no"]], 4)


def test_what_is_refused_is_offered_again(sheet):
    sheet.cell(1, 1).click()
    sheet.page.keyboard.type("maybe")
    sheet.press("Enter")
    expect(sheet.page.get_by_text("refused maybe")).to_be_visible()
    field = sheet.page.get_by_role("combobox", name="Rain, row 2")
    expect(field).to_be_focused()
    expect(field).to_have_value("maybe")
    expect(field).to_have_attribute("aria-invalid", "true")
    sheet.press("Escape")
    expect(field).to_have_count(0)
    sheet.expect([["yes", "no"]], 1)


def test_chosen_cells_are_copied_pasted_and_emptied(sheet):
    sheet.cell(0, 1).click()
    sheet.press("Shift+ArrowRight")
    expect(sheet.grid.locator(".chosen")).to_have_count(2)
    sheet.press("ControlOrMeta+c")
    sheet.cell(2, 1).click()
    sheet.page.keyboard.type("no")
    sheet.press("Enter", "Control+Home", "ArrowRight")
    sheet.cell(2, 1).click()
    sheet.press("ControlOrMeta+v")
    sheet.expect([["yes", "no"]], 2)
    start, end = sheet.cell(3, 1).bounding_box(), sheet.cell(4, 2).bounding_box()
    sheet.page.mouse.move(start["x"] + 9, start["y"] + 9)
    sheet.page.mouse.down()
    sheet.page.mouse.move(end["x"] + 9, end["y"] + 9)
    sheet.page.mouse.up()
    expect(sheet.page.get_by_text("chosen [3, 4]")).to_be_visible()
    expect(sheet.grid.locator('.chosen[aria-selected="true"]')).to_have_count(4)
    sheet.press("Delete")
    sheet.expect([["yes", "no"], ["?", "?"], ["?", "?"], ["yes", "no"]], 2)
    sheet.cell(5, 2).click()
    sheet.press("ControlOrMeta+v")
    expect(sheet.page.get_by_text("2 columns are pasted at row 6, 'Wind'")).to_be_visible()
    sheet.press("ControlOrMeta+a")
    expect(sheet.page.get_by_text("chosen [0, 1, 2, 3, 4, 5]")).to_be_visible()


def test_a_heading_sorts_turns_round_and_restores(sheet):
    sheet.cell(4, 1).click()
    sheet.page.keyboard.type("no")
    sheet.press("Enter")
    heading = sheet.heading("Rain")
    expect(heading).to_have_attribute("aria-sort", "none")
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(sheet.cell(0, 0)).to_have_text("5")
    sheet.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(heading.locator(".sign")).to_have_text("▼")
    expect(sheet.cell(5, 0)).to_have_text("5")
    sheet.cell(5, 1).click()
    sheet.page.keyboard.type("yes")
    sheet.press("Enter")
    expect(sheet.cell(5, 1)).to_have_text("yes")
    expect(sheet.cell(5, 0)).to_have_text("5")  # it stays where it was edited
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "none")
    expect(sheet.cell(4, 0)).to_have_text("5")
    expect(sheet.cell(4, 1)).to_have_text("yes")
