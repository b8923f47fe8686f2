"""The missingness studio in the Data panel: a mechanism, what it takes, its indicator, and the bias."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.data_tab import DataTab


class StudioTab(DataTab):
    """The Data panel with the studio open."""

    def choose(self, label: str, text: str) -> None:
        """Choose an entry of a list."""
        self.page.get_by_role("combobox", name=re.compile(f"^{label}")).click()
        self.choose_option(text)

    def grid(self, name: str) -> Locator:
        return self.page.get_by_role("grid", name=name)

    def expect_said(self, text: str) -> None:
        expect(self.page.get_by_text(text)).to_be_visible()


@pytest.fixture
def studio(open_panel) -> StudioTab:
    """The studio, about smoke."""
    tab = StudioTab(open_panel("data"))
    tab.node("smoke").click()
    tab.button("Missingness…").click()
    tab.expect_said("All values of smoke are known.")
    return tab


def test_a_mechanism_takes_values_and_biases_what_is_learned(studio):
    studio.choose("What decides which", "its own value")
    studio.expect_said("Not at random (NMAR): whether smoke is there depends on its own value.")
    expect(studio.node("smoke")).to_have_attribute("data-role", "partial")
    chances = studio.grid("How probably smoke is missing by smoke")
    expect(studio.cell(chances, 0, 1)).to_have_text("0.600")
    studio.cell(chances, 0, 1).click()
    studio.page.keyboard.type("1.5")
    studio.page.keyboard.press("Enter")
    expect(studio.message).to_contain_text("'1.5' is above 1; type a probability from 0 to 1")
    expect(chances.locator("input")).to_have_attribute("aria-invalid", "true")  # offered again, after the words
    studio.page.keyboard.press("Control+a")
    studio.page.keyboard.type("0.9")
    studio.page.keyboard.press("Enter")
    expect(studio.cell(chances, 0, 1)).to_have_text("0.900")
    expect(studio.cell(chances, 0, 2)).to_have_text(re.compile(r"^0\.[89]"))
    studio.button("Learn both ways").click()
    studio.expect_said("As if at random, smoke is off the distribution in the complete data by up to")
    bias = studio.grid("smoke as it is and as it is learned")
    expect(studio.cell(bias, 1, 1)).to_have_text("As if at random")
    expect(studio.cell(bias, 1, 3)).to_have_text(re.compile(r"^−0\.[234]"))
    studio.page.get_by_role("button", name="Undo").click()
    expect(bias).to_be_hidden()
    expect(studio.cell(chances, 0, 1)).to_have_text("0.600")


def test_the_indicator_is_added_to_the_network_and_taken_out(studio):
    studio.choose("What decides which", "the state of bronc")
    studio.expect_said("At random (MAR): whether smoke is there depends on bronc")
    expect(studio.grid("Share missing of each state of smoke")).to_be_visible()
    studio.button("Add O_smoke").click()
    expect(studio.node("O_smoke")).to_have_attribute("data-role", "observed")
    studio.expect_said("O_smoke is in the network and tells in every row whether smoke is there.")
    expect(studio.page.get_by_role("combobox", name=re.compile("^What decides which"))).to_be_disabled()
    studio.button("Take O_smoke out").click()
    expect(studio.node("O_smoke")).to_have_count(0)
    expect(studio.node("smoke")).to_have_attribute("data-role", "partial")
    studio.button("Take off").click()
    studio.expect_said("All values of smoke are known.")
    expect(studio.node("smoke")).to_have_attribute("data-role", "observed")
