"""Tabs that are kept on the disk."""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.model.errors import PgmError
from pgmgui.project import session_file
from pgmgui.project.examples import load_gallery
from pgmgui.project.folders import default_folder
from pgmgui.project.marks import Hidden
from pgmgui.project.session_file import Saved
from pgmgui.project.settings import Settings
from pgmgui.project.store import LEASE, MOST_KEPT, Room, Store, TakenError
from pgmgui.state.session import Session
from tests.pgmgui.project.small_sessions import small
from tests.pgmgui.project.test_session_file import assert_same

ROOT = Path(__file__).resolve().parents[3]
SAVES = 60
"""Of each of the servers that save at the same time."""
SERVER = f"""
import sys
from pathlib import Path
from pgmgui.project.database import Database
from pgmgui.project.store import Store
from tests.pgmgui.project.small_sessions import small

def connect(self, number, usual=Database._connect):
    connection = usual(self, number)
    connection.execute("PRAGMA synchronous = OFF")  # the power will not fail
    return connection

Database._connect = connect
store, mine = Store(Path(sys.argv[1]), {4 * SAVES}), int(sys.argv[2])
print("ready", flush=True)
input()
for k in range({SAVES}):
    store.save(f"tab-{{mine}}-{{k:04}}", small(mine * {SAVES} + k))
    if k % 3 == 2:
        store.forget(f"tab-{{mine}}-{{k - 1:04}}")
"""


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "kept")


def example(k=0):
    session = Session()
    session.open_example(load_gallery()[k])
    return Saved(session.scene, Settings(seed=4))


def rows(store, question="SELECT key FROM tab", file="kept-1.db"):
    with sqlite3.connect(store.folder / file) as connection:
        return connection.execute(question).fetchall()


def test_a_tab_comes_back_also_to_another_server(store):
    key, saved = store.make_key(), example()
    store.save(key, saved)
    found = Store(store.folder).load(key)
    assert found.settings == saved.settings
    assert_same(saved.scene, found.scene)


