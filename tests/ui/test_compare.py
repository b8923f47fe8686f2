"""Tables compared on the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pgmgui.tabs.variable.comparing import find_marginal
from tests.ui.lab import Lab
from tests.ui.test_travel import cell, learn_again, shown


def test_tables_are_compared_and_a_prior_shrinks_them(open_panel):
    lab = Lab(open_panel("variable", "strip")).select("tub").tab("Compare")
    expect(lab.page.get_by_text("There is nothing to compare with yet")).to_be_visible()
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.page.get_by_text(re.compile("^From current .* to learned"))).to_be_visible()
    last = learn_again("asia")[-1]
    own, learned = (0.05, 0.01), last.network().tables[1][:, 0]
    change = [b - a for a, b in zip(own, learned, strict=True)]
    first = cell(lab, "Differences of tub", 0, 1)
    expect(first).to_have_text(f"{change[0]:+.4f}")  # that of an earlier iteration is shown for a moment more
    assert [float(row[1]) for row in shown(lab, "Differences of tub")] == pytest.approx(change, abs=6e-5)
    assert "color-mix" in first.get_attribute("style")
    expect(first).to_have_attribute("title", re.compile("^0.05 → .*; expected count"))
    lab.tab("Prior")
    predictive = (last.task.layout.tables(last.counts[last.best])[1] + 1)[0]
    estimate = f"{predictive[0] / predictive.sum():.6f}"
    expect(cell(lab, "Estimates of tub", 0, 4)).to_have_text(estimate)
    lab.tab("Compare")
    # The slider shows what a prior would do.
    slider = lab.page.get_by_role("slider", name=re.compile("^Prior exponent"))
    slider.focus()
    lab.page.keyboard.press("End")
    expect(lab.page.get_by_text(re.compile("to MAP"))).to_be_visible()
    counts = last.task.layout.tables(last.counts[last.best])[1]
    shrunk = (counts + 49) / (counts + 49).sum(axis=1, keepdims=True)
    expect(cell(lab, "Differences of tub", 0, 1)).to_have_text(f"{shrunk[0, 0] - own[0]:+.4f}")
    lab.button("Use this exponent").click()
    lab.tab("Prior")
    expect(lab.page.get_by_role("textbox", name=re.compile("^Exponent"))).to_have_value("50")
    # The run was of another prior, so that only what was changed by hand is left to compare.
    lab.tab("Table")
    lab.button("Uniform").click()
    lab.tab("Compare")
    expect(lab.page.get_by_text(re.compile("^From current .* to previous"))).to_be_visible()
    expect(cell(lab, "Differences of tub", 0, 1)).to_have_text("-0.4500")


def test_factors_are_compared_by_what_they_make_probable(open_panel):
    lab = Lab(open_panel("variable", "strip", scene="thesis-grid")).select("2").tab("Compare")
    expect(lab.page.get_by_text("There is nothing to compare with yet")).to_be_visible()
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.page.get_by_text(re.compile("^From current .* to learned"))).to_be_visible()
    expect(lab.page.get_by_text("its own numbers have no scale")).to_be_visible()
    network, learned = lab.session.network, lab.session.learned.network()
    scope = [network.variables[v] for v in network.scopes[0]]
    change = find_marginal(learned, scope) - find_marginal(network, scope)
    expect(cell(lab, "Differences of 1–2", 0, 1)).to_have_text(f"{change[0, 0]:+.4f}")
    texts = [[float(text) for text in row[1:]] for row in shown(lab, "Differences of 1–2")]
    assert texts == pytest.approx(change, abs=6e-5)
    lab.page.get_by_role("combobox", name=re.compile("^Factor")).click()
    lab.page.locator(".MuiMenuItem-root").filter(has_text="2–5").click()
    expect(lab.page.get_by_role("grid", name="Differences of 2–5")).to_be_visible()


def test_hidden_states_that_a_run_has_exchanged_are_renamed_before_they_are_compared(open_panel):
    lab = Lab(open_panel("variable", "strip", scene="?example=latent-class&seed=3")).select("A").tab("Compare")
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.page.get_by_text("in learned, Class is renamed: 1 is its 2, 2 is its 1.")).to_be_visible()
    own, learned = (network.tables[1] for network in (lab.session.network, lab.session.learned.network()))
    assert abs(learned - own).max() > 0.5
    change = learned[::-1] - own
    expect(cell(lab, "Differences of A", 0, 1)).to_have_text(f"{change[0, 0]:+.4f}")
    texts = [[float(text) for text in row[1:]] for row in shown(lab, "Differences of A")]
    assert texts == pytest.approx(change, abs=6e-5)
