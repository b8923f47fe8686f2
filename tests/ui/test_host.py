"""Only this machine, and only pages of ours: requests that name another host are refused."""

import http.client
from urllib.parse import urlsplit

import pytest

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


def ask(served, path, host, **headers):
    """The status of a raw request with this Host header."""
    address = urlsplit(served.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    connection.putrequest("GET", path, skip_host=True)
    for key, value in {"Host": host, **headers}.items():
        connection.putheader(key, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(
    "path", ["/", "/favicon.ico", "/static/js/bokeh.min.js", "/autoload.js", "/metadata", "/nothing"]
)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1.evil.example:{port}", ""]
)
def test_a_foreign_host_is_refused(served, path, host):
    assert ask(served, path, host.format(port=urlsplit(served.url).port)) == 403


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}"])
def test_our_own_host_is_served(served, host):
    assert ask(served, "/", host.format(port=urlsplit(served.url).port)) == 200


def test_the_websocket_checks_host_and_origin(served):
    ours = urlsplit(served.url).netloc
    assert ask(served, "/ws", "evil.example", Origin="http://evil.example", **UPGRADE) == 403
    assert ask(served, "/ws", ours, Origin="http://evil.example", **UPGRADE) == 403


def test_only_the_loopback_address_listens(served):
    port = urlsplit(served.url).port
    with open("/proc/net/tcp", encoding="ascii") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [address for address in listening if int(address.split(":")[1], 16) == port] == [f"0100007F:{port:04X}"]
