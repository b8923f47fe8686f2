"""What is no longer on the page is let go."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.conftest import BUILT

HEARD = """() => Math.max(...Bokeh.documents.flatMap(document => [...document._all_models.values()])
  .flatMap(model => Object.values(model.js_event_callbacks)).map(heard => heard.length))"""
"""How many listen to the same event of the same model, at most."""

OTHERS = ("Data", "Share", "Query", "Variable", "Runs")


def test_tabs_that_are_opened_again_leave_nothing_behind(open_desk):
    """Else each of them would keep a thousand elements of the page each time, and tell them of every event."""
    desk = open_desk()
    last = {"Data": desk.page.get_by_role("grid", name="Data", exact=True), "Share": desk.button("Copy as Python")}
    found = []
    for name in 6 * list(last):
        desk.tab(name).synced()
        expect(last[name]).to_be_visible()
        desk.page.wait_for_function(BUILT)
        found.append(desk.page.evaluate(HEARD))
    assert max(found) <= 2, found  # one, and another while it is taken away


def test_tabs_that_are_left_while_they_are_built_leave_nothing_behind(open_desk):
    desk, found = open_desk(), []
    for _ in range(6):
        for name in (*OTHERS, "Open"):
            desk.page.get_by_role("tab", name=name, exact=True).click()
        expect(desk.button("Moralise")).to_be_visible()
        desk.page.wait_for_function(BUILT)
        found.append(desk.page.evaluate(HEARD))
    assert max(found) <= 2, found
