"""The evidence lab in the browser: targets are dragged, typed and met, and numbers have three meanings."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from pgmgui.project.examples import find_example
from tests import oracles
from tests.ui.query_page import Asking

PLOT = "Residuals of the targets by rounds"


class LabPage(Asking):
    """The page with the words of the evidence lab."""

    @property
    def plot(self):
        return self.page.get_by_role("slider", name=PLOT)

    @property
    def removing(self):
        """The buttons that remove what is supposed, by what they say."""
        return self.supposed.get_by_role("button")

    def turn_to(self, name):
        self.button(name).click()

    def type_number(self, table, column, text, row=0):
        """Type a number over one of a table."""
        cells = self.page.get_by_role("grid", name=table).get_by_role("row").nth(row + 1).get_by_role("gridcell")
        cells.nth(column).click()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")


@pytest.fixture
def lab(open_panel):
    return LabPage(open_panel("query"))


@pytest.fixture
def asia():
    return find_example("asia").read()[0].network


def percents(first):
    """The texts of a variable of two states."""
    return [f"{first:.1f}%", f"{100 - first:.1f}%"]


def test_targets_are_dragged_and_met_before_or_after_what_is_known(stage, lab):
    """The numbers of SPEC §6: on the canvas, in the tab, and in words."""
    lab.show_bars()
    lab.suppose("smoke", "yes")
    expect(lab.variable("lung").locator(".now")).to_have_text(percents(10))  # where a target begins
    lab.kind("lung", "target").click()
    expect(lab.removing).to_have_text(["✕ smoke = yes", "✕ lung: target yes 0.1, no 0.9"])
    slider = lab.variable("lung").get_by_role("slider", name="Target of lung = yes")
    expect(slider).to_have_attribute("aria-valuenow", "0.1")
    slider.focus()
    lab.page.keyboard.press("ArrowRight")
    lab.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "0.2")
    expect(lab.variable("lung").locator(".now")).to_have_text(percents(20))
    expect(slider).to_be_focused()
    stage.do(lambda: lab.session.want(("dysp",), (0.6, 0.4)))
    expect(lab.bar("dysp", "yes").locator(".weight")).to_be_visible()
    lab.drag_bar("dysp", "yes", 0.7)
    expect(lab.removing.nth(2)).to_have_text(re.compile(r"^✕ dysp: target yes 0\.(69|7|71), no 0\.(29|3|31)$"))
    stage.do(lambda: lab.session.want(("dysp",), (0.7, 0.3)))
    for name, first in {"dysp": 70, "lung": 20, "bronc": 67.4, "xray": 24.5}.items():
        expect(lab.card(name).locator(".percent")).to_have_text(percents(first))
    met = re.compile("^Targets met by BN-IPFP-2 .chosen by estimated time. in 8 rounds, to")
    expect(lab.page.get_by_text(met)).to_be_visible()
    lab.turn_to("evidence lab")
    lab.button("non-fixed").click()
    for name, first in {"dysp": 79.4, "lung": 30.3, "bronc": 71.0, "xray": 34.0}.items():
        expect(lab.card(name).locator(".percent")).to_have_text(percents(first))
    expect(lab.page.get_by_text("Non-fixed: targets hold in the model before the rest")).to_be_visible()
    # A state lets a target go; so does the list.
    lab.click_bar("lung", "yes")
    expect(lab.removing).to_have_text(["✕ smoke = yes", "✕ lung = yes", "✕ dysp: non-fixed target yes 0.7, no 0.3"])
    lab.removing.nth(2).click()
    expect(lab.removing).to_have_count(2)
    expect(lab.page.get_by_text("No targets yet.")).to_be_visible()


def test_rounds_are_gone_through_with_keys_and_buttons(stage, lab):
    stage.do(lambda: lab.session.want(("dysp",), (0.7, 0.3)))
    stage.do(lambda: lab.session.want(("lung",), (0.2, 0.8)))
    lab.turn_to("evidence lab")
    expect(lab.plot).to_have_attribute("aria-valuenow", "8")
    lab.plot.focus()
    lab.page.keyboard.press("Home")
    expect(lab.page.get_by_text("Before the first round: 0 nats from the model")).to_be_visible()
    expect(lab.page.get_by_text("Off by: dysp 0.26, lung 0.15.")).to_be_visible()
    lab.page.keyboard.press("ArrowRight")
    expect(lab.page.get_by_text("After round 1 of 8:")).to_be_visible()
    lab.page.get_by_role("button", name="▶", exact=True).click()
    expect(lab.plot).to_have_attribute("aria-valuenow", "2")
    expect(lab.plot).to_have_attribute("aria-valuetext", re.compile("^After round 2 of 8: "))
    lab.page.get_by_role("button", name="▶|", exact=True).click()
    expect(lab.page.get_by_text("After round 8 of 8:")).to_be_visible()
    expect(lab.page.get_by_role("button", name="▶", exact=True)).to_be_disabled()
    # Another solver, the same answer.
    lab.page.get_by_role("combobox", name="Solver").click()
    lab.page.locator(".MuiMenuItem-root").filter(has_text="modified tree").click()
    expect(lab.page.get_by_text(re.compile("^Targets met by modified tree in 8 rounds"))).to_be_visible()


def test_numbers_are_typed_alone_and_together_and_refused_in_words(lab, asia):
    lab.turn_to("evidence lab")
    expect(lab.page.get_by_text("Select a variable on the canvas to say what is known")).to_be_visible()
    lab.select("smoke")
    lab.type_number("Probable now of smoke", 0, "0.8")
    expect(lab.page.get_by_text("They sum to 1.3, and a target sums to 1: change another")).to_be_visible()
    lab.type_number("Probable now of smoke", 1, "0.2")
    expect(lab.removing).to_have_text(["✕ smoke: target yes 0.8, no 0.2"])
    lab.type_number("Target of smoke", 0, "much")
    expect(lab.message).to_contain_text("'much' is no number")
    lab.page.keyboard.press("Escape")
    # Two together: they must agree with what there is.
    lab.node("bronc").click(modifiers=["Shift"])
    table = "Probable now of smoke, bronc"
    cells = lab.page.get_by_role("grid", name=table).get_by_role("gridcell")
    expect(cells).to_have_text(["0.48", "0.32", "0.06", "0.14"])
    lab.type_number(table, 0, "0.58")
    lab.type_number(table, 1, "0.22")
    expect(lab.removing).to_have_text(
        ["✕ smoke: target yes 0.8, no 0.2", re.compile("^✕ smoke, bronc: target yes/yes 0.58")]
    )
    smoke, bronc = asia.index["smoke"], asia.index["bronc"]
    joint = oracles.joint_weights([2] * 8, asia.scopes, asia.tables, {})
    wanted = {(smoke, bronc): np.array([[0.58, 0.22], [0.06, 0.14]])}
    dysp = oracles.marginal(oracles.project_on_marginals(joint, wanted, 2), (asia.index["dysp"],))
    lab.select("dysp")
    expect(lab.variable("dysp").locator(".now")).to_have_text(percents(100 * dysp[0]))
    lab.select("smoke")
    lab.variable("smoke").get_by_role("slider", name="Target of smoke = yes").focus()
    lab.page.keyboard.press("ArrowRight")
    expect(lab.message).to_contain_text("differ by up to 0.05 in what they say of 'smoke': make them agree")
    expect(lab.removing).to_have_count(2)


def test_one_number_has_three_meanings(lab, asia):
    lab.suppose("smoke", "yes")
    lab.turn_to("three meanings")
    expect(lab.page.get_by_text("Select a variable on the canvas, and give a number")).to_be_visible()
    lab.select("dysp")
    for sentence in ("Likelihood: what was seen", "Fixed target: the posterior is this", "Non-fixed target: the model"):
        expect(lab.page.get_by_text(sentence)).to_be_visible()
    field = lab.page.get_by_role("textbox", name="Numbers for dysp: yes, no")
    expect(field).to_have_value("0.8 0.2")
    field.fill("0.9 0.2")
    lab.page.keyboard.press("Enter")
    expect(lab.message).to_contain_text("sum to 1.1; to be read as a target they must sum to 1")
    expect(field).to_have_value("0.8 0.2")
    field.fill("0.7 0.3")
    lab.page.keyboard.press("Enter")
    prior = oracles.joint_weights([2] * 8, asia.scopes, asia.tables, {})
    known = oracles.joint_weights([2] * 8, asia.scopes, asia.tables, {asia.index["smoke"]: np.array([1.0, 0.0])})
    dysp = asia.index["dysp"]
    seen = oracles.joint_weights(
        [2] * 8, asia.scopes, asia.tables, {asia.index["smoke"]: np.array([1, 0]), dysp: np.array([0.7, 0.3])}
    )
    moved = oracles.project_on_marginals(prior, {dysp: (0.7, 0.3)}, 2)
    moved = np.where(known > 0, moved, 0)
    found = [known, seen, oracles.project_on_marginals(known, {dysp: (0.7, 0.3)}, 2), moved]
    shares = [oracles.marginal(weights, (dysp,))[0] / weights.sum() for weights in found]
    row = lab.page.get_by_role("grid", name="Three meanings").get_by_role("row").nth(1).get_by_role("gridcell")
    expect(row).to_have_text([f"{100 * share:.1f}%" for share in shares])


def test_the_scenes_of_the_guide_show_targets_and_a_conflict(open_panel):
    lab = LabPage(open_panel("query", "guide"))
    lab.turn_to("evidence lab")

    def show(title, step):
        lab.page.get_by_role("combobox", name="Worked scene").click()
        lab.page.locator(".MuiMenuItem-root").filter(has_text=title).click()
        for _ in range(step):
            lab.button("Next").click()
        expect(lab.page.get_by_text(f"Step {step + 1} of 3")).to_be_visible()
        lab.button("Show me").click()

    show("Targets: what shall hold", 2)
    expect(lab.card("xray").locator(".percent")).to_have_text(percents(34.0))
    expect(lab.button("non-fixed")).to_have_attribute("aria-pressed", "true")
    show("Targets that cannot hold at once", 1)
    expect(lab.page.get_by_text(re.compile("^After 46 rounds, some targets are still off and come no"))).to_be_visible()
    expect(lab.plot).to_have_attribute("aria-valuenow", "46")
    expect(lab.plot.get_by_text("0", exact=True)).to_have_count(2)  # of rounds, and of residuals
    expect(lab.plot.locator("circle[fill=none]")).to_have_count(1)
    expect(lab.card("xray").locator(".percent")).to_have_text(["–", "–"])
    lab.button("Next").click()
    lab.button("Show me").click()
    expect(lab.card("xray").locator(".percent")).to_have_text(percents(66.4))
    expect(lab.plot).to_have_attribute("aria-valuenow", "199")
