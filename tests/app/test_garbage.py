"""What open pages are made of is not searched for garbage; what closed ones leave is found."""

import gc
from types import SimpleNamespace
from weakref import ref

import pytest

from app import garbage
from app.garbage import Garbage
from tests.own_loop import run_apart


class Ring:
    """Something that only a search for garbage frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def frozen(monkeypatch):
    """As it is on a server, until the test has ended."""
    monkeypatch.setattr(garbage, "REST", 0.0)
    yield
    gc.unfreeze()


def open_pages(*names: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(id=name) for name in names]


def test_an_open_page_is_set_apart_until_one_is_closed(frozen):
    context = SimpleNamespace(sessions=open_pages("a", "b"))

    async def look_twice() -> list[bool]:
        watching, ring = Garbage(context), Ring()
        left = ref(ring)
        await watching.look()
        del ring
        gc.collect()
        found = [left() is None]
        context.sessions = open_pages("b")
        await watching.look()
        return [*found, left() is None]

    assert run_apart(look_twice) == [False, True]


def test_nothing_is_searched_where_nothing_was_closed(frozen, monkeypatch):
    searched = []
    monkeypatch.setattr(gc, "collect", lambda: searched.append(1))
    context = SimpleNamespace(sessions=open_pages("a"))

    async def look_on() -> None:
        watching = Garbage(context)
        for _ in range(3):
            await watching.look()
        context.sessions = open_pages("a", "b")
        await watching.look()

    run_apart(look_on)
    assert not searched
