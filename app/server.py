"""Serving the page: on this machine only, unless told otherwise.

The server listens on the loopback address. That alone does not keep other web pages out: one of them
may point its own host name at 127.0.0.1 (DNS rebinding) and would then count as the same origin. So
every request, also that for the websocket, must name us in its Host header, and come from a page of
ours if it says where it comes from. Served on another address, a bare address in the Host header is
one of ours: only a name can be pointed elsewhere.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import signal
import socket
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import SplitResult, urlsplit

import bokeh.server.connection
import panel as pn
from bokeh.server.server import Server
from bokeh.server.tornado import BokehTornado
from bokeh.util.warnings import BokehUserWarning
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, PathMatches, Rule
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError

from app.garbage import Garbage
from app.location import understand_addresses
from app.sending import send_everything
from app.shell import Shell, ShellHandler, build_in_turn
from app.static_files import Shelf, StaticFileHandler
from engine.model.errors import PgmError
from pgmgui.state.precedence import PAGE

ADDRESS = "127.0.0.1"
FIRST_PORT = 5006
TITLE = "pgmgui"
HTTP_PORT = 80
LAST_PORT = 65535
PORTS_TRIED = 100
LARGEST_MESSAGE = 200 * 2**20
"""Bytes of one websocket message."""
OTHERS = r"/(?!ws$|static/|favicon\.ico$).*"
"""Paths that the page does without."""
UNUSED_SESSION_SECONDS = 120
"""How long a page may take to load. A shorter time rebuilds the session of a slow one."""


class Foreign(Matcher):
    """Matches requests that do not name us in their Host header, or that come from a page that is not ours.

    Parameters
    ----------
    hosts : frozenset of str
        Our names, with the port.
    addresses : bool
        Whether every address is ours too.
    """

    def __init__(self, hosts: frozenset[str], addresses: bool) -> None:
        self._hosts = hosts
        self._addresses = addresses

    def match(self, request: HTTPServerRequest) -> dict[str, object] | None:
        """An empty match (no path arguments) for a foreign request; None lets it through."""
        host = request.host.lower()
        ours = host in self._hosts or (self._addresses and is_address(_split(f"//{host}").hostname or ""))
        origin = request.headers.get("Origin")
        # A page may be opened under one of our names and connect under another.
        same = origin is None or _split(origin).netloc.lower() in self._hosts | {host}
        return None if ours and same else {}


class RefuseHandler(RequestHandler):
    """Answers every request with 403."""

    def prepare(self) -> None:
        self.set_status(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish("This address is not served here. Open the one that pgmgui printed.\n")


class NothingHandler(RequestHandler):
    """Answers every request with 404."""

    def prepare(self) -> None:
        self.send_error(404)


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


def make_server(
    build_page: Callable[[], pn.viewable.Viewable], port: int | None = None, address: str = ADDRESS
) -> tuple[Server, str]:
    """A server that listens but is not started, and where to find it.

    Parameters
    ----------
    build_page : callable
        Makes the page of a new tab.
    port : int, optional
        None is 5006 or the next free port after it; 0 any free port; another must be free.
    address : str
        An address or a name of this machine; ``0.0.0.0`` is all of them.
    """
    # A browser sends in full what is new to it, also what it has from here: nothing is wrong then.
    warnings.filterwarnings("ignore", "reference already known", BokehUserWarning)
    send_everything()
    understand_addresses()
    for name in ("bokeh.server.protocol_handler", "tornado.application"):
        logging.getLogger(name).addFilter(_CLOSED_TAB)
    if port is not None and not 0 <= port <= LAST_PORT:
        raise PgmError(f"port {port} does not exist; give one between 0 and {LAST_PORT}")
    _check_address(address)
    for candidate in _candidates(port, address):
        try:
            server = _bind(build_page, candidate, address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            raise PgmError(f"cannot listen on port {candidate}: {error.strerror}; give another --port") from None
        return server, f"http://{_in_url(_visible_name(address))}:{candidate}"
    raise PgmError(f"port {port or FIRST_PORT} is in use; give another --port, or 0 for any free one")


def is_address(text: str) -> bool:
    """Whether a text is a bare IP address, not a name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach a server on an address."""
    return ipaddress.ip_address(address).is_loopback if is_address(address) else address.lower() == "localhost"


def run(server: Server, show: bool) -> None:
    """Serve until interrupted, or told to end."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: server.io_loop.add_callback_from_signal(server.io_loop.stop))
    if show:
        server.io_loop.add_callback(server.show, "/")
    server.io_loop.asyncio_loop.set_exception_handler(_report)  # type: ignore[attr-defined]
    PAGE.follow(server.io_loop.asyncio_loop)  # type: ignore[attr-defined]
    server.start()
    (context,) = server._tornado._applications.values()
    Garbage(context).follow()
    server.io_loop.start()


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what went wrong on the loop; a tab that closes while it is being sent something did not."""
    if not isinstance(context.get("exception"), WebSocketClosedError):
        loop.default_exception_handler(context)


def _split(url: str) -> SplitResult:
    """The parts of an address, all empty where it is none."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _check_address(address: str) -> None:
    """Refuse an address that this machine does not have."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(place)
    except (OSError, UnicodeError):
        raise PgmError(
            f"cannot listen on {address!r}: this machine has no such address; "
            f"give one of its own to --address, 0.0.0.0 for all of them, or {ADDRESS} for this machine only"
        ) from None


def _candidates(port: int | None, address: str) -> Iterator[int]:
    if port is None:
        yield from range(FIRST_PORT, FIRST_PORT + PORTS_TRIED)
    elif port == 0:
        # The origin must be known before the server binds, so a free port is found first.
        family = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0][0]
        for _ in range(PORTS_TRIED):
            with socket.socket(family) as probe:
                probe.bind((address, 0))
                free = int(probe.getsockname()[1])
            yield free
    else:
        yield port


def _visible_name(address: str) -> str:
    """What to call this machine in an address for a browser, where the server listens on all addresses."""
    if not is_address(address) or not ipaddress.ip_address(address).is_unspecified:
        return address
    try:
        # Nothing is sent: this only asks which of our addresses would be used to reach others.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ADDRESS


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _list_hosts(address: str, port: int) -> list[str]:
    """The names, with the port, that a browser may call us by."""
    names = dict.fromkeys([address, "localhost", ADDRESS])
    if not is_loopback(address):
        names |= dict.fromkeys([socket.gethostname(), socket.getfqdn()])
    hosts = [f"{_in_url(name.lower())}:{port}" for name in names]
    # Browsers leave the port out of the Host header where it is the default one.
    return [*hosts, *(host.removesuffix(":80") for host in hosts if port == HTTP_PORT)]


def _bind(build_page: Callable[[], pn.viewable.Viewable], port: int, address: str) -> Server:
    server: Server = pn.serve(
        {"/": build_page},
        port=port,
        address=address,
        websocket_origin=[f"{ADDRESS}:{port}", f"localhost:{port}"],
        start=False,
        show=False,
        verbose=False,
        title=TITLE,
        websocket_max_message_size=LARGEST_MESSAGE,
        http_server_kwargs={"max_buffer_size": LARGEST_MESSAGE},
        unused_session_lifetime_milliseconds=UNUSED_SESSION_SECONDS * 1000,
    )
    foreign = Foreign(frozenset(_list_hosts(address, port)), not is_loopback(address))
    _answer_ourselves(server._tornado, foreign)
    if address not in (ADDRESS, "localhost"):
        # Bokeh cannot be told of all addresses, or of one of version 6; the rule above has checked the origin.
        server._tornado._websocket_origins = {"*"}
    return server


def _answer_ourselves(tornado: BokehTornado, foreign: Foreign) -> None:
    """Refuse foreign requests; answer those for the page and for its files before Bokeh would.

    Bokeh and Panel would serve more: a script that puts the page into pages of others, what the application is,
    files of any module. Only what the page needs of that is left to them.
    """
    shell = Shell(tornado, TITLE)
    (context,) = tornado._applications.values()
    build_in_turn(context)
    options = {"application_context": context, "bokeh_websocket_path": "/ws", "shell": shell}
    tornado.default_router.rules[:0] = [
        Rule(foreign, RefuseHandler),
        Rule(PathMatches("/"), ShellHandler, options),
        Rule(Shelf(shell.files), StaticFileHandler),
        Rule(PathMatches(OTHERS), NothingHandler),
    ]
