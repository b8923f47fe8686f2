"""Network files, and files of sessions, as the page reads and writes them."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from engine.formats import NETWORK_FORMATS, Document, read_network, write_network
from engine.formats.format import find_format
from engine.model.errors import FormatError, PgmError
from engine.model.network import Network
from pgmgui.project.layout import arrange
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved, is_session, read_session

LONGEST_NAME = 80
"""Characters of a suggested file name."""


@dataclass(frozen=True, eq=False)
class NetworkFile:
    """A file of the user's: its name (or its path on this machine), and what was uploaded of it (None: nothing)."""

    name: str
    content: bytes | None = None

    def read(self, normalise: bool = False) -> Scene | Saved:
        """A scene of the network alone, laid out, or a whole session if that is what the file holds.

        What is wrong is told with the user's name of the file.
        """
        if self.content is None:
            return self._read(find_path(self.name), normalise)
        form = find_format(self.name, NETWORK_FORMATS)
        suffix = next(suffix for suffix, known in NETWORK_FORMATS.items() if known is form)
        with tempfile.TemporaryDirectory(prefix="pgmgui-") as folder:
            # The user's name may be anything, also one that no folder can hold.
            path = Path(folder) / f"network{suffix}"
            path.write_bytes(self.content)
            try:
                return self._read(path, normalise)
            except FormatError as error:
                raise type(error)(error.message, error.line, self.name) from None

    def _read(self, path: Path, normalise: bool) -> Scene | Saved:
        return read_session(path) if is_session(path) else open_scene(read_network(path, normalise), self.name)


def open_scene(document: Document, name: str) -> Scene:
    """A scene of a network and no data; it is called like its file, or else as it calls itself."""
    return Scene(Path(name).stem or document.name or "Untitled", Path(name).name, arrange(document))


def list_writable(network: Network) -> dict[str, str]:
    """The suffixes of the formats that can hold a network, from what the chooser calls them."""
    return {
        f"{form.name} ({suffix})": suffix
        for suffix, form in NETWORK_FORMATS.items()
        if form.dump is not None and isinstance(network, form.writes)
    }


def dump_network(document: Document, suffix: str) -> bytes:
    """The content of a file in the format of a suffix."""
    with tempfile.TemporaryDirectory(prefix="pgmgui-") as folder:
        path = Path(folder) / f"network{suffix}"
        try:
            write_network(path, document)
        except PgmError as error:
            raise PgmError(str(error).replace(str(path), f"a {suffix} file")) from None
        return path.read_bytes()


def suggest_name(title: str) -> str:
    """A file name, without suffix, that every system takes.

    >>> suggest_name('../<img src="x">'), suggest_name("Chain of four"), suggest_name("..")
    ('img src=x', 'Chain of four', 'network')
    """
    kept = re.sub(r"[^\w =+()\-.,]", "", title).strip(" .")
    return kept[:LONGEST_NAME].strip(" .") or "network"


def find_path(text: str) -> Path:
    """The path that a user has typed, or copied with quotes about it."""
    try:
        path = Path(text.strip().strip("\"'")).expanduser()
    except RuntimeError:
        raise PgmError(f"{text}: there is no such user on this machine; give the whole path") from None
    if "\0" in text or not str(path).strip("."):
        raise PgmError(f"{text!r} is not a path; give one such as ~/networks/asia.bif")
    return path


def find_target(path: str, name: str, suffix: str) -> Path:
    """Where to write: a folder is given a file of that name, a name without a known suffix the chosen one."""
    target = find_path(path)
    if target.is_dir():
        target = target / suggest_name(name)
    return target if target.suffix.lower() in NETWORK_FORMATS else target.with_name(target.name + suffix)
