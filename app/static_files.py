"""The scripts and styles that every page loads: compressed once, and kept by browsers for good.

All others (fonts, pictures, what few pages load) go through Bokeh's own handlers.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bokeh.embed.bundle import extension_dirs
from bokeh.settings import settings
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher
from tornado.web import RequestHandler

FOR_GOOD = "public, max-age=31536000, immutable"
"""For an address that names a version: what is there never changes."""
ASK_AGAIN = "no-cache"
EXTENSIONS = "static/extensions/"
LEVEL = 6
"""Of compression: more takes half as long again, and gains nothing."""


@dataclass(frozen=True)
class StaticFile:
    """A file in memory, as it is and compressed."""

    content: bytes
    compressed: bytes
    kind: str
    etag: str


class Shelf(Matcher):
    """Files by their addresses, read when they are first asked for; matches the requests for them."""

    def __init__(self, addresses: Iterable[str]) -> None:
        self._paths = {f"/{urlsplit(address).path}" for address in addresses}

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """What the handler needs; None if another has to answer."""
        return {"path_kwargs": {"path": request.path}} if request.path in self._paths else None


class StaticFileHandler(RequestHandler):
    """Answers with a file of the shelf."""

    def get(self, path: str) -> None:
        file = _read(path.removeprefix("/"))
        self.set_header("Content-Type", file.kind)
        self.set_header("Cache-Control", FOR_GOOD if self.request.query else ASK_AGAIN)
        self.set_header("Vary", "Accept-Encoding")
        self.set_header("Etag", file.etag)
        if self.check_etag_header():
            self.set_status(304)
        elif "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.finish(file.compressed)
        else:
            self.finish(file.content)


@cache
def _read(path: str) -> StaticFile:
    content = _find(path).read_bytes()
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return StaticFile(content, gzip.compress(content, LEVEL), kind, f'"{hashlib.sha256(content).hexdigest()}"')


def _find(path: str) -> Path:
    """Where a file is that Bokeh, or an extension of it, would serve at a path."""
    if path.startswith(EXTENSIONS):
        name, _, rest = path.removeprefix(EXTENSIONS).partition("/")
        return Path(extension_dirs[name]) / rest
    return Path(settings.bokehjs_path()) / path.removeprefix("static/")
