"""A page without a browser: it says and hears over its websocket what a browser would, and draws nothing.

Dozens of them cost a machine less than one page in Chromium, so that what is measured is the server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from bokeh.protocol import Protocol
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

CANVAS = "pgmgui.components.canvas.canvas.Canvas"
KEYS = "pgmgui.components.page_keys.page_keys.PageKeys"
RECEIPT = "receipt: objective"
LONGEST = 200 * 2**20
"""Bytes of a message."""
WAIT = 60.0
"""Seconds in which a server answers, however busy the machine."""


class LightPage:
    """A page that is open."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self._socket = socket
        self._protocol = Protocol()
        self._sequence = itertools.count(1)
        self._canvas = ""
        self._keys = ""

    @classmethod
    async def open(cls, url: str, path: str = "/", whole: bool = True) -> LightPage:
        """Open a path of a server, up to where a browser would show all of the page; or only its canvas."""
        answer = await AsyncHTTPClient().fetch(f"{url}{path}", request_timeout=WAIT)
        token = re.search(r'token: "([^"]+)"', answer.body.decode())
        assert token is not None, answer.body[:500]
        where = HTTPRequest(f"{url.replace('http', 'ws', 1)}/ws", request_timeout=WAIT)
        socket = await websocket_connect(where, subprotocols=["bokeh", token[1]], max_message_size=LONGEST)
        page = cls(socket)
        await page._hear("ACK")
        await page._say(page._protocol.create("PULL-DOC-REQ"))
        document = json.loads(await page._hear("PULL-DOC-REPLY"))
        page._canvas, page._keys = (_find(document, bundle=name) for name in (CANVAS, KEYS))
        await page._send_event("document_ready")
        if not whole:
            return page
        # Tabs and strip come later; the plot is the last thing in them.
        drawn = json.loads(await page.hear(RECEIPT))
        await page._take_all(_find(drawn, name=RECEIPT))
        await page._send(page._canvas, {"type": "ready"})
        await page.hear('"history"')
        return page

    async def act(self, op: str, **values: Any) -> None:
        """Do something on the canvas, and wait until the server has answered it."""
        number = next(self._sequence)
        await self._send(self._canvas, {"type": "op", "op": op, "seq": number, **values})
        await self.hear(f'["type","ack"],["seq",{number}]')

    async def press(self, key: str) -> None:
        """Press a key of the page."""
        await self._send(self._keys, {"type": "key", "key": key})

    async def hear(self, text: str) -> str:
        """Wait for a change of the document that has a text in it."""
        while True:
            content = await self._hear("PATCH-DOC")
            if text in content:
                return content

    async def close(self) -> None:
        """Close the tab, and wait until the server knows."""
        self._socket.close()
        async with asyncio.timeout(WAIT):
            while await self._socket.read_message() is not None:
                pass

    async def _send(self, model: str, data: dict[str, Any]) -> None:
        """Send what a component would."""
        await self._send_event("data_event", model={"id": model}, data=data)

    async def _send_event(self, name: str, **values: Any) -> None:
        encoded = {"type": "map", "entries": [[key, _encode(value)] for key, value in values.items()]}
        event = {"type": "event", "name": name, "values": encoded}
        await self._change({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})

    async def _take_all(self, receipt: str) -> None:
        """Say of all drawings of the plot that they were taken: a browser that is never behind."""
        await self._change(
            {"kind": "ModelChanged", "model": {"id": receipt}, "attr": "data", "new": _encode({"number": [10**9]})}
        )

    async def _change(self, change: dict[str, Any]) -> None:
        header = json.dumps({"msgid": f"light-{next(self._sequence)}", "msgtype": "PATCH-DOC"})
        for part in (header, "{}", json.dumps({"events": [change]})):
            await self._socket.write_message(part)

    async def _say(self, message: Any) -> None:
        for part in (message.header_json, message.metadata_json, message.content_json):
            await self._socket.write_message(part)

    async def _hear(self, kind: str) -> str:
        """The content of the next message of a kind."""
        while True:
            header = json.loads(await self._read())
            await self._read()
            content = await self._read()
            for _ in range(2 * header.get("num_buffers", 0)):
                await self._read()
            assert header["msgtype"] != "ERROR", content
            if header["msgtype"] == kind:
                return content

    async def _read(self) -> Any:
        # Not asyncio.wait_for, which forgets that it was cancelled where something comes at the same moment.
        async with asyncio.timeout(WAIT):
            part = await self._socket.read_message()
        assert part is not None, "the server closed the connection"
        return part


def _encode(value: Any) -> Any:
    """A value as Bokeh writes it. A reference to a model, which has nothing but an id, is one already."""
    if isinstance(value, dict) and set(value) != {"id"}:
        return {"type": "map", "entries": [[key, _encode(item)] for key, item in value.items()]}
    return value


def _find(document: Any, **attributes: str) -> str:
    """The id of the model with these attributes."""
    return next(model["id"] for model in _walk(document) if attributes.items() <= model["attributes"].items())


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    """All models in a document."""
    if isinstance(value, dict):
        if value.get("type") == "object" and "attributes" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _walk(item)
