"""The Variable panel: the list, the name, the states, names that are no markup; with a real pointer and keyboard."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from tests.ui.inspector import Inspector, expect_column, inspect, press_until

HOSTILE = "<img src=x onerror=alert(1)>"
ICON = ":material/home: <b>x</b>"


# --- nothing, one, several


def test_with_nothing_selected_all_variables_are_listed_with_marks_and_one_is_picked_by_keyboard(open_panel):
    board = Inspector(open_panel("variable"))
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
    # The list tells marks, and an empty page says how to begin.
    board.mark("Hide").click()
    expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    board.node("smoke").press("Escape")
    expect(board.cell("Variables", 2, 3)).to_have_text("hidden")
    expect(board.cell("Variables", 2, 2)).to_have_text("observed")
    board = Inspector(open_panel("variable", scene="empty"))
    expect(board.page.get_by_text("No variables yet: double-click on the canvas")).to_be_visible()


def test_neighbours_are_links(open_panel):
    board = inspect(open_panel("variable"), "either")
    expect(board.around).to_have_text(re.compile(r"Parents:\s*lung\s*tub\s*Children:\s*xray\s*dysp"))
    board.around.get_by_role("button", name="lung").click()
    expect(board.name).to_have_value("lung")
    expect(board.grid("Table of lung")).to_be_visible()
    assert board.selected() == ["lung"]
    board.around.get_by_role("button", name="smoke").focus()
    board.page.keyboard.press("Enter")
    expect(board.name).to_have_value("smoke")
    expect(board.around).to_contain_text("Parents: none")
    board = inspect(open_panel("variable", scene="thesis-grid"), "5")
    expect(board.around).to_have_text(re.compile(r"Neighbours:\s*2\s*4\s*6\s*8"))


# --- the name


def test_enter_renames_and_undo_brings_the_old_name_back(open_panel):
    board = inspect(open_panel("variable"), "smoke")
    # A name that cannot be is refused, and the field shows the old one.
    for name, why in (("lung", "There is a variable 'lung' already"), ("  ", "needs a name")):
        board.enter("Name The", name)
        expect(board.message).to_contain_text(why)
        expect(board.name).to_have_value("smoke")
    expect(board.button("Undo")).to_be_disabled()
    board.enter("Name The", "Smoking, ever?")
    expect(board.node("Smoking, ever?")).to_be_visible()
    expect(board.name).to_have_value("Smoking, ever?")
    expect(board.grid("Table of Smoking, ever?")).to_be_visible()
    board.undo()
    expect(board.node("smoke")).to_be_visible()
    expect(board.name).to_have_value("smoke")
    board.redo()
    expect(board.name).to_have_value("Smoking, ever?")


# --- states


def test_states_are_added_renamed_moved_and_removed(open_panel):
    board = inspect(open_panel("variable"), "smoke", section="States")
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
    # States that cannot be are refused, and the last one stays.
    for text, why in (("no", "'no' twice"), ("  ", "empty name")):
        board.type_into(states, 0, 1, text)
        expect(board.message).to_contain_text(why)
        expect(board.cell(states, 0, 1)).to_have_text("yes")
    board.cell(states, 0, 0).click()
    expect(board.says("Picked: yes")).to_be_visible()
    board.button("Remove state").click()
    expect_column(board, states, 1, ["no"])
    board.cell(states, 0, 0).click()
    expect(board.says("Picked: no")).to_be_visible()
    expect(board.button("Remove state")).to_be_disabled()


def test_a_state_is_renamed_with_the_keyboard_alone(open_panel):
    board = Inspector(open_panel("variable"))
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


# --- names that are no markup, and runs


def test_hostile_names_and_states_are_just_text(open_panel, tmp_path):
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
    board = inspect(open_panel("variable", scene=(network, data)), ICON)
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


def test_an_edit_during_a_run_makes_it_stale(open_panel):
    board = inspect(open_panel("variable", "strip"), "dysp")
    board.button("Step").click()
    expect(board.button("Stop")).to_be_enabled()
    board.type_into("Table of dysp", 0, 2, "0.5")
    expect(board.page.get_by_text("Stale: the model, the data or the marks have changed")).to_be_visible()
    expect(board.button("Stop")).to_be_disabled()
