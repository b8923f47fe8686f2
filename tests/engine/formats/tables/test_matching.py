"""Data whose columns and values are not spelt like the network's: what is found, suggested, and chosen."""

import numpy as np
import pytest

from engine.formats import read_dataset, read_network
from engine.formats.tables.catalogue import dump_dataset, parse_table, read_table
from engine.formats.tables.columns import build_dataset, match_columns
from engine.formats.tables.matching import list_strangers, list_unknown, suggest_states, suggest_variables
from engine.model.errors import FormatError
from engine.model.variable import Variable
from tests.shared_data import DATA, needs_data

RAIN = Variable("Rain", ("yes", "no"))
SKY = Variable("Sky Colour", ("blue", "light grey", "dark grey"))


def table(text, variables=(RAIN, SKY)):
    return parse_table(text.encode(), "weather.csv", variables)


def test_strangers_are_the_columns_without_a_variable_weights_or_case_numbers():
    found = table("rain,Sky,weight,IDnum,colour\nyes,blue,2,1,x\n")
    assert [found.columns[j].name for j in list_strangers(found, [RAIN, SKY])] == ["Sky", "colour"]
    assert match_columns(found, [RAIN, SKY]) == {0: 0}


def test_unknown_values_are_neither_states_nor_missing_nor_likelihoods():
    found = table('Rain\nyes\n?\nYES\n[0.2;0.8]\n[1;2;3]\n" no "\nmaybe\n')
    assert list_unknown(found, 0, RAIN) == ["YES", "[1;2;3]", "maybe"]
    assert list_unknown(found, 0, RAIN, missing=["maybe"]) == ["YES", "[1;2;3]"]


@pytest.mark.parametrize(
    ("text", "states", "suggested"),
    [
        ("YES", ("yes", "no"), "yes"),
        (" no", ("yes", "no"), "no"),
        ("TRUE", ("yes", "no"), "yes"),
        ("0", ("absent", "present"), "absent"),
        ("dark_grey", SKY.states, "dark grey"),
        ("drak grey", SKY.states, "dark grey"),
        ("grey", SKY.states, None),
        ("red", SKY.states, None),
        ("1", ("10", "100"), None),
        ("-1", ("1", "2"), None),
        ("<5", ("5", "6"), None),
        ("[0.2;0.3]", ("low", "high"), None),
    ],
)
def test_a_state_is_suggested_if_one_is_alike(text, states, suggested):
    assert suggest_states([text], Variable("V", states)).get(text) == suggested


def test_no_variable_is_suggested_twice_and_the_most_alike_wins():
    found = table("Rains,RAIN_,skycolor\nyes,no,blue\nno,yes,blue\n")
    assert suggest_variables(found, [0, 1, 2], [RAIN, SKY]) == {1: 0, 2: 1}


def test_a_column_with_none_of_the_states_is_not_suggested():
    found = table("rains\n17\n18\n")
    assert suggest_variables(found, [0], [RAIN]) == {}
    assert suggest_variables(table("rains\nTRUE\nperhaps\n"), [0], [RAIN]) == {0: 0}
    assert suggest_variables(table("rains\n?\n"), [0], [RAIN]) == {0: 0}


def test_chosen_columns_and_values_are_used():
    found = table("a,b,c\nYES,blue,1\nnay,dusk,2\n,blue,3\n")
    data = build_dataset(found, [RAIN, SKY], (), {0: 0, 1: 1}, {0: {"YES": "yes", "nay": "no"}, 1: {"dusk": None}})
    assert data.dataset.codes.tolist() == [[0, 1, -1], [0, -1, 0]]
    assert data.unmatched == ("c",)
    assert "column 'a' is taken for the variable 'Rain'" in data.notes
    assert "column 'a': values given a meaning: 'YES', 'nay'" in data.notes


def test_a_value_without_a_meaning_is_still_an_error():
    found = table("a\nYES\nnay\n")
    with pytest.raises(FormatError, match="'nay', which is not a state of 'Rain'") as caught:
        build_dataset(found, [RAIN], (), {0: 0}, {0: {"YES": "yes"}})
    assert caught.value.line == 3


def test_a_chosen_column_is_not_taken_for_the_weights():
    found = table("weight,Rain\n1,yes\n2,no\n", [RAIN])
    assert build_dataset(found, [RAIN]).dataset.weights.tolist() == [1, 2]
    number = Variable("Number", ("1", "2"))
    data = build_dataset(found, [RAIN, number], (), {0: 1, 1: 0})
    assert data.dataset.weights.tolist() == [1, 1]
    assert data.dataset.codes.tolist() == [[0, 1], [0, 1]]


def test_no_column_at_all_is_refused():
    with pytest.raises(FormatError, match="no column is a variable of the network"):
        build_dataset(table("a\n1\n"), [RAIN], (), {})


def test_bytes_are_read_like_the_file_and_named_like_the_users(tmp_path):
    path = tmp_path / "weather.csv"
    path.write_text("Rain\nyes\nno\n", encoding="utf-8")
    for found in (read_table(path, [RAIN]), parse_table(path.read_bytes(), "weather.csv", [RAIN])):
        assert [(column.name, column.texts) for column in found.columns] == [("Rain", ["yes", "no"])]
    with pytest.raises(FormatError, match=r"^mine\.csv: the file is empty"):
        parse_table(b"", "mine.csv")
    with pytest.raises(FormatError, match=r"^mine\.xls: unknown suffix '\.xls'"):
        parse_table(b"a\n1\n", "mine.xls")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_dumped_bytes_read_back(tmp_path, suffix):
    data = build_dataset(table("Rain,Sky Colour,weight\nyes,blue,2\n?,[0.1;0.2;0.3],1\n"), [RAIN, SKY]).dataset
    path = tmp_path / f"again{suffix}"
    path.write_bytes(dump_dataset(data, path.name))
    again = read_dataset(path, [RAIN, SKY]).dataset
    assert np.array_equal(again.codes, data.codes)
    assert np.array_equal(again.weights, data.weights)
    assert np.array_equal(again.likelihoods[1], data.likelihoods[1])


@needs_data
def test_the_short_names_of_bnlearns_alarm_are_found():
    network = read_network(DATA / "networks/bif/alarm.bif").network
    found = read_table(DATA / "datasets/bnlearn_alarm.csv", network.variables)
    taken = match_columns(found, network.variables)
    free = [variable for i, variable in enumerate(network.variables) if i not in taken]
    strangers = list_strangers(found, network.variables)
    suggested = suggest_variables(found, strangers, free)
    names = {found.columns[j].name: free[i].name for j, i in suggested.items()}
    assert len(strangers) == 27
    assert len(names) == 26  # ANES does not begin like INSUFFANESTH
    for short, long in (("HIST", "HISTORY"), ("PMB", "PULMEMBOLUS"), ("STKV", "STROKEVOLUME"), ("VMCH", "VENTMACH")):
        assert names[short] == long
    assert "ANES" not in names
