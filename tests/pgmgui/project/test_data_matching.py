"""Choosing what columns and values mean."""

from dataclasses import replace

import numpy as np
import pytest

from engine.formats import Document
from engine.formats.tables.catalogue import parse_table
from engine.model.dataset import MISSING
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.project.data_matching import Item, Special, begin_matching, place_below
from pgmgui.project.marks import Hidden
from pgmgui.project.scene import Scene, derive
from pgmgui.tabs.data.match_form import describe, matching_source

RAIN, WET = Variable("Rain", ("yes", "no")), Variable("Wet", ("dry", "damp", "wet"))
NETWORK = BayesianNetwork((RAIN, WET), ((), (0,)), (np.array([0.2, 0.8]), np.array([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]])))
POSITIONS = {"Rain": (0.0, 0.0), "Wet": (10.0, 100.0)}
SCENE = Scene(
    "Weather", "", Document(NETWORK, positions=POSITIONS), marks={"Rain": Hidden()}, prior={"Wet": np.full((2, 3), 2.0)}
)


def begin(text):
    return begin_matching(parse_table(text.encode(), "w.csv", NETWORK.variables), NETWORK)


def choices(matching):
    names = [column.name for column in matching.table.columns]
    return {(names[item.column], item.text): matching.choices[item] for item in matching.items}


def test_what_fits_is_not_asked():
    matching = begin("Rain,wet\nyes,damp\n")
    assert matching.items == ()
    data = matching.apply(SCENE, "read from w.csv").data
    assert data.dataset.codes.tolist() == [[0], [1]]
    assert data.notes[0] == "read from w.csv"


def test_what_an_example_shows_is_not_said_of_other_data():
    matching = begin("Rain,wet\nyes,damp\n")
    noted = replace(SCENE, note="It is hidden whether it rains")
    assert matching.apply(noted, "").note == noted.note
    assert matching.apply(replace(noted, example="weather"), "").note == ""


def test_columns_and_values_in_question_come_with_suggestions():
    matching = begin("Raining,Wet,day\nYES,soaked,1\nno,Dry,2\n")
    assert choices(matching) == {
        ("Raining", None): "Rain",
        ("Raining", "YES"): "yes",
        ("Wet", None): "Wet",
        ("Wet", "soaked"): Special.NOTHING,
        ("Wet", "Dry"): "dry",
        ("day", None): Special.NOTHING,
    }
    assert [item.column for item in matching.items] == [0, 0, 1, 1, 1, 2]
    scene = matching.apply(SCENE, "")
    assert scene.data.dataset.codes.tolist() == [[0, 1], [MISSING, 0]]
    assert scene.document is SCENE.document


def test_a_value_can_become_a_state():
    matching = begin("Rain,Wet\nyes,soaked\nno, soaked\nno,dry\n").choose(Item(1, "soaked"), Special.NEW)
    scene = matching.apply(SCENE, "")
    wet = scene.document.network.variables[1]
    assert wet.states == ("dry", "damp", "wet", "soaked")
    assert scene.data.dataset.codes.tolist() == [[0, 1, 1], [3, 3, 0]]
    assert scene.document.network.tables[1].sum(axis=-1) == pytest.approx([1, 1])
    assert np.shape(scene.prior["Wet"]) == (2, 4)
    assert scene.marks == SCENE.marks
    assert derive(scene).parts is not None


def test_a_column_can_become_a_variable_below_the_drawing():
    matching = begin("Rain,Wet,day\nyes,dry,mon\nno,dry,tue\n").choose(Item(2), Special.NEW)
    scene = matching.apply(SCENE, "")
    network = scene.document.network
    assert network.variables[2] == Variable("day", ("mon", "tue"))
    assert network.parents[2] == ()
    assert scene.document.positions["Rain"] == POSITIONS["Rain"]
    assert scene.document.positions["day"][1] > POSITIONS["Wet"][1]
    assert scene.data.dataset.codes.tolist() == [[0, 1], [0, 0], [0, 1]]


