"""In front of a class: keys wherever the focus is, and large type."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import Lab

SIZE = "element => parseFloat(getComputedStyle(element).fontSize)"


def test_keys_run_step_and_go_back(open_panel):
    lab = Lab(open_panel("open", "runs", "strip"))
    press = lab.page.keyboard.press
    press("s")
    lab.expect_state("paused")
    expect(lab.state()).to_contain_text("after 1 iteration,")
    press("s")
    expect(lab.state()).to_contain_text("after 2 iterations")
    press(",")
    expect(lab.page.get_by_text("the parameters of iteration 1 of decomposed EM")).to_be_visible()
    press(",")
    expect(lab.page.get_by_text("the parameters of iteration 0 of decomposed EM")).to_be_visible()
    press(".")
    expect(lab.page.get_by_text("the parameters of iteration 1 of decomposed EM")).to_be_visible()
    press("r")
    lab.expect_state("converged")
    # In a field, letters are letters.
    field = lab.page.get_by_role("textbox", name="Path on this machine")
    field.click()
    lab.page.keyboard.type("rst,.")
    expect(field).to_have_value("rst,.")
    lab.expect_state("converged")


def test_large_type(open_desk):
    lab = Lab(open_desk())
    lab.button("Start").click()
    lab.expect_state("converged")
    places = {
        "state": lab.state(),
        "node": lab.node("tub").locator(".name"),
        "button": lab.button("Start"),
        "tab": lab.page.get_by_role("tab", name="Open"),
    }
    before = {name: place.evaluate(SIZE) for name, place in places.items()}
    lab.page.keyboard.press("t")
    expect(lab.button("Aa ✓")).to_be_visible()
    for name, place in places.items():
        lab.page.wait_for_function(
            f"([element, before]) => ({SIZE})(element) > 1.15 * before", arg=[place.element_handle(), before[name]]
        )
    # Nothing is pushed off the page or lies on another, and the plot's words have grown too.
    lab.page.wait_for_function(
        "([above, below]) => above.getBoundingClientRect().bottom + 4 <= below.getBoundingClientRect().top",
        arg=[lab.button("Options").element_handle(), lab.button("Start").element_handle()],
    )
    assert lab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert lab.page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    lab.page.wait_for_function(
        """() => Bokeh.documents.some(document => [...document._all_models.values()].some(
             model => model.type === "Legend" && model.label_text_font_size === "17px"))"""
    )
    lab.button("Aa ✓").click()
    for name, place in places.items():
        lab.page.wait_for_function(
            f"([element, before]) => ({SIZE})(element) === before", arg=[place.element_handle(), before[name]]
        )
    expect(lab.page.get_by_role("tab", name="Share")).to_be_in_viewport(ratio=1)
