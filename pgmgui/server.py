"""Serving the page on this machine only.

The server listens on the loopback address. That alone does not keep other web pages out: one of them
may point its own host name at 127.0.0.1 (DNS rebinding) and would then count as the same origin. So
every request, also that for the websocket, must name us in its Host header, and the websocket checks
the Origin too.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import bokeh.server.connection
import panel as pn
from bokeh.server.server import Server
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError

from engine.errors import PgmError

ADDRESS = "127.0.0.1"
FIRST_PORT = 5006
LAST_PORT = 65535
PORTS_TRIED = 100
LARGEST_MESSAGE = 200 * 2**20
"""Bytes of one websocket message; an upload is one."""
UNUSED_SESSION_SECONDS = 120
"""How long a page may take to load. A shorter time rebuilds the session of a slow one."""


class ForeignHost(Matcher):
    """Matches requests whose Host header is not one of ours."""

    def __init__(self, hosts: frozenset[str]) -> None:
        self._hosts = hosts

    def match(self, request: HTTPServerRequest) -> dict[str, object] | None:
        """An empty match (no path arguments) for a foreign host; None lets the request through."""
        return None if request.host.lower() in self._hosts else {}


class RefuseHandler(RequestHandler):
    """Answers every request with 403."""

    def prepare(self) -> None:
        self.set_status(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish("This address is not served here. Open the one that pgmgui printed.\n")


class ClosedTab(logging.Filter):
    """Drops what Bokeh logs when a tab closes while its last message is on the way: nothing is wrong then.

    Bokeh asserts that the connection still has its session, and the tab's closing has just taken it away.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, AssertionError) or error.__traceback__ is None:
            return True
        *_, last = traceback.walk_tb(error.__traceback__)
        code = last[0].f_code
        return not (code.co_name == "session" and code.co_filename == bokeh.server.connection.__file__)


_CLOSED_TAB = ClosedTab()


def make_server(build_page: Callable[[], pn.viewable.Viewable], port: int | None = None) -> tuple[Server, str]:
    """A server that listens but is not started, and its address.

    Parameters
    ----------
    build_page : callable
        Makes the page of a new tab.
    port : int, optional
        None is 5006 or the next free port after it; 0 any free port; another must be free.
    """
    for name in ("bokeh.server.protocol_handler", "tornado.application"):
        logging.getLogger(name).addFilter(_CLOSED_TAB)
    if port is not None and not 0 <= port <= LAST_PORT:
        raise PgmError(f"port {port} does not exist; give one between 0 and {LAST_PORT}")
    for candidate in _candidates(port):
        try:
            server = _bind(build_page, candidate)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            raise PgmError(f"cannot listen on port {candidate}: {error.strerror}; give another --port") from None
        return server, f"http://{ADDRESS}:{candidate}"
    raise PgmError(f"port {port or FIRST_PORT} is in use; give another --port, or 0 for any free one")


def run(server: Server, show: bool) -> None:
    """Serve until interrupted."""
    if show:
        server.io_loop.add_callback(server.show, "/")
    server.io_loop.asyncio_loop.set_exception_handler(_report)  # type: ignore[attr-defined]
    server.start()
    server.io_loop.start()


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong on the loop; a tab that closes while it is being sent something did not."""
    if not isinstance(context.get("exception"), WebSocketClosedError):
        loop.default_exception_handler(context)


def _candidates(port: int | None) -> Iterator[int]:
    if port is None:
        yield from range(FIRST_PORT, FIRST_PORT + PORTS_TRIED)
    elif port == 0:
        # The origin must be known before the server binds, so a free port is found first.
        for _ in range(PORTS_TRIED):
            with socket.socket() as probe:
                probe.bind((ADDRESS, 0))
                free = int(probe.getsockname()[1])
            yield free
    else:
        yield port


def _bind(build_page: Callable[[], pn.viewable.Viewable], port: int) -> Server:
    hosts = [f"{ADDRESS}:{port}", f"localhost:{port}"]
    server: Server = pn.serve(
        {"/": build_page},
        port=port,
        address=ADDRESS,
        websocket_origin=hosts,
        start=False,
        show=False,
        verbose=False,
        title="pgmgui",
        websocket_max_message_size=LARGEST_MESSAGE,
        http_server_kwargs={"max_buffer_size": LARGEST_MESSAGE},
        unused_session_lifetime_milliseconds=UNUSED_SESSION_SECONDS * 1000,
    )
    # Browsers leave the port out of the Host header where it is the default one.
    allowed = frozenset([*hosts, *((ADDRESS, "localhost") if port == 80 else ())])
    server._tornado.default_router.rules.insert(0, Rule(ForeignHost(allowed), RefuseHandler))
    return server
