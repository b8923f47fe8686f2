"""The Data panel as tests see it, and small files for it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.board import Board

HOSTILE = "<img src=x onerror=alert(1)>"
ASIA = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]


class DataTab(Board):
    """The Data panel beside the canvas."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        page = self.page
        self.rows = page.get_by_role("grid", name="Data", exact=True)
        self.summary = page.get_by_role("grid", name="Variables of the data")
        self.misfits = page.get_by_role("grid", name="What does not fit")
        self.message = page.get_by_role("alert")

    def drop(self, *files) -> None:
        """Choose a file, as the browser's dialog does."""
        self.page.get_by_label("Choose a data file, or drop it here").set_input_files(*files)

    def read(self, path) -> None:
        self.field("Data path on this machine").fill(str(path))
        self.button("Read").click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))

    def field(self, label: str) -> Locator:
        return self.page.get_by_role("textbox", name=re.compile(f"^{label}"))

    def hiding(self, name: str) -> Locator:
        """The button that has a variable hidden in the data that is drawn."""
        return self.page.get_by_role("group", name="Hide these").get_by_role("button", name=name, exact=True)

    def choose_option(self, text: str) -> None:
        """Choose an entry of the menu that is open."""
        self.page.locator(".MuiMenuItem-root").filter(has=self.page.get_by_text(text, exact=True)).click()
        expect(self.page.locator(".MuiMenu-root")).to_have_count(0)  # else it swallows the next click

    def cell(self, table: Locator, row: int, column: int) -> Locator:
        return table.locator(f'[data-row="{row}"][data-column="{column}"]')

    def expect_rows(self, rows: int) -> None:
        expect(self.rows).to_have_attribute("aria-rowcount", str(rows + 1))

    def choose_meaning(self, row: int, meaning: str) -> None:
        """Pick an entry of what does not fit, and say what it means."""
        self.cell(self.misfits, row, 0).click()
        name = self.cell(self.misfits, row, 0).inner_text().strip()
        field = self.page.get_by_role("combobox", name=re.compile(re.escape(name)))
        field.click()
        self.choose_option(meaning)
        expect(self.cell(self.misfits, row, 2)).to_have_text(meaning)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def asia_csv(path, rows=("yes,no,yes,no,yes,no,no,no", "no,no,no,no,?,no,no,yes"), names=ASIA):
    return write(path, "\n".join([",".join(names), *rows]) + "\n")
