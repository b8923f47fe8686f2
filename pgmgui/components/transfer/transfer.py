"""Files between the user's machine and the server, through the page: our own Panel components.

Panel's own widgets for this drop an empty file without a word, hide their complaints in an icon, and keep
what was sent as a text in the document.
"""

from __future__ import annotations

from typing import Any

import param

from pgmgui.components.base import Component

MOST_BYTES = 200 * 2**20
"""The largest file that can be uploaded."""


class Upload(Component):
    """A place to choose a file, or to drop one.

    A file on its way is a call of ``on_begin(name)``, and one that is here of ``on_file(name, content)``; what
    goes wrong is one of ``on_trouble(message)``. They may be coroutines, and are called when the document may
    be changed.
    """

    label = param.String(default="Choose a file, or drop it here", doc="What is written on it, and its name.")
    about = param.String(doc="What the tooltip says.")
    accept = param.String(doc="The suffixes to offer, with commas between.")
    most = param.Integer(default=MOST_BYTES, constant=True, doc="Bytes of the largest file.")
    on_begin = param.Callable(allow_refs=False, doc="Called with the file's name.")
    on_file = param.Callable(allow_refs=False, doc="Called with the file's name and content.")
    on_trouble = param.Callable(allow_refs=False, doc="Called with a message.")

    _scripts = ("upload.js",)
    _styles = ("upload.css",)
    _python = ("on_begin", "on_file", "on_trouble")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._turn: int | None = None
        self._name = ""
        self._pieces: list[bytes] = []

    def abandon(self) -> None:
        """Forget the file that is on its way, if one is."""
        self._forget()
        self._send_msg({"type": "abandon"})

    def _mounted(self) -> None:
        if self._name:  # mounted anew: what was on its way has been cut off
            self._refuse(f"{self._name}: the upload was cut off; choose the file again and stay on this tab")

    def _receive(self, message: dict[str, Any]) -> None:
        kind, turn = message.get("type"), message.get("turn")
        if kind == "begin":
            self._begin(turn, message.get("name"), message.get("size"))
        elif kind == "unreadable":
            self._refuse(f"{message.get('name')}: the browser cannot read it; a folder cannot be uploaded, only a file")
        elif kind == "several":
            self._refuse("Several files were dropped at once; drop one")
        elif self._turn is None or turn != self._turn:
            return  # of a file that was abandoned
        elif kind == "piece":
            self._take(message.get("content"))
        elif kind == "end":
            name, content = self._name, b"".join(self._pieces)
            self._forget()
            self._do(self.on_file, name, content)

    def _begin(self, turn: object, name: object, size: object) -> None:
        if not isinstance(turn, int) or not isinstance(name, str) or not isinstance(size, int):
            return
        if size > self.most:
            self._refuse(
                f"{name}: the file has {size / 2**20:,.0f} MB; at most {self.most >> 20} MB can be uploaded. "
                "Give its path on the machine that pgmgui runs on instead"
            )
            return
        self._turn, self._name, self._pieces = turn, name, []
        if self.on_begin is not None:
            self._do(self.on_begin, name)

    def _take(self, content: object) -> None:
        if not isinstance(content, bytes | bytearray | memoryview):
            return
        self._pieces.append(bytes(content))
        if sum(map(len, self._pieces)) > self.most:  # more than was said at first
            self._refuse(f"{self._name}: at most {self.most >> 20} MB can be uploaded")
        else:
            self._send_msg({"type": "next", "turn": self._turn})

    def _refuse(self, message: str) -> None:
        self._forget()
        self._do(self.on_trouble, f"{message}.")

    def _forget(self) -> None:
        self._turn, self._name, self._pieces = None, "", []


class Download(Component):
    """Gives the user a file to keep. It shows nothing itself."""

    _scripts = ("../saving.js", "download.js")

    def __init__(self) -> None:
        super().__init__(width=0, height=0, margin=0)

    def give(self, name: str, content: bytes) -> None:
        """Let the browser save a file."""
        self._send_msg({"name": name, "content": content})
