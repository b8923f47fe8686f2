"""Data files as the page reads them."""

import gzip
import re

import pytest

from engine.model.errors import FormatError, PgmError
from engine.model.variable import Variable
from pgmgui.project.data_reading import DataFile, build_scene, read_data
from pgmgui.project.examples import find_example
from pgmgui.project.scene import derive
from tests.shared_data import DATA, needs_data

RAIN, SKY = Variable("Rain", ("yes", "no")), Variable("Sky", ("blue", "grey"))


def names(table):
    return [column.name for column in table.columns]


def test_a_file_without_a_header_is_read_in_the_order_of_the_variables():
    table = DataFile("w.csv", b"yes,blue\nno,grey\n").read([RAIN, SKY])
    assert names(table) == ["Rain", "Sky"]
    assert table.rows == 2


def test_a_row_of_values_is_not_taken_for_names_to_match():
    table = DataFile("w.csv", b"1,low\n2,high\n1,low\n").read([RAIN, SKY])
    assert names(table) == ["V1", "V2"]
    assert table.rows == 3


def test_a_header_with_no_known_name_is_still_a_header():
    table = DataFile("w.csv", b"a,b\n1,low\n2,high\n").read([RAIN, SKY])
    assert names(table) == ["a", "b"]
    assert table.rows == 2


def test_a_packed_file_is_read_and_names_the_network_without_its_suffixes():
    table = DataFile("w.csv.gz", gzip.compress(b"Rain,Sky\nyes,blue\n")).read([RAIN, SKY])
    assert (names(table), table.rows) == (["Rain", "Sky"], 1)
    assert build_scene(table, "w.csv.gz").title == "w"


def test_errors_name_the_users_file(tmp_path):
    with pytest.raises(FormatError, match=r"^\.\./\.\./etc/mine\.csv:line 3: the row has 1 cells; expected 2"):
        DataFile("../../etc/mine.csv", b"a,b\n1,2\n3\n").read([RAIN])
    with pytest.raises(PgmError, match=r"none\.csv: cannot read the file: No such file"):
        DataFile(str(tmp_path / "none.csv")).read([RAIN])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty.csv: the file is empty; expected a table with names of variables"),
        ("short.csv", b"asia,tub\nyes,no\nyes\n", "short.csv:line 3: the row has 1 cells; expected 2"),
        ("binary.csv", b"asia\0\x01\n", "binary.csv:line 1: a NUL byte: this is not a text file"),
        ("quote.csv", b'asia,tub\n"yes,no\nno,no\n', "a quote that is opened here is never closed"),
        ("twice.csv", b"asia,asia\nyes,no\n", "two columns are named 'asia'; names must differ"),
        ("table.xlsx", b"PK", "table.xlsx: unknown suffix '.xlsx'; expected one of .csv"),
        ("broken.parquet", b"PAR1", "broken.parquet: not a Parquet file that can be read"),
        ("broken.arff", b"@relation x\n", "broken.arff:line 2: no line '@data'"),
    ],
)
def test_bad_files_are_refused_before_anything_is_asked(name, content, message):
    network = find_example("asia").read()[0].network
    with pytest.raises(PgmError, match=re.escape(message)):
        read_data(DataFile(name, content), network)


@needs_data
def test_quirky_files_are_refused_or_match_nothing():
    network = find_example("asia").read()[0].network
    quirky = DATA / "quirky" / "csv"
    with pytest.raises(FormatError, match=r"csv_quoted\.csv:line 3: a quote in the middle of a cell"):
        read_data(DataFile(str(quirky / "csv_quoted.csv")), network)
    for name in ("minimal.csv", "compactWeightedTest.csv"):
        matching = read_data(DataFile(str(quirky / name)), network)[1]
        assert matching.items  # so it is asked, and the page says that no column is a variable
        assert not matching.taken


def test_a_path_may_have_quotes_about_it(tmp_path):
    path = tmp_path / "w.csv"
    path.write_bytes(b"Rain\nyes\n")
    assert names(DataFile(f' "{path}" ').read([RAIN])) == ["Rain"]


def test_variables_are_built_from_columns():
    table = DataFile("some/weather.csv", b"Rain,Sky,weight\nyes,blue,2\nno,,1\n").read([])
    scene = build_scene(table, "some/weather.csv")
    network = scene.document.network
    assert [(v.name, v.states) for v in network.variables] == [("Rain", ("yes", "no")), ("Sky", ("blue",))]
    assert not network.edges
    assert [table.tolist() for table in network.tables] == [[0.5, 0.5], [1.0]]
    assert set(scene.document.positions) == {"Rain", "Sky"}
    assert scene.title == "weather"
    assert scene.data.dataset.weights.tolist() == [2, 1]
    assert scene.data.notes[0] == "read from weather.csv"
    assert derive(scene).parts is not None


def test_a_table_without_any_state_builds_nothing():
    table = DataFile("w.csv", b"a,b\n").read([])
    with pytest.raises(FormatError, match=r"^w\.csv: no column has a state"):
        build_scene(table, "w.csv")
