"""Messages for the browser: none is forgotten."""

import asyncio

import pytest
from bokeh.document import Document
from panel.io import document as panel_document

from app import sending
from tests.own_loop import run_apart


class Socket:
    """Takes messages, and says when they are written."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.written = asyncio.get_running_loop().create_future()


class Connection:
    def __init__(self) -> None:
        self._socket = Socket()


def take(connection, msg):
    connection._socket.sent.append(msg)
    return [connection._socket.written]


def wait_with(doc, connection, message):
    """What Panel does with a message that cannot be written at once."""
    panel_document._WRITE_BLOCK[doc] = True
    panel_document._WRITE_MSGS.setdefault(doc, {}).setdefault(connection, []).append(message)
    return asyncio.ensure_future(panel_document._dispatch_msgs(doc))


async def send_two() -> list[str]:
    doc, connection = Document(), Connection()
    first = wait_with(doc, connection, "first")
    await asyncio.sleep(0)
    connection._socket.written.set_result(None)  # the first goes on, and in the same moment the second comes
    second = wait_with(doc, connection, "second")
    await asyncio.gather(first, second)
    return connection._socket.sent


@pytest.mark.parametrize(
    ("write", "sent"), [(sending.write_all, ["first", "second"]), (sending._write_some, ["first"])]
)
def test_a_message_that_comes_while_another_is_written_is_sent(monkeypatch, write, sent):
    """Panel's own way forgets it. When that is mended, ours can go."""
    monkeypatch.setitem(panel_document.extra_socket_handlers, Socket, take)
    monkeypatch.setattr(panel_document, "_dispatch_msgs", write)
    assert run_apart(send_two) == sent
