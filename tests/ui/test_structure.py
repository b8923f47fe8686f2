"""Learning a structure on the page: from a dropped table to a network that is kept."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from pgmgui.project.examples import find_example
from tests.ui.data_tab import DataTab
from tests.ui.lab import Lab

BEST = {("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"), ("lung", "either"), ("either", "xray")}
"""Arrows of the best structure, by BIC; two more lead to dysp."""


class StructureLab(Lab):
    """The page with the words of the search."""

    def says(self, text: str) -> Locator:
        return self.page.get_by_text(re.compile(text))

    def learn(self) -> StructureLab:
        """Let a search go to its end."""
        buttons = self.page.get_by_role("group", name="Search for a structure")  # the Data tab has one of that name too
        buttons.get_by_role("button", name="Learn structure").click()
        expect(self.says("^Ended: ")).to_be_visible()
        return self

    def keep(self) -> StructureLab:
        self.button("Keep").click()
        expect(self.says("^Kept: ")).to_be_visible()
        return self

    @property
    def sign(self) -> Locator:
        """What stands on the arrow of the last step."""
        return self.page.locator(".preview-sign text")


@pytest.fixture
def lab(stage, open_panel) -> StructureLab:
    lab = StructureLab(open_panel("structure", scene="?example=asia-rows"))
    stage.do(lambda: lab.session.configure_search(pace=0.0))
    return lab


def test_from_a_dropped_table_to_a_network_with_a_hidden_variable_that_is_saved(stage, open_desk, tmp_path):
    lab = StructureLab(open_desk())
    stage.do(lambda: lab.session.configure_search(search="exact", pace=0.0))
    lab.new().tab("Data")
    DataTab(lab).drop(find_example("asia-rows").data)
    expect(lab.page.locator("[data-node]")).to_have_count(8)
    assert lab.edges() == []
    lab.button("Learn structure…").click()
    lab.learn()
    expect(lab.says("^No structure scores more: it is at its upper bound")).to_be_visible()
    assert lab.session.network.edges == []
    lab.keep()
    expect(lab.facts.filter(has_text="7 arrows")).to_be_visible()
    assert lab.arrows() > BEST
    # A cause that nobody has seen, drawn by hand, and learned under its bound.
    frame = lab.canvas.bounding_box()
    lab.add(frame["width"] - 90, frame["height"] - 150, "H")
    lab.connect("H", "asia")
    assert ("H", "asia") in lab.arrows()
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.certificate).to_be_visible()
    lab.tab("Share")
    with lab.page.expect_download() as found:
        lab.button("Save session").click()
    found.value.save_as(tmp_path / "session.json")
    saved = json.loads((tmp_path / "session.json").read_text(encoding="utf-8"))
    assert saved["search"]["search"] == "exact"
    assert saved["note"] == "7 arrows learned from 5,000 rows by exact search by BIC"
    assert [result["method"] for result in saved["results"]] == ["d-em"]


def test_arrows_appear_with_a_sign_and_the_canvas_refuses_edits_until_they_are_discarded(lab):
    lab.button("Step").click()
    expect(lab.sign).to_have_text("+")
    expect(lab.page.locator(".edge")).to_have_count(1)
    expect(lab.page.get_by_text("Not kept yet")).to_be_visible()
    expect(lab.says(r"^Paused: hill climbing by BIC, 1 step: 1 arrow, score")).to_be_visible()
    expect(lab.says(r"^Added .* → .*, \+.* nats\.$")).to_be_visible()
    lab.button("Step").click()
    expect(lab.page.locator(".edge")).to_have_count(2)
    lab.connect("asia", "smoke")
    expect(lab.message).to_contain_text("Keep or discard it in the Structure tab")
    assert lab.session.network.edges == []
    expect(lab.page.locator(".edge")).to_have_count(2)
    lab.button("Resume").click()
    expect(lab.says(r"^Ended: hill climbing by BIC, \d+ steps.*: 7 arrows, score -11,212\.39\.")).to_be_visible()
    expect(lab.sign).to_have_count(0)
    expect(lab.says("^No structure scores more: it is at its upper bound")).to_be_visible()
    expect(lab.page.get_by_role("img", name=re.compile("^Ended: hill climbing"))).to_be_visible()
    lab.button("Discard").click()
    expect(lab.page.locator(".edge")).to_have_count(0)
    expect(lab.page.get_by_text("Not kept yet")).to_be_hidden()
    expect(lab.button("Keep")).to_be_disabled()


def test_undo_takes_back_what_was_kept(stage, lab):
    stage.do(lambda: lab.session.configure_search(search="exact"))
    lab.learn().keep()
    assert len(lab.arrows()) == len(lab.session.network.edges) == 7
    lab.undo()
    expect(lab.page.locator(".edge")).to_have_count(0)
    lab.redo()
    expect(lab.page.locator(".edge")).to_have_count(7)


def test_a_constraint_that_names_nobody_is_refused_in_words(lab):
    lab.button("Constraints").click()
    required = lab.page.get_by_role("textbox", name=re.compile("^Required arrows"))
    required.fill("smoke -> nobody")
    required.blur()
    expect(lab.button("Constraints (1)")).to_be_visible()
    lab.button("Learn structure").click()
    expect(lab.message).to_contain_text("no column 'nobody'")
    required.fill("asia -> tub")
    required.blur()
    lab.learn()
    assert ("asia", "tub") in lab.arrows()


def test_a_markov_network_is_offered_edges_and_a_change_of_the_data_is_told(stage, lab):
    stage.do(lab.session.moralise)
    expect(lab.says("^A Markov network: edges without arrows are looked for")).to_be_visible()
    # Of two choices that follow at once, Panel's list may send the first back: it shows each before the next is made.
    choice = lab.page.get_by_role("combobox", name=re.compile("^Search"))
    expect(choice).to_have_text("L1")
    stage.do(lambda: lab.session.configure_search(search="chow-liu"))
    expect(choice).to_have_text("Chow–Liu")
    lab.learn()
    expect(lab.page.locator("[data-edge=undirected]")).to_have_count(6)
    stage.do(lambda: lab.session.set_data(None))
    expect(lab.says("^Stale: ")).to_be_visible()
    expect(lab.page.locator("[data-edge=undirected]")).to_have_count(0)
    lab.undo()
    expect(lab.page.locator("[data-edge=undirected]")).to_have_count(6)
    expect(lab.button("Keep")).to_be_enabled()
