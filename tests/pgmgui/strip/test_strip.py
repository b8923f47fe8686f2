"""The run strip and the Runs tab follow the race: nobody has to tell them what it does."""

from types import SimpleNamespace

import pytest

from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.state.playback import Playback
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from pgmgui.strip import strip as strip_module
from pgmgui.strip.strip import LearnStrip
from pgmgui.tabs.runs.panel import RunsPanel


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("hidden-cause"))
    return session


@pytest.fixture
def race(session):
    return Race(session)


@pytest.fixture
def strip(session, race):
    traveller = Traveller(session, race)
    return LearnStrip(session, race, traveller, Playback(session, race, traveller))


def told(strip):
    return strip._state._pane.object


def enabled(strip):
    return {item.text for item in strip._buttons.groups[0].items if not item.disabled}


def follow(strip, race):
    """What the page does until the run has ended."""
    while race.running:
        strip._tick()


def test_the_strip_follows_a_race_from_its_beginning_to_its_end(session, race, strip):
    assert "Ready" in told(strip)
    assert enabled(strip) == {"Start", "Step"}
    race.begin()
    assert "setting up" in told(strip)
    assert enabled(strip) == {"Pause", "Step", "Stop", "Cancel"}
    race.pause()
    assert "Resume" in enabled(strip)
    race.resume()
    follow(strip, race)
    assert "converged" in told(strip)
    assert enabled(strip) == {"Start", "Step", "Discard", "Apply"}
    race.apply()
    assert "Applied" in told(strip)
    assert "Apply" not in enabled(strip)
    session.mark([session.network.variables[-1].name], Hidden())
    assert "Stale" in told(strip)
    race.cancel()
    assert "Ready" in told(strip)


def test_a_strip_that_is_made_after_the_start_follows_too(session, race):
    """A link may begin a run before the page has a strip."""
    race.begin(paused=True)
    traveller = Traveller(session, race)
    strip = LearnStrip(session, race, traveller, Playback(session, race, traveller))
    assert "Resume" in enabled(strip)
    assert strip._ticker.running
    race.cancel()
    strip._tick()
    assert not strip._ticker.running


def test_a_session_that_is_opened_brings_its_results_into_view(session, race, strip):
    race.begin()
    follow(strip, race)
    saved, before = race.saved(), told(strip)
    session.open_example(find_example("asia"))
    race.cancel()
    assert "Ready" in told(strip)
    assert race.open(saved)
    assert told(strip) == before
    assert list(strip._trace._curves) == ["d-em"]


@pytest.mark.parametrize("looks", ["before", "during", "after"])
def test_restarts_are_shown_whenever_the_tab_is_opened(session, race, looks):
    session.configure(restarts=20, methods=("d-em", "em"))
    panel = RunsPanel(session, race, Traveller(session, race))
    if looks == "before":
        panel.look(True)
    race.begin()
    if looks == "during":
        while race.best is None:
            race.tick()
        panel.look(True)
    while race.running:
        race.tick()
    if looks == "after":
        panel.look(True)
    assert "20 restarts found" in panel._restarts._words._pane.object
    assert len(panel._restarts._view) == 3
    # Those of the other learner too, which is not the best.
    other = next(method for method in race.curves if race.curves[method] is not race.leader)
    panel._learner.value = other
    assert panel._restarts._shown is race.curves[other].snapshot
    panel.look(False)
    assert len(panel._restarts._view) == 0
    panel.look(True)
    assert len(panel._restarts._view) == 3


def test_a_stale_run_is_not_gone_through_until_it_is_of_use_again(session, race):
    panel = RunsPanel(session, race, Traveller(session, race))
    panel.look(True)
    assert "Start a run below" in panel._hint._pane.object
    race.begin()
    while race.running:
        race.tick()
    assert panel._travel.visible
    session.mark([session.network.variables[-1].name], Hidden())
    assert not panel._travel.visible
    assert panel._hint._pane.object.startswith("<p>Stale: ")
    session.undo()
    assert panel._travel.visible
    assert "The run: objective" in panel._hint._pane.object


def test_what_the_slider_was_told_and_says_late_is_not_what_the_user_wants(session, race):
    traveller = Traveller(session, race)
    panel = RunsPanel(session, race, traveller)
    panel.look(True)
    race.begin()
    while race.running:
        race.tick()
    panel._slider._process_events({"value": 3, "value_throttled": 3})  # the user
    assert traveller.iteration == 3
    panel._step(1)
    traveller.go_to(0)
    panel._slider._process_events({"value": 4})  # an echo of the step
    assert traveller.iteration == 0
    panel._slider._process_events({"value": 2})  # the user, on the way
    assert traveller.iteration == 2
    traveller.go_to(0)
    panel._slider._process_events({"value": 4, "value_throttled": 4})  # the user, at the end
    assert traveller.iteration == 4


def test_a_look_that_takes_long_is_followed_by_a_longer_rest(race, strip, monkeypatch):
    clock, looks = [0.0], []

    def look() -> None:
        looks.append(clock[0])
        clock[0] += 0.1

    race.begin(paused=True)
    monkeypatch.setattr(strip_module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(strip_module, "_RUNNING", {strip, "another"})
    monkeypatch.setattr(race, "tick", look)
    while len(looks) < 2:
        strip._tick()
        clock[0] += 0.01
    assert looks[1] == pytest.approx(0.1 + 0.1 * strip_module.REST * 2, abs=0.02)


def test_after_a_look_that_fails_the_strip_goes_on_following(race, strip, monkeypatch):
    def fail() -> None:
        raise ZeroDivisionError

    race.begin(paused=True)
    with monkeypatch.context() as patch:
        patch.setattr(race, "tick", fail)
        with pytest.raises(ZeroDivisionError):
            strip._tick()
    race.cancel()
    assert "Ready" in told(strip)
