"""The words and bars of the Query tab's views, on both kinds of network."""

from __future__ import annotations

import numpy as np
import pytest

from engine.inference.query import Evidence
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.components.rounds.rounds import Line, Rounds
from pgmgui.project.examples import find_example
from pgmgui.project.wanted import Supposed
from pgmgui.state.answers import Answers
from pgmgui.state.inquiries import Found
from pgmgui.state.session import Session
from pgmgui.state.solving import SolvingCourse, Stand
from pgmgui.tabs.query import meanings_view
from pgmgui.tabs.query.explanation_view import describe_explanation, explanation_source, solve_explanation
from pgmgui.tabs.query.independence_view import IndependenceView, read_graph
from pgmgui.tabs.query.information_view import describe_information, list_ranges, solve_information
from pgmgui.tabs.query.meanings_view import (
    MeaningsView,
    begin_with,
    describe_meanings,
    meanings_source,
    read_numbers,
    solve_meanings,
)
from pgmgui.tabs.query.numbers_view import (
    LIKELIHOOD,
    NOW,
    TARGET,
    choose_together,
    find_numbers,
    make_source,
    solve_joint,
)
from pgmgui.tabs.query.rounds_view import RoundsView, choose_lines, describe_plot
from pgmgui.tabs.query.sensitivity_view import describe_sensitivity, make_range, solve_sensitivity
from pgmgui.tabs.query.supposed import drop_supposed, suppose_from

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


def test_sides_of_several_variables_are_typed_or_selected():
    session = Session()
    session.open_example(find_example("asia"))
    view = IndependenceView(session, Answers(session, lambda do: None))
    view.look(True)
    session.select(["smoke", "lung", "bronc"])
    assert (view._one.value, view._other.value) == ("smoke", "lung, bronc")
    view._one.value = "smoke, tub"
    assert session.selected == ["smoke", "tub", "lung", "bronc"]
    assert view._sides == (("smoke", "tub"), ("lung", "bronc"))
    view._other.value = "lung, tub"  # which is on the other side
    assert (view._one.value, view._other.value) == ("smoke, tub", "lung, bronc")
    view._other.value = "xray, nobody"
    assert "no variable nobody" in session.message
    assert view._other.value == "lung, bronc"
    view._other.value = "xray"
    assert view._sides == (("smoke", "tub"), ("xray",))
    session.select(["dysp", "tub"])
    assert view._sides == (("dysp",), ("tub",))


def test_what_is_also_given_is_shown_on_the_canvas_while_the_view_is_looked_at(monkeypatch):
    monkeypatch.setattr("pgmgui.tabs.query.independence_view.work_beside", lambda do: do()())
    session = Session()
    session.open_example(find_example("asia"))
    view = IndependenceView(session, Answers(session, lambda do: None))
    view.look(True)
    view._also.value = "smoke, nobody"
    assert session.trail.given == ("smoke",)
    session.select(["lung", "bronc"])
    assert (session.trail.given, session.trail.stops) == (("smoke",), ("smoke",))
    view.look(False)
    assert session.trail is None


# --- targets


def test_what_takes_no_targets_says_so():
    target = Evidence({}, {}, {"C": (0.5, 0.5)})
    with pytest.raises(PgmError, match="no target marginals; leave out that of 'C'"):
        solve_sensitivity(BAYESIAN, target, ("D", "one"))
    with pytest.raises(PgmError, match="no target marginals; leave out that of 'C'"):
        solve_information(BAYESIAN, target, ("D",))
    together = Evidence({}, {}, {("C", "D"): np.full((2, 3), 1 / 6)})
    with pytest.raises(PgmError, match="a target of 'C', 'D' together ties them"):
        read_graph(BAYESIAN, together, ((("C",), ("D",)), ()))
    assert read_graph(BAYESIAN, target, ((("C",), ("D",)), ())).knowledge.likely == {0}
    assert solve_explanation(BAYESIAN, Evidence({}, {}, {"C": (0.01, 0.99)}), ()).states["C"] == "tails"


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"kind": "magic", "name": "smoke"},
        {"kind": ["target"], "name": "smoke"},
        {"kind": "target", "name": "nobody"},
    ],
)
def test_a_kind_that_makes_no_sense_is_refused(message):
    session = Session()
    session.open_example(find_example("asia"))
    answers = Answers(session, lambda do: do()())
    answers.look(True)
    suppose_from(session, answers, {"kind": None, **message})
    assert "makes no sense" in session.message
    assert session.supposed.is_nothing
    suppose_from(session, answers, {"kind": "target", "name": "smoke"})
    assert session.wanted.of("smoke") == pytest.approx((0.5, 0.5))
    drop_supposed(session, "0")
    assert session.supposed.is_nothing


def test_a_kind_has_something_to_begin_with_though_what_is_supposed_is_impossible():
    session = Session()
    session.open_example(find_example("asia"))
    answers = Answers(session, lambda do: do()())
    answers.look(True)
    session.suppose("tub", (1.0, 0.0))
    session.suppose("either", (0.0, 1.0))
    suppose_from(session, answers, {"kind": "target", "name": "smoke"})
    assert session.wanted.of("smoke") == pytest.approx((0.5, 0.5))


