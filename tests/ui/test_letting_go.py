"""What is no longer on the page is let go."""

from __future__ import annotations

from tests.ui.conftest import BUILT

HEARD = """() => Math.max(...Bokeh.documents.flatMap(document => [...document._all_models.values()])
  .flatMap(model => Object.values(model.js_event_callbacks)).map(heard => heard.length))"""
"""How many listen to the same event of the same model, at most."""
TABS = ("Data", "Share")


def test_tabs_that_are_opened_again_leave_nothing_behind(open_desk):
    """Else each of them would keep a thousand elements of the page each time, and tell them of every event."""
    desk = open_desk()
    found = []
    for name in 6 * TABS:
        desk.tab(name).synced()
        desk.page.wait_for_function(BUILT)
        found.append(desk.page.evaluate(HEARD))
    assert max(found) <= 2  # one, and another while it is taken away
