"""Answers to queries, against the enumeration of the joint; and when they are computed."""

from __future__ import annotations

import asyncio
import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning.learn import learn
from engine.model.errors import MemoryLimitError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.board.beside import work_beside
from pgmgui.board.cards import MOST_STATES, look_into, make_card
from pgmgui.project.examples import load_gallery
from pgmgui.project.wanted import Supposed
from pgmgui.state import answers as module
from pgmgui.state.answers import Answers, answer, describe_evidence
from pgmgui.state.frames import Frame
from pgmgui.state.session import Session
from pgmgui.tabs.query.panel import choose_shown, describe_parameters, describe_shown
from tests import oracles, strategies
from tests.own_loop import run_apart


def enumerate_joint(network, evidence):
    """Pr(all variables) times the likelihoods, cell by cell."""
    sizes = [v.cardinality for v in network.variables]
    free = oracles.joint_weights(sizes, network.scopes, network.tables, {})
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.items()}
    return oracles.joint_weights(sizes, network.scopes, network.tables, vectors) / free.sum()


@st.composite
def questions(draw):
    """A network of either kind, and hard and likelihood evidence on some of its variables."""
    network = draw(st.one_of(strategies.bayesian_networks(5), strategies.markov_networks(5)))
    evidence = {}
    for variable in network.variables:
        size = variable.cardinality
        hard = st.integers(0, size - 1).map(lambda k, n=size: tuple(float(k == j) for j in range(n)))
        soft = st.lists(st.sampled_from([0.0, 0.25, 0.7, 1.0]), min_size=size, max_size=size).filter(any).map(tuple)
        found = draw(st.one_of(st.none(), hard, soft))
        if found is not None:
            evidence[variable.name] = found
    return network, evidence


@given(questions())
@settings(max_examples=150, deadline=None)
def test_answers_are_those_of_enumeration(question):
    network, evidence = question
    found = answer(network, Supposed(evidence))
    prior, joint = enumerate_joint(network, {}), enumerate_joint(network, evidence)
    for v, before in enumerate(found.before):
        np.testing.assert_allclose(before, oracles.marginal(prior, (v,)), atol=1e-9)
    if joint.sum() == 0:
        assert found.after is None
        assert found.log_evidence == -math.inf
        assert "probability 0" in found.trouble
        return
    assert found.trouble == ""
    assert found.log_evidence == pytest.approx(math.log(joint.sum()), abs=1e-9)
    for v, after in enumerate(found.after):
        np.testing.assert_allclose(after, oracles.marginal(joint, (v,)) / joint.sum(), atol=1e-9)


def copy_network():
    """A fair coin, its copy, and a coin apart."""
    coins = tuple(Variable(name, ("heads", "tails")) for name in ("A", "B", "C"))
    half = np.array([0.5, 0.5])
    return BayesianNetwork(coins, ((), (0,), ()), (half, np.eye(2), half))


def test_impossible_evidence_is_explained_by_what_contradicts():
    network = copy_network()
    found = answer(network, Supposed({"C": (1.0, 0.0), "A": (1.0, 0.0), "B": (0.0, 1.0)}))
    assert found.trouble.startswith("A = heads and B = tails cannot hold together")
    assert describe_evidence(found) == "Log evidence −∞: probability 0."
    np.testing.assert_allclose(found.before[1], [0.5, 0.5])
    sure = BayesianNetwork(network.variables[:1], ((),), (np.array([1.0, 0.0]),))
    assert answer(sure, Supposed({"A": (0.0, 1.0)})).trouble.startswith("A = tails is impossible")
    many = BayesianNetwork(
        tuple(Variable(f"V{k}", ("a", "b")) for k in range(12)),
        ((),) * 12,
        (np.array([1.0, 0.0]),) * 12,
    )
    assert answer(many, Supposed({f"V{k}": (0.0, 1.0) for k in range(12)})).trouble.startswith(
        "What is supposed cannot hold"
    )


def test_a_model_without_a_posterior_says_why(monkeypatch):
    coin = Variable("A", ("heads", "tails"))
    nothing = MarkovNetwork((coin,), ((0,),), (np.zeros(2),))
    found = answer(nothing, Supposed({}))
    assert (found.before, found.after) == (None, None)
    assert "exclude every configuration" in found.trouble
    assert describe_evidence(found) == ""

    def refuse(*_):
        raise MemoryLimitError("inference needs 8 GB, and 2 GB are allowed", 8, 2)

    monkeypatch.setattr(module, "query", refuse)
    assert "needs 8 GB" in answer(copy_network(), Supposed({})).trouble


def test_the_evidence_in_words():
    network = copy_network()
    assert describe_evidence(answer(network, Supposed({}))) == ""
    assert (
        describe_evidence(answer(network, Supposed({"A": (1.0, 0.0)}))) == "Log evidence −0.6931 nats: probability 0.5."
    )
    certain = BayesianNetwork(network.variables[:1], ((),), (np.array([1.0, 0.0]),))
    assert describe_evidence(answer(certain, Supposed({"A": (1.0, 0.0)}))) == "Log evidence 0.0000 nats: probability 1."
    rare = tuple(Variable(f"V{k}", ("a", "b")) for k in range(300))
    rare = BayesianNetwork(rare, ((),) * 300, (np.array([1e-3, 1 - 1e-3]),) * 300)
    told = describe_evidence(answer(rare, Supposed({f"V{k}": (1.0, 0.0) for k in range(300)})))
    assert told == "Log evidence −2,072.3266 nats: probability too small to write."


def test_an_empty_network_has_an_empty_answer():
    found = answer(BayesianNetwork((), (), ()), Supposed({}))
    assert (found.before, found.after, found.trouble) == ((), (), "")


