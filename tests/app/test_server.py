"""Which port the server takes, and what fails before it starts."""

import errno
import logging
import os
import subprocess
import sys

import pytest
from bokeh.server.connection import ServerConnection
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from app import server
from app.main import read_files, serve
from engine.model.errors import PgmError
from pgmgui.project.examples import load_gallery
from pgmgui.project.session_file import Saved, write_session
from pgmgui.project.settings import Settings
from pgmgui.state.session import Session


def refuse_ports(monkeypatch, refused, code=errno.EADDRINUSE):
    def bind(build_page, port, address):
        if refused(port):
            raise OSError(code, os.strerror(code))
        return port

    monkeypatch.setattr(server, "_bind", bind)


def test_the_next_free_port_is_taken(monkeypatch):
    refuse_ports(monkeypatch, lambda port: port < 5009)
    assert server.make_server(lambda: None) == (5009, "http://127.0.0.1:5009")


def test_port_zero_is_a_free_port(monkeypatch):
    refuse_ports(monkeypatch, lambda port: False)
    port, url = server.make_server(lambda: None, 0)
    assert port >= 1024
    assert url.endswith(f":{port}")


@pytest.mark.parametrize(
    ("port", "code", "message"),
    [
        (5050, errno.EADDRINUSE, "port 5050 is in use"),
        (None, errno.EADDRINUSE, "port 5006 is in use"),
        (80, errno.EACCES, "cannot listen on port 80: Permission denied"),
    ],
)
def test_a_port_that_cannot_be_had_is_named(monkeypatch, port, code, message):
    refuse_ports(monkeypatch, lambda port: True, code)
    with pytest.raises(PgmError, match=message):
        server.make_server(lambda: None, port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(PgmError, match="between 0 and 65535"):
        server.make_server(lambda: None, port)


def test_files_that_cannot_be_read_stop_the_start(tmp_path):
    network, data = tmp_path / "a.bif", tmp_path / "a.csv"
    announced = []
    with pytest.raises(PgmError, match=r"a\.bif"):
        serve(network, port=0, show=False, announce=announced.append)
    network.write_text("network a {} variable A { type discrete [2] { y, n }; } probability (A) { table 0.5, 0.5; }")
    with pytest.raises(PgmError, match=r"a\.csv"):
        serve(network, data, port=0, show=False, announce=announced.append)
    with pytest.raises(PgmError, match="needs a network"):
        serve(None, data, port=0, show=False, announce=announced.append)
    assert announced == []
    data.write_text("A\ny\n")
    saved, derived = read_files(network, data)
    scene = saved.scene
    assert scene.document.network.variables == scene.data.dataset.variables
    assert (scene.title, scene.note) == ("a", "a.bif")
    assert derived.parts.task.distinct_rows == (1,)


def test_a_session_can_be_opened_too(tmp_path):
    session = Session()
    session.open_example(load_gallery()[0])
    path = tmp_path / "my.session.json"
    write_session(path, Saved(session.scene, Settings(seed=3)))
    saved, derived = read_files(path, None)
    assert (saved.scene.title, saved.settings.seed) == ("Asia", 3)
    assert derived.parts is not None
    with pytest.raises(PgmError, match="has its own data"):
        read_files(path, tmp_path / "a.csv")


def test_rows_of_the_network_can_be_normalised(tmp_path):
    network = tmp_path / "a.bif"
    network.write_text("network a {} variable A { type discrete [2] { y, n }; } probability (A) { table 1, 3; }")
    with pytest.raises(PgmError, match="--normalise"):
        read_files(network, None)
    saved, _ = read_files(network, None, normalise=True)
    assert saved.scene.document.network.tables[0].tolist() == [0.25, 0.75]


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST"])
def test_the_loopback_addresses_are_this_machine_alone(address):
    assert server.is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.2", "example.org", "127.0.0.1.org", ""])
def test_other_addresses_are_not(address):
    assert not server.is_loopback(address)


@pytest.mark.parametrize("address", ["203.0.113.7", "no-such-name.invalid", "256.1.1.1", "a b", "\ud800"])
def test_an_address_that_is_not_ours_is_refused_before_anything_listens(address):
    with pytest.raises(PgmError, match="this machine has no such address"):
        server.make_server(lambda: None, 0, address)


def test_all_addresses_are_announced_as_one_that_a_browser_can_open(monkeypatch):
    refuse_ports(monkeypatch, lambda port: False)
    port, url = server.make_server(lambda: None, 0, "0.0.0.0")
    host = url.removeprefix("http://").removesuffix(f":{port}")
    assert server.is_address(host)
    assert host != "0.0.0.0"
    _, url = server.make_server(lambda: None, 5010, "::1")
    assert url == "http://[::1]:5010"


def is_foreign(matcher, host, origin=None):
    headers = HTTPHeaders({"Host": host} | ({} if origin is None else {"Origin": origin}))
    request = HTTPServerRequest(start_line=RequestStartLine("GET", "/", "HTTP/1.1"), headers=headers)
    return matcher.match(request) is not None


def test_on_this_machine_alone_only_our_names_are_ours():
    matcher = server.Foreign(frozenset(["127.0.0.1:5006", "localhost:5006"]), addresses=False)
    assert not is_foreign(matcher, "LocalHost:5006")
    assert not is_foreign(matcher, "localhost:5006", "http://127.0.0.1:5006")
    for host in ("", "192.168.1.2:5006", "localhost", "[::1", "evil.example:5006"):
        assert is_foreign(matcher, host)
    for origin in ("http://evil.example", "null", "", "http://[::1", "http://localhost:5007"):
        assert is_foreign(matcher, "localhost:5006", origin)


def test_on_an_open_address_bare_addresses_are_ours_but_names_are_not():
    matcher = server.Foreign(frozenset(["host:5006"]), addresses=True)
    for host in ("192.168.1.2:5006", "10.0.0.1:8080", "[fe80::1]:5006", "host:5006"):
        assert not is_foreign(matcher, host)
        assert not is_foreign(matcher, host, f"http://{host}")
        assert is_foreign(matcher, host, "http://10.0.0.9:5006")
    for host in ("evil.example:5006", "10.0.0.1.evil.example", "[::1", "10.0.0"):
        assert is_foreign(matcher, host)


def test_threads_are_limited_before_numpy_is_imported():
    code = "import app, os, sys; print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["1", "False"]


def record_of(act) -> logging.LogRecord:
    try:
        act()
    except AssertionError:
        return logging.LogRecord("x", logging.ERROR, __file__, 1, "", (), sys.exc_info())
    raise RuntimeError("nothing was asserted")


def test_a_tab_that_closes_is_no_error_but_other_assertions_are():
    connection = ServerConnection.__new__(ServerConnection)
    connection._session = None

    def wrong():
        assert connection is None

    assert not server.ClosedTab().filter(record_of(lambda: connection.session))
    assert server.ClosedTab().filter(record_of(wrong))
    assert server.ClosedTab().filter(logging.LogRecord("x", logging.ERROR, __file__, 1, "", (), None))
