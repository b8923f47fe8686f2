"""The guided first run goes on when the user does what it says."""

import pytest

from engine.learning.learn import learn
from pgmgui.board.first_run_card import NO_LEARNER, RUNNING, STEPS, make_first_run_card
from pgmgui.project.examples import load_gallery
from pgmgui.state.first_run import DONE, HIDE, LOOK, READ, START, FirstRun
from pgmgui.state.race import Race
from pgmgui.state.session import Session


@pytest.fixture
def session():
    session = Session()
    session.open_example(load_gallery()[0])
    return session


def run(session):
    *_, last = learn(session.network, session.seen)
    session.report(last)


def test_each_step_is_noticed(session):
    card = FirstRun(session)
    assert (card.step, len(STEPS)) == (LOOK, DONE + 1)
    session.select(["smoke"])
    assert card.step == START
    run(session)
    assert card.step == READ
    session.toggle_hidden(["smoke"])
    assert card.step == DONE
    card.open()
    assert card.step == LOOK


def test_who_is_ahead_by_one_step_is_followed_and_by_more_is_not(session):
    card = FirstRun(session)
    session.toggle_hidden(["smoke"])
    assert card.step == LOOK
    run(session)
    assert card.step == READ


def test_who_goes_back_during_a_run_stays_there(session):
    card = FirstRun(session)
    card.step = START
    run(session)
    assert card.step == READ
    card.go(-1)
    run(session)  # which says again what it has learned
    assert card.step == START


def test_another_scene_is_not_a_mark(session):
    card = FirstRun(session)
    card.step = HIDE
    session.open_example(load_gallery()[1])
    assert card.step == HIDE
    session.undo()
    assert card.step == HIDE
    session.toggle_hidden(["smoke"])
    assert card.step == DONE


@pytest.mark.parametrize("message", [None, 5, {}, {"by": 2}, {"by": "x"}, {"by": []}, {"type": "go"}])
def test_other_messages_are_nothing(session, message):
    first_run = FirstRun(session)
    card = make_first_run_card(first_run, session, Race(session))
    card._handle_msg(message)
    assert (first_run.step, card.step) == (LOOK, LOOK)


def test_buttons_go_both_ways_and_not_beyond(session):
    card = make_first_run_card(FirstRun(session), session, Race(session))
    card._handle_msg({"by": -1})
    assert card.step == LOOK
    for _ in STEPS:
        card._handle_msg({"by": 1})
    assert card.step == DONE


def test_the_card_opens_when_it_is_asked_for(session, monkeypatch):
    first_run, sent = FirstRun(session), []
    card = make_first_run_card(first_run, session, Race(session))
    monkeypatch.setattr(card, "_send_msg", sent.append)
    for _ in range(2):
        first_run.step = DONE
        first_run.open()
        assert card.step == LOOK
    assert sent == [{"type": "open"}] * 2


def test_nobody_is_told_to_press_start_while_it_is_off(session):
    race = Race(session)
    card = make_first_run_card(FirstRun(session), session, race)
    assert card.steps[START].startswith("Press Start")
    session.configure(methods=())
    assert card.steps[START] == NO_LEARNER
    session.configure(methods=("d-em",))
    assert card.steps[START] == STEPS[START]
    race.begin(paused=True)
    assert card.steps[START] == RUNNING
    race.cancel()
    session.new()
    assert card.steps[START].startswith("Start, below, is off: ")
    assert "Open tab" in card.steps[START]
