"""Serving a page that only a test needs."""

from __future__ import annotations

import logging
from collections.abc import Callable

import panel as pn

from app.server import make_server, run


def serve_page(build_page: Callable[[], pn.viewable.Viewable]) -> None:
    """Print the page's address, and serve it until ended."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    server, url = make_server(build_page, 0)
    print(url, flush=True)
    run(server, False)
