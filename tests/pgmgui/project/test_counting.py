"""Data that is counted where it lies: opened, saved as where it lies, and refused where others could read it."""

from __future__ import annotations

import io
import json
import logging
import sys
from contextlib import redirect_stdout
from datetime import datetime
from urllib.parse import parse_qsl

import duckdb
import ibis
import numpy as np
import pytest

from app.cli import make_parser
from app.learning_input import read_input
from app.main import read_files
from engine.formats import read_dataset, read_network, write_dataset
from engine.model.errors import PgmError
from engine.sources import opening
from engine.sources.ibis_table import IbisTable
from engine.sources.places import Place
from pgmgui.project import session_file
from pgmgui.project.counted_data import CountedData
from pgmgui.project.counting import build_counted_scene, count_into, find_place, is_counted, recount
from pgmgui.project.examples import find_example
from pgmgui.project.links import is_linkable, make_link, parse_link
from pgmgui.project.marks import Hidden
from pgmgui.project.network_files import open_scene
from pgmgui.project.scene import with_data
from pgmgui.project.session_file import Saved
from pgmgui.project.store import Store
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.tabs.share.report import make_report
from pgmgui.tabs.share.reproduce import as_command, as_python
from tests.command_line import EXAMPLES

DOCUMENT = read_network(EXAMPLES / "asia.bif")
DATA = read_dataset(EXAMPLES / "asia.csv", DOCUMENT.network.variables)
SECRET = "gehe1m"


