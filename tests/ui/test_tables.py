"""The tables of a variable, and its prior; with a real pointer and keyboard."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

from engine.formats import write_network
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests.ui.inspector import assert_rows, expect_column, inspect, press_until

HOSTILE = "<img src=x onerror=alert(1)>"
ICON = ":material/home: <b>x</b>"


# --- tables


def test_a_cell_of_two_states_sets_the_other_and_what_is_no_number_is_refused(open_panel):
    board = inspect(open_panel("variable"), "dysp")
    table = "Table of dysp"
    # All that is no probability is in tests/pgmgui/tabs/test_drafts.py.
    board.type_into(table, 0, 2, "0,3")
    expect(board.message).to_contain_text("write a probability with a point, as 0.3")
    expect(board.cell(table, 0, 2)).to_have_text("0.9")
    expect(board.button("Undo")).to_be_disabled()
    expect(board.says("Pr(dysp | bronc, either): 4 rows")).to_be_visible()
    expect(board.cell(table, 3, 3)).to_have_text("0.9")
    assert board.texts(table)[1] == ["yes", "no", "0.8", "0.2", "1"]
    board.type_into(table, 1, 2, "0.25")
    expect(board.cell(table, 1, 3)).to_have_text("0.75")
    board.undo()
    expect(board.cell(table, 1, 2)).to_have_text("0.8")
    board.redo()
    expect(board.cell(table, 1, 2)).to_have_text("0.25")


def test_a_cell_is_edited_with_the_keyboard_alone(open_panel):
    board = inspect(open_panel("variable"), "dysp")
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


def test_a_row_of_three_states_is_kept_until_it_sums_to_one(open_panel):
    board = inspect(open_panel("variable", scene="student"), "Grade")
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
    assert board.texts(table)[0][2:] == ["0.50", "0.25", "0.25", "1"]
    expect(board.page.get_by_text("⚠ Row 2 sums to")).to_be_visible()
    board.button("Normalise").click()
    numbers = [float(text) for text in before[1][2:5]]
    total = 3 + numbers[1] + numbers[2]
    expect(board.cell(table, 1, 2)).to_have_text(f"{3 / total:.6f}")
    expect(board.cell(table, 1, 5)).to_have_text("1")
    board.undo()
    assert_rows(board, table, {0: ["0.50", "0.25", "0.25"], 1: before[1][2:5]})
    board.undo()
    assert_rows(board, table, {0: before[0][2:5]})
    # Unfinished rows are discarded, or dropped with a word.
    first = before[0][2]
    board.type_into(table, 0, 2, "0.99")
    board.button("Discard").click()
    expect(board.cell(table, 0, 2)).to_have_text(first)
    expect(board.button("Discard")).to_be_hidden()
    board.type_into(table, 0, 2, "0.99")
    expect(board.button("Discard")).to_be_visible()
    board.select("SAT")
    expect(board.message).to_contain_text("The rows of 'Grade' that did not sum to 1 are dropped")
    board.select("Grade")
    expect(board.cell(table, 0, 2)).to_have_text(first)


def test_uniform_and_random_tables(open_panel):
    board = inspect(open_panel("variable"), "dysp")
    table = "Table of dysp"
    expect(board.cell(table, 0, 2)).to_have_text("0.9")
    board.button("Uniform").click()
    expect_column(board, table, 2, ["0.5"] * 4)
    board.button("Randomise").click()
    first = [f"{p:.6f}" for p in np.random.default_rng(0).dirichlet([1, 1], 4)[:, 0]]
    expect_column(board, table, 2, first)
    expect(board.field("Seed")).to_have_value("1")
    board.button("Randomise").click()
    second = [f"{p:.6f}" for p in np.random.default_rng(1).dirichlet([1, 1], 4)[:, 0]]
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


def test_factors_of_a_markov_network(open_panel):
    board = inspect(open_panel("variable", scene="thesis-grid"), "2")
    factors, table = "Factors that hold 2", "Table of 2"
    expect(board.cell(factors, 2, 1)).to_have_text("2, 5")
    assert [row[1] for row in board.texts(factors)] == ["1, 2", "2, 3", "2, 5"]
    expect(board.says("Factor over 1, 2: 2 rows; the columns are states of 2")).to_be_visible()
    board.cell(factors, 2, 1).click()
    expect(board.says("Factor over 2, 5: 2 rows; the columns are states of 5")).to_be_visible()
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
    expect(board.says("Factor over 2, 5: 2 rows; the columns are states of 5")).to_be_visible()
    board.tab("Prior")
    expect(board.page.get_by_text("Dirichlet exponents belong to the tables of Bayesian networks")).to_be_visible()


def test_a_table_of_a_hundred_thousand_rows_does_not_freeze(open_panel, tmp_path):
    path = tmp_path / "wide.json"
    parents = [Variable(f"P{k}", tuple("abcdefghij")) for k in range(5)]
    child = Variable("Child", ("yes", "no"))
    tables = [np.full(10, 0.1)] * 5 + [np.tile([0.25, 0.75], 10**5).reshape(*(10,) * 5, 2)]
    write_network(path, BayesianNetwork((*parents, child), ((),) * 5 + ((0, 1, 2, 3, 4),), tuple(tables)))
    board = inspect(open_panel("variable", scene=(path,)), "Child")
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
    expect(last).to_have_text("0.50")
    assert len(board.texts(table)) < 100


# --- the prior


def test_exponents_common_own_and_by_table(open_panel):
    board = inspect(open_panel("variable"), "dysp", section="Prior")
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
    expect_column(board, table, 2, ["3.5", "3.5", "5.0", "3.5"])
    expect(board.select_field("Exponents")).to_have_text("A table of its own")
    board.type_into(table, 2, 2, "0.5")
    expect(board.message).to_contain_text("A Dirichlet exponent of 'dysp' is below 1; use 1 for none, 2 to smooth")
    expect(board.cell(table, 2, 2)).to_have_text("5.0")
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
