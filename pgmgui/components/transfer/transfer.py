"""Files between the user's machine and the server, through the page: our own Panel components.

Panel's own widgets for this drop an empty file without a word, hide their complaints in an icon, and keep
what was sent as a text in the document.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import param
from panel import state
from panel.custom import JSComponent

_FOLDER = Path(__file__).parent
MOST_BYTES = 200 * 2**20
"""The largest file that can be uploaded."""


class Upload(JSComponent):
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

    # Inlined: as files they would be fetched with a second request, and resolve differently in a wheel.
    _esm = (_FOLDER / "upload.js").read_text(encoding="utf-8")
    _stylesheets = [(_FOLDER / "upload.css").read_text(encoding="utf-8")]  # noqa: RUF012 (as Panel declares it)
    _rename = dict.fromkeys(("on_begin", "on_file", "on_trouble"))

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._turn: object = None
        self._name = ""
        self._pieces: list[bytes] = []

    def abandon(self) -> None:
        """Forget the file that is on its way, if one is."""
        self._forget()
        self._send_msg({"type": "abandon"})

    def _handle_msg(self, data: Any) -> None:
        kind = data.get("type") if isinstance(data, dict) else None
        if kind == "ready" and self._name:  # mounted anew: what was on its way has been cut off
            self._refuse(f"{self._name}: the upload was cut off; choose the file again and stay on this tab")
        elif kind == "begin":
            self._begin(data)
        elif kind == "piece" and data.get("turn") == self._turn:
            self._take(data)
        elif kind == "end" and data.get("turn") == self._turn:
            name, content = self._name, b"".join(self._pieces)
            self._forget()
            state.execute(partial(self.on_file, name, content), schedule=True)
        elif kind == "unreadable":
            self._refuse(f"{data.get('name')}: the browser cannot read it; a folder cannot be uploaded, only a file")
        elif kind == "several":
            self._refuse("Several files were dropped at once; drop one")

    def _begin(self, data: dict[str, Any]) -> None:
        name, size = str(data.get("name")), int(data.get("size") or 0)
        if size > self.most:
            self._refuse(
                f"{name}: the file has {size / 2**20:,.0f} MB; at most {self.most >> 20} MB can be uploaded. "
                "Give its path on the machine that pgmgui runs on instead"
            )
            return
        self._turn, self._name, self._pieces = data.get("turn"), name, []
        if self.on_begin is not None:
            state.execute(partial(self.on_begin, name), schedule=True)

    def _take(self, data: dict[str, Any]) -> None:
        self._pieces.append(bytes(data["content"]))
        if sum(map(len, self._pieces)) > self.most:  # more than was said at first
            self._refuse(f"{self._name}: at most {self.most >> 20} MB can be uploaded")
        else:
            self._send_msg({"type": "next", "turn": self._turn})

    def _refuse(self, message: str) -> None:
        self._forget()
        state.execute(partial(self.on_trouble, f"{message}."), schedule=True)

    def _forget(self) -> None:
        self._turn, self._name, self._pieces = None, "", []


class Download(JSComponent):
    """Gives the user a file to keep. It shows nothing itself."""

    _esm = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("../saving.js", "download.js"))

    def __init__(self) -> None:
        super().__init__(width=0, height=0, margin=0)

    def give(self, name: str, content: bytes) -> None:
        """Let the browser save a file."""
        self._send_msg({"name": name, "content": content})