def test_numbers_of_the_selection_are_those_that_are_supposed_or_probable():
    session = Session()
    session.open_example(find_example("asia"))
    assert (choose_together(session), find_numbers(session, None)) == (None, None)
    session.select(["bronc", "smoke"])
    assert choose_together(session) == ("smoke", "bronc")
    now = solve_joint(session.network, NOTHING, ("smoke", "bronc"))
    np.testing.assert_allclose(now, [[0.3, 0.2], [0.15, 0.35]])
    assert find_numbers(session, now).kind == NOW
    session.want(("smoke", "bronc"), (0.1, 0.2, 0.3, 0.4))
    found = find_numbers(session, now)
    assert (found.kind, found.table.tolist()) == (TARGET, [[0.1, 0.2], [0.3, 0.4]])
    assert make_source(session.network, found, found.table).cells(1, 1) == [["no", "0.3", "0.4"]]
    titles = [column.title for column in make_source(session.network, found, found.table).columns]
    assert titles == ["smoke", "bronc = yes", "bronc = no"]
    session.suppose("smoke", (1.0, 0.5))
    session.select(["smoke"])
    assert find_numbers(session, None).kind == LIKELIHOOD
    session.select(["asia", "tub", "smoke", "lung"])
    assert choose_together(session) is None


def test_three_meanings_in_words():
    session = Session()
    session.open_example(find_example("asia"))
    assert begin_with(session, "dysp") == pytest.approx((0.8, 0.2))
    session.want(("dysp",), (0.7, 0.3))
    assert begin_with(session, "dysp") == (0.7, 0.3)
    assert read_numbers("0.7/0.3", "dysp", ("yes", "no")) == pytest.approx((0.7, 0.3))
    for text, message in {
        "0.7": "'dysp' has 2 states; got 1 number: give",
        "0.7 0.4": "sum to 1.1",
        "a b": "'a' is no number",
    }.items():
        with pytest.raises(PgmError, match=message):
            read_numbers(text, "dysp", ("yes", "no"))
    subject = ("dysp", (0.7, 0.3))
    found = Found(session.network, Supposed(), subject, solve_meanings(session.network, NOTHING, subject))
    first, *_, last = describe_meanings(found)
    assert first == "One number, three meanings: dysp, yes 0.7, no 0.3."
    assert last.startswith("The two targets agree here")
    row = meanings_source(session.network, "dysp", found.result).cells(0, 0)[0]
    assert [cell if isinstance(cell, str) else cell["text"] for cell in row] == [
        *("dysp", "yes", "43.6%", "64.3%", "70.0%", "70.0%")
    ]
    known = Evidence({"tub": "yes"}, {}, {})
    subject = ("either", (0.5, 0.5))
    found = Found(session.network, Supposed(), subject, solve_meanings(session.network, known, subject))
    assert any(
        line.startswith("Fixed: the target of 'either' gives probability to") for line in describe_meanings(found)
    )


def test_a_plot_of_rounds_goes_only_where_there_are_rounds():
    went = []
    plot = Rounds(lines=[Line("a", (1.0, 0.1, 0.0))], on_step=went.append)
    for number in (2, 3, -1, True, "1", None, 1.0):
        plot._handle_msg({"type": "step", "number": number})
    plot._handle_msg({"type": "other", "number": 1})
    assert went == [2]


def test_numbers_that_were_typed_are_forgotten_when_the_variable_has_other_states(monkeypatch):
    monkeypatch.setattr(meanings_view, "work_beside", lambda do: do()())
    session = Session()
    session.open_example(find_example("asia"))
    view = MeaningsView(session, Answers(session, lambda do: None))
    view.look(True)
    session.select(["smoke"])
    view._field.value = "0.6 0.4"
    assert view._inquiries.found.subject == ("smoke", (0.6, 0.4))
    session.set_states("smoke", [(0, "yes"), (1, "no"), (None, "maybe")])
    assert view._field.value == "0.8 0.1 0.1"
    session.undo()
    assert view._field.value == "0.6 0.4"


def test_of_many_targets_the_worst_are_drawn():
    worst = (0.9, *[0.1] * 20, 0.8)
    stands = tuple(Stand(k, tuple(value / 2**k for value in worst), 0.0, 1) for k in range(3))
    course = SolvingCourse("bn-ipfp-1", False, tuple(f"X{k}" for k in range(22)), stands, True)
    assert choose_lines(course) == [*range(11), 21]
    view = RoundsView()
    view.follow(course)
    assert [line.title for line in view._plot.lines] == [*(f"X{k}" for k in range(11)), "X21"]
    assert view._plot.lines[-1].values == (0.8, 0.4, 0.2)
    assert describe_plot(course) == "How far each of the 12 worst of 22 targets is off, by rounds (log scale):"
