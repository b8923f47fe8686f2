"""Files, databases and servers, beside the same rows in memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.formats import read_dataset, read_network, write_dataset
from engine.learning.learn import learn
from engine.model.dataset import Dataset, make_dataset
from engine.model.errors import PgmError
from engine.model.variable import Variable
from engine.sources.ibis_table import IbisTable
from engine.sources.opening import LARGE_PARQUET, Request, is_large, open_source
from tests.command_line import EXAMPLES
from tests.engine.sources.comparing import assert_same_data, assert_same_problem, resolve

NETWORK = read_network(EXAMPLES / "asia.bif").network


@pytest.fixture(scope="module")
def dataset():
    """The rows of the example, some cells missing and some uncertain, with weights."""
    rows = read_dataset(EXAMPLES / "asia.csv", NETWORK.variables).dataset
    generator = np.random.default_rng(2)
    cells = [[None if code < 0 else ["yes", "no"][code] for code in row] for row in rows.codes.T.tolist()]
    for row in cells:
        if generator.random() < 0.3:
            row[4] = None
        if generator.random() < 0.2:
            row[6] = ((0.5, 0.25), (1.0, 0.125))[generator.integers(2)]
    return make_dataset(NETWORK.variables, cells, generator.integers(0, 5, len(cells)) / 2)


def open_here(where, **options):
    return open_source(Request(str(where), variables=NETWORK.variables, scopes=NETWORK.scopes, **options))


def split(dataset: Dataset, folder, suffix):
    """A dataset in three files."""
    for k, rows in enumerate(np.array_split(np.arange(dataset.n_rows), 3)):
        write_dataset(folder / f"part{k}{suffix}", dataset.take(rows))
    return folder / f"part*{suffix}"


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_files_are_counted_as_they_are_read(tmp_path, dataset, suffix):
    pattern = split(dataset, tmp_path, suffix)
    source = open_here(pattern).data
    assert isinstance(source, IbisTable)
    assert_same_data(source, dataset, [*NETWORK.scopes, range(8)])
    task, _ = assert_same_problem(NETWORK, source, dataset)
    *_, here = learn(NETWORK, source, start="current", task=task)
    *_, there = learn(NETWORK, dataset, start="current")
    np.testing.assert_allclose(here.theta, there.theta, rtol=1e-10)
    assert here.iteration == there.iteration


def test_a_folder_of_parts_is_counted(tmp_path, dataset):
    split(dataset, tmp_path, ".parquet")
    assert is_large(str(tmp_path), None)
    assert_same_data(open_here(tmp_path).data, dataset, [*NETWORK.scopes])


@pytest.mark.spark
@pytest.mark.timeout(1200)  # starting Spark alone took minutes beside others at work
def test_spark_counts_the_same(tmp_path, dataset):
    source = open_here(split(dataset, tmp_path, ".parquet"), engine="spark").data
    assert_same_data(source, dataset, [*NETWORK.scopes, range(8)])
    assert_same_problem(NETWORK, source, dataset)


def test_a_table_of_a_database_is_counted(tmp_path, dataset):
    write_dataset(tmp_path / "rows.parquet", dataset)
    with duckdb.connect(str(tmp_path / "some.duckdb")) as made:
        made.read_parquet(str(tmp_path / "rows.parquet")).create("cases")
        made.sql("CREATE TABLE other (x INTEGER)")
    source = open_here(tmp_path / "some.duckdb", table="cases").data
    assert_same_data(source, dataset, [*NETWORK.scopes])
    with pytest.raises(PgmError, match=r"which table\? It has 'cases', 'other': name one with --table"):
        open_here(tmp_path / "some.duckdb")
    with pytest.raises(PgmError, match="there is no table 'none'; it has 'cases', 'other'"):
        open_here(tmp_path / "some.duckdb", table="none")


def test_a_text_without_a_header_and_states_like_missing_codes(tmp_path):
    variables = (Variable("a", ("yes", "")), Variable("b", ("x y", "?")))
    (tmp_path / "rows.csv").write_text('yes;"x y"\n;?\n"";?\nyes;NA\n')
    here = open_source(Request(str(tmp_path / "rows.csv"), engine="duckdb", variables=variables))
    there = read_dataset(tmp_path / "rows.csv", variables)
    assert_same_data(here.data, there.dataset, [[0, 1]])
    assert here.notes == there.notes


@pytest.mark.parametrize("states", [("no", "yes"), ("False", "True"), ("1", "0"), ("N", "Y")])
def test_true_and_false_are_read_as_in_memory(tmp_path, states):
    """Columns of a Parquet file."""
    variables = (Variable("a", states), Variable("b", ("low", "high")))
    pq.write_table(pa.table({"a": [True, None, False, True], "b": ["low"] * 4}), tmp_path / "rows.parquet")
    here = open_source(Request(str(tmp_path / "rows.parquet"), engine="duckdb", variables=variables))
    there = read_dataset(tmp_path / "rows.parquet", variables)
    true = [state.casefold() in ("yes", "true", "1", "y") for state in states].index(True)
    assert there.dataset.codes[0].tolist() == [true, -1, 1 - true, true]
    assert_same_data(here.data, there.dataset, [[0, 1]])
    assert len(here.notes) == len(there.notes) == 1  # in memory the first row's is the example
    pq.write_table(pa.table({"a": [True], "b": [True]}), tmp_path / "rows.parquet")
    with pytest.raises(PgmError, match="column 'b' has 'true' in 1 row"):
        open_source(Request(str(tmp_path / "rows.parquet"), engine="duckdb", variables=variables))


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("rows.csv", "asia smoke\nyes no\nno no\n", "spaces between its cells"),
        ("rows.csv", "# made up\nasia,smoke\nyes,no\n", "comments"),
        (
            "rows.csv",
            "asia,smoke\nyes,no\nyes,no,yes,no\n",
            "rows.csv: the data could not be counted: .*Line: 3 Original Line",
        ),
        (
            "rows.parquet",
            "no parquet",
            r"rows.parquet: cannot be read: this is no Parquet file, .* write it anew \(.*\)$",
        ),
        ("rows.parquet", "", r"rows.parquet: cannot be read: this is no Parquet file, .* write it anew \(.*\)$"),
        ("rows.csv", "", "rows.csv: the file is empty; expected a table"),
        (
            "rows.duckdb",
            "no",
            r"rows.duckdb: cannot open the database: this is no DuckDB database; expected .* \(.*\)$",
        ),
        ("rows.arff", "", "expected files of one kind, CSV or Parquet"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, monkeypatch, name, text, complaint):
    monkeypatch.setattr("engine.sources.opening.SAMPLE", 22)
    (tmp_path / name).write_text(text)
    with pytest.raises(PgmError, match=complaint):
        open_here(tmp_path / name, engine="duckdb")


@pytest.mark.parametrize("compression", ["snappy", "zstd", "none"])
def test_a_damaged_parquet_file_is_named(tmp_path, compression):
    """Wherever bytes are wrong: in the head of a page, in what it holds, in the foot of the file."""
    path, names = tmp_path / "rows.parquet", [variable.name for variable in NETWORK.variables]
    table = pa.table({name: ["yes", "no", "no"] * 1000 for name in names})
    pq.write_table(table, path, compression=compression, use_dictionary=False)
    whole = path.read_bytes()
    for place in (slice(4, 60), slice(60, 300), slice(-9, -8)):
        damaged = bytearray(whole)
        damaged[place] = bytes(255 - byte for byte in damaged[place])
        path.write_bytes(damaged)
        with pytest.raises(PgmError, match=r"rows\.parquet: .*the file is damaged: copy or write it anew \(.*\)"):
            open_here(path, engine="duckdb")


def test_a_damaged_database_is_named(tmp_path):
    path = tmp_path / "rows.duckdb"
    duckdb.connect(str(path)).execute("create table rows as select 'yes' as asia").close()
    damaged = bytearray(path.read_bytes())
    damaged[5000:5100] = b"\xff" * 100
    path.write_bytes(damaged)
    with pytest.raises(PgmError, match=r"rows\.duckdb: cannot open the database: the file is damaged: copy .* \(.*\)"):
        open_here(path)


def test_text_that_duckdb_cannot_read_is_told_apart(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("asia,smoke\nyes,no\n", encoding="utf-16")
    with pytest.raises(PgmError, match=r"rows\.csv: this is UTF-16 text, which DuckDB does not read; save it as UTF-8"):
        open_here(path, engine="duckdb")
    assert read_dataset(path, NETWORK.variables).dataset.n_rows == 1


def test_no_file_matches(tmp_path):
    with pytest.raises(PgmError, match="no file is there, or matches"):
        open_here(tmp_path / "*.parquet")
    with pytest.raises(PgmError, match="there is no such file"):
        open_here(tmp_path / "none.duckdb")
    with pytest.raises(PgmError, match="no Parquet file is in this folder; name text files by a pattern"):
        open_here(tmp_path)


def test_a_database_that_is_written_to_is_not_opened(tmp_path):
    """By another program: it holds a lock on the file."""
    path = tmp_path / "some.duckdb"
    code = f"import duckdb; kept = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(PgmError, match="another program has it open for writing: close that one, or open a copy"):
            open_here(path)
        other.communicate(b"\n")
    with pytest.raises(PgmError, match="It has none: name another database"):
        open_here(path)


def test_files_with_other_columns_are_named(tmp_path):
    pq.write_table(pa.table({"asia": ["yes"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"smoke": ["yes"]}), tmp_path / "b.parquet")
    with pytest.raises(PgmError, match=r"\*.parquet: .*the files do not have the same columns: name those that do"):
        open_here(tmp_path / "*.parquet")


def test_what_is_counted_where_it_lies(tmp_path, monkeypatch):
    """Patterns, databases, URLs, large files, and whatever is said to be."""
    small = tmp_path / "a.csv"
    small.write_text("a,b\n")
    assert not is_large(str(small), None)
    assert not is_large(str(tmp_path / "none.csv"), None)
    assert is_large(str(small), "duckdb")
    assert is_large(str(tmp_path / "*.csv"), None)
    assert is_large(str(tmp_path / "a.duckdb"), None)
    assert is_large("postgres://host/db", None)
    os.truncate(small, 300 * 2**20)
    assert is_large(str(small), None)
    assert not is_large(str(small), "memory")
    monkeypatch.setattr("engine.sources.opening._count_cells", lambda _: LARGE_PARQUET + 1)
    os.rename(small, tmp_path / "a.parquet")
    assert is_large(str(tmp_path / "a.parquet"), None)


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(PgmError, match=r'pip install "pgmgui\[sql\]"'):
        open_here(EXAMPLES / "asia.csv", engine="duckdb")


def test_an_interrupt_ends_the_query(tmp_path):
    """A query that would take minutes ends with Ctrl+C, and the engine can be asked again."""
    asked = threading.Event()
    source = open_here(EXAMPLES / "asia.csv", engine="duckdb", watch=lambda _: asked.set()).data
    engine = source.counter.engine
    number = ibis.range(20_000).unnest().name("n").as_table()
    many = number.cross_join(number.view()).aggregate(total=lambda rows: (rows.n % 7).sum() + (rows.n_right % 3).sum())
    asked.clear()

    def press():
        asked.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        engine.run(lambda: source.counter.table.get_backend().to_pyarrow(many))
    assert engine.fetch_rows(source.counter.table.aggregate(n=source.counter.table.count())) == [{"n": 500}]


def test_a_server_counts_the_same(tmp_path, dataset, postgresql):
    write_dataset(tmp_path / "rows.csv", dataset)
    server = ibis.connect(postgresql.url())
    server.create_table("rows", ibis.read_csv(tmp_path / "rows.csv", all_varchar=True).to_pyarrow())
    server.disconnect()
    found = open_here(postgresql.url("rows", password="hush"))
    assert_same_data(found.data, dataset, [*NETWORK.scopes, range(8)])
    assert_same_problem(NETWORK, found.data, dataset)
    assert "hush" not in found.data.name
    window, expected = found.data.fetch_window(100, 50), dataset.take(np.arange(100, 150))
    assert resolve(window) == resolve(expected)
    with pytest.raises(PgmError, match="there is no table 'cases'; it has 'rows'") as caught:
        open_here(postgresql.url("cases", password="hush"))
    assert "hush" not in str(caught.value)


def test_true_and_false_of_a_server_are_read(postgresql):
    variables = (Variable("a", ("no", "yes")), Variable("b", ("low", "high")))
    server = ibis.connect(postgresql.url())
    server.create_table("truths", pa.table({"a": [True, None, False, True], "b": ["low", "low", "low", "high"]}))
    server.disconnect()
    found = open_source(Request(postgresql.url("truths"), variables=variables)).data
    expected = make_dataset(variables, [["yes", "low"], [None, "low"], ["no", "low"], ["yes", "high"]])
    assert_same_data(found, expected, [[0, 1]])


def test_a_server_that_goes_away_is_named(postgresql):
    server = ibis.connect(postgresql.url())
    server.create_table("away", {"asia": ["yes", "no"], "smoke": ["no", "no"]})
    source = open_here(postgresql.url("away", password="hush")).data
    source.counter.found.clear()
    postgresql.stop()
    try:
        with pytest.raises(
            PgmError, match=r"postgres:///postgres: the data could not be counted: .*run it again"
        ) as caught:
            source.gather([0, 2])
        with pytest.raises(PgmError, match="cannot connect") as refused:
            open_here(postgresql.url("away", password="hush"))
        assert "hush" not in f"{caught.value}{refused.value}"
    finally:
        postgresql.start()