# --- what is computed, and when


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(load_gallery()[0])
    return opened


@pytest.fixture
def asked(monkeypatch):
    """What the engine is asked: the evidence of each query."""
    queries = []
    query = module.query

    def listen(network, evidence):
        queries.append((network, {**evidence.states, **evidence.likelihoods}))
        return query(network, evidence)

    monkeypatch.setattr(module, "query", listen)
    return queries


def test_nothing_is_computed_while_nobody_looks(session, asked):
    answers = Answers(session, work_beside)
    session.suppose("asia", (1, 0))
    session.rename("xray", "scan")
    assert (asked, answers.answer) == ([], None)
    session.show_bars(True)
    assert [evidence for _, evidence in asked] == [{}, {"asia": "yes"}]
    np.testing.assert_allclose(answers.answer.after[0], [1, 0])
    session.show_bars(False)
    session.suppose_nothing()
    assert len(asked) == 2
    answers.looking = True
    assert answers.answer.supposed.likelihoods == {}
    assert len(asked) == 2  # what there is without evidence is known
    assert not answers.busy


def test_only_what_changes_the_answer_is_computed(session, asked):
    answers = Answers(session, work_beside)
    answers.looking = True
    asked.clear()
    session.move({"asia": (5, 5)})
    session.select(["asia"])
    first, *_, last = learn(session.network, session.seen)
    session.report(first)
    assert asked == []
    session.suppose("dysp", (1, 0.5))
    assert [evidence for _, evidence in asked] == [{"dysp": (1.0, 0.5)}]
    asked.clear()
    session.view("learned")
    session.report(last)
    session.travel_to(Frame(0, first))
    assert len(asked) == 6  # each with and without evidence
    expected = answer(first.network(), Supposed({"dysp": (1.0, 0.5)}))
    np.testing.assert_allclose(answers.answer.after[0], expected.after[0])
    session.view("current")
    np.testing.assert_allclose(answers.answer.after[0], answer(session.network, Supposed({"dysp": (1, 0.5)})).after[0])


def test_the_newest_question_wins_and_the_page_does_not_wait(session, monkeypatch):
    """While one is answered, of the questions that come only the last is."""
    started, go = threading.Event(), threading.Event()
    find, found = module.answer_in_turns, []

    def slow(network, supposed, before=None):
        found.append(dict(supposed.likelihoods))
        started.set()
        assert go.wait(10)
        return find(network, supposed, before)

    monkeypatch.setattr(module, "answer_in_turns", slow)

    async def use():
        answers = Answers(session, work_beside)
        answers.looking = True
        assert answers.busy
        await asyncio.to_thread(started.wait, 10)
        for name in ("asia", "smoke", "dysp"):
            session.suppose(name, (1, 0))
        assert answers.answer is None  # it is on its way
        go.set()
        while answers.busy:
            await asyncio.sleep(0.001)
        return answers

    answers = run_apart(use)
    everything = {"asia": (1, 0), "smoke": (1, 0), "dysp": (1, 0)}
    assert found == [{}, everything]
    assert answers.answer.supposed.likelihoods == everything


def test_a_bug_reaches_the_user(session, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr(module, "answer_in_turns", fail)
    answers = Answers(session, work_beside)
    answers.looking = True
    assert "boom" in session.message
    assert not answers.busy
    assert "boom" in caplog.text


# --- what is shown


def test_cards_are_cut_and_hold_what_is_supposed(session):
    eight = Variable("X", tuple("abcdefgh"))
    network = BayesianNetwork((eight,), ((),), (np.full(8, 0.125),))
    evidence = {"X": (0.0,) * 7 + (1.0,)}
    card = make_card(answer(network, Supposed(evidence)), Supposed(evidence), 0, MOST_STATES)
    assert (card.states, card.more, card.hard) == (tuple("abcdef"), 2, 7)
    assert (card.before, card.after) == ((0.125,) * 6, (0.0,) * 6)
    assert (card.kind, card.numbers) == ("state", evidence["X"])


def test_the_canvas_shows_no_cards_of_another_network(session):
    answers = Answers(session, work_beside)
    assert not look_into(session, answers).shown
    session.show_bars(True)
    assert len(look_into(session, answers).cards) == 8
    session.suppose("smoke", (0.5, 1))
    assert look_into(session, answers).supposed == {2: "smoke: likelihood yes 0.5, no 1"}
    answers.answer = answer(copy_network(), Supposed({}))
    beliefs = look_into(session, answers)
    assert (beliefs.shown, beliefs.cards) == (True, ())


def test_which_variables_have_bars_and_whose_parameters_they_show(session):
    assert len(choose_shown(session)) == 8
    session.select(["tub", "lung"])
    assert choose_shown(session) == ["tub", "lung"]
    session.open_example(next(example for example in load_gallery() if example.id == "chain-12"))
    for k in range(3):
        session.add_variable(0, 200 * k, f"new {k}")
    session.select([])
    session.suppose("new 1", (1, 0))
    assert choose_shown(session) == ["new 1"]
    assert describe_shown(session).startswith("Select variables")
    session.open_example(load_gallery()[0])
    assert "press Start" in describe_parameters(session)
    first, second, *_ = learn(session.network, session.seen)
    session.report(second)
    assert describe_parameters(session) == "The network's own parameters."
    session.view("learned")
    assert describe_parameters(session) == "Learned parameters: the newest iteration, 1."
    session.travel_to(Frame(0, first, "iteration 0 of EM"))
    assert describe_parameters(session) == "Learned parameters: iteration 0 of EM."
