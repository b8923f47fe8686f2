"""Rows held out, on the page: from the options to the dashed line, and how well a variable is foretold."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

from tests.ui.lab import LINES, Lab


def test_rows_held_out_show_that_more_learning_is_worse(open_panel):
    lab = Lab(open_panel("runs", "strip", scene="?example=hidden-cause&y=per-row"))
    page = lab.page
    lab.open_options().set_option("Hold out", "50").set_option("Hold-out seed", "1").close_options()
    told = page.get_by_text("Held out: 75 of 150 rows. Learning sees the other 75.")
    expect(told.filter(visible=True)).to_have_count(1)
    lab.button("Start").click()
    overfitted = "learned from 2.4582, held out 3.1085; at iteration 6 it was 2.7264: overfitted since."
    expect(page.get_by_text(re.compile(re.escape(overfitted)))).to_be_visible()
    lab.expect_lines("decomposed EM", "decomposed EM, held out")
    page.wait_for_function(  # the plot comes after the words
        f"() => ({LINES})().every(({{name, y}}) => !name.endsWith('held out') || y.indexOf(Math.max(...y)) === 6)"
    )
    lines = lab.lines()
    train, test = lines["decomposed EM"], lines["decomposed EM, held out"]
    assert (train["dash"], test["dash"] != train["dash"]) == ("[]", True)
    assert np.diff(train["y"]).min() > 0
    assert int(np.argmax(test["y"])) == 6
    # How the rows are foretold is found beside the page, and drawn.
    losses = page.get_by_role("grid", name="Log-loss per row")
    expect(losses).to_contain_text("3.1085")
    expect(page.get_by_text(re.compile(r"^Accuracy 78\.7%; always saying yes is right in 82\.7%"))).to_be_visible()
    expect(page.get_by_role("grid", name="Confusion of the states of Fever")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^ROC curve of Fever = yes against the rest"))).to_be_visible()
    page.get_by_role("combobox", name=re.compile("^Target")).click()
    page.locator(".MuiMenuItem-root").filter(has_text="Rash").click()
    expect(page.get_by_role("grid", name="Confusion of the states of Rash")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Calibration of Rash = yes"))).to_be_visible()
