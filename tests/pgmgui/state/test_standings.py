"""How learners stand on the rows held out: scored beside the race, and kept with it."""

from __future__ import annotations

import json

import pytest

from engine.insight.held_out import score_held_out
from engine.learning.learn import learn
from engine.model.errors import PgmError
from pgmgui.project.links import parse_link
from pgmgui.project.session_file import dump, parse
from pgmgui.state import standings
from pgmgui.state.curve import Curve
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.standings import Standings, list_untested
from tests.pgmgui.state.test_race import follow


def at_once(do):
    do()()


def open_race(beside=at_once, **link):
    session = Session()
    race = Race(session)
    Standings(session, race, beside)
    assert race.open(parse_link({"example": "sprinkler", "hold-out": "0.3", **link}).saved)
    return session, race


@pytest.mark.parametrize("example", ["sprinkler", "grid-corners"])
def test_every_iteration_is_scored_on_both_parts(example):
    session, race = open_race(example=example, learner="em,d-lbfgs")
    race.begin()
    follow(race)
    split = session.parts.split
    for curve in race.curves.values():
        frames = {frame.iteration: frame.snapshot for frame in curve.frames.list()}
        assert [one.iteration for one in curve.tested] == sorted(frames)
        for one in curve.tested[:: max(1, len(frames) // 5)]:
            network = frames[one.iteration].network()
            for part, value in ((split.train, one.train), (split.test, one.test)):
                score = score_held_out(network, part)
                assert value == pytest.approx(score.log_likelihood / score.rows, abs=1e-9)
    told = [line for line in race.describe() if line.startswith("Log-loss per row")]
    assert len(told) == 2


def test_nothing_is_scored_where_nothing_is_held_out():
    _, race = open_race(beside=None, **{"hold-out": "0"})
    race.begin()
    follow(race)
    assert [curve.tested for curve in race.curves.values()] == [()]


def test_what_was_scored_is_kept_and_forgotten_without_rows_held_out():
    _, race = open_race()
    race.begin()
    follow(race)
    (curve,) = race.curves.values()
    text = dump(race.saved())
    again = Race(Session())
    assert again.open(parse(text))
    assert again.curves["d-em"].tested == curve.tested
    assert again.describe() == race.describe()


def test_scores_in_a_file_are_believed_as_far_as_the_curve_goes_and_in_its_order():
    _, race = open_race()
    race.begin()
    follow(race)
    (curve,) = race.curves.values()
    root = json.loads(dump(race.saved()))
    (result,) = root["results"]
    end = curve.points[-1].iteration
    result["tested"] = [[end + 1, -1.0, -1.0], *result["tested"][::-1], [10**15, None, None]]
    again = Race(Session())
    assert again.open(parse(json.dumps(root)))
    assert again.curves["d-em"].tested == curve.tested


def test_scores_of_a_run_that_was_begun_anew_are_not_taken():
    waiting = []
    session, race = open_race(waiting.append)
    race.begin()
    follow(race)
    race.begin()
    follow(race)
    waiting.pop(0)()()
    assert [curve.tested for curve in race.curves.values()] == [()]
    assert session.message == ""


def test_the_newest_is_scored_first_and_then_evenly_spread():
    session, _ = open_race()
    snapshot = next(learn(session.network, session.seen))
    curve = Curve("em")
    for iteration in range(200):
        curve.frames.add(iteration, snapshot)
    kept = list(range(200))
    order = [frame.iteration for frame in list_untested(curve)]
    assert order[:5] == [199, 135, 71, 7, 183]
    assert sorted(order) == kept


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (PgmError("too wide"), "The rows held out cannot be scored: too wide."),
        (
            MemoryError(),
            "Scoring the rows held out: there is not enough memory. Close other programs, or take fewer rows.",
        ),
    ],
)
def test_why_rows_cannot_be_scored_is_said_once(monkeypatch, error, why):
    tried, said = [], []
    session, race = open_race()
    session.param.watch(lambda event: said.append(event.new), "message")

    def fail(*_arguments):
        tried.append(1)
        raise error

    monkeypatch.setattr(standings, "score_frame", fail)
    race.begin()
    follow(race)
    assert [text for text in said if text] == [why]
    assert len(tried) == 1


def test_what_is_open_already_is_scored_once_the_page_is_there():
    session, race = open_race(beside=lambda do: None)
    race.begin()
    follow(race)
    later = Standings(session, race, at_once)
    assert [curve.tested for curve in race.curves.values()] == [()]
    later.begin()
    assert all(curve.tested for curve in race.curves.values())
