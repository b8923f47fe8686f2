"""Data that is counted where it lies and does not fit: asked about, and read, as the same file is."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from engine.formats import Document, parse_table
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.sources.misfits import MisfitError
from engine.sources.places import Place
from pgmgui.project import session_file
from pgmgui.project.counted_matching import begin_counted
from pgmgui.project.counting import count_into, open_place, recount
from pgmgui.project.data_matching import Item, Special, begin_matching
from pgmgui.project.layout import arrange
from pgmgui.project.links import is_linkable
from pgmgui.project.scene import Scene, derive
from pgmgui.project.session_file import Saved
from tests.engine.sources.comparing import resolve

RAIN, WET = Variable("rain", ("yes", "no")), Variable("wet", ("yes", "no"))
HALF = np.array([0.5, 0.5])
NETWORK = BayesianNetwork((RAIN, WET), ((), (0,)), (HALF, np.array([HALF, HALF])))
SCENE = Scene("weather", "", arrange(Document(NETWORK)))
HEAD = "rain,weet,wind,id\n"
ROWS = ["yes,yes,calm,1", "no,no,storm,2", "Y,no,calm,3", "-9,yes,,4", "Y,nope,10,5", "?,yes,9,6"]
TEXT = HEAD + "\n".join(ROWS) + "\n"


@pytest.fixture
def place(tmp_path):
    """The rows in two files of text."""
    for k in range(2):
        (tmp_path / f"{k}.csv").write_text(HEAD + "\n".join(ROWS[3 * k : 3 * k + 3]) + "\n")
    return Place(str(tmp_path / "*.csv"))


def ask(place, scene=SCENE, asks=True):
    with pytest.raises(MisfitError) as caught:
        open_place(place, scene.document.network, asks=asks)
    return begin_counted(caught.value.table, scene.document.network, place)


def items(matching):
    """What is in question, what it is taken for, and how many rows it has."""
    return [
        (matching.table.columns[item.column].name, item.text, matching.choices[item], matching.count_rows(item))
        for item in matching.items
    ]


def name_rows(dataset):
    """The distinct rows by the names of states, whose order is not that of a file."""
    named = [[*variable.states, None] for variable in dataset.variables]
    return {
        tuple(names[code] for names, code in zip(named, row, strict=True)): weight
        for row, weight in resolve(dataset).items()
    }


def choose(matching, name, text, choice):
    column = [column.name for column in matching.table.columns].index(name)
    return matching.choose(Item(column, text), choice)


def fix(matching):
    """One choice of each kind."""
    for name, text, choice in (
        ("weet", None, "wet"),
        ("wind", None, Special.NEW),
        ("rain", "Y", "yes"),
        ("rain", "-9", Special.NOTHING),
        ("weet", "nope", Special.NEW),
    ):
        matching = choose(matching, name, text, choice)
    return matching


def test_it_is_asked_about_with_the_rows_of_each_value_and_read_as_the_same_file_in_memory(place):
    matching, plain = ask(place), begin_matching(parse_table(TEXT.encode(), "w.csv", NETWORK.variables), NETWORK)
    assert sorted(items(matching), key=str) == sorted(items(plain), key=str)
    assert ("rain", "Y", "yes", 2) in items(matching)
    matching, plain = fix(matching), fix(plain)
    scene, expected = matching.count_into(SCENE), plain.apply(SCENE, "").data.dataset
    found = scene.data.dataset
    assert [v.name for v in found.variables] == ["rain", "wet", "wind"]
    assert found.variables[1].states == ("yes", "no", "nope")
    assert found.variables[2].states == ("9", "10", "calm", "storm")  # by number, then by the alphabet
    assert name_rows(found.rows()) == name_rows(expected)
    assert derive(scene).parts is not None
    assert any("values given a meaning: '-9', 'Y'" in note for note in scene.data.notes), scene.data.notes
    # Beside another network it is asked anew.
    assert matching.again(scene.document.network).place == place


def test_sessions_keep_what_was_chosen(place):
    scene = fix(ask(place)).count_into(SCENE)
    assert not is_linkable(scene)
    text = session_file.dump(Saved(scene))
    waiting = session_file.parse(text).scene
    assert waiting.place == scene.data.place
    assert waiting.place.columns == (("wet", "weet"),)
    assert set(waiting.place.values) == {("rain", "Y", "yes"), ("rain", "-9", None)}
    again = recount(waiting)
    assert resolve(again.data.dataset.rows()) == resolve(scene.data.dataset.rows())
    assert session_file.dump(Saved(again)) == text
    # A session in which a meaning is gone is asked about, and has the others chosen.
    changed = session_file.parse(text.replace('"Y": "yes"', '"Y": "maybe"')).scene
    with pytest.raises(PgmError, match="'Y' in 2 rows"):
        recount(changed)
    matching = ask(changed.place, changed, asks=False)
    assert ("rain", "-9", Special.NOTHING, 1) in items(matching)
    mended = choose(matching, "rain", "Y", "no").count_into(changed)
    assert mended.title == "weather"
    assert mended.data.place.columns == (("wet", "weet"),)
    assert set(mended.data.place.values) == {("rain", "Y", "no"), ("rain", "-9", None)}
    assert mended.data.dataset.count_codes(0)[1].tolist() == [2, 1, 3]


def test_a_column_of_a_variable_can_be_left_out_or_be_another_one(place):
    matching = choose(ask(place), "rain", None, Special.NOTHING)
    scene = choose(matching, "weet", None, "rain").count_into(SCENE)
    assert scene.data.dataset.columns == ("rain", None)
    assert scene.data.place.columns == (("rain", "weet"),)
    scene = matching.count_into(SCENE)
    assert scene.data.dataset.columns == (None, "wet")
    assert ("rain", "") in scene.data.place.columns
    assert "columns left out, as was said: 'rain'" in scene.data.notes
    saved = session_file.parse(session_file.dump(Saved(scene))).scene
    assert recount(saved).data.place == scene.data.place


def test_no_column_need_fit_and_what_tells_rows_apart_is_not_asked_about(tmp_path):
    path = str(tmp_path / "w.duckdb")
    with duckdb.connect(path) as connection:
        columns = "[i] AS list, i AS id, i // 1.2 AS almost, i % 2 AS regen, 2.0 AS weight"
        connection.execute(f"CREATE TABLE w AS SELECT {columns} FROM range(6000) AS t(i)")
    matching = ask(Place(path))
    assert items(matching) == [("regen", None, Special.NOTHING, 6000)]
    matching = choose(matching, "regen", None, "rain")
    assert [(text, choice, rows) for _, text, choice, rows in items(matching)] == [
        (None, "rain", 6000),
        ("0", "no", 3000),
        ("1", "yes", 3000),
    ]
    data = matching.count_into(SCENE).data
    assert data.dataset.total_weight == 12000
    assert data.dataset.count_codes(0)[1].tolist() == [3000, 3000]
    # What fits is not asked about.
    assert count_into(SCENE, data.place).data.dataset.n_rows == 6000
    with duckdb.connect(str(tmp_path / "fits.duckdb")) as connection:
        connection.execute("CREATE TABLE w AS SELECT i AS id, 'yes' AS rain FROM range(6000) AS t(i)")
    assert count_into(SCENE, Place(str(tmp_path / "fits.duckdb")), asks=True).data.dataset.n_rows == 6000
    with duckdb.connect(str(tmp_path / "empty.duckdb")) as connection:
        connection.execute("CREATE TABLE w (regen VARCHAR, rain VARCHAR)")
    with pytest.raises(PgmError, match="no rows"):
        count_into(SCENE, Place(str(tmp_path / "empty.duckdb")), asks=True)