def test_two_servers_that_save_at_once_lose_nothing(store):
    """The first version of the store lost the data of a third of the tabs."""
    command = [sys.executable, "-c", SERVER, str(store.folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    servers = [subprocess.Popen([*command, str(mine)], **pipes) for mine in (1, 2)]
    assert [server.stdout.readline() for server in servers] == [b"ready\n"] * 2
    for server in servers:
        server.stdin.write(b"\n")
        server.stdin.flush()
    for server in servers:
        server.communicate(timeout=60)
    assert [server.returncode for server in servers] == [0, 0]
    for mine in (1, 2):
        for k in range(SAVES):
            found = store.load(f"tab-{mine}-{k:04}")
            if k % 3 == 1:
                assert found is None
            else:
                assert_same(found.scene, small(mine * SAVES + k).scene)


def test_data_are_written_once_for_all_tabs_that_have_them(store):
    saved = example()
    for name in ("first-tab", "second-tab"):
        store.save(name, saved)
    store.save("first-tab", replace(saved, scene=replace(saved.scene, marks={"asia": Hidden()})))
    assert len(rows(store, "SELECT 1 FROM data")) == 1
    assert store.load("second-tab").scene.marks == {}
    store.save("first-tab", small(1))
    store.save("second-tab", small(1))
    assert len(rows(store, "SELECT 1 FROM data")) == 1
    assert_same(store.load("first-tab").scene, small(1).scene)


def test_data_that_another_server_has_forgotten_are_written_again(store):
    saved = small(1)
    store.save("first-tab", saved)
    Store(store.folder).forget("first-tab")
    store.save("second-tab", saved)
    assert_same(store.load("second-tab").scene, saved.scene)


def test_only_the_owner_may_look_and_a_folder_that_was_there_stays_as_it_was(store, tmp_path):
    store.save("some-tab-1", example())
    copy = store.save_copy(example())
    assert store.folder.stat().st_mode & 0o777 == 0o700
    (tmp_path / "open").mkdir(mode=0o755)
    other = Store(tmp_path / "open")
    other.save("some-tab-1", example())
    assert other.folder.stat().st_mode & 0o777 == 0o755
    for path in (copy, store.folder / "kept-1.db", other.folder / "kept-1.db"):
        assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in store.folder.iterdir()) == [copy.name, "kept-1.db"]


@pytest.mark.parametrize("key", ["", "short", "../../etc/passwd", "a/b/c/d/e/f", "x" * 41, "tab.json.."])
def test_a_name_that_is_none_is_refused(store, key):
    assert store.load(key) is None
    with pytest.raises(PgmError, match="no name"):
        store.save(key, example())


def test_nothing_is_kept_under_an_unknown_name(store):
    assert store.load("unknown-tab") is None
    assert not store.folder.exists()


# --- what is open, and what is forgotten


def close(store, key, used):
    """Have a tab open no more, and last used at some time."""
    store.release(key)
    with sqlite3.connect(store.folder / "kept-1.db") as connection:
        connection.execute("UPDATE tab SET used = ? WHERE key = ?", (used, key))


def test_what_was_not_used_for_longest_is_forgotten_and_told_before(tmp_path):
    store = Store(tmp_path, most=3)
    for k, room in enumerate([Room(1, 3), Room(2, 3), Room(3, 3, "Number 0", 1000.0)]):
        assert store.save(f"some-tab-{k}", small(k)) == room
        close(store, f"some-tab-{k}", 1000.0 + k)
    assert store.save("some-tab-3", small(3)) == Room(3, 3, "Number 1", 1001.0)
    assert [store.load(f"some-tab-{k}") is None for k in range(4)] == [True, False, False, False]
    assert len(rows(store, "SELECT 1 FROM data")) == 3


def test_how_full_the_store_is_in_words():
    assert Room(37, 100).describe(True) == "Of at most 100 tabs, 37 are kept."
    full = Room(100, 100, "Asia", 1772539200.0)
    assert "the next new one will replace “Asia”, last used on 3 March 2026." in full.describe(True)
    assert "the next new one will replace the one not used for longest." in full.describe(False)


def test_a_tab_that_is_open_on_any_server_is_never_forgotten(tmp_path):
    ours, theirs = Store(tmp_path, most=1), Store(tmp_path, most=1)
    theirs.save("their-own-tab", small(1))
    close(theirs, "their-own-tab", 1.0)
    assert theirs.claim("their-own-tab")
    for k in range(3):
        ours.save(f"our-own-tab-{k}", small(k))
        close(ours, f"our-own-tab-{k}", 1000.0 + k)
    assert sorted(rows(ours)) == [("our-own-tab-2",), ("their-own-tab",)]
    theirs.release("their-own-tab")
    assert ours.save("our-own-tab-3", small(3)) == Room(1, 1)
    assert rows(ours) == [("our-own-tab-3",)]


def test_of_two_servers_one_writes_a_tab(store):
    other = Store(store.folder)
    store.save("some-tab-1", small(1))
    assert not other.claim("some-tab-1")
    with pytest.raises(TakenError):
        other.save("some-tab-1", small(2))
    assert_same(other.load("some-tab-1").scene, small(1).scene)
    store.release("some-tab-1")
    assert other.claim("some-tab-1")
    assert not store.claim("some-tab-1")


@pytest.mark.parametrize(
    ("change", "value"),
    [("pid = ?", 2**22 + 1), ("host = 'elsewhere', seen = ?", time.time() - LEASE - 1)],
    ids=["ended", "not heard of"],
)
def test_a_server_that_is_gone_has_nothing_open(store, change, value):
    store.save("some-tab-1", small(1))
    with sqlite3.connect(store.folder / "kept-1.db") as connection:
        connection.execute(f"UPDATE server SET {change}", (value,))
    assert Store(store.folder).claim("some-tab-1")


def test_a_server_on_another_machine_is_believed(store):
    store.save("some-tab-1", small(1))
    with sqlite3.connect(store.folder / "kept-1.db") as connection:
        connection.execute("UPDATE server SET host = 'elsewhere', pid = ?", (2**22 + 1,))
    assert not Store(store.folder).claim("some-tab-1")


def test_a_server_says_now_and_then_that_it_is_there(store, monkeypatch):
    monkeypatch.setattr("pgmgui.project.store.BEAT", 0.05)
    store.save("some-tab-1", small(1))
    before = rows(store, "SELECT seen FROM server")
    while rows(store, "SELECT seen FROM server") <= before:
        pass
    store.release("some-tab-1")
    assert rows(store, "SELECT seen FROM server") == []


def test_copies_are_files_and_the_oldest_are_forgotten(tmp_path):
    store = Store(tmp_path, most=2)
    copies = [store.save_copy(small(k)) for k in range(2)]
    os.utime(copies[1], (1, 1))
    copies.append(store.save_copy(small(2)))
    assert [path.exists() for path in copies] == [True, False, True]
    assert_same(session_file.read_session(copies[2]).scene, small(2).scene)


# --- files that are not as they should be


@pytest.mark.parametrize(
    "content", [b"not a database at all " * 100, b"SQLite format 3\0" + b"\xff" * 5000], ids=["foreign", "damaged"]
)
def test_a_file_that_is_no_database_is_left_and_another_begun(store, content, caplog):
    store.folder.mkdir()
    (store.folder / "kept-1.db").write_bytes(content)
    store.save("some-tab-1", small(1))
    assert_same(Store(store.folder).load("some-tab-1").scene, small(1).scene)
    assert (store.folder / "kept-1.db").read_bytes() == content
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "kept-1.db" in caplog.text
    assert "kept-2.db is begun" in caplog.text


def test_another_programs_database_is_left_and_another_begun(store):
    store.folder.mkdir()
    with sqlite3.connect(store.folder / "kept-1.db") as connection:
        connection.execute("CREATE TABLE tab (something)")
    assert store.load("some-tab-1") is None
    store.save("some-tab-1", small(1))
    assert rows(store, "SELECT * FROM tab") == []
    assert rows(store, file="kept-2.db") == [("some-tab-1",)]


def test_what_can_be_read_of_an_earlier_file_is_found_and_can_be_forgotten(store):
    store.save("some-tab-1", small(1))
    (store.folder / "kept-2.db").write_bytes(b"no database")
    store.save("some-tab-2", small(2))
    assert rows(store, file="kept-3.db") == [("some-tab-2",)]
    assert_same(store.load("some-tab-1").scene, small(1).scene)
    store.forget("some-tab-1")
    assert rows(store) == []


def test_a_damaged_file_says_so(store):
    store.save("some-tab-1", small(1))
    path = store.folder / "kept-1.db"
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(PgmError, match=r"kept-1.db: .* it is damaged"):
        store.load("some-tab-1")
    store.save("some-tab-2", small(2))
    assert store.load("some-tab-2") is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [("tab SET text = '{'", "not JSON"), ("data SET packed = x'00'", "damaged"), ("tab SET data = ''", "not there")],
)
def test_a_damaged_tab_says_so(store, change, why):
    store.save("damaged-tab", small(1))
    with sqlite3.connect(store.folder / "kept-1.db") as connection:
        connection.execute(f"UPDATE {change}")
    with pytest.raises(PgmError, match=f"damaged-tab.*{why}"):
        store.load("damaged-tab")


