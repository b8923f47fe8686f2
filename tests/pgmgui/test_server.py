"""Which port the server takes, and what fails before it starts."""

import errno
import logging
import os
import subprocess
import sys

import pytest
from bokeh.server.connection import ServerConnection

from app.main import read_files, serve
from engine.errors import PgmError
from pgmgui import server


def refuse_ports(monkeypatch, refused, code=errno.EADDRINUSE):
    def bind(build_page, port):
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
    document, found = read_files(network, data)
    assert document.network.variables == found.dataset.variables


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
