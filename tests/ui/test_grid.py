"""The grid in a real browser: scrolling a million rows, walking, picking, editing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from pgmgui.components.grid.grid import Grid
from tests.ui.grids import HOSTILE, make_grids, table_source


@pytest.fixture
def grids(stage):
    """The three grids."""
    page = stage.show(lambda: ([], [make_grids()]))
    for label in ("Long", "Table", "Wide"):
        expect(page.get_by_role("grid", name=label)).to_have_attribute("data-loads", "1")
    return page


def grid(page: Page, label: str) -> Locator:
    return page.get_by_role("grid", name=label)


def cell(table: Locator, row: int, column: int) -> Locator:
    return table.locator(f'[data-row="{row}"][data-column="{column}"]')


def row_of(table: Locator, row: int) -> Locator:
    return table.locator(f'[role=row]:has([data-row="{row}"])')


def active(table: Locator) -> Locator:
    return table.locator(".active")


def test_only_a_few_rows_are_drawn_and_described(grids):
    table = grid(grids, "Long")
    expect(table).to_have_attribute("aria-rowcount", "1000001")
    expect(table).to_have_attribute("aria-colcount", "3")
    assert table.get_by_role("row").count() < 40
    expect(cell(table, 0, 0)).to_have_attribute("role", "rowheader")
    expect(cell(table, 5, 1)).to_have_text("25")
    expect(cell(table, 5, 1)).to_have_attribute("aria-colindex", "2")
    expect(row_of(table, 5)).to_have_attribute("aria-rowindex", "7")
    expect(table.get_by_role("columnheader", name="Square")).to_have_attribute("title", "Square: the row times itself")
    # What is missing, soft or doubtful is told without colour.
    expect(cell(table, 1, 2)).to_have_text("?")
    expect(cell(table, 1, 2)).to_have_attribute("aria-label", "missing")
    expect(cell(table, 1, 2)).to_have_css("background-image", re.compile("repeating-linear-gradient"))
    bars = cell(table, 2, 2).locator(".bar")
    expect(bars).to_have_count(2)
    heights = [bar.bounding_box()["height"] for bar in bars.all()]
    assert heights[0] == pytest.approx(heights[1] / 4, abs=0.6)
    expect(cell(table, 2, 2)).to_have_attribute("aria-label", "no 0.2, yes 0.8")
    expect(cell(table, 2, 2)).to_have_attribute("title", "no 0.2, yes 0.8")
    expect(cell(table, 3, 2)).to_have_attribute("aria-label", "odd: not a number")
    assert "⚠" in cell(table, 3, 2).evaluate("e => getComputedStyle(e, '::before').content")
    # Names and cells are only text.
    expect(cell(table, 0, 2)).to_have_text(HOSTILE)
    expect(table.get_by_role("columnheader").nth(2)).to_have_attribute("title", HOSTILE)
    expect(grids.locator("img")).to_have_count(0)


def test_the_last_of_a_million_rows_can_be_reached_and_the_middle(grids):
    table = grid(grids, "Long")
    cell(table, 0, 1).click()
    grids.keyboard.press("Control+End")
    last = cell(table, 999_999, 0)
    expect(last).to_have_text("1000000")
    frame, box = table.bounding_box(), last.bounding_box()
    assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1
    grids.keyboard.press("ArrowUp")
    expect(active(table)).to_have_attribute("data-row", "999998")
    grids.keyboard.press("Control+Home")
    expect(cell(table, 0, 0)).to_be_in_viewport()
    # The bar, dragged to the middle, shows the middle.
    table.evaluate("e => { e.scrollTop = (e.scrollHeight - e.clientHeight) / 2 }")
    middle = table.locator('[data-row="500000"][data-column="0"]')
    expect(middle).to_have_text("500001")
    expect(middle).to_be_in_viewport()


def test_the_wheel_skips_no_row(grids):
    table = grid(grids, "Long")
    box = table.bounding_box()
    grids.mouse.move(box["x"] + 60, box["y"] + 120)
    for _ in range(3):
        grids.mouse.wheel(0, 104)
    # 12 rows of 26 pixels: the thirteenth is first below the heading.
    expect(cell(table, 12, 0)).to_have_text("13")
    top = cell(table, 12, 0).bounding_box()["y"]
    assert top == pytest.approx(box["y"] + 28, abs=3)


def test_arrows_pages_and_ends_move_the_active_cell(grids):
    table = grid(grids, "Long")
    cell(table, 0, 0).click()
    for key, row, column in (
        ("ArrowDown", 1, 0),
        ("ArrowRight", 1, 1),
        ("End", 1, 2),
        ("ArrowRight", 1, 2),
        ("Home", 1, 0),
        ("PageDown", 10, 0),
        ("PageUp", 1, 0),
    ):
        grids.keyboard.press(key)
        expect(active(table)).to_have_attribute("id", f"cell-{row}-{column}")
        expect(table).to_have_attribute("aria-activedescendant", f"cell-{row}-{column}")
        expect(active(table)).to_be_in_viewport()


def test_a_click_or_enter_picks_a_row(grids):
    table = grid(grids, "Long")
    cell(table, 2, 1).click()
    expect(grids.get_by_text("picked 2")).to_be_visible()
    row = row_of(table, 2)
    expect(row).to_have_attribute("aria-selected", "true")
    grids.keyboard.press("ArrowDown")
    grids.keyboard.press("Enter")
    expect(grids.get_by_text("picked 3")).to_be_visible()
    expect(row).to_have_attribute("aria-selected", "false")


def test_a_heading_can_be_reached_and_pressed(grids):
    table = grid(grids, "Long")
    cell(table, 0, 1).click()
    grids.keyboard.press("ArrowUp")
    expect(active(table)).to_have_text("Square")
    grids.keyboard.press("Enter")
    expect(grids.get_by_text("heading 1")).to_be_visible()
    expect(table).to_have_attribute("aria-rowcount", "11")
    expect(cell(table, 9, 1)).to_have_text("81")


def test_typing_edits_and_enter_and_tab_move_on(grids):
    table = grid(grids, "Table")
    cell(table, 0, 1).click()
    grids.keyboard.type("0.25")
    expect(grids.get_by_role("textbox", name="yes, row 1")).to_have_value("0.25")
    grids.keyboard.press("Tab")
    expect(active(table)).to_have_attribute("id", "cell-0-2")
    grids.keyboard.type("0.75")
    grids.keyboard.press("Enter")
    expect(active(table)).to_have_attribute("id", "cell-1-2")
    expect(cell(table, 0, 1)).to_have_text("0.25")
    expect(cell(table, 0, 2)).to_have_text("0.75")
    expect(grids.get_by_text("edited 0 2 0.75")).to_be_visible()
    cell(table, 0, 2).click()
    grids.keyboard.type("1")
    grids.keyboard.press("Tab")
    expect(active(table)).to_have_attribute("id", "cell-1-1")
    grids.keyboard.type("1")
    grids.keyboard.press("Shift+Tab")
    expect(active(table)).to_have_attribute("id", "cell-0-2")


def test_tab_past_the_last_cell_leaves_the_table(grids):
    table = grid(grids, "Table")
    cell(table, 2, 2).dblclick()
    grids.keyboard.press("Tab")
    expect(grids.get_by_role("button", name="Enlarge").nth(1)).to_be_focused()  # that of the table, after "Long"
    grids.keyboard.press("Tab")
    expect(grid(grids, "Wide")).to_be_focused()


def test_escape_keeps_the_cell(grids):
    table = grid(grids, "Table")
    cell(table, 1, 1).dblclick()
    editor = grids.get_by_role("textbox", name="yes, row 2")
    expect(editor).to_have_value("0.2")
    grids.keyboard.type("0.9")
    grids.keyboard.press("Escape")
    expect(editor).to_have_count(0)
    expect(cell(table, 1, 1)).to_have_text("0.2")
    expect(table).to_be_focused()
    grids.keyboard.press("F2")
    expect(editor).to_be_focused()


def test_a_refused_edit_shows_the_old_text_again(grids):
    table = grid(grids, "Table")
    cell(table, 1, 2).click()
    grids.keyboard.type("nonsense")
    grids.keyboard.press("Enter")
    expect(grids.get_by_text("edited 1 2 nonsense")).to_be_visible()
    expect(cell(table, 1, 2)).to_have_text("0.8")


def test_heads_are_not_edited_and_leaving_a_field_keeps_what_was_typed(grids):
    table = grid(grids, "Table")
    cell(table, 0, 0).dblclick()
    grids.keyboard.type("x")
    expect(grids.get_by_role("textbox")).to_have_count(0)  # heads are not edited
    cell(table, 1, 2).click()
    grids.keyboard.type("0.5")
    cell(table, 0, 1).click()
    expect(cell(table, 1, 2)).to_have_text("0.5")
    expect(grids.get_by_text("edited 1 2 0.5")).to_be_visible()


def test_a_double_click_edits_though_the_table_is_sent_again_meanwhile(stage):
    """What was typed into another cell may be answered between any two of its events."""
    made = make_grids()
    page = stage.show(lambda: ([], [made]))
    table, loads = grid(page, "Table"), 1
    expect(table).to_have_attribute("data-loads", str(loads))
    box = cell(table, 1, 2).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    for clicks in (1, 2):
        for act in (page.mouse.down, page.mouse.up):
            act(click_count=clicks)
            loads += 1
            rows = [["a", "0.1", "0.9"], ["b", "0.2", f"0.{loads}"], ["c", "0.3", "0.7"]]
            stage.do(lambda rows=rows: setattr(made[2], "source", table_source(rows)))
            expect(table).to_have_attribute("data-loads", str(loads))
            expect(cell(table, 1, 2)).to_have_text(f"0.{loads}")
    expect(page.get_by_role("textbox", name="no, row 2")).to_be_focused()


def test_a_wide_table_draws_the_columns_in_view(grids):
    table = grid(grids, "Wide")
    assert table.get_by_role("columnheader").count() < 60
    cell(table, 0, 1).click()
    grids.keyboard.press("End")
    expect(cell(table, 0, 400)).to_have_text("0.400")
    expect(cell(table, 0, 400)).to_be_in_viewport()
    expect(cell(table, 0, 0)).to_be_in_viewport()  # the head stays
    grids.keyboard.press("Control+End")
    expect(cell(table, 299, 400)).to_have_text("299.400")
    expect(cell(table, 299, 0)).to_have_text("299")


# Counts how often a table asks where it is scrolled to, in one go: until the browser has its turn again.
COUNT_READS = """element => {
  const {get, set} = Object.getOwnPropertyDescriptor(Element.prototype, "scrollTop")
  let reads = 0
  element.most_reads = 0
  Object.defineProperty(element, "scrollTop", {
    get() {
      if (!reads) setTimeout(() => { reads = 0 })
      reads += 1
      this.most_reads = Math.max(this.most_reads, reads)
      return get.call(this)
    },
    set(value) { set.call(this, value) },
  })
}"""


def test_drawing_asks_where_it_is_scrolled_to_once_and_not_for_each_row(grids):
    """Each time, after a change, the browser lays out the whole page: seconds in a run that fills a table."""
    table = grid(grids, "Long")
    table.evaluate(COUNT_READS)
    table.get_by_role("columnheader", name="Square").click()  # which shows other rows
    expect(table).to_have_attribute("data-loads", "2")
    expect(table.get_by_role("row")).to_have_count(11)
    assert 0 < table.evaluate("element => element.most_reads") < 8


def test_a_table_that_is_still_to_come_says_so(stage):
    table = Grid(sizing_mode="stretch_width")
    page = stage.show(lambda: ([], [table]))
    shown = page.get_by_role("grid")
    told = "e => getComputedStyle(e, '::after').content"
    assert shown.evaluate(told) == '"Loading …"'
    stage.do(lambda: setattr(table, "source", table_source([["a", "0.1", "0.9"]])))
    # The browser may say only now that it is ready, and be sent the table a second time.
    expect(shown).to_have_attribute("data-loads", re.compile("^[12]$"))
    assert shown.evaluate(told) == "none"


def test_the_button_in_the_corner_leaves_the_last_heading_to_be_read(grids):
    """As wide as its columns can stretch to."""
    table = grid(grids, "Long")
    last = table.get_by_role("columnheader").last
    expect(last).to_have_css("padding-right", "30px")
    button = table.locator("xpath=..").locator(".fill-button").bounding_box()
    box = last.bounding_box()
    assert box["x"] + box["width"] - 30 <= button["x"] + 1
