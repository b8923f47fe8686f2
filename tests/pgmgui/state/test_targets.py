"""Targets in a session: answers against enumeration, their course, and what happens when something newer is asked."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.inference.targets.meeting import SOLVERS
from engine.model.network import as_markov
from pgmgui.board.cards import look_into
from pgmgui.project.examples import find_example
from pgmgui.project.wanted import Supposed, Wanted
from pgmgui.state import answers as module
from pgmgui.state.answers import Answers, answer, answer_in_turns, describe_evidence
from pgmgui.state.session import Session
from pgmgui.state.solving import describe_course, describe_stand
from pgmgui.tabs.query.rounds_view import RoundsView
from tests import oracles

FIXED = {"dysp": 0.7, "lung": 0.2, "bronc": 0.6740, "xray": 0.2449}
NON_FIXED = {"dysp": 0.7939, "lung": 0.3026, "bronc": 0.7104, "xray": 0.3399}


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(find_example("asia"))
    return opened


@pytest.fixture
def answers(session):
    found = Answers(session, lambda do: do()())
    found.look(True)
    return found


def read(answers, session):
    """The posterior of the first state of each variable, by name."""
    return {name: float(answers.answer.after[v][0]) for name, v in session.network.index.items()}


@pytest.mark.parametrize("solver", ["", *SOLVERS])
@pytest.mark.parametrize("markov", [False, True])
def test_the_numbers_of_the_thesis(session, answers, solver, markov):
    """SPEC §6: dysp .7 and lung .2 with smoke = yes, fixed and not."""
    if markov:
        session.moralise()
    session.solve_by(solver)
    session.suppose("smoke", (1.0, 0.0))
    session.want(("dysp",), (0.7, 0.3))
    session.want(("lung",), (0.2, 0.8))
    found = read(answers, session)
    assert {name: round(found[name], 4) for name in FIXED} == FIXED
    course = answers.answer.course
    assert (course.ended, course.trouble, course.was_named) == (True, "", bool(solver))
    assert course.solver == (solver or course.solver)
    assert course.titles == ("dysp", "lung")
    offs = [max(stand.residuals) for stand in course.stands]
    assert offs[0] > 0.01
    assert offs[-1] <= 1e-10
    session.fix_targets(False)
    found = read(answers, session)
    assert {name: round(found[name], 4) for name in NON_FIXED} == NON_FIXED
    assert describe_evidence(answers.answer).startswith("Log evidence −")


def test_a_joint_target_with_a_likelihood_is_the_i_projection(session, answers):
    network = session.network
    pair = np.array([[0.1, 0.2], [0.3, 0.4]])
    session.suppose("xray", (0.9, 0.2))
    session.want(("smoke", "bronc"), pair.reshape(-1).tolist())
    sizes = [v.cardinality for v in network.variables]
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, {network.index["xray"]: np.array([0.9, 0.2])})
    scope = (network.index["smoke"], network.index["bronc"])
    expected = oracles.project_on_marginals(joint, {scope: pair}, 3)
    for v in range(len(sizes)):
        np.testing.assert_allclose(answers.answer.after[v], oracles.marginal(expected, (v,)), atol=1e-9)
    assert answers.answer.log_evidence == pytest.approx(math.log(joint.sum()))
    last = answers.answer.course.stands[-1]
    assert last.divergence == pytest.approx(oracles.divergence(expected, joint / joint.sum()), abs=1e-9)
    session.show_bars(True)
    cards = look_into(session, answers).cards
    assert [cards[v].kind for v in scope] == ["together", "together"]
    for axis, v in enumerate(scope):
        np.testing.assert_allclose(cards[v].margin, pair.sum(axis=1 - axis))
    assert look_into(session, answers).supposed[scope[0]].startswith("smoke, bronc: target yes/yes 0.1, yes/no 0.2")


def test_a_joint_target_says_which_state_it_replaces(session, answers):
    session.suppose("smoke", (1.0, 0.0))
    session.want(("bronc",), (0.5, 0.5))
    assert not session.message
    session.want(("smoke", "bronc"), (0.25, 0.25, 0.25, 0.25))
    assert not session.evidence
    assert session.message.startswith("No longer supposed: smoke = yes. The target of 'smoke', 'bronc' takes its place")


def test_a_conflict_that_shows_only_in_the_limit_is_said(session, answers):
    """Either is tub or lung, so that it cannot be rarer than tub: no round finds that impossible by itself."""
    for name, share in (("tub", 0.6), ("lung", 0.1), ("either", 0.3)):
        session.want((name,), (share, 1 - share))
    found = answers.answer
    assert found.after is None
    assert "come no closer: the target of 'tub' by 0.3" in found.trouble
    assert "the targets of 'tub', 'lung', 'either' probably cannot hold at once" in found.trouble
    assert describe_evidence(found) == ""
    assert describe_course(found.course).startswith("Targets not met by")
    offs = [max(stand.residuals) for stand in found.course.stands]
    assert len(offs) > 10
    assert offs[-1] > 0.01
    session.want(("either",), (0.65, 0.35))
    assert read(answers, session)["either"] == pytest.approx(0.65)


def test_what_no_target_can_give_is_said(session, answers):
    session.suppose("tub", (1.0, 0.0))
    session.want(("either",), (0.5, 0.5))
    assert "The target of 'either' gives probability to either=no" in answers.answer.trouble
    session.suppose("lung", (1.0, 0.0))
    session.suppose("either", (0.0, 1.0))
    session.want(("smoke",), (0.5, 0.5))
    assert "cannot hold together" in answers.answer.trouble  # as without targets
    session.suppose_nothing()
    session.fix_targets(False)
    session.want(("either",), (0.0, 1.0))
    session.suppose("tub", (1.0, 0.0))
    assert answers.answer.trouble.startswith("Once the targets hold, the evidence 'tub=yes' has probability 0")


def test_the_course_in_words(session, answers):
    session.want(("dysp",), (0.7, 0.3))
    session.want(("lung",), (0.2, 0.8))
    session.solve_by("bn-ipfp-2")
    course = answers.answer.course
    rounds = course.stands[-1].number
    assert describe_course(course).startswith(f"Targets met by BN-IPFP-2 in {rounds} rounds, to ")
    first, offs = describe_stand(course, 0)
    assert first.startswith("Before the first round: 0 nats from the model")
    assert offs == "Off by: dysp 0.26, lung 0.15."
    assert describe_stand(course, 1)[0].startswith(f"After round 1 of {rounds}: ")
    session.solve_by("")
    assert "(chosen by estimated time)" in describe_course(answers.answer.course)


def test_targets_that_the_model_meets_are_met_already(session, answers):
    session.want(("tub",), tuple(answers.answer.before[session.network.index["tub"]]))
    course = answers.answer.course
    assert max(course.stands[0].residuals) < 1e-12
    assert describe_course(course).startswith("Targets met already, before the first round: off by 0 at most")
    view = RoundsView()
    view.follow(course, describe_course(course))
    assert not view._plot.visible
    session.want(("tub",), (0.5, 0.5))
    view.follow(answers.answer.course)
    assert view._plot.visible
    assert "hollow, in the row of 0: off by 1e-12 at most" in view._words.__panel__().object


# --- in turns


def tough(network):
    """Targets that take many rounds."""
    return Supposed({}, Wanted({("tub",): (0.6, 0.4), ("lung",): (0.1, 0.9), ("either",): (0.6000001, 0.3999999)}))


def test_an_answer_comes_in_turns(session):
    found = list(answer_in_turns(session.network, tough(session.network), None, 0.0))
    whole = answer(session.network, tough(session.network))
    assert [one.is_whole for one in found] == [False] * (len(found) - 1) + [True]
    assert len(found) == len(whole.course.stands) + 1
    assert len(found) > 10
    assert describe_course(found[2].course).endswith(" …")
    assert all(one.after is None for one in found[:-1])
    assert (found[-1].trouble, found[-1].course.trouble) == (whole.trouble, whole.course.trouble)


class Bench:
    """Answers whose work is done when it is told so, a round at a turn."""

    def __init__(self, session, monkeypatch):
        self.session, self.waiting = session, []
        find = module.answer_in_turns
        turns = lambda network, supposed, before=None: find(network, supposed, before, 0.0)  # noqa: E731
        monkeypatch.setattr(module, "answer_in_turns", turns)
        self.answers = Answers(session, self.waiting.append)
        self.answers.look(True)
        self.finish()

    def turn(self):
        self.waiting.pop(0)()()

    def finish(self):
        while self.waiting:
            self.turn()


@pytest.fixture
def bench(session, monkeypatch):
    return Bench(session, monkeypatch)


def test_rounds_are_seen_while_targets_are_being_met(bench):
    bench.session.suppose_all(tough(bench.session.network))
    for number in range(4):
        bench.turn()
        course = bench.answers.fitting.course
        assert (len(course.stands), course.ended) == (number + 1, False)
    assert bench.answers.answer.supposed.is_nothing  # bars stay as they were
    bench.finish()
    assert bench.answers.coming is None
    assert bench.answers.fitting is bench.answers.answer
    assert bench.answers.answer.course.ended
    assert not bench.answers.busy


def test_something_newer_ends_what_is_being_met(bench):
    bench.session.suppose_all(tough(bench.session.network))
    bench.turn()
    bench.turn()
    bench.session.suppose_nothing()
    assert bench.answers.fitting.supposed.is_nothing
    bench.turn()  # the one under way
    bench.turn()
    assert (bench.waiting, bench.answers.busy) == ([], False)
    assert bench.answers.answer.supposed.is_nothing


def test_what_nobody_looks_at_is_not_gone_on_with(bench):
    bench.session.suppose_all(tough(bench.session.network))
    bench.turn()
    bench.answers.look(False)
    bench.turn()
    assert (bench.waiting, bench.answers.busy) == ([], False)
    bench.answers.look(True)
    bench.finish()
    assert bench.answers.answer.course.ended


def test_markov_networks_say_the_same(session):
    supposed = Supposed({"smoke": (1.0, 0.0)}, Wanted({("dysp",): (0.7, 0.3), ("lung",): (0.2, 0.8)}))
    ours, theirs = answer(session.network, supposed), answer(as_markov(session.network), supposed)
    for one, other in zip(ours.after, theirs.after, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
