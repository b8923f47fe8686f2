"""Scores of rows beside the page: of the parameters that are shown, and only while somebody looks."""

from __future__ import annotations

import numpy as np
import pytest

from engine.insight.row_scores import score_rows
from engine.learning.learn import learn
from pgmgui.project.examples import find_example
from pgmgui.project.marks import Hidden
from pgmgui.state.row_scores import RowScoring
from pgmgui.state.session import Session


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def at_once(do):
    do()()


def test_rows_are_scored_by_what_is_shown_while_somebody_looks(session):
    scoring = RowScoring(session, at_once)
    assert scoring.scored is None
    scoring.look(True)
    own = score_rows(session.network, session.seen).log_likelihood
    np.testing.assert_array_equal(scoring.scored.scores.log_likelihood, own)
    assert scoring.scored.title == "the network itself"
    *_, last = learn(session.network, session.seen)
    session.report(last)
    session.view("learned")
    learned = score_rows(last.network(), session.seen).log_likelihood
    np.testing.assert_array_equal(scoring.scored.scores.log_likelihood, learned)
    assert scoring.scored.title == "the newest iteration"
    before = scoring.scored
    scoring.look(False)
    session.mark(["smoke"], Hidden())
    assert scoring.scored is before
    scoring.look(True)
    assert scoring.scored.dataset is session.seen


def test_scores_of_rows_that_are_gone_are_not_taken(session):
    waiting = []
    scoring = RowScoring(session, waiting.append)
    scoring.look(True)
    session.set_data(None)
    waiting.pop()()()
    assert scoring.scored is None


def test_a_row_is_looked_at_until_the_data_is_other(session):
    session.look_at_row(499)
    assert session.row == 499
    session.look_at_row(500)
    assert session.row is None
    session.look_at_row(7)
    session.set_data(None)
    assert session.row is None


def test_a_row_that_is_asked_for_again_is_shown_again(session):
    shown = []
    session.param.watch(lambda event: shown.append(event.new), "row")
    session.look_at_row(7)
    session.look_at_row(7)
    assert shown == [7, 7]
