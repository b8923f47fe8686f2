"""Data that is counted where it lies, in the Data tab: from a pattern to a certificate; tables, passwords, troubles."""

from __future__ import annotations

import re

import duckdb
import numpy as np
from playwright.sync_api import expect

from engine.formats import read_dataset, read_network, write_dataset
from tests.command_line import EXAMPLES
from tests.ui.data_tab import DataTab, asia_csv
from tests.ui.lab import Lab

NETWORK = EXAMPLES / "asia.bif"


def write_rows(folder):
    """The rows of the example in two Parquet files, and in one of two tables of a database."""
    dataset = read_dataset(EXAMPLES / "asia.csv", read_network(NETWORK).network.variables).dataset
    for k, part in enumerate(np.array_split(np.arange(dataset.n_rows), 2)):
        write_dataset(folder / f"{k}.parquet", dataset.take(part))
    with duckdb.connect(str(folder / "two.duckdb")) as connection:
        connection.execute(f"CREATE TABLE cases AS SELECT * FROM '{folder}/*.parquet'")
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    return dataset


def test_a_pattern_is_opened_looked_through_learned_from_and_certified(open_panel, tmp_path):
    dataset = write_rows(tmp_path)
    board = open_panel("data", "strip", scene=(NETWORK,))
    tab, page = DataTab(board), board.page
    tab.read(tmp_path / "*.csv")
    expect(tab.message).to_contain_text("no file is there, or matches")
    # A database with several tables asks which.
    tab.read(tmp_path / "two.duckdb")
    expect(tab.message).to_contain_text("it has 2 tables. Choose one in the Data tab")
    expect(page.get_by_role("combobox", name=re.compile("^Table"))).to_have_text("cases")
    tab.button("Read").click()
    tab.expect_rows(500)
    expect(page.get_by_text("two.duckdb, table cases.")).to_be_visible()
    # What does not fit is asked about, with how many rows have it, and read as it is then said.
    (tmp_path / "odd").mkdir()
    asia_csv(
        tmp_path / "odd" / "rows.csv", ["yes,no,9,no,yes,no,no,no", "no,no,yes,no,?,no,no,-9", "no,no,9,no,?,no,no,yes"]
    )
    tab.read(tmp_path / "odd" / "*.csv")
    expect(page.get_by_text("odd/*.csv: 6 columns fit the network; 2 columns and 2 values do not.")).to_be_visible()
    expect(tab.cell(tab.misfits, 1, 1)).to_have_text("2")
    tab.choose_meaning(1, "no")
    tab.button("Use with these fixes").click()
    tab.expect_rows(3)
    expect(tab.cell(tab.rows, 0, 3)).to_have_text("no")
    expect(page.get_by_text("column 'smoke': values given a meaning: '9'.")).to_be_visible()
    expect(tab.misfits).to_be_hidden()
    # A URL has a field for its password, and is shown without it.
    tab.field("Data path on this machine").fill("postgres://me:gehe1m@127.0.0.1:1/db?table=rows")
    expect(page.locator("input[type=password]")).to_be_visible()
    tab.button("Read").click()
    expect(tab.message).to_contain_text("cannot connect")
    expect(tab.field("Data path on this machine")).to_have_value("postgres://me@127.0.0.1:1/db?table=rows")
    assert "gehe1m" not in page.content()
    tab.expect_rows(3)
    # A pattern, of which rows are fetched as one scrolls.
    tab.read(tmp_path / "*.parquet")
    expect(page.get_by_text(f"counted where it lies, in {tmp_path}/*.parquet.")).to_be_visible()
    expect(page.get_by_text("Read-only: these rows are counted where they lie")).to_be_visible()
    expect(tab.button("Add a row")).to_be_hidden()
    expect(tab.button("Save data")).to_be_disabled()
    tab.field("Row").fill("430")
    page.keyboard.press("Enter")
    smoke = dataset.variables[2].states[dataset.codes[2, 429]]
    expect(tab.cell(tab.rows, 429, 3)).to_have_text(smoke)
    expect(tab.cell(tab.rows, 429, 2)).to_have_text("?")
    page.get_by_role("button", name="Variables", exact=True).click()
    yes = int((dataset.codes[2] == 0).sum())
    expect(tab.cell(tab.summary, 2, 3)).to_contain_text(f"{yes} · {500 - yes}")
    # A mark that is drawn row by row is refused; to hide is not.
    tab.node("smoke").click()
    page.get_by_role("button", name=re.compile("^Partial")).click()
    expect(tab.message).to_contain_text("drawn row by row")
    tab.node("smoke").focus()
    page.keyboard.press("h")
    expect(tab.cell(tab.summary, 2, 1)).to_have_text("hidden")
    page.get_by_role("button", name="Undo").click()
    expect(tab.cell(tab.summary, 2, 1)).to_have_text("observed")
    lab = Lab(board)
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.certificate).to_be_visible()
