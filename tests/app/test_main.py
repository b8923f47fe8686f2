"""Whole pages without a browser: where they open, and what is left of them when their tab is closed."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import threading
import weakref
from pathlib import Path
from typing import Any

import panel as pn
import pytest
from bokeh.server.contexts import ApplicationContext

from app.main import build_page
from app.server import make_server
from pgmgui.project.store import Store
from pgmgui.state.runner import Runner
from tests.light_page import LightPage
from tests.own_loop import run_apart

PAGES = 2


async def open_and_close(store: Store) -> list[weakref.ref[Any]]:
    """Serve pages, open each and close it; the documents that were built."""
    documents: list[weakref.ref[Any]] = []

    def build() -> pn.viewable.Viewable:
        documents.append(weakref.ref(pn.state.curdoc))
        return build_page(store=store)

    server, url = make_server(build, 0)
    server.start()
    (context,) = server._tornado._applications.values()
    for _ in range(PAGES):
        page = await LightPage.open(url)
        await page.act("hide", names=["smoke"])
        await page.close()
    await forget_sessions(context)
    server.stop()
    return documents


async def forget_sessions(context: ApplicationContext) -> None:
    """Bokeh keeps a session for a while, should its tab come back; here, not."""
    while context.sessions:
        await context._cleanup_sessions(-1)
        await asyncio.sleep(0)


def test_closed_pages_are_freed(tmp_path, caplog):
    caplog.set_level(logging.WARNING, "panel")  # the records that pytest keeps would hold the pages
    documents = run_apart(lambda: open_and_close(Store(tmp_path)))
    gc.collect()
    assert [document() for document in documents] == [None] * PAGES


async def leave_while_it_learns(store: Store, waits: bool) -> bool:
    """Open a page that begins to learn, and close it before it has all its parts: whether it learns on.

    Either what the server does with closed pages is done at once, or the server is waited for.
    """
    server, url = make_server(lambda: build_page(store=store), 0)
    server.start()
    (context,) = server._tornado._applications.values()
    others = threading.enumerate()  # learners of other tests may still be ending
    page = await LightPage.open(url, "/?example=asia&run=1", whole=False)
    learners: list[threading.Thread] = []
    while not learners:
        await asyncio.sleep(0)
        learners = [thread for thread in threading.enumerate() if thread.name == "Learning" and thread not in others]
    await page.close()
    if not waits:
        await forget_sessions(context)
    (learner,) = learners
    await asyncio.to_thread(learner.join, 60 if waits else 5)
    server.stop()
    return learner.is_alive()


@pytest.mark.parametrize("waits", [False, True])
def test_a_run_ends_when_its_page_is_closed(tmp_path, monkeypatch, waits):
    monkeypatch.setattr(Runner, "_run", lambda runner: runner._stopped.wait())  # a run that does not end by itself
    assert not run_apart(lambda: leave_while_it_learns(Store(tmp_path), waits))


async def open_on(address: str, store: Store) -> None:
    server, url = make_server(lambda: build_page(store=store), 0, address)
    server.start()
    page = await LightPage.open(url)
    await page.close()
    server.stop()


def test_a_page_opens_on_an_address_of_version_6(tmp_path):
    if not socket.has_ipv6 or not Path("/proc/net/if_inet6").read_text():
        pytest.skip("this machine has no addresses of version 6")
    run_apart(lambda: open_on("::1", Store(tmp_path)))
