"""Cases of evidence: kept by names, undone, saved, and supposed again as far as they fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.cases import fit_case, make_case, name_case
from pgmgui.project.examples import find_example
from pgmgui.project.scene import Case
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.wanted import Supposed
from pgmgui.state.session import Session
from pgmgui.tabs.query.cases_view import cases_source, describe_cases, solve_cases


def coin(*states):
    return BayesianNetwork((Variable("C", states),), ((),), (np.full(len(states), 1 / len(states)),))


@pytest.fixture
def session():
    opened = Session()
    opened.open_example(find_example("asia"))
    opened.suppose("dysp", (1.0, 0.0))
    opened.suppose("xray", (0.2, 1.0))
    return opened


def test_a_case_fits_by_the_names_of_states_in_any_order():
    case = make_case(Supposed({"C": (1.0, 0.25)}), coin("heads", "tails"))
    assert case == Case({"C": {"heads": 1.0, "tails": 0.25}})
    assert fit_case(case, coin("tails", "heads")) == (Supposed({"C": (0.25, 1.0)}), [])
    assert fit_case(case, coin("heads", "edge")) == (Supposed(), ["C"])
    assert fit_case(case, coin("heads", "tails", "edge")) == (Supposed(), ["C"])
    assert fit_case(Case({"D": {"a": 1.0, "b": 0.0}}), coin("a", "b")) == (Supposed(), ["D"])
    assert fit_case(Case({"C": {"a": 0.0, "b": 0.0}}), coin("a", "b")) == (Supposed(), ["C"])


def test_names_of_cases_differ():
    network = coin("heads", "tails")
    taken = {"C = heads": Case(), "C = heads (2)": Case()}
    assert name_case(Supposed({"C": (1.0, 0.0)}), network, {}) == "C = heads"
    assert name_case(Supposed({"C": (1.0, 0.0)}), network, taken) == "C = heads (3)"


def test_keeping_and_removing_can_be_undone_and_leave_what_was_learned(session):
    derived = session.derived
    session.keep_case()
    session.keep_case()  # the same again
    (name,) = session.scene.cases
    assert name == "dysp = yes, xray: likelihood yes 0.2, no 1"
    assert session.derived is derived
    session.suppose_nothing()
    session.suppose_case(name)
    assert session.evidence == {"dysp": (1.0, 0.0), "xray": (0.2, 1.0)}
    session.drop_case(name)
    assert session.scene.cases == {}
    session.undo()
    assert list(session.scene.cases) == [name]
    session.rename("dysp", "breath")
    session.suppose_case(name)
    assert session.evidence == {"xray": (0.2, 1.0)}
    session.undo()
    session.suppose_case(name)
    assert session.evidence == {"dysp": (1.0, 0.0), "xray": (0.2, 1.0)}
    session.open_example(find_example("sprinkler"))
    assert session.scene.cases == {}


def test_cases_are_in_the_session_file(session):
    session.keep_case()
    text = dump(Saved(session.scene))
    assert parse(text).scene.cases == session.scene.cases
    root = json.loads(text)
    del root["cases"]
    assert parse(json.dumps(root)).scene.cases == {}
    root["cases"] = {"bad": {"dysp": {"yes": -1}}}
    with pytest.raises(FormatError, match="cases"):
        parse(json.dumps(root))


def test_cases_that_do_not_fit_or_are_impossible_say_so():
    network = BayesianNetwork(coin("a", "b").variables, ((),), (np.array([1.0, 0.0]),))
    given = {"sure": {"C": {"a": 1.0, "b": 0.0}}, "never": {"C": {"a": 0.0, "b": 1.0}}, "gone": {"X": {"a": 1.0}}}
    cases = {name: Case(likelihoods) for name, likelihoods in given.items()}
    found = solve_cases(network, None, tuple(cases.items()))
    impossible, gone, more = describe_cases(found, 5)
    assert impossible.startswith("never: C = b is impossible")
    assert gone == "gone: the network has no X with these states; the rest is supposed."
    assert more == "The first 3 of 5 cases."
    source = cases_source(network, found, found[0].answer, [])
    (first, _) = source.cells(0, 1)
    assert first == ["C", "a", "100.0%", *({"text": text, "heat": 0.0} for text in ("100.0%", "–", "100.0%"))]