@pytest.fixture
def rows(tmp_path):
    """The example's rows in three Parquet files; the pattern that they match."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for k, part in enumerate(np.array_split(np.arange(DATA.dataset.n_rows), 3)):
        write_dataset(folder / f"{k}.parquet", DATA.dataset.take(part))
    return str(folder / "*.parquet")


@pytest.fixture
def database(tmp_path, rows):
    path = str(tmp_path / "cases.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE cases AS SELECT * FROM '{rows}'")
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    return path


def run_to_its_end(race):
    race.begin()
    for run in race._runs.values():
        assert run.join(60)
    race.tick()
    assert not race.running
    return race.best


def open_session(scene):
    session = Session()
    assert session.open(scene), session.message
    race = Race(session)
    session.configure(methods=("d-em",), seed=3, max_iter=40)
    return session, race


def test_what_is_learned_equals_that_of_the_same_rows_in_memory_and_comes_back(rows, database, tmp_path):
    plain = open_scene(DOCUMENT, "asia.bif")
    places = [Place(rows), Place(rows.removesuffix("/*.parquet")), Place(database, "cases")]
    _, race = open_session(with_data(plain, DATA))
    expected = run_to_its_end(race)
    for place in places:
        session, race = open_session(count_into(plain, place))
        assert isinstance(session.seen, IbisTable)
        assert session.parts.bounds.total == pytest.approx(-1156.5403, abs=1e-3)
        reached = run_to_its_end(race)
        np.testing.assert_allclose(reached.objective.sum(), expected.objective.sum(), rtol=1e-12)
        assert reached.iteration == expected.iteration
    # Saved is where it lies, also of variables that are renamed; what was learned waits until it is counted.
    assert session.rename("tub", "tuberculosis")
    assert session.mark(["lung"], Hidden())
    best = run_to_its_end(race)
    text = session_file.dump(race.saved())
    assert json.loads(text)["data"] == {
        "place": {"where": database, "table": "cases", "columns": {"tuberculosis": "tub"}}
    }
    saved = session_file.parse(text)
    assert (saved.scene.data, saved.scene.place.table) == (None, "cases")
    session, race = open_session(plain)
    assert race.open(saved)
    assert "press Read" in session.message
    assert race.best is None
    assert len(race.saved().results) == 1
    assert session.replace_scene("open data", recount(session.scene))
    assert race.best.objective.sum() == best.objective.sum()
    assert session.rename("tuberculosis", "tb")
    assert session.data.place.columns == (("tb", "tub"),)
    # The command line, and a script, count it too.
    path = tmp_path / "session.json"
    path.write_text(text)
    assert read_input_of(path).total_weight == DATA.dataset.total_weight
    said = io.StringIO()
    with redirect_stdout(said):
        exec(compile(as_python(text, session.settings), "script", "exec"), {})
    assert f"{best.objective.sum():.6f}" in said.getvalue()


def read_input_of(path):
    return read_input(make_parser().parse_args(["learn", str(path)])).data


def test_variables_are_made_from_columns_and_the_page_opens_such_data(rows, database):
    scene = build_counted_scene(Place(database, "cases"))
    assert [v.name for v in scene.document.network.variables] == ["asia", "smoke", "bronc", "either", "xray", "dysp"]
    assert scene.title == "cases"
    saved, derived = read_files(EXAMPLES / "asia.bif", rows)
    assert isinstance(saved.scene.data, CountedData)
    assert derived.seen.n_rows == DATA.dataset.n_rows
    assert read_files(database, None, table="cases")[0].scene.data.dataset.n_rows == DATA.dataset.n_rows
    with pytest.raises(PgmError, match="open to others"):
        read_files(EXAMPLES / "asia.bif", rows, local=False)


def test_columns_that_are_left_out_are_told_once(tmp_path):
    with duckdb.connect(str(tmp_path / "some.duckdb")) as connection:
        connection.execute("CREATE TABLE cases AS SELECT 'yes' AS smoke, 1 AS shoe")
    place = Place(str(tmp_path / "some.duckdb"))
    _, *notes = count_into(open_scene(DOCUMENT, "asia.bif"), place).data.notes
    assert [("'shoe'" in note, "'tub'" in note) for note in notes] == [(True, False), (False, True)], notes


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("nowhere/*.parquet", "no file is there, or matches"),
        ("nowhere.duckdb", "there is no such file"),
        ("postgres://me:gehe1m@127.0.0.1:1/db?table=rows", "cannot connect"),
        ("postgres:/me:gehe1m@host", "is no URL"),
        ("postgres://me:ge/gehe1m@host/db", "cannot be taken apart"),
    ],
)
def test_what_cannot_be_opened_is_told_without_secrets(where, said):
    def read():
        place, password = find_place(where)
        assert is_counted(place)
        count_into(open_scene(DOCUMENT, "asia.bif"), Place(place), password)

    with pytest.raises(PgmError, match=said) as caught:
        read()
    assert SECRET not in str(caught.value)


def test_without_the_extra_it_is_named(rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(PgmError, match=r"pgmgui\[sql\]"):
        count_into(open_scene(DOCUMENT, "asia.bif"), Place(rows))


def test_a_password_is_kept_nowhere(rows, tmp_path, monkeypatch, caplog):
    """The server is played by DuckDB: what it is asked, and what is made of that, is looked through."""
    asked = []

    def connect(url):
        asked.append(url)
        backend = ibis.duckdb.connect()
        backend.create_table("rows", backend.read_parquet(rows))
        return backend

    monkeypatch.setattr(opening._import_ibis(), "connect", connect)
    caplog.set_level(logging.DEBUG)
    where, password = find_place(f"postgres://me:{SECRET}@host/db?table=rows")
    assert password == SECRET
    example = find_example("asia")
    plain = parse_link({"example": "asia"}).scene
    session, race = open_session(count_into(plain, Place(where), password))
    assert SECRET in asked[0]
    run_to_its_end(race)
    saved, store = race.saved(), Store(tmp_path / "home")
    key = store.make_key()
    store.save(key, saved)
    text = session_file.dump(saved)
    link = make_link(example, Saved(session.scene))
    report = make_report(session, {}, race.describe(), datetime(2026, 1, 1))
    python, run = as_python(text, session.settings), as_command("x.json", session.scene, session.settings)
    copy = store.save_copy(saved).read_text()
    made = [text, link, report, python, run, copy, caplog.text, repr(session.scene), *session.scene.data.notes]
    made += [path.read_bytes().decode("latin-1") for path in store.folder.iterdir()]
    assert SECRET not in "".join(made)
    assert "postgres://me@host/db?table=rows" in text
    # A link says where it lies; somebody's password in one is dropped.
    assert is_linkable(session.scene)
    query = dict(parse_qsl(link[1:]))
    assert parse_link(query).scene.place.where == "postgres://me@host/db?table=rows"
    assert (
        parse_link({"example": "asia", "data": f"postgres://me:{SECRET}@h/d"}).scene.place.where == "postgres://me@h/d"
    )
    assert store.load(key).scene.place.where == "postgres://me@host/db?table=rows"
    evil = text.replace("postgres://me@host", f"postgres://me:{SECRET}@host")
    assert SECRET not in session_file.dump(session_file.parse(evil))


def test_others_can_open_no_place(rows):
    counted = count_into(open_scene(DOCUMENT, "asia.bif"), Place(rows))
    waiting = session_file.parse(session_file.dump(Saved(counted)))
    link = parse_link({"example": "asia", "data": rows})
    session = Session(local=False)
    session.open_example(find_example("asia"))
    before = session.scene
    for saved in (Saved(counted), waiting, link.saved):
        assert not Race(session).open(saved)
        assert "open to others" in session.message
        assert session.scene is before
