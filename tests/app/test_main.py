"""What a page leaves behind on the server when its tab is closed: nothing."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref
from typing import Any

import panel as pn

from app.main import build_page
from app.server import make_server
from pgmgui.project.store import Store
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
    # Bokeh keeps a session for a while, should its tab come back; here, not.
    while context.sessions:
        await context._cleanup_sessions(-1)
        await asyncio.sleep(0)
    server.stop()
    return documents


def test_closed_pages_are_freed(tmp_path, caplog):
    caplog.set_level(logging.WARNING, "panel")  # the records that pytest keeps would hold the pages
    documents = run_apart(lambda: open_and_close(Store(tmp_path)))
    gc.collect()
    assert [document() for document in documents] == [None] * PAGES