def test_a_full_disk_says_so_and_what_was_kept_stays(store, monkeypatch):
    store.save("some-tab-1", small(1))
    large = replace(small(2), scene=replace(small(2).scene, note="long " * 10_000))
    with monkeypatch.context() as patch:
        appear = store._appear

        def fill(connection):
            connection.execute("PRAGMA max_page_count = 1").fetchall()
            return appear(connection)

        patch.setattr(store, "_appear", fill)
        with pytest.raises(PgmError, match="the disk is full; make some room"):
            store.save("some-tab-2", large)
    assert_same(store.load("some-tab-1").scene, small(1).scene)
    store.save("some-tab-2", large)
    assert store.load("some-tab-2") is not None


def test_a_file_that_another_program_holds_says_so(store, monkeypatch):
    monkeypatch.setattr("pgmgui.project.database.PATIENCE", 0.01)
    store.save("some-tab-1", small(1))
    holder = sqlite3.connect(store.folder / "kept-1.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(PgmError, match="another program has been using it"):
        store.save("some-tab-2", small(2))
    assert store.load("some-tab-1") is not None
    holder.close()


# --- the home


def keep_as_before(folder, key, saved):
    """What the first version of the store wrote."""
    csv = session_file.dump_csv(saved.scene.data)
    digest = hashlib.sha256(csv.encode()).hexdigest()
    name = f"data-{digest}.csv"
    (folder / name).write_text(csv, encoding="utf-8")
    text = session_file.dump(saved, {"file": name, "sha256": digest})
    (folder / f"tab-{key}.json").write_text(text, encoding="utf-8")
    return folder / name


def test_tabs_of_earlier_versions_are_taken_over_and_none_is_lost(tmp_path, caplog):
    shared = keep_as_before(tmp_path, "first-tab", small(1))
    keep_as_before(tmp_path, "second-tab", small(1))
    lost = keep_as_before(tmp_path, "without-data", small(2))
    lost.unlink()
    root = json.loads(session_file.dump(replace(small(3), scene=replace(small(3).scene, data=None))))
    (tmp_path / "tab-no-data-at-all.json").write_text(json.dumps(root), encoding="utf-8")
    (tmp_path / "tab-damaged-tab.json").write_text("{", encoding="utf-8")
    os.utime(tmp_path / "tab-second-tab.json", (1000, 1000))
    store = Store(tmp_path)
    assert_same(store.load("first-tab").scene, small(1).scene)
    assert_same(store.load("second-tab").scene, small(1).scene)
    assert store.load("no-data-at-all").scene.title == "Number 3"
    assert not shared.exists()
    assert sorted(path.name for path in tmp_path.glob("tab-*")) == ["tab-damaged-tab.json", "tab-without-data.json"]
    assert rows(store, "SELECT key FROM tab WHERE used = 1000") == [("second-tab",)]
    assert len(caplog.records) == 2
    store.save("third-tab", small(4))
    assert store.load("third-tab") is not None


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("PGMGUI_HOME", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("PGMGUI_HOME")
    assert default_folder().name == "pgmgui"
    assert Store(tmp_path).most == MOST_KEPT


def test_a_user_without_a_home_is_told_what_to_do(monkeypatch, tmp_path):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("PGMGUI_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(PgmError, match=r"no home directory.* set .* HOME"):
        default_folder()
    (tmp_path / "file").touch()
    with pytest.raises(PgmError, match="cannot make the folder that tabs are kept in"):
        Store(tmp_path / "file" / "pgmgui").save("some-tab-1", small(1))
