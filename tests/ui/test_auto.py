"""The automatic learner on the page: offered first, it certifies Asia where EM does not, and says what it did."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import Lab


def test_the_automatic_learner_certifies_and_says_what_it_did(open_panel):
    lab = Lab(open_panel("parts", "strip"))
    lab.button("Learners").click()
    expect(lab.page.get_by_role("checkbox").first).to_have_accessible_name("automatic")
    lab.page.keyboard.press("Escape")
    lab.choose_learners("automatic")
    lab.button("Start").click()
    lab.expect_state("converged", "automatic")
    lab.expect_state("converged", "decomposed EM")
    expect(lab.certificate).to_have_text(
        "Certified: every component is at its upper bound, so no parameters are better."
    )
    lines = lab.expect_lines("automatic", "decomposed EM", "upper bound (I-map)")
    assert lines["automatic"]["y"][-1] > lines["decomposed EM"]["y"][-1]
    expect(lab.page.get_by_text("Component 2: The best of 8 restarts")).to_contain_text("It is at its bound.")
    lab.row(2).click()
    expect(lab.page.get_by_text("The best of 8 restarts")).to_contain_text("of 7 variations and new starts")
