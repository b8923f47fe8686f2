"""What else the Parts tab shows, in the browser: the junction tree and the meta-network."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.test_accessibility import BESIDE, judge_settled


def test_a_clique_selects_its_variables_and_a_component_has_a_tree(stage, open_panel):
    lab = Lab(open_panel("parts"))
    lab.button("junction tree").click()
    expect(lab.page.get_by_text("The network as such: 8 variables in 6 cliques, width 2")).to_be_visible()
    tree = lab.page.get_by_role("group", name="Junction tree of 6 cliques over 8 variables")
    expect(tree.get_by_role("button")).to_have_count(6)
    first = tree.get_by_role("button").first
    first.focus()
    lab.press("ArrowDown")
    lab.press("Enter")
    expect(tree.get_by_role("button", pressed=True)).to_have_count(1)
    assert len(lab.session.selected) in (2, 3)
    tree.get_by_role("button", name="Clique of xray, either").click()
    expect(tree.get_by_role("button", name="Clique of xray, either", pressed=True)).to_be_visible()
    assert lab.session.selected == ["xray", "either"]
    lab.button("component").click()
    expect(lab.page.get_by_text("Look at a component first")).to_be_visible()
    stage.do(lambda: lab.session.look_at(1))
    expect(
        lab.page.get_by_text("Component 2, given what is observed in every row: 2 variables in 1 clique")
    ).to_be_visible()
    lab.page.evaluate(Axe().axe_script)
    assert judge_settled(lab, "light", "junction tree", f"({BESIDE})()") == []


def test_the_meta_network_is_taken_apart_step_by_step(stage, open_panel):
    lab = Lab(open_panel("parts"))
    lab.button("meta-network").click()
    expect(lab.page.get_by_role("group", name="Meta-network", exact=True).locator(".box")).to_have_count(18 + 3 * 8)
    lab.button("3 islands").click()
    islands = lab.page.get_by_role("group", name="Meta-network with its islands")
    expect(islands.locator(".island")).to_have_count(18 + 3)
    expect(lab.page.get_by_text("21 islands remain")).to_be_visible()
    lab.page.evaluate(Axe().axe_script)
    assert judge_settled(lab, "light", "meta-network", f"({BESIDE})()") == []
    stage.do(lab.session.moralise)
    expect(lab.page.get_by_text("Only the parameters of a Bayesian network")).to_be_visible()
