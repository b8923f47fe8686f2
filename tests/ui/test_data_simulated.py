"""The Data panel: simulating, saving, removing; with a real pointer and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from engine.formats import read_dataset
from pgmgui.project.examples import load_gallery
from tests.ui.data_tab import DataTab


@pytest.fixture
def tab(open_panel) -> DataTab:
    return DataTab(open_panel("data"))


def test_simulated_data_is_hidden_by_marks_and_can_be_unhidden(tab):
    tab.button("Simulate…").click()
    tab.field("Rows to draw").fill("250")
    tab.field("Seed of the data").fill("7")
    tab.hiding("bronc").click()
    tab.page.keyboard.press("Escape")  # a quick one, as if to close a list
    tab.button("Draw the data").click()
    tab.expect_rows(250)
    expect(tab.page.get_by_text("Note: simulated from the model: 250 rows, seed 7.")).to_be_visible()
    expect(tab.node("bronc")).to_have_attribute("data-role", "hidden")
    expect(tab.node("tub")).to_have_attribute("data-role", "observed")
    expect(tab.cell(tab.rows, 0, 5)).to_have_text("?")
    tab.node("bronc").focus()
    tab.page.keyboard.press("h")
    expect(tab.node("bronc")).to_have_attribute("data-role", "observed")
    expect(tab.cell(tab.rows, 0, 5)).to_have_text(re.compile("^(yes|no)$"))
    tab.page.get_by_role("button", name="Undo").click()
    tab.page.get_by_role("button", name="Undo").click()
    tab.expect_rows(500)
    expect(tab.node("tub")).to_have_attribute("data-role", "hidden")


def test_fractions_are_hidden_and_go_missing(tab):
    tab.button("Simulate…").click()
    tab.field("Hide a fraction").fill("0.25")
    tab.field("Fraction missing").fill("0.4")
    tab.button("Draw the data").click()
    tab.expect_rows(1000)
    expect(tab.page.locator('[data-node][data-role="hidden"]')).to_have_count(2)
    expect(tab.page.locator('[data-node][data-role="partial"]')).to_have_count(6)


def test_a_markov_network_is_simulated(open_panel):
    tab = DataTab(open_panel("data", scene="thesis-grid"))
    tab.button("Simulate…").click()
    tab.field("Rows to draw").fill("40")
    tab.button("Draw the data").click()
    tab.expect_rows(40)


def test_the_last_of_many_rows_is_reached(tab):
    tab.button("Simulate…").click()
    tab.field("Rows to draw").fill("200000")
    tab.button("Draw the data").click()
    tab.expect_rows(200_000)
    tab.cell(tab.rows, 0, 1).click()
    tab.page.keyboard.press("Control+End")
    expect(tab.cell(tab.rows, 199_999, 0)).to_have_text("200,000")
    expect(tab.cell(tab.rows, 199_999, 8)).to_have_text(re.compile("^(yes|no)$"))
    expect(tab.cell(tab.rows, 199_999, 8)).to_be_visible()


def test_data_is_saved_as_seen_and_complete(tab, tmp_path):
    network = load_gallery()[0].read()[0].network
    tab.button("Simulate…").click()
    for name, pressed in (("smoke", "true"), ("bronc", "true"), ("bronc", "false")):
        tab.hiding(name).press("Enter")
        expect(tab.hiding(name)).to_have_attribute("aria-pressed", pressed)
        expect(tab.hiding(name)).to_be_focused()
    tab.button("Draw the data").click()
    tab.expect_rows(1000)
    tab.button("Save data…").click()
    with tab.page.expect_download() as download:
        tab.button("Download the data").click()
    assert download.value.suggested_filename == "Asia.csv"
    seen = tmp_path / "seen.csv"
    download.value.save_as(seen)
    codes = read_dataset(seen, network.variables).dataset.codes
    assert (codes[2] == -1).all()
    assert (codes[4] >= 0).all()
    tab.page.get_by_role("combobox", name="Save the data").click()
    tab.choose_option("complete, as if nothing were marked")
    target = tmp_path / "complete.csv"
    tab.field("Data file on this machine").fill(str(target))
    tab.button("Write the data").click()
    expect(tab.page.get_by_text(f"Wrote 1,000 rows to {target}.")).to_be_visible()
    assert (read_dataset(target, network.variables).dataset.codes >= 0).all()
    tab.button("Write the data").click()
    expect(tab.page.get_by_text("is there already.")).to_be_visible()
    tab.button("Overwrite the data file").click()
    expect(tab.page.get_by_text(f"Wrote 1,000 rows to {target}.")).to_be_visible()


def test_the_data_can_be_removed(tab):
    tab.button("Remove the data").click()
    expect(tab.rows).to_be_hidden()
    expect(tab.page.get_by_text("No data. Open a file or simulate some.")).to_be_visible()
    expect(tab.button("Remove the data")).to_be_disabled()
    tab.page.get_by_role("button", name="Undo").click()
    tab.expect_rows(500)
