"""What is no longer on the page is let go."""

from __future__ import annotations

from tests.ui.conftest import BUILT
from tests.ui.stage import LET_GO

HEARD = """() => Bokeh.documents.flatMap(document => [...document._all_models.values()])
  .flatMap(model => Object.values(model.js_event_callbacks)).reduce((sum, heard) => sum + heard.length, 0)"""
"""How many listeners the models of the page have."""
TABS = ("Open", "Data", "Runs", "Share")


def test_tabs_that_are_opened_again_leave_nothing_behind(open_desk):
    """Else each of them would keep a thousand elements of the page each time, and tell them of every event."""
    desk = open_desk()

    def turn() -> None:
        for name in TABS:
            desk.tab(name).synced()
            desk.page.wait_for_function(BUILT)
        desk.page.evaluate(LET_GO)

    turn()
    before, found = 0, desk.page.evaluate(HEARD)
    while found != before:  # until all is built that is built later
        desk.page.wait_for_timeout(500)
        before, found = found, desk.page.evaluate(HEARD)
    for _ in range(2):
        turn()
    desk.page.wait_for_function(f"number => ({HEARD})() === number", arg=found)