def test_a_variable_has_one_column():
    matching = begin("Raining,Rainy\nyes,no\nno,yes\n")
    first, second = matching.choices[Item(0)], matching.choices[Item(1)]
    assert {first, second} == {"Rain", Special.NOTHING}
    loser = 0 if first is Special.NOTHING else 1
    turned = matching.choose(Item(loser), "Rain")
    assert turned.choices[Item(loser)] == "Rain"
    assert turned.choices[Item(1 - loser)] is Special.NOTHING
    assert turned.taken == {0: loser}


def test_a_column_with_another_variable_is_looked_at_anew():
    matching = begin("Rain,x\nyes,damp\nno,soggy\n")
    assert choices(matching) == {("x", None): Special.NOTHING}
    as_wet = matching.choose(Item(1), "Wet")
    assert choices(as_wet) == {("x", None): "Wet", ("x", "soggy"): Special.NOTHING}
    assert choices(as_wet.choose(Item(1), Special.NOTHING)) == {("x", None): Special.NOTHING}


def test_what_cannot_be_chosen_changes_nothing():
    matching = begin("x,y\n1,2\n")
    assert matching.choose(Item(0), "Nobody") is matching
    assert matching.taken == {}
    with_likelihood = begin("Rain\nyes\n[1;2;3]\n")
    assert Special.NEW not in with_likelihood.options(Item(0, "[1;2;3]"))
    assert Special.NEW not in begin("Rain\nyes\n{0.3;0.3}\n").options(Item(0, "{0.3;0.3}"))
    assert Special.NEW not in begin("x\n[1;2;3]\n").options(Item(0))


def test_one_choice_for_all():
    matching = begin("Rain,Wet,a,b\nyes,q,1,2\nno,r,2,1\n")
    values = matching.choose_alike(Item(1, "q"), Special.NEW)
    assert [values.choices[Item(1, text)] for text in "qr"] == [Special.NEW, Special.NEW]
    assert values.choices[Item(2)] is Special.NOTHING
    columns = matching.choose_alike(Item(2), Special.NEW)
    assert [columns.choices[Item(k)] for k in (1, 2, 3)] == ["Wet", Special.NEW, Special.NEW]


def test_the_network_may_change_but_not_its_variables():
    matching = begin("Rain,Wet\nyes,dry\n")
    other = BayesianNetwork((RAIN, WET), ((), ()), (np.array([0.5, 0.5]), np.full(3, 1 / 3)))
    scene = Scene("Other", "", Document(other, positions=POSITIONS))
    assert matching.follow(other).apply(scene, "").document.network is other
    with pytest.raises(ModelError, match="have changed meanwhile"):
        matching.follow(BayesianNetwork((RAIN,), ((),), (np.array([0.5, 0.5]),)))


def test_the_list_in_words():
    matching = begin("Rain,when\nyes,mon\nno,tue\nperhaps,tue\n")
    rows = matching_source(matching).cells(0, 2)
    assert [row[0]["text"] for row in rows] == ["Rain", "    perhaps", "when"]
    assert rows[0][2] == "Rain"
    assert rows[1][1] == "1"
    assert rows[1][2] | {"about": ""} == {"text": "(missing)", "kind": "warn", "about": ""}
    assert rows[2][2]["text"] == "(left out)"
    assert describe(matching, "w.csv")[0] == "w.csv: 0 columns fit the network; 2 columns and 1 value do not."
    lines = describe(begin("x,y\n1,2\n"), "w.csv")
    assert "No column is a variable of the network. Columns: x, y. Variables: Rain, Wet." in lines


def test_new_variables_are_placed_in_lines():
    places = place_below({"A": (5.0, 7.0)}, [f"V{k}" for k in range(40)])
    assert len(set(places.values())) == 40
    assert min(y for _, y in places.values()) > 7
    assert place_below({}, ["V"]) == {"V": (0.0, 0.0)}
