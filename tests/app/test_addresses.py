"""What a page opens on: what its address names, or the first example and why not."""

from __future__ import annotations

import pytest

from app import main
from pgmgui.project.links import Link
from pgmgui.project.store import Store
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from tests.pgmgui.project.small_sessions import small


@pytest.fixture
def open_address(monkeypatch, tmp_path):
    """Open an address: the session, the key of the tab that was found again, and the link that was opened."""

    def open_one(**query: str) -> tuple[Session, str, Link | None]:
        monkeypatch.setattr(main, "read_query", lambda _: query)
        session = Session()
        return session, *main._open(session, Race(session), Store(tmp_path), None)

    return open_one


def test_a_link_is_opened_and_runs_if_it_says_so(open_address):
    session, key, link = open_address(example="burglary", run="1")
    assert (session.scene.title, session.message, key, link.run) == ("Burglary", "", "", True)


def test_a_tab_that_is_kept_is_found_again(open_address, tmp_path):
    saved = small(1)
    Store(tmp_path).save("a-tab-that-is-kept", saved)
    session, key, link = open_address(tab="a-tab-that-is-kept")
    assert (session.scene.title, session.message, key, link) == (saved.scene.title, "", "a-tab-that-is-kept", None)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"example": "asia", "hide": "nobody"}, "the link's 'hide' names 'nobody'"),
        ({"example": "nowhere"}, "nowhere"),
        ({"tab": "nobody-knows-it"}, "The work that this address names is not kept here any more."),
    ],
)
def test_what_cannot_be_opened_is_told_and_there_is_something_to_work_with(open_address, query, told):
    session, key, link = open_address(**query)
    assert told in session.message
    assert (session.scene.title, key, link) == ("Asia", "", None)
