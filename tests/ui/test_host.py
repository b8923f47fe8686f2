"""Only this machine, and only pages of ours: requests that name another host are refused."""

import http.client
import os
import sys
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.ui.board import Board
from tests.ui.serving import start_command
from tests.ui.watch import Watch

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


def ask(url, path, host, **headers):
    """The status of a raw request with this Host header."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    connection.putrequest("GET", path, skip_host=True)
    for key, value in {"Host": host, **headers}.items():
        connection.putheader(key, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.fixture(scope="module")
def served(start_server):
    """The page, from this process: what is refused is no error."""
    return start_server()


@pytest.mark.parametrize(
    "path", ["/", "/favicon.ico", "/static/js/bokeh.min.js", "/autoload.js", "/metadata", "/nothing"]
)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1.evil.example:{port}", ""]
)
def test_a_foreign_host_is_refused(served, path, host):
    assert ask(served, path, host.format(port=urlsplit(served).port)) == 403


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}"])
def test_our_own_host_is_served(served, host):
    assert ask(served, "/", host.format(port=urlsplit(served).port)) == 200


@pytest.mark.parametrize("path", ["/autoload.js?bokeh-autoload-element=x", "/metadata", "/components/a/b", "/liveness"])
def test_what_the_page_does_without_is_not_served(served, path):
    assert ask(served, path, urlsplit(served).netloc) == 404


def test_the_websocket_checks_host_and_origin(served):
    ours = urlsplit(served).netloc
    assert ask(served, "/ws", "evil.example", Origin="http://evil.example", **UPGRADE) == 403
    assert ask(served, "/ws", ours, Origin="http://evil.example", **UPGRADE) == 403


def test_only_the_loopback_address_listens(served):
    port = urlsplit(served).port
    with open("/proc/net/tcp", encoding="ascii") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [address for address in listening if int(address.split(":")[1], 16) == port] == [f"0100007F:{port:04X}"]


@pytest.fixture(scope="module")
def opened_up(tmp_path_factory):
    """A server that the command line has opened to all addresses of this machine."""
    words = [sys.executable, "-m", "app.cli", "serve", "--address", "0.0.0.0", "--port", "0", "--no-show"]
    server = start_command(words, tmp_path_factory.mktemp("server") / "log", dict(os.environ))
    server.url = server.url.split()[4]
    yield server
    server.stop()


def test_an_open_server_warns_and_its_page_takes_no_paths(opened_up, page):
    warning = opened_up.log.read_text(encoding="utf-8")
    assert "everybody who can reach this machine can open the page" in warning
    watch = Watch()
    watch.follow(page, opened_up.url)
    page.goto(opened_up.url)
    board = Board(page).wait_for_load(1)
    assert urlsplit(opened_up.url).hostname not in ("0.0.0.0", "localhost")
    expect(page.get_by_label("Choose a network file")).to_be_attached()
    expect(page.get_by_role("textbox", name="on this machine")).to_have_count(0)
    board.choose("Cancer")
    expect(board.heading).to_have_text("Cancer")
    assert watch.problems == []
    assert opened_up.errors() == []


def test_an_open_server_still_refuses_foreign_names_and_pages(opened_up):
    ours = urlsplit(opened_up.url).netloc
    assert ask(opened_up.url, "/", ours) == 200
    assert ask(opened_up.url, "/", "10.1.2.3:8080") == 200
    assert ask(opened_up.url, "/", "evil.example") == 403
    assert ask(opened_up.url, "/ws", "evil.example", Origin="http://evil.example", **UPGRADE) == 403
    assert ask(opened_up.url, "/ws", ours, Origin="http://evil.example", **UPGRADE) == 403
    assert ask(opened_up.url, "/ws", ours, Origin="http://10.1.2.3:8080", **UPGRADE) == 403
