"""The words and bars of the Query tab's views, on both kinds of network."""

from __future__ import annotations

import numpy as np

from engine.inference.query import Evidence
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project.examples import find_example
from pgmgui.project.wanted import Supposed
from pgmgui.state.answers import Answers
from pgmgui.state.inquiries import Found
from pgmgui.state.session import Session
from pgmgui.tabs.query.explanation_view import describe_explanation, explanation_source, solve_explanation
from pgmgui.tabs.query.independence_view import IndependenceView
from pgmgui.tabs.query.information_view import describe_information, list_ranges, solve_information
from pgmgui.tabs.query.sensitivity_view import describe_sensitivity, make_range, solve_sensitivity

NOTHING = Evidence({}, {}, {})
COIN, DIE = Variable("C", ("heads", "tails")), Variable("D", ("one", "two", "three"))
BAYESIAN = BayesianNetwork((COIN, DIE), ((), (0,)), ([0.4, 0.6], [[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]))
MARKOV = MarkovNetwork((COIN, DIE), ((0, 1),), (np.array([[2.0, 1.0, 1.0], [1.0, 1.0, 2.0]]),))


def find(network, solve, *subject):
    return Found(network, Supposed(), subject, solve(network, NOTHING, subject))


def test_an_explanation_says_what_else_is_as_probable():
    found = find(MARKOV, solve_explanation)
    assert describe_explanation(found) == [
        "The most probable states of all 2 variables together (MPE): probability 0.25.",
        "Not the only ones: others are as probable, which differ in C, D.",
        "Select variables on the canvas to explain by these alone.",
    ]
    source = explanation_source(MARKOV, found.result, None)
    assert source.cells(0, 1) == [["C", "heads", "", "tails"], ["D", "one", "", "three"]]


def test_a_state_that_is_not_the_most_probable_alone_is_marked():
    found = find(BAYESIAN, solve_explanation)
    marginals = (np.array([0.4, 0.6]), np.array([0.48, 0.22, 0.3]))
    rows = explanation_source(BAYESIAN, found.result, marginals).cells(0, 1)
    assert rows[0] == ["C", "heads", {"text": "tails 60.0%", "kind": "warn", "about": "Alone, heads has 40.0%."}]
    assert rows[1] == ["D", "one", "one 48.0%"]


def test_of_two_entries_that_sum_to_one_only_the_first_has_a_bar():
    found = find(BAYESIAN, solve_sensitivity, "D", "one")
    bars = [make_range(BAYESIAN, one) for one in found.result.influences]
    assert [(bar.text, bar.detail) for bar in bars if bar.text.startswith("C")] == [("C = heads: 0.4", "")]
    assert ("D = one: 0.2", "given C = tails") in [(bar.text, bar.detail) for bar in bars]
    assert not any("three: 0" in bar.text and "heads" in bar.detail for bar in bars)  # an entry of 0
    assert describe_sensitivity(found)[0].startswith("D = one has 48.0%. Bars: where it goes if an entry's odds")


def test_a_factor_has_no_entries_that_follow():
    found = find(MARKOV, solve_sensitivity, "C", "heads")
    (bar, *_) = [make_range(MARKOV, one) for one in found.result.influences]
    # Pr(heads) = 4 / 8: with 1 in place of 2 it is 3 / 7, with 4 it is 6 / 10.
    assert (bar.text, bar.detail, bar.told) == ("C = heads, D = one: 2", "", "42.9 → 60.0%")
    assert "Derivative by the entry's logarithm: 0.125." in bar.about
    assert "an entry of a factor is halved or doubled" in describe_sensitivity(found)[0]


def test_a_variable_of_which_nothing_tells_anything():
    apart = BayesianNetwork((COIN, DIE), ((), ()), ([0.4, 0.6], [0.2, 0.3, 0.5]))
    found = find(apart, solve_information, "C")
    assert list_ranges(found) == []
    assert describe_information(found) == ["The entropy of C is 0.6730 nats; no other variable tells anything of it."]
    certain = BayesianNetwork((COIN, DIE), ((), ()), ([1.0, 0.0], [0.2, 0.3, 0.5]))
    assert list_ranges(find(certain, solve_information, "C")) == []


def test_a_field_that_names_nobody_new_shows_who_is_selected():
    session = Session()
    session.open_example(find_example("asia"))
    view = IndependenceView(session, Answers(session, lambda do: None))
    view.look(True)
    session.select(["smoke", "lung"])
    for text in ("lung", "", "nobody"):
        view._one.value = text
        assert (view._one.value, view._other.value) == ("smoke", "lung")
        assert session.selected == ["smoke", "lung"]
    view._one.value = "asia"
    assert session.selected == ["asia", "lung"]
