"""Network files, and files of sessions, as the page reads and writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.formats import NETWORK_FORMATS, Document, parse_network, read_network, split_name
from engine.model.errors import PgmError
from engine.model.network import Network
from pgmgui.project.layers import SHAPE
from pgmgui.project.layout import arrange, has_positions
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved, holds_session, is_session, parse_session, read_session

LONGEST_NAME = 80
"""Characters of a suggested file name."""


@dataclass(frozen=True, eq=False)
class UserFile:
    """A file of the user's: its name (or its path on this machine), and what was uploaded of it (None: nothing)."""

    name: str
    content: bytes | None = None

    @property
    def size(self) -> int:
        """Its bytes; 0 where nothing is known of it."""
        if self.content is not None:
            return len(self.content)
        try:
            return find_path(self.name).stat().st_size
        except (OSError, PgmError):
            return 0


@dataclass(frozen=True, eq=False)
class NetworkFile(UserFile):
    """A file of a network, or of a session, of the user's."""

    def read(self, normalise: bool = False, shape: float = SHAPE) -> Scene | Saved:
        """A scene of the network alone, laid out, or a whole session if that is what the file holds.

        A layout is for a pane that is ``shape`` times as wide as high. What is wrong is told with the user's name of
        the file.
        """
        if self.content is None:
            path = find_path(self.name)
            if is_session(path):
                return read_session(path)
            return open_scene(read_network(path, normalise), self.name, shape)
        if holds_session(self.content, self.name):
            return parse_session(self.content, self.name)
        return open_scene(parse_network(self.content, self.name, normalise), self.name, shape)


def open_scene(document: Document, name: str, shape: float = SHAPE) -> Scene:
    """A scene of a network and no data; it is called like its file, or else as it calls itself.

    Without positions of its own it is laid out for a pane of this shape.
    """
    title, laid_out = split_name(name)[0] or document.name or "Untitled", arrange(document, shape)
    return Scene(title, Path(name).name, laid_out, laid_out_for=0.0 if has_positions(document) else shape)


def list_writable(network: Network) -> dict[str, str]:
    """The suffixes of the formats that can hold a network, from what the chooser calls them."""
    return {
        f"{form.name} ({suffix})": suffix
        for suffix, form in NETWORK_FORMATS.items()
        if form.dump is not None and isinstance(network, form.writes)
    }


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
    return target if split_name(target)[1] in NETWORK_FORMATS else target.with_name(target.name + suffix)
