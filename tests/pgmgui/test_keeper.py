"""Autosave: changes are kept, nothing is written when nothing has changed, and trouble is no disaster."""

import pytest

from pgmgui.examples import load_gallery
from pgmgui.keeper import Keeper, read_query
from pgmgui.marks import Hidden
from pgmgui.session import Session
from pgmgui.store import Store


@pytest.fixture
def session():
    session = Session()
    session.open_example(load_gallery()[0])
    return session


def test_a_change_is_kept_and_no_change_is_not(session, tmp_path, monkeypatch):
    store, saves = Store(tmp_path), []
    save = store.save
    monkeypatch.setattr(store, "save", lambda key, saved: saves.append(key) or save(key, saved))
    keeper = Keeper(session, store)
    for _ in range(3):
        keeper.keep_now()
    assert saves == [keeper.key]
    session.mark(["smoke"], Hidden())
    session.configure(seed=9)
    keeper.keep_now()
    found = store.load(keeper.key)
    assert found.scene.marks == {"smoke": Hidden()}
    assert found.settings.seed == 9
    session.undo()
    keeper.keep_now()
    assert store.load(keeper.key).scene.marks == {}
    assert len(saves) == 3


def test_a_tab_that_was_just_opened_from_the_store_is_not_written_again(session, tmp_path):
    store = Store(tmp_path / "kept")
    Keeper(session, store, "some-known-key").keep_now()
    assert not store.folder.exists()


def test_a_folder_that_cannot_be_written_is_said_once(session, tmp_path, caplog):
    path = tmp_path / "file"
    path.write_text("not a folder", encoding="utf-8")
    keeper = Keeper(session, Store(path))
    for name in ("smoke", "bronc"):
        session.mark([name], Hidden())
        keeper.keep_now()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "autosave does not work" in caplog.text


def test_the_query_is_read_as_text():
    assert read_query({"tab": [b"a", b"b\xff"], "seed": []}) == {"tab": "b�"}
