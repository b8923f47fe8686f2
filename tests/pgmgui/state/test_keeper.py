"""Autosave: changes are kept, nothing is written when nothing has changed, and trouble is no disaster."""

from types import SimpleNamespace

import pytest

from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden
from pgmgui.project.store import Store
from pgmgui.state.keeper import Keeper, find_kept, read_query
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.standings import Standings
from pgmgui.state.travel import Traveller
from tests.pgmgui.project.small_sessions import small


@pytest.fixture
def session():
    session = Session()
    session.open_example(load_gallery()[0])
    return session


def make_keeper(session, store, key="", race=None):
    keeper = Keeper(session, race or Race(session), store, key)
    keeper.claim()
    return keeper


def settle(keeper):
    """What the page does every now and then, until all is written."""
    keeper.keep()
    if keeper._writing is not None:
        keeper._writing.exception()
        keeper.keep()


def count_saves(store, monkeypatch):
    saves, save = [], store.save
    monkeypatch.setattr(store, "save", lambda key, saved: saves.append(key) or save(key, saved))
    return saves


def test_a_change_is_kept_and_no_change_is_not(session, tmp_path, monkeypatch):
    store = Store(tmp_path)
    saves = count_saves(store, monkeypatch)
    keeper = make_keeper(session, store)
    for _ in range(3):
        settle(keeper)
    assert (saves, keeper.status, keeper.query) == ([], "unchanged", "")
    session.mark(["smoke"], Hidden())
    session.configure(seed=9)
    session.suppose("bronc", [1.0, 0.0])
    keeper.keep()
    assert keeper.status == "changed"
    settle(keeper)
    assert (saves, keeper.status, keeper.query) == ([keeper.key], "kept", f"tab={keeper.key}")
    found = store.load(keeper.key)
    assert found.scene.marks == {"smoke": Hidden()}
    assert found.settings.seed == 9
    assert found.supposed.likelihoods == {"bronc": (1.0, 0.0)}
    session.undo()
    settle(keeper)
    assert store.load(keeper.key).scene.marks == {}
    assert len(saves) == 2


def test_a_run_is_kept_when_it_ends_and_not_while_it_climbs(session, tmp_path, monkeypatch):
    store, race = Store(tmp_path), Race(session)
    session.mark(["smoke"], Hidden())
    keeper = make_keeper(session, store, race=race)
    saves = count_saves(store, monkeypatch)
    race.begin()
    while race.running:
        race.tick()
        settle(keeper)
    settle(keeper)
    assert len(saves) <= 2
    (result,) = store.load(keeper.key).results
    assert (result.method, result.state) == ("d-em", "converged")
    race.cancel()
    settle(keeper)
    assert store.load(keeper.key).results == ()


def test_scores_of_rows_held_out_are_kept_that_are_found_after_the_run(session, tmp_path, monkeypatch):
    monkeypatch.setattr("pgmgui.state.keeper.EVERY", 0.0)
    monkeypatch.setattr("pgmgui.state.keeper.time", SimpleNamespace(monotonic=lambda: 1.0))
    store, race, waiting = Store(tmp_path), Race(session), []
    session.hold_out(0.3, 0)
    Standings(session, race, waiting.append)
    keeper = make_keeper(session, store, race=race)
    race.begin()
    while race.running:
        race.tick()
    settle(keeper)
    assert keeper.is_done
    assert store.load(keeper.key).results[0].tested == ()
    waiting.pop()()()
    assert not keeper.is_done
    settle(keeper)
    assert keeper.is_done
    assert store.load(keeper.key).results[0].tested == race.curves["d-em"].tested != ()


def test_a_long_run_is_kept_and_goes_on_after_the_server_was_killed(session, tmp_path, monkeypatch, endless):
    monkeypatch.setattr("pgmgui.state.keeper.EVERY", 0.0)
    store, race = Store(tmp_path), Race(session)
    session.mark(["smoke"], Hidden())
    session.configure(max_iter=10**9)
    keeper = make_keeper(session, store, race=race)
    race.begin()
    results = ()
    while not results or results[0].iteration < 20:
        race.tick()
        keeper.keep()
        assert not keeper.is_done
        found = store.load(keeper.key)
        results = () if found is None else found.results
    race.stop()
    fresh = Session()
    found = Race(fresh)
    found.open(store.load(keeper.key))  # and nobody has said good-bye
    assert found.curves["d-em"].state == "interrupted"
    assert found.goes_on_from == results[0].iteration >= 20
    while race.running:
        race.tick()


def test_a_tab_that_was_just_opened_from_the_store_is_not_written_again(session, tmp_path):
    store = Store(tmp_path / "kept")
    settle(make_keeper(session, store, "some-known-key"))
    assert not store.folder.exists()


def test_of_two_open_tabs_with_one_key_the_second_moves_and_nothing_is_overwritten(session, tmp_path, monkeypatch):
    store = Store(tmp_path)
    first = make_keeper(session, store)
    session.mark(["smoke"], Hidden())
    found = find_kept(store, first.key)  # saved though nobody has looked since the change
    assert found.scene.marks == {"smoke": Hidden()}
    other = Session()
    other.open(found.scene)
    second = make_keeper(other, store, first.key)
    assert second.key != first.key
    settle(second)
    other.mark(["bronc"], Hidden())
    settle(second)
    settle(first)
    assert store.load(first.key).scene.marks == {"smoke": Hidden()}
    assert store.load(second.key).scene.marks == {"smoke": Hidden(), "bronc": Hidden()}


