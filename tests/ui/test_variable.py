"""The Variable tab and the bar of marks, with a real pointer and keyboard."""

from __future__ import annotations

import json
import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

from engine.formats import write_network
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests.ui.board import Board

HOSTILE = "<img src=x onerror=alert(1)>"
ICON = ":material/home: <b>x</b>"


class Inspector(Board):
    """The page with the Variable tab open."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
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
    """Open the Variable tab on some variables."""
    inspector = Inspector(board.tab("Variable").page)
    expect(inspector.canvas).to_have_attribute("data-styles", re.compile(r"\d"))
    inspector.select(*names)
    if section:
        inspector.tab(section)
    return inspector


def expect_column(inspector: Inspector, grid: str, column: int, texts: list[str]) -> None:
    for row, text in enumerate(texts):
        expect(inspector.cell(grid, row, column)).to_have_text(text)


# --- nothing, one, several


def test_with_nothing_selected_all_variables_are_listed_and_one_is_picked_by_keyboard(open_board):
    board = Inspector(open_board().tab("Variable").page)
    expect(board.page.get_by_text("8 variables. Click one here or on the canvas")).to_be_visible()
    expect(board.cell("Variables", 7, 0)).to_have_text("dysp")
    assert board.texts("Variables")[1] == ["tub", "2", "hidden", "–"]
    board.grid("Variables").focus()
    board.page.keyboard.press("ArrowDown")
    board.page.keyboard.press("ArrowDown")
    board.page.keyboard.press("Enter")
    expect(board.name).to_have_value("smoke")
    expect(board.node("smoke")).to_have_class(re.compile("selected"))
    expect(board.grid("Variables")).to_be_hidden()
    board.page.keyboard.press("Escape")


def test_the_list_tells_marks_and_an_empty_page_says_how_to_begin(open_board):
    board = inspect(open_board(), "smoke")
    board.mark("Hide").click()
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    board.node("smoke").press("Escape")
    expect(board.cell("Variables", 2, 3)).to_have_text("hidden")
    expect(board.cell("Variables", 2, 2)).to_have_text("observed")
    board.new()
    board.tab("Variable")
    expect(board.page.get_by_text("No variables yet: double-click on the canvas")).to_be_visible()


def test_neighbours_are_links(open_board):
    board = inspect(open_board(), "either")
    expect(board.around).to_have_text(re.compile(r"Parents:\s*lung\s*tub\s*Children:\s*xray\s*dysp"))
    board.around.get_by_role("button", name="lung").click()
    expect(board.name).to_have_value("lung")
    expect(board.grid("Table of lung")).to_be_visible()
    assert board.selected() == ["lung"]
    board.around.get_by_role("button", name="smoke").focus()
    board.page.keyboard.press("Enter")
    expect(board.name).to_have_value("smoke")
    expect(board.around).to_contain_text("Parents: none")
    board.choose("Grid of nine").tab("Variable").select("5")
    expect(board.around).to_have_text(re.compile(r"Neighbours:\s*2\s*4\s*6\s*8"))


# --- the name


def test_enter_renames_and_undo_brings_the_old_name_back(open_board):
    board = inspect(open_board(), "smoke")
    board.enter("Name The", "Smoking, ever?")
    expect(board.node("Smoking, ever?")).to_be_visible()
    expect(board.name).to_have_value("Smoking, ever?")
    expect(board.grid("Table of Smoking, ever?")).to_be_visible()
    board.undo()
    expect(board.node("smoke")).to_be_visible()
    expect(board.name).to_have_value("smoke")
    board.redo()
    expect(board.name).to_have_value("Smoking, ever?")


def test_a_name_that_cannot_be_is_refused_and_the_field_shows_the_old_one(open_board):
    board = inspect(open_board(), "smoke")
    for name, why in (("lung", "There is a variable 'lung' already"), ("  ", "needs a name")):
        board.enter("Name The", name)
        expect(board.message).to_contain_text(why)
        expect(board.name).to_have_value("smoke")
    expect(board.button("Undo")).to_be_disabled()


# --- marks


def test_the_bar_marks_at_once_and_tells_role_and_mark(open_board):
    board = inspect(open_board(), "smoke")
    expect(board.mark("As in the data")).to_have_attribute("aria-pressed", "true")
    expect(board.says("In the data observed; no mark.")).to_be_visible()
    for name, role, words in (
        ("Hide", "hidden", "marked: hidden."),
        ("Partial", "partial", "marked: 50% missing, completely at random."),
        ("Soft", "soft", "marked: a sensor that is right 80% of the time."),
    ):
        board.mark(name).click()
        expect(board.node("smoke")).to_have_attribute("data-role", role)
        expect(board.mark(name)).to_have_attribute("aria-pressed", "true")
        expect(board.mark("As in the data")).to_have_attribute("aria-pressed", "false")
        expect(board.says(f"In the data observed; {words}")).to_be_visible()
    board.mark("Soft").click()
    expect(board.node("smoke")).to_have_attribute("data-role", "observed")
    expect(board.mark("As in the data")).to_have_attribute("aria-pressed", "true")
    for role in ("soft", "partial", "hidden", "observed"):
        board.undo()
        expect(board.node("smoke")).to_have_attribute("data-role", role)


def test_the_bar_by_keyboard_keeps_the_focus(open_board):
    board = inspect(open_board(), "smoke")
    board.mark("Hide").focus()
    board.page.keyboard.press("Enter")
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    expect(board.mark("Hide")).to_be_focused()
    board.page.keyboard.press("Tab")
    board.page.keyboard.press("Space")
    expect(board.node("smoke")).to_have_attribute("data-role", "partial")
    expect(board.mark("Partial")).to_be_focused()


def test_several_are_marked_together(open_board):
    board = inspect(open_board(), "smoke", "bronc", "xray")
    expect(board.page.get_by_text("smoke, bronc, xray: a mark is given to all of them.")).to_be_visible()
    expect(board.name).to_be_hidden()
    board.known("Partial").click()
    for name in ("smoke", "bronc", "xray"):
        expect(board.node(name)).to_have_attribute("data-role", "partial")
    board.enter("Fraction missing", "0.25")
    expect(board.says("In the data observed; marked: 25% missing, completely at random.")).to_be_visible()
    board.select("smoke")
    board.mark("Hide").click()
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    board.select("smoke", "bronc")
    expect(board.says("In the data observed; marked differently.")).to_be_visible()
    for name in ("As in the data", "Hide", "Partial", "Soft"):
        expect(board.mark(name)).to_have_attribute("aria-pressed", "false")


def test_fraction_mechanism_and_reliability(open_board):
    board = inspect(open_board(), "smoke", section="Known")
    expect(board.says("In the data it is observed: a state in every one of 500 rows.")).to_be_visible()
    board.known("Partial").click()
    board.enter("Fraction missing", "0")
    expect(board.says("So it is observed: a state in every one of 500 rows.")).to_be_visible()
    board.enter("Fraction missing", "1")
    expect(board.says("So it is hidden: no value in any of 500 rows.")).to_be_visible()
    board.undo()
    expect(board.field("Fraction missing")).to_have_value("0")
    board.enter("Fraction missing", ".3")
    board.choose_option("Missing", "not at random: by the value itself")
    expect(board.says("Marked: 30% missing, not at random: by the value itself.")).to_be_visible()
    board.known("Soft").click()
    board.enter("Reliability", "0.95")
    expect(board.says("Marked: a sensor that is right 95% of the time.")).to_be_visible()
    board.undo()
    expect(board.says("Marked: a sensor that is right 80% of the time.")).to_be_visible()
    board.select("bronc")
    board.mark("Partial").click()
    expect(board.says("In the data observed; marked: 30% missing, not at random: by the value itself.")).to_be_visible()


def test_a_fraction_that_cannot_be_is_refused(open_board):
    board = inspect(open_board(), "smoke", section="Known")
    board.known("Partial").click()
    for text, why in (
        ("abc", "'abc' is no number; type a fraction"),
        ("1e999", "'1e999' is too large"),
        ("-1", "'-1' is negative"),
        ("0,3", "has a comma; write a fraction with a point, as 0.3"),
        ("1.5", "'1.5' is above 1"),
    ):
        board.enter("Fraction missing", text)
        expect(board.message).to_contain_text(why)
        expect(board.field("Fraction missing")).to_have_value("0.5")
    expect(board.says("Marked: 50% missing, completely at random.")).to_be_visible()


def test_missing_at_random_needs_another_observed_variable(open_board):
    board = inspect(open_board().choose("Chain of four"), "V", "X", "Y", "Z")
    board.known("Partial").click()
    board.choose_option("Missing", "at random, given other variables")
    expect(board.message).to_contain_text("no other variable stays observed")
    expect(board.select_field("Missing")).to_have_text("completely at random")


def test_a_confusion_table_of_its_own(open_board):
    board = inspect(open_board(), "smoke", section="Known")
    board.known("Sensor table").click()
    table = "Sensor of smoke: Pr(reported | true)"
    expect(board.cell(table, 0, 1)).to_have_text("0.8")
    assert board.texts(table) == [["yes", "0.8", "0.2", "1"], ["no", "0.2", "0.8", "1"]]
    board.type_into(table, 1, 1, "0.4")
    expect(board.cell(table, 1, 2)).to_have_text("0.6")
    expect(board.mark("Soft")).to_have_attribute("aria-pressed", "true")
    expect(board.says("In the data observed; marked: a sensor with its own table.")).to_be_visible()
    board.type_into(table, 0, 2, "0,5")
    expect(board.message).to_contain_text("write a probability with a point, as 0.5")
    expect(board.cell(table, 0, 2)).to_have_text("0.2")
    board.undo()
    expect(board.cell(table, 1, 1)).to_have_text("0.2")
    board.undo()
    expect(board.node("smoke")).to_have_attribute("data-role", "observed")
    expect(board.grid(table)).to_be_hidden()


def test_a_row_of_three_reports_is_kept_until_it_sums_to_one(open_board):
    board = inspect(open_board().choose("Student"), "Grade", section="Known")
    board.known("Sensor table").click()
    table = "Sensor of Grade: Pr(reported | true)"
    board.type_into(table, 0, 1, "0.6")
    expect(board.page.get_by_text("⚠ Row 1 sums to 0.8, not 1")).to_be_visible()
    expect(board.cell(table, 0, 4)).to_have_attribute("data-kind", "warn")
    board.type_into(table, 0, 2, "0.3")
    expect(board.cell(table, 0, 4)).to_have_attribute("data-kind", "")
    assert board.texts(table)[0] == ["A", "0.6", "0.3", "0.1", "1"]
    board.type_into(table, 1, 1, "2.8")
    board.button("Normalise sensor").click()
    expect(board.cell(table, 1, 1)).to_have_text("0.756757")
    expect(board.button("Normalise sensor")).to_be_disabled()


def test_marks_need_data(open_board):
    board = inspect(open_board().choose("Earthquake"), "Alarm", section="Known")
    expect(board.says("There is no data to mark. Open or simulate some in the Data tab.")).to_be_visible()
    expect(board.mark("Hide")).to_be_disabled()
    expect(board.known("Sensor table")).to_be_disabled()


def test_the_bar_fits_a_small_window(open_board, page):
    page.set_viewport_size({"width": 1024, "height": 768})
    board = inspect(open_board(), "smoke")
    board.mark("Partial").click()
    expect(board.mark("Partial")).to_have_attribute("aria-pressed", "true")
    frame = board.canvas.bounding_box()
    boxes = [board.mark(name).bounding_box() for name in ("As in the data", "Hide", "Partial", "Soft")]
    for box in boxes:
        assert box["y"] == boxes[0]["y"]
        assert box["x"] + box["width"] < frame["x"] + frame["width"]
        assert box["y"] + box["height"] <= frame["y"]
    words = page.get_by_text("In the data observed; marked").bounding_box()
    assert words["x"] + words["width"] <= frame["x"] + frame["width"]
    assert words["y"] + words["height"] <= frame["y"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- states


def test_states_are_added_renamed_moved_and_removed(open_board):
    board = inspect(open_board(), "smoke", section="States")
    states = "States of smoke"
    expect(board.cell(states, 1, 1)).to_have_text("no")
    counts = [row[2] for row in board.texts(states)]
    assert sum(int(number) for number in counts) == 500
    board.button("Add state").click()
    expect(board.cell(states, 2, 1)).to_have_text("state3")
    board.type_into(states, 2, 1, "once")
    expect(board.cell(states, 2, 1)).to_have_text("once")
    board.cell(states, 2, 0).click()
    expect(board.says("Picked: once")).to_be_visible()
    board.button("Up").click()
    expect_column(board, states, 1, ["yes", "once", "no"])
    expect_column(board, states, 2, [counts[0], "0", counts[1]])
    board.tab("Table")
    expect_column(board, "Table of smoke", 1, ["0.333333"])
    board.tab("States")
    board.cell(states, 0, 1).click()
    expect(board.says("Picked: yes")).to_be_visible()
    board.button("Remove state").click()
    expect(board.message).to_have_text(
        re.compile(f"{counts[0]} cells of 'smoke' are missing now: their state is gone. Undo brings it back")
    )
    expect(board.node("smoke")).to_have_attribute("data-role", "partial")
    board.undo()
    expect_column(board, states, 1, ["yes", "once", "no"])
    board.undo()
    expect_column(board, states, 1, ["yes", "no", "once"])
    board.undo()
    expect(board.cell(states, 2, 1)).to_have_text("state3")
    board.undo()
    expect(board.cell(states, 2, 1)).to_have_count(0)
    expect_column(board, states, 1, ["yes", "no"])


def test_a_state_is_renamed_with_the_keyboard_alone(open_board):
    board = Inspector(open_board().page)
    tab = board.page.get_by_role("tab", name="Variable", exact=True)
    tab.focus()
    board.page.keyboard.press("Enter")
    expect(board.grid("Variables")).to_be_visible()
    press_until(board, "Tab", board.grid("Variables"))
    board.page.keyboard.press("Enter")
    expect(board.name).to_have_value("asia")
    board.name.focus()
    press_until(board, "Tab", board.page.get_by_role("tab", name="Table", exact=True))
    board.page.keyboard.press("ArrowRight")
    board.page.keyboard.press("Enter")
    press_until(board, "Tab", board.grid("States of asia"))
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        board.page.keyboard.press(key)
    board.page.keyboard.press("ControlOrMeta+a")
    board.page.keyboard.type("never")
    board.page.keyboard.press("Enter")
    expect(board.cell("States of asia", 1, 1)).to_have_text("never")
    board.page.keyboard.press("ControlOrMeta+z")
    expect(board.cell("States of asia", 1, 1)).to_have_text("no")


def test_states_that_cannot_be_are_refused_and_the_last_one_stays(open_board):
    board = inspect(open_board(), "smoke", section="States")
    for text, why in (("no", "'no' twice"), ("  ", "empty name")):
        board.type_into("States of smoke", 0, 1, text)
        expect(board.message).to_contain_text(why)
        expect(board.cell("States of smoke", 0, 1)).to_have_text("yes")
    board.cell("States of smoke", 0, 0).click()
    board.button("Remove state").click()
    expect_column(board, "States of smoke", 1, ["no"])
    board.cell("States of smoke", 0, 0).click()
    expect(board.says("Picked: no")).to_be_visible()
    expect(board.button("Remove state")).to_be_disabled()


# --- tables


def test_a_cell_of_two_states_sets_the_other(open_board):
    board = inspect(open_board(), "dysp")
    table = "Table of dysp"
    expect(board.says("Pr(dysp | bronc, either): 4 rows")).to_be_visible()
    expect(board.cell(table, 3, 3)).to_have_text("0.9")
    assert board.texts(table)[1] == ["yes", "no", "0.8", "0.2", "1"]
    board.type_into(table, 1, 2, "0.25")
    expect(board.cell(table, 1, 3)).to_have_text("0.75")
    board.undo()
    expect(board.cell(table, 1, 2)).to_have_text("0.8")
    board.redo()
    expect(board.cell(table, 1, 2)).to_have_text("0.25")


def test_a_cell_is_edited_with_the_keyboard_alone(open_board):
    board = inspect(open_board(), "dysp")
    board.name.focus()
    press_until(board, "Tab", board.grid("Table of dysp"))
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        board.page.keyboard.press(key)
    board.page.keyboard.type("0.125")
    board.page.keyboard.press("Enter")
    expect(board.cell("Table of dysp", 1, 3)).to_have_text("0.875")
    expect(board.grid("Table of dysp")).to_be_focused()
    board.page.keyboard.press("ControlOrMeta+z")
    expect(board.cell("Table of dysp", 1, 2)).to_have_text("0.8")


def test_a_number_typed_badly_is_refused(open_board):
    board = inspect(open_board(), "dysp")
    for text, why in (
        ("abc", "'abc' is no number; type a probability such as 0.25"),
        ("1e999", "'1e999' is too large"),
        ("-1", "'-1' is negative"),
        ("0,3", "write a probability with a point, as 0.3"),
        ("nan", "'nan' is no number"),
        ("٣", "'٣' is no number"),
    ):
        board.type_into("Table of dysp", 0, 2, text)
        expect(board.message).to_contain_text(why)
        expect(board.cell("Table of dysp", 0, 2)).to_have_text("0.9")
    expect(board.button("Undo")).to_be_disabled()


def test_a_row_of_three_states_is_kept_until_it_sums_to_one(open_board):
    board = inspect(open_board().choose("Student"), "Grade")
    table = "Table of Grade"
    before = board.texts(table)
    undo = board.button("Undo").get_attribute("title")
    board.type_into(table, 0, 2, "0.5")
    expect(
        board.page.get_by_text(re.compile(r"⚠ Row 1 sums to [\d.]+, not 1: complete it, or press Normalise"))
    ).to_be_visible()
    expect(board.cell(table, 0, 5)).to_have_attribute("data-kind", "warn")
    expect(board.cell(table, 0, 5)).to_have_attribute("aria-label", re.compile("does not sum to 1"))
    expect(board.button("Undo")).to_have_attribute("title", undo)
    board.type_into(table, 1, 2, "3")
    expect(board.page.get_by_text("⚠ 2 rows do not sum to 1")).to_be_visible()
    board.type_into(table, 0, 3, "0.25")
    board.type_into(table, 0, 4, "0.25")
    expect(board.cell(table, 0, 5)).to_have_attribute("data-kind", "")
    assert board.texts(table)[0][2:] == ["0.5", "0.25", "0.25", "1"]
    expect(board.page.get_by_text("⚠ Row 2 sums to")).to_be_visible()
    board.button("Normalise").click()
    numbers = [float(text) for text in before[1][2:5]]
    total = 3 + numbers[1] + numbers[2]
    expect(board.cell(table, 1, 2)).to_have_text(f"{3 / total:.6g}")
    expect(board.cell(table, 1, 5)).to_have_text("1")
    board.undo()
    assert_rows(board, table, {0: ["0.5", "0.25", "0.25"], 1: before[1][2:5]})
    board.undo()
    assert_rows(board, table, {0: before[0][2:5]})


def test_unfinished_rows_are_discarded_or_dropped_with_a_word(open_board):
    board = inspect(open_board().choose("Student"), "Grade")
    before = board.texts("Table of Grade")[0][2]
    board.type_into("Table of Grade", 0, 2, "0.99")
    board.button("Discard").click()
    expect(board.cell("Table of Grade", 0, 2)).to_have_text(before)
    expect(board.button("Discard")).to_be_hidden()
    board.type_into("Table of Grade", 0, 2, "0.99")
    expect(board.button("Discard")).to_be_visible()
    board.select("SAT")
    expect(board.message).to_contain_text("The rows of 'Grade' that did not sum to 1 are dropped")
    board.select("Grade")
    expect(board.cell("Table of Grade", 0, 2)).to_have_text(before)


def test_uniform_and_random_tables(open_board):
    board = inspect(open_board(), "dysp")
    table = "Table of dysp"
    expect(board.cell(table, 0, 2)).to_have_text("0.9")
    board.button("Uniform").click()
    expect_column(board, table, 2, ["0.5"] * 4)
    board.button("Randomise").click()
    first = [f"{p:.6g}" for p in np.random.default_rng(0).dirichlet([1, 1], 4)[:, 0]]
    expect_column(board, table, 2, first)
    expect(board.field("Seed")).to_have_value("1")
    board.button("Randomise").click()
    second = [f"{p:.6g}" for p in np.random.default_rng(1).dirichlet([1, 1], 4)[:, 0]]
    expect_column(board, table, 2, second)
    board.enter("Seed", "0")
    board.button("Randomise").click()
    expect_column(board, table, 2, first)
    board.enter("Seed", "x")
    expect(board.message).to_contain_text("'x' is no seed")
    expect(board.field("Seed")).to_have_value("1")
    board.undo(3)
    expect_column(board, table, 2, ["0.5"] * 4)
    board.undo()
    expect(board.cell(table, 0, 2)).to_have_text("0.9")


def test_factors_of_a_markov_network(open_board):
    board = inspect(open_board().choose("Grid of nine"), "2")
    factors, table = "Factors that hold 2", "Table of 2"
    expect(board.cell(factors, 2, 1)).to_have_text("2, 5")
    assert [row[1] for row in board.texts(factors)] == ["1, 2", "2, 3", "2, 5"]
    expect(board.says("Factor over 1, 2: 2 rows")).to_be_visible()
    board.cell(factors, 2, 1).click()
    expect(board.says("Factor over 2, 5: 2 rows")).to_be_visible()
    before = board.texts(table)
    board.type_into(table, 1, 1, "7.5")
    expect(board.cell(table, 1, 1)).to_have_text("7.5")
    assert [row[2] for row in board.texts(table)] == [row[2] for row in before]
    board.button("Normalise").click()
    numbers = np.array([[float(text) for text in row[1:]] for row in before])
    numbers[1, 0] = 7.5
    expect_column(board, table, 1, [f"{x:.6g}" for x in numbers[:, 0] / numbers.sum()])
    board.button("Uniform").click()
    expect_column(board, table, 1, ["1", "1"])
    board.type_into(table, 0, 1, "-2")
    expect(board.message).to_contain_text("negative")
    board.undo(3)
    expect_column(board, table, 1, [row[1] for row in before])
    expect(board.says("Factor over 2, 5: 2 rows")).to_be_visible()
    board.tab("Prior")
    expect(board.page.get_by_text("Dirichlet exponents belong to the tables of Bayesian networks")).to_be_visible()


def test_a_table_of_a_hundred_thousand_rows_does_not_freeze(open_board, tmp_path):
    path = tmp_path / "wide.json"
    parents = [Variable(f"P{k}", tuple("abcdefghij")) for k in range(5)]
    child = Variable("Child", ("yes", "no"))
    tables = [np.full(10, 0.1)] * 5 + [np.tile([0.25, 0.75], 10**5).reshape(*(10,) * 5, 2)]
    write_network(path, BayesianNetwork((*parents, child), ((),) * 5 + ((0, 1, 2, 3, 4),), tuple(tables)))
    board = inspect(open_board(path), "Child")
    table = "Table of Child"
    expect(board.says("Pr(Child | P0, P1, P2, P3, P4): 100,000 rows")).to_be_visible()
    expect(board.cell(table, 0, 5)).to_have_text("0.25")
    board.grid(table).focus()
    board.page.keyboard.press("ControlOrMeta+End")
    last = board.cell(table, 99_999, 6)
    expect(last).to_have_text("0.75")
    expect(board.cell(table, 99_999, 0)).to_have_text("j")
    board.page.keyboard.press("ArrowLeft")
    board.page.keyboard.type("0.5")
    board.page.keyboard.press("Enter")
    expect(last).to_have_text("0.5")
    assert len(board.texts(table)) < 100


# --- the prior


def test_exponents_common_own_and_by_table(open_board):
    board = inspect(open_board(), "dysp", section="Prior")
    table = "Exponents of dysp"
    expect(board.cell(table, 3, 3)).to_have_text("1")
    board.enter("Exponent", "2")
    expect(board.cell(table, 3, 3)).to_have_text("2")
    board.choose_option("Exponents", "A number of its own")
    expect(board.select_field("Exponents")).to_have_text("A number of its own")
    board.enter("Exponent", "3.5")
    expect_column(board, table, 2, ["3.5"] * 4)
    board.select("asia")
    expect(board.cell("Exponents of asia", 0, 0)).to_have_text("2")
    board.select("dysp")
    board.type_into(table, 2, 2, "5")
    expect_column(board, table, 2, ["3.5", "3.5", "5", "3.5"])
    expect(board.select_field("Exponents")).to_have_text("A table of its own")
    board.type_into(table, 2, 2, "0.5")
    expect(board.message).to_contain_text("A Dirichlet exponent of 'dysp' is below 1; use 1 for none, 2 to smooth")
    expect(board.cell(table, 2, 2)).to_have_text("5")
    board.undo()
    expect_column(board, table, 2, ["3.5"] * 4)
    board.undo(2)
    expect_column(board, table, 2, ["2"] * 4)
    expect(board.select_field("Exponents")).to_have_text("The common exponent")
    board.undo()
    expect_column(board, table, 2, ["1"] * 4)
    for text, why in (("0.9", "below 1"), ("abc", "no number; type an exponent")):
        board.enter("Exponent", text)
        expect(board.message).to_contain_text(why)
        expect(board.field("Exponent")).to_have_value("1")


# --- names that are no markup, and runs


def test_hostile_names_and_states_are_just_text(open_board, tmp_path):
    network, data = tmp_path / "hostile.json", tmp_path / "hostile.csv"
    states = [HOSTILE, ICON, "</script>"]
    content = {
        "format": "pgmgui-network",
        "version": 1,
        "kind": "bayesian",
        "name": "",
        "variables": [{"name": HOSTILE, "states": states}, {"name": ICON, "states": states}],
        "tables": [
            {"variables": [HOSTILE], "values": [0.5, 0.25, 0.25]},
            {"variables": [HOSTILE, ICON], "values": [0.5, 0.25, 0.25] * 3},
        ],
    }
    network.write_text(json.dumps(content), encoding="utf-8")
    data.write_text(f"{HOSTILE},{ICON}\n{HOSTILE},{ICON}\n{ICON},{ICON}\n", encoding="utf-8")
    board = inspect(open_board(network, data), ICON)
    assert board.texts(f"Table of {ICON}")[0][0] == HOSTILE
    expect(board.name).to_have_value(ICON)
    expect(board.around.get_by_role("button")).to_have_text([HOSTILE])
    board.around.get_by_role("button").click()
    expect(board.name).to_have_value(HOSTILE)
    expect(board.says(f"Pr({HOSTILE}): 1 row")).to_be_visible()
    board.tab("Known")
    board.known("Sensor table").click()
    expect(board.grid(f"Sensor of {HOSTILE}: Pr(reported | true)")).to_be_visible()
    board.tab("Prior")
    expect(board.grid(f"Exponents of {HOSTILE}")).to_be_visible()
    board.tab("States")
    board.type_into(f"States of {HOSTILE}", 2, 1, "<script>alert(2)</script>")
    expect(board.cell(f"States of {HOSTILE}", 2, 1)).to_have_text("<script>alert(2)</script>")
    board.cell(f"States of {HOSTILE}", 1, 0).click()
    expect(board.says(f"Picked: {ICON}")).to_be_visible()
    board.button("Remove state").click()
    expect(board.message).to_contain_text(f"1 cell of '{HOSTILE}' is missing now")
    board.enter("Name The", f"{HOSTILE}2")
    expect(board.name).to_have_value(f"{HOSTILE}2")
    board.node(f"{HOSTILE}2").press("Escape")
    expect(board.cell("Variables", 0, 0)).to_have_text(f"{HOSTILE}2")
    expect(board.page.locator("img")).to_have_count(0)
    expect(board.page.locator("[onload], [onerror]")).to_have_count(0)


def test_an_edit_during_a_run_makes_it_stale(open_board):
    board = inspect(open_board(), "dysp")
    board.button("Step").click()
    expect(board.button("Stop")).to_be_enabled()
    board.type_into("Table of dysp", 0, 2, "0.5")
    expect(board.page.get_by_text("Stale: the model, the data or the marks have changed")).to_be_visible()
    expect(board.button("Stop")).to_be_disabled()


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
