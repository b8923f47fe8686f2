"""Reading and writing by suffix: the only module of the engine that touches network files."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.formats import bif, dne, dsc, dsl, json_network, net, uai, xdsl, xmlbif
from engine.formats.draft import Document, NetworkDraft, build_document
from engine.model.errors import FormatError, PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network

MOST_BYTES = 200 * 2**20
"""The largest file that is read."""


@dataclass(frozen=True)
class Format:
    """A file format: its name, how to read it, and how to write it (None where we only read)."""

    name: str
    parse: Callable[[str], NetworkDraft]
    dump: Callable[[Document], str] | None = None
    writes: tuple[type[Network], ...] = (BayesianNetwork,)


_BIF = Format("BIF", bif.parse, bif.dump)

_JSON = Format("JSON", json_network.parse, json_network.dump, (BayesianNetwork, MarkovNetwork))
_UAI = Format("UAI", uai.parse, uai.dump, (BayesianNetwork, MarkovNetwork))
_XMLBIF = Format("XMLBIF", xmlbif.parse, xmlbif.dump)
_XDSL = Format("XDSL", xdsl.parse, xdsl.dump)
_NET = Format("NET", net.parse, net.dump)

FORMATS: Mapping[str, Format] = {
    ".bif": _BIF,
    ".json": _JSON,
    ".uai": _UAI,
    ".erg": _UAI,
    ".xml": _XMLBIF,
    ".bifxml": _XMLBIF,
    ".xmlbif": _XMLBIF,
    ".xdsl": _XDSL,
    ".net": _NET,
    ".oobn": Format("OOBN", net.parse),
    ".dsc": Format("DSC", dsc.parse),
    ".dne": Format("DNE", dne.parse),
    ".dsl": Format("DSL", dsl.parse),
}


def read_network(path: str | Path, normalise: bool = False) -> Document:
    """The network in a file, by its suffix.

    Parameters
    ----------
    normalise : bool
        Rescale table rows whose sum is off by more than rounding, instead of refusing the file.
    """
    path = Path(path)
    form = find_format(path)
    text = read_text(path)
    try:
        return build_document(form.parse(text), normalise)
    except FormatError as error:
        raise error.at(path) from None


def read_evidence(path: str | Path, network: Network) -> dict[int, int]:
    """The evidence of a UAI ``.evid`` file: from a variable's index to the code of its state."""
    path = Path(path)
    text = read_text(path)
    try:
        return uai.parse_evidence(text, network)
    except FormatError as error:
        raise error.at(path) from None


def write_network(path: str | Path, document: Document | Network) -> None:
    """Write a network in the format of the suffix; the file is complete or untouched."""
    path = Path(path)
    form = find_format(path)
    if not isinstance(document, Document):
        document = Document(document)
    if form.dump is None:
        writable = ", ".join(suffix for suffix, known in FORMATS.items() if known.dump)
        raise FormatError(f"{form.name} files can be read but not written; use one of {writable}", path=path)
    if not isinstance(document.network, form.writes):
        kind = "Markov" if isinstance(document.network, MarkovNetwork) else "Bayesian"
        raise FormatError(f"{form.name} files cannot hold a {kind} network; write a .uai file", path=path)
    write_text(path, form.dump(document))


def find_format(path: Path) -> Format:
    """The network format of a file name."""
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise FormatError(f"unknown suffix {path.suffix!r}; expected one of {', '.join(FORMATS)}", path=path)
    return form


def read_text(path: Path) -> str:
    """The text of a file: UTF-8, or Latin-1 where it is not."""
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, unless there are too many."""
    try:
        status = path.stat()
        if status.st_size > most:
            raise FormatError(
                f"the file has {status.st_size / 2**20:,.0f} MB; at most {most >> 20} MB are read", path=path
            )
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise FormatError("not a file but a device or a pipe, which may never end; save it first", path=path)
        return path.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot read the file: {error.strerror}", path=path) from None


def write_text(path: Path, text: str) -> None:
    """Write a text file; it is complete or untouched."""
    write_pieces(path, (text,))


def write_pieces(path: Path, pieces: Iterable[str | bytes]) -> None:
    """Write a file beside and rename it, so that a failure leaves the old one whole."""
    try:
        target = Path(os.path.realpath(path))  # a link stays a link, to the new content
        handle, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in pieces:
                    file.write(piece.encode() if isinstance(piece, str) else piece)
            os.chmod(beside, _mode(target))
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise PgmError(f"{path}: cannot write the file: {error.strerror}") from None
    except UnicodeEncodeError as error:
        raise PgmError(f"{path}: cannot write {error.object[error.start : error.end]!r} as UTF-8") from None


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    if path.is_file():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
