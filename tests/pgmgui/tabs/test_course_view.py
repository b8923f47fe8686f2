"""What a learner that searches by itself has done, as the Parts tab tells it."""

from __future__ import annotations

import pytest

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.examples import find_example
from pgmgui.state.session import Session
from pgmgui.tabs.parts import course_view
from pgmgui.tabs.parts.course_view import CourseView


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def lines(view):
    """What is shown, line by line; nothing where it is out of sight."""
    panel = view.__panel__()
    return panel[0].object.replace("<p>", "").split("</p>")[:-1] if panel.visible else []


def report(session, method):
    *_, last = learn(session.network, session.seen, method, stopping=Stopping(max_iter=100))
    session.report(last)
    return last


def test_a_sentence_for_each_component_or_for_the_one_that_is_looked_at(session):
    view = CourseView(session)
    assert lines(view) == []
    last = report(session, "auto")
    open_ones = [k for k, c in enumerate(last.task.decomposition.components) if not c.is_complete]
    assert [line.split(":")[0] for line in lines(view)] == [f"Component {k + 1}" for k in open_ones]
    assert "best of 8 restarts" in lines(view)[0]
    session.look_at(open_ones[0])
    assert [line.split(";")[0] for line in lines(view)] == ["The best of 8 restarts"]
    session.look_at(next(k for k in range(9) if k not in open_ones))
    assert lines(view) == ["Nothing is missing: counted once."]


def test_learners_that_do_not_search_have_nothing_to_say(session):
    view = CourseView(session)
    report(session, "auto")
    report(session, "d-em")
    assert lines(view) == []


def test_of_many_components_some_are_told(session, monkeypatch):
    monkeypatch.setattr(course_view, "MOST_LINES", 0)
    view = CourseView(session)
    report(session, "auto")
    assert lines(view) == ["And 1 component more: click one."]


def test_the_factors_of_a_markov_network_are_one():
    session = Session()
    session.open_example(find_example("thesis-grid"))
    view = CourseView(session)
    report(session, "auto")
    assert [line.split(";")[0] for line in lines(view)] == ["The best of 8 restarts"]
