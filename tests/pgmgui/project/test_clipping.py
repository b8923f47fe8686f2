"""Part of a scene as text, and pasted into another."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.model.dataset import Role
from engine.model.errors import FormatError
from pgmgui.project.clipping import LONGEST_TEXT, STEP, cut_out, dump_part, parse_part
from pgmgui.project.examples import find_example
from pgmgui.project.marks import Given, Hidden, Sensor
from pgmgui.project.notes import find_note
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.state.session import Session

SENSOR = Sensor(((0.9, 0.1), (0.2, 0.8)))


def opened(example="asia"):
    session = Session()
    session.open_example(find_example(example))
    return session


def table_of(session, name):
    return session.network.tables[session.network.index[name]]


def parents_of(session, name):
    network = session.network
    return [network.variables[p].name for p in network.parents[network.index[name]]]


def test_a_copy_has_all_that_its_original_has_and_one_undo_takes_it_back():
    session = opened()
    session.mark(["smoke", "lung"], SENSOR)
    session.set_note("lung", "X-ray\nof 2019")
    session.set_prior("lung", np.array([[2.0, 3.0], [4.0, 5.0]]))
    before = session.scene
    assert session.duplicate(["lung", "smoke"])
    assert session.selected == ["smoke 2", "lung 2"]
    assert parents_of(session, "lung 2") == ["smoke 2"]
    np.testing.assert_array_equal(table_of(session, "lung 2"), table_of(session, "lung"))
    assert session.marks["smoke 2"] == session.marks["lung 2"] == SENSOR
    assert find_note(session.document, "lung 2") == "X-ray\nof 2019"
    np.testing.assert_array_equal(session.scene.prior["lung 2"], session.scene.prior["lung"])
    assert session.seen.roles[session.network.index["lung 2"]] is Role.HIDDEN
    places = session.document.positions
    shift = np.subtract(places["lung 2"], places["lung"])
    np.testing.assert_allclose(np.subtract(places["smoke 2"], places["smoke"]), shift)
    assert (shift >= STEP).all()
    assert session.undoable == "duplicate 2 variables"
    session.undo()
    assert session.scene is before


def test_a_parent_that_is_not_copied_is_averaged_over():
    session = opened()
    session.duplicate(["lung"])
    assert parents_of(session, "lung 2") == []
    np.testing.assert_allclose(table_of(session, "lung 2"), table_of(session, "lung").mean(axis=0))


def test_a_second_copy_has_a_place_and_a_name_of_its_own():
    session = opened()
    text = session.copy(["smoke"])
    session.paste(text)
    session.paste(text)
    assert session.selected == ["smoke 3"]
    assert len(set(session.document.positions.values())) == len(session.network.variables)


def test_text_goes_from_page_to_page_under_its_own_names_where_they_are_free():
    text = opened().copy(["smoke", "lung"])
    other = Session()
    other.new()
    assert other.paste(text, (300.0, -50.0))
    assert [variable.name for variable in other.network.variables] == ["smoke", "lung"]
    places = np.array(list(other.document.positions.values()))
    np.testing.assert_allclose((places.min(axis=0) + places.max(axis=0)) / 2, [300, -50])
    other.new(markov=True)
    assert other.paste(text)
    assert other.network.edges == [(0, 1)]


def test_factors_are_refused_among_arrows_and_what_is_given_is_not_given_twice():
    markov = opened()
    markov.moralise()
    text = markov.copy(["smoke", "lung"])
    bayesian = opened()
    before = bayesian.scene
    assert not bayesian.paste(text)
    assert "part of a Markov network" in bayesian.message
    assert bayesian.scene is before
    markov.mark(["smoke"], Given())
    markov.mark(["lung"], Hidden())
    assert markov.duplicate(["smoke", "lung"])
    assert "smoke 2" not in markov.marks
    assert markov.marks["lung 2"] == Hidden()


def broken(change):
    root = json.loads(dump_part(cut_out(opened().scene, ["smoke"])))
    change(root)
    return json.dumps(root)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no variables on the clipboard"),
        ("hello", "no variables on the clipboard"),
        ('{"format": "pgmgui-session"', "not JSON"),
        ('{"format": "pgmgui-session", "version": 99}', "version 99"),
        (" " * (LONGEST_TEXT + 1), "too long"),
        (broken(lambda root: root["network"]["tables"].clear()), "no probability table"),
        (broken(lambda root: root["network"]["tables"][0].update(values=[0.5, 0.6])), "sums to 1.1"),
        (broken(lambda root: root["network"]["variables"][0].update(position=[1e300, 0])), "the position of"),
        (broken(lambda root: root["marks"].update(smoke={"kind": "evil"})), "marks.smoke"),
        (broken(lambda root: root["marks"].update(other={"kind": "hidden"})), "no variable of the network"),
    ],
)
def test_a_clipboard_may_hold_anything(text, why):
    with pytest.raises(FormatError, match=why):
        parse_part(text)
    session = opened()
    before = session.scene
    assert not session.paste(text)
    assert session.scene is before
    assert why in session.message


def test_nothing_copied_is_nothing():
    session = opened()
    assert session.copy([]) == ""
    assert not session.duplicate([])
    session.new()
    empty = dump_part(session.scene)
    assert not session.paste(empty)
    assert "no variables in what was copied" in session.message


def test_exponents_do_not_follow_into_a_markov_network_and_its_session_opens_again():
    bayesian, markov = opened(), opened()
    bayesian.set_prior("smoke", 3.0)
    markov.set_prior("dysp", 2.0)
    assert markov.moralise()
    assert markov.paste(bayesian.copy(["smoke"]))
    assert "smoke 2" not in markov.scene.prior
    text = dump(Saved(markov.scene))
    assert parse(text).scene.prior == {}
    # Earlier versions wrote them.
    root = json.loads(text)
    root["prior"] = {"dysp": [2.0]}
    assert parse(json.dumps(root)).scene.prior == {}
