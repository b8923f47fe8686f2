"""The Runs tab, without a browser."""

from __future__ import annotations

from pgmgui.project.examples import find_example
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from pgmgui.tabs.runs.panel import RunsPanel
from tests.pgmgui.state.test_race import follow


def test_a_slider_that_says_late_where_it_was_told_to_be_stays_where_the_run_is():
    session = Session()
    session.open_example(find_example("asia"))
    race = Race(session)
    traveller = Traveller(session, race)
    panel = RunsPanel(session, race, traveller)
    panel.look(True)
    race.begin(paused=True)
    race.step()
    while session.learned is None:
        race.tick()
    early = panel._slider.value
    race.resume()
    follow(race)
    assert panel._slider.value == traveller.last > early
    panel._slider.value = early  # the browser, which was busy
    assert panel._slider.value == traveller.last
    assert session.moment is None
    panel._slider.value = 7  # the user
    assert session.moment.iteration == 7
    traveller.go_to(30)  # along the plot
    traveller.go_to(12)
    panel._slider.value = 30  # the browser again
    assert panel._slider.value == session.moment.iteration == 12
    panel._slider.value = 31  # the user
    assert session.moment.iteration == 31