def test_a_tab_that_is_open_on_another_server_goes_its_own_way_here(session, tmp_path):
    theirs = make_keeper(session, Store(tmp_path))
    session.mark(["smoke"], Hidden())
    settle(theirs)
    store, other = Store(tmp_path), Session()
    other.open(find_kept(store, theirs.key).scene)
    ours = make_keeper(other, store, theirs.key)
    assert ours.key != theirs.key
    other.mark(["bronc"], Hidden())
    settle(ours)
    assert store.load(theirs.key).scene.marks == {"smoke": Hidden()}
    assert store.load(ours.key).scene.marks == {"smoke": Hidden(), "bronc": Hidden()}
    key = theirs.key
    theirs.leave()
    assert make_keeper(other, store, key).key == key


def test_a_tab_that_another_server_took_meanwhile_is_kept_under_a_new_key(session, tmp_path):
    keeper = make_keeper(session, Store(tmp_path))
    session.mark(["smoke"], Hidden())
    settle(keeper)
    key = keeper.key
    keeper.store.release(key)  # as if this machine had slept
    other = Store(tmp_path)
    assert other.claim(key)
    session.mark(["xray"], Hidden())
    settle(keeper)
    settle(keeper)
    assert (keeper.status, keeper.query) == ("kept", f"tab={keeper.key}")
    assert keeper.key != key
    assert other.load(key).scene.marks == {"smoke": Hidden()}
    assert set(other.load(keeper.key).scene.marks) == {"smoke", "xray"}
    assert set(keeper.store.owners) == {keeper.key}


def test_a_full_store_says_once_what_it_will_forget(session, tmp_path):
    store = Store(tmp_path, most=2)
    store.save("some-tab-1", small(7))
    store.release("some-tab-1")
    keeper = make_keeper(session, store)
    session.mark(["smoke"], Hidden())
    settle(keeper)
    assert "the next new one will replace “Number 7”" in session.message
    session.say("")
    session.mark(["xray"], Hidden())
    settle(keeper)
    assert session.message == ""


def test_a_reload_takes_the_key_over_and_the_old_page_writes_no_more(session, tmp_path, monkeypatch):
    store = Store(tmp_path)
    old = make_keeper(session, store)
    session.mark(["smoke"], Hidden())
    settle(old)
    monkeypatch.setattr(Keeper, "is_closed", property(lambda keeper: keeper is old))
    fresh = Session()
    fresh.open(find_kept(store, old.key).scene)
    new = make_keeper(fresh, store, old.key)
    assert new.key == old.key
    session.mark(["xray"], Hidden())
    settle(old)
    old.leave()
    assert store.load(new.key).scene.marks == {"smoke": Hidden()}
    monkeypatch.setattr(Keeper, "is_closed", False)  # the old page is back: it goes on under a key of its own
    settle(old)
    assert old.key != new.key
    assert store.load(old.key).scene.marks == {"smoke": Hidden(), "xray": Hidden()}
    assert set(store.owners) == {old.key, new.key}
    new.leave()
    assert set(store.owners) == {old.key}


def test_what_is_forgotten_is_gone_until_the_next_change(session, tmp_path):
    store = Store(tmp_path)
    keeper = make_keeper(session, store)
    session.mark(["smoke"], Hidden())
    settle(keeper)
    session.mark(["xray"], Hidden())  # so short before that nobody has looked since
    keeper.forget()
    assert (store.load(keeper.key), keeper.status, keeper.query) == (None, "unchanged", "")
    settle(keeper)
    assert Store(tmp_path).load(keeper.key) is None
    session.undo()
    settle(keeper)
    assert store.load(keeper.key) is not None


def test_a_folder_that_cannot_be_written_is_said_once(session, tmp_path, caplog):
    path = tmp_path / "file"
    path.write_text("not a folder", encoding="utf-8")
    keeper = make_keeper(session, Store(path))
    for name in ("smoke", "bronc"):
        session.mark([name], Hidden())
        settle(keeper)
    keeper.leave()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "autosave does not work" in caplog.text
    assert keeper.status == "failed"
    assert "cannot make the folder" in keeper.trouble


def test_keeping_is_tried_again_and_the_trouble_is_over_when_it_works(session, tmp_path, monkeypatch):
    monkeypatch.setattr("pgmgui.state.keeper.AGAIN", 0.0)
    path = tmp_path / "kept"
    path.write_text("not a folder", encoding="utf-8")
    keeper = make_keeper(session, Store(path))
    session.mark(["smoke"], Hidden())
    settle(keeper)
    assert "cannot make the folder" in keeper.trouble
    assert not keeper.is_done
    path.unlink()
    settle(keeper)
    settle(keeper)
    assert (keeper.trouble, keeper.status, keeper.is_done) == ("", "kept", True)
    assert set(keeper.store.load(keeper.key).scene.marks) == {"smoke"}


def test_the_query_is_read_as_text():
    assert read_query({"tab": [b"a", b"b\xff"], "seed": []}) == {"tab": "b�"}


def test_the_iteration_that_is_looked_at_is_kept_when_the_page_is_left(session, tmp_path):
    store, race = Store(tmp_path), Race(session)
    keeper = make_keeper(session, store, race=race)
    race.begin()
    while race.running:
        race.tick()
    settle(keeper)
    Traveller(session, race).go_to(3)
    assert not keeper.is_done
    keeper.leave()
    assert store.load(keeper.key).looked_at.points[-1].iteration == 3
