"""How a race stands, in words: briefly on the strip, and of the moment that is looked at."""

from __future__ import annotations

import pytest

from pgmgui.project.certificate import certify
from pgmgui.state.race_words import certify_shown, describe_race, rank, tell_each
from pgmgui.state.travel import Traveller
from pgmgui.tabs.runs.panel import RunsPanel
from tests.pgmgui.state.test_race import follow, make_race


@pytest.fixture(scope="module")
def raced():
    session, race = make_race(methods=("em-textbook", "em", "d-em", "d-lbfgs"), seed=3)
    race.begin()
    follow(race)
    return session, race


def test_of_many_learners_only_the_leader_has_a_sentence(raced):
    _, race = raced
    lines = describe_race(race, briefly=True)
    assert sum("converged" in line for line in lines) == 1
    leader, *others = rank(race.curves.values())
    assert leader is race.leader
    (behind,) = [line for line in lines if line.startswith("Nats below it: ")]
    told = behind.removeprefix("Nats below it: ").rstrip(".").split(", ")
    assert len(told) == len(others) == 3
    heights = [curve.height for curve in others]
    assert heights == sorted(heights, reverse=True)
    assert max(map(len, lines[:3])) < 130
    # In full, the best comes first too.
    assert tell_each([leader])[0] == next(line for line in race.describe() if "converged" in line)
    assert sum("converged" in line for line in race.describe()) == 4


def test_strip_and_runs_certify_the_moment_that_is_looked_at(raced):
    session, race = raced
    traveller = Traveller(session, race)
    at_the_end = certify_shown(race, None)
    assert at_the_end == certify(race.parts.bounds, race.best)
    traveller.go_to(2)
    early = certify_shown(race, session.moment)
    assert early.startswith(f"At {session.moment.title}: ")
    assert early.lower().endswith(certify(race.parts.bounds, session.moment.snapshot).lower())
    assert describe_race(race, session.moment, briefly=True)[0] == early
    runs = RunsPanel(session, race, traveller)
    assert early in runs._describe()
    session.travel_to(None)
    assert at_the_end in runs._describe()
    assert describe_race(race, session.moment, briefly=True)[0] == at_the_end
