"""What is foretold of the rows held out: by the parameters looked at, of the variable chosen or selected."""

from __future__ import annotations

import numpy as np
import pytest

from engine.insight.prediction import predict
from pgmgui.project.links import parse_link
from pgmgui.state.frames import Frame
from pgmgui.state.predicting import Predicting
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from tests.pgmgui.state.test_race import follow


def at_once(do):
    do()()


def open_learned(**link):
    session = Session()
    race = Race(session)
    assert race.open(parse_link({"example": "sprinkler", "hold-out": "0.3", **link}).saved)
    predicting = Predicting(session, at_once)
    race.begin()
    follow(race)
    return session, race, predicting


def test_the_target_is_what_was_selected_or_chosen_last():
    session, _, predicting = open_learned()
    assert predicting.targets == ["Cloudy", "Sprinkler", "Rain", "WetGrass"]
    assert predicting.target == "Cloudy"
    session.select(["Rain"])
    assert predicting.target == "Rain"
    session.select(["Rain", "Cloudy"])
    predicting.choose("WetGrass")
    assert predicting.target == "WetGrass"
    session.toggle_hidden(["WetGrass"])
    assert predicting.target == "Cloudy"
    assert "WetGrass" not in predicting.targets
    session.select(["WetGrass"])
    assert predicting.target == "Cloudy"


def test_it_is_foretold_by_the_moment_looked_at_while_somebody_looks():
    session, race, predicting = open_learned()
    assert predicting.predicted is None
    predicting.look(True)
    test = session.parts.split.test
    found = predicting.predicted
    assert (found.target, found.title) == ("Cloudy", "the newest iteration")
    expected = predict(session.learned.network(), test, 0)
    np.testing.assert_array_equal(found.prediction.probability, expected.probability)
    frame = race.leader.frames.list()[1]
    session.travel_to(Frame(1, frame.snapshot, "iteration 1 of EM"))
    assert predicting.predicted.title == "iteration 1 of EM"
    expected = predict(frame.snapshot.network(), test, 0)
    np.testing.assert_array_equal(predicting.predicted.prediction.probability, expected.probability)
    assert predicting.predicted.score.rows == test.total_weight
    rows = session.parts.split.train.total_weight
    assert predicting.predicted.train == pytest.approx(float(frame.snapshot.log_likelihood.sum()) / rows)


def test_what_is_given_is_not_foretold():
    _, _, predicting = open_learned(example="grid-corners", given="5", learner="d-em")
    assert "5" not in predicting.targets
    assert "2" in predicting.targets


def test_why_nothing_is_foretold_is_said():
    session, _, predicting = open_learned(partial="Cloudy:1")
    predicting.target = "Cloudy"
    assert "Cloudy" not in predicting.targets
    predicting.look(True)
    assert predicting.predicted.prediction is not None
    session.hold_out(0.0, 0)
    assert (predicting.targets, predicting.target) == ([], "")
