"""The Variable panel as tests see it: words for what a user does and sees."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.board import Board


class Inspector(Board):
    """The Variable panel beside the canvas."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        page = self.page
        self.name = page.get_by_role("textbox", name=re.compile("^Name The variable"))
        self.bar = page.get_by_role("group", name="What is known of the selection").first
        self.around = page.get_by_role("group", name="Neighbours", exact=True)

    def grid(self, label: str) -> Locator:
        """A table by its accessible name."""
        return self.page.get_by_role("grid", name=label, exact=True)

    def cell(self, grid: str, row: int, column: int) -> Locator:
        return self.grid(grid).locator(f'[data-row="{row}"][data-column="{column}"]')

    def texts(self, grid: str) -> list[list[str]]:
        """What the rows of a table show."""
        rows = self.grid(grid).locator(".stage .row")
        expect(rows).not_to_have_count(0)
        found = rows.evaluate_all(
            """rows => rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
                .map(row => [...row.querySelectorAll("[data-row]")].map(cell => cell.textContent))"""
        )
        return [list(row) for row in found]

    def type_into(self, grid: str, row: int, column: int, text: str) -> None:
        """Double-click a cell, type over it, and press Enter."""
        self.cell(grid, row, column).dblclick()
        expect(self.grid(grid).locator("input")).to_be_focused()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def enter(self, field: str, text: str) -> None:
        """Type into a field and press Enter."""
        self.field(field).fill(text)
        self.field(field).press("Enter")

    def field(self, label: str) -> Locator:
        """A text field by its label."""
        return self.page.get_by_role("textbox", name=re.compile(rf"^{label}\b"))

    def select_field(self, label: str) -> Locator:
        """A list to choose from, by its label."""
        return self.page.get_by_role("combobox", name=re.compile(rf"^{label}\b"))

    def choose_option(self, field: str, option: str) -> None:
        """Choose from a list."""
        self.select_field(field).click()
        self.page.locator(".MuiMenuItem-root").filter(has_text=re.compile(f"^{re.escape(option)}$")).click()
        expect(self.page.locator(".MuiMenu-root")).to_have_count(0)  # else it swallows the next click

    def says(self, text: str) -> Locator:
        """A line of text, whole."""
        return self.page.get_by_text(text, exact=True)

    def mark(self, name: str) -> Locator:
        """A button of the bar above the canvas."""
        return self.bar.get_by_role("button", name=name, exact=True)

    def known(self, name: str) -> Locator:
        """A button of the section on what is known."""
        groups = self.page.get_by_role("group", name="What is known of the selection")
        return groups.last.get_by_role("button", name=name, exact=True)


def inspect(board: Board, *names: str, section: str | None = None) -> Inspector:
    """The Variable panel on some variables."""
    inspector = Inspector(board)
    inspector.select(*names)
    if section:
        inspector.tab(section)
    return inspector


def expect_column(inspector: Inspector, grid: str, column: int, texts: list[str]) -> None:
    for row, text in enumerate(texts):
        expect(inspector.cell(grid, row, column)).to_have_text(text)


def press_until(board: Inspector, key: str, target: Locator, most: int = 40) -> None:
    """Press a key until something has the focus."""
    for _ in range(most):
        board.page.keyboard.press(key)
        if target.evaluate("e => e.getRootNode().activeElement === e"):
            return
    raise AssertionError(f"{most} times {key} do not lead to {target}")


def assert_rows(board: Inspector, table: str, rows: dict[int, list[str]]) -> None:
    """The numbers of rows whose configurations have two variables."""
    for row, texts in rows.items():
        for column, text in enumerate(texts):
            expect(board.cell(table, row, column + 2)).to_have_text(text)
