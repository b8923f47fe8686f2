"""Further questions: when they are asked, and which answers are shown."""

from __future__ import annotations

import pytest

from engine.learning.learn import learn
from engine.model.errors import PgmError
from pgmgui.project.examples import find_example
from pgmgui.state.inquiries import Inquiries
from pgmgui.state.session import Session


class Desk:
    """A session with a question about what is selected, whose work is done when it is told so."""

    def __init__(self):
        self.session = Session()
        self.session.open_example(find_example("asia"))
        self.solved, self.waiting = [], []
        self.inquiries = Inquiries(self.session, self.waiting.append, self.solve, self.choose)

    def choose(self):
        return tuple(self.session.selected) or None

    def solve(self, network, evidence, subject):
        self.solved.append((dict(evidence.states), subject))
        if subject == ("tub",):
            raise PgmError("tub cannot be asked")
        return len(self.solved)

    def work(self):
        while self.waiting:
            self.waiting.pop(0)()()


@pytest.fixture
def desk():
    return Desk()


def test_nothing_is_computed_while_nobody_looks_or_nothing_is_asked(desk):
    desk.session.select(["lung"])
    desk.session.suppose("xray", (1.0, 0.0))
    assert desk.waiting == []
    desk.session.select([])
    desk.inquiries.look(True)
    assert desk.waiting == []
    desk.session.select(["lung"])
    desk.work()
    assert desk.solved == [({"xray": "yes"}, ("lung",))]
    desk.inquiries.look(False)
    desk.session.select(["smoke"])
    assert desk.waiting == []
    desk.inquiries.look(True)
    desk.inquiries.look(True)
    desk.work()
    assert desk.solved[1:] == [({"xray": "yes"}, ("smoke",))]


def test_an_answer_to_another_question_is_not_shown(desk):
    desk.inquiries.look(True)
    desk.session.select(["lung"])
    desk.work()
    assert desk.inquiries.fitting.result == 1
    desk.session.suppose("xray", (1.0, 0.0))
    assert desk.inquiries.fitting is None
    desk.work()
    assert desk.inquiries.fitting.result == 2
    desk.session.select(["smoke"])
    assert desk.inquiries.fitting is None


def test_why_there_is_no_answer_is_kept(desk):
    desk.inquiries.look(True)
    desk.session.select(["tub"])
    desk.work()
    found = desk.inquiries.fitting
    assert (found.result, found.trouble) == (None, "There is no answer to show: tub cannot be asked.")


def test_a_question_about_the_graph_alone_is_not_asked_again_for_other_parameters(desk):
    waiting = []
    asked = Inquiries(desk.session, waiting.append, desk.solve, desk.choose, lambda session: session.network)
    asked.look(True)
    desk.session.select(["lung"])
    assert len(waiting) == 1
    while waiting:
        waiting.pop(0)()()
    desk.session.report(next(iter(learn(desk.session.network, desk.session.seen))))
    desk.session.view("learned")
    assert waiting == []
