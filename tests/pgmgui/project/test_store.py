"""Tabs that are kept on the disk."""

import os
from dataclasses import replace

import pytest

from engine.model.errors import PgmError
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden
from pgmgui.project.session_file import Saved
from pgmgui.project.settings import Settings
from pgmgui.project.store import MOST_KEPT, Store, default_folder
from pgmgui.state.session import Session
from tests.pgmgui.project.test_session_file import assert_same


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "kept")


def example(k=0):
    session = Session()
    session.open_example(load_gallery()[k])
    return Saved(session.scene, Settings(seed=4))


def test_a_tab_comes_back_also_to_another_server(store):
    key, saved = store.make_key(), example()
    store.save(key, saved)
    found = Store(store.folder).load(key)
    assert found.settings == saved.settings
    assert_same(saved.scene, found.scene)


def test_data_are_written_once_for_all_tabs_that_have_them(store):
    saved = example()
    for name in ("first-tab", "second-tab"):
        store.save(name, saved)
    store.save("first-tab", replace(saved, scene=replace(saved.scene, marks={"asia": Hidden()})))
    assert len(list(store.folder.glob("data-*.csv"))) == 1
    (tab, *_) = store.folder.glob("tab-*.json")
    assert tab.stat().st_size < next(store.folder.glob("data-*.csv")).stat().st_size


def test_only_the_owner_may_look(store):
    store.save("some-tab-1", example())
    assert store.folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("key", ["", "short", "../../etc/passwd", "a/b/c/d/e/f", "x" * 41, "tab.json.."])
def test_a_name_that_is_none_is_refused(store, key):
    assert store.load(key) is None
    with pytest.raises(PgmError, match="no name"):
        store.save(key, example())


def test_nothing_is_kept_under_an_unknown_name(store):
    assert store.load("unknown-tab") is None
    assert not store.folder.exists()


def test_a_damaged_file_says_so(store):
    path = store.save("damaged-tab", example())
    path.write_text("{", encoding="utf-8")
    with pytest.raises(PgmError, match="damaged-tab"):
        store.load("damaged-tab")


def test_old_tabs_and_their_data_are_forgotten(store):
    oldest = store.save("the-oldest-tab", example(1))
    os.utime(oldest, (1, 1))
    for k in range(MOST_KEPT):
        store.save(f"some-tab-{k:03}", example())
    assert not oldest.exists()
    assert len(list(store.folder.glob("tab-*.json"))) == MOST_KEPT
    assert len(list(store.folder.glob("data-*.csv"))) == 1
    assert store.load("some-tab-000") is not None


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("PGMGUI_HOME", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("PGMGUI_HOME")
    assert default_folder().name == "pgmgui"
