"""How to look for a structure, and what is typed of it."""

import json

import pytest

from engine.model.errors import FormatError, PgmError
from pgmgui.project.data_reading import DataFile, is_table, read_scene
from pgmgui.project.links import parse_link
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.structure_constraints import parse_arrow, parse_names
from pgmgui.project.structure_settings import StructureSettings

INDEX = {"a": 0, "b, c": 1, "x->y": 2}


def test_names_may_hold_commas_and_arrows():
    assert parse_names(INDEX, "a, b, c,x->y") == (0, 1, 2)
    assert parse_arrow(INDEX, "x->y -> a", "required") == (2, 0)
    assert parse_arrow(INDEX, "a → b, c", "required") == (0, 1)
    with pytest.raises(PgmError, match="no column 'z'"):
        parse_names(INDEX, "a, z")


def test_a_session_keeps_the_settings_and_an_older_one_has_the_usual():
    search = StructureSettings("tan", "bdeu", 4.0, 3, 5, 7, "a", "a, b", 0.1, "a -> b", "b -> a", "a; b", 1.0)
    text = dump(Saved(Scene(), search=search))
    assert parse(text).search == search
    root = json.loads(text)
    del root["search"]
    assert parse(json.dumps(root)).search == StructureSettings()


@pytest.mark.parametrize(
    "wrong",
    [{"search": "guess"}, {"score": 3}, {"sample_size": 0}, {"max_parents": -1}, {"pace": 1e9}, {"required": ["a"]}],
)
def test_a_session_with_other_settings_is_refused(wrong):
    root = json.loads(dump(Saved(Scene())))
    root["search"] |= wrong
    with pytest.raises(FormatError, match="search"):
        parse(json.dumps(root))


def test_a_link_begins_a_search_that_there_is_for_the_network():
    link = parse_link({"example": "asia-rows", "structure": "exact"})
    assert link.saved.search == StructureSettings(search="exact")
    assert link.scene.truth.edges
    with pytest.raises(PgmError, match="'structure' is 'l1'; use one of hill-climbing"):
        parse_link({"example": "asia-rows", "structure": "l1"})


def test_a_table_alone_is_a_network_without_arrows_in_a_ring():
    content = b"a,b,c,d\n" + b"yes,no,1,x\nno,no,2,y\n" * 3
    assert is_table("Rows.CSV.gz")
    assert not is_table("asia.bif")
    scene = read_scene(DataFile("rows.csv", content))
    assert [len(variable.states) for variable in scene.document.network.variables] == [2, 1, 2, 2]
    assert not scene.document.network.edges
    places = [scene.document.positions[name] for name in "abcd"]
    assert places[0][1] < places[1][1] == places[3][1] < places[2][1]
    assert places[3][0] < places[0][0] < places[1][0]
