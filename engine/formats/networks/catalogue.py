"""The formats of networks, by suffix, and reading and writing by it.

A new format is a module with ``parse(text)`` and perhaps ``dump(document)``, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.formats.files import decode, naming, read_bytes, write_pieces
from engine.formats.format import Format, find_dump, find_format
from engine.formats.limits import MOST_BYTES
from engine.formats.networks import bif, dne, dsc, dsl, json_network, net, uai, xdsl, xmlbif
from engine.formats.networks.draft import Document, NetworkDraft, build_document
from engine.formats.packing import pack, unpack
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.variable import list_names


@dataclass(frozen=True)
class NetworkFormat(Format[Callable[[str], NetworkDraft], Callable[[Document], str]]):
    """A format of networks, the kinds of networks that it can hold, and whether it holds a noisy-MAX as such."""

    writes: tuple[type[Network], ...] = (BayesianNetwork,)
    keeps_noisy: bool = False


_BOTH = (BayesianNetwork, MarkovNetwork)
_UAI = NetworkFormat("UAI", uai.parse, uai.dump, writes=_BOTH)
_XMLBIF = NetworkFormat("XMLBIF", xmlbif.parse, xmlbif.dump)

NETWORK_FORMATS: Mapping[str, NetworkFormat] = {
    ".bif": NetworkFormat("BIF", bif.parse, bif.dump),
    ".json": NetworkFormat("JSON", json_network.parse, json_network.dump, writes=_BOTH, keeps_noisy=True),
    ".uai": _UAI,
    ".erg": _UAI,
    ".xml": _XMLBIF,
    ".bifxml": _XMLBIF,
    ".xmlbif": _XMLBIF,
    ".xdsl": NetworkFormat("XDSL", xdsl.parse, xdsl.dump, keeps_noisy=True),
    ".net": NetworkFormat("NET", net.parse, net.dump),
    ".oobn": NetworkFormat("OOBN", net.parse),
    ".dsc": NetworkFormat("DSC", dsc.parse),
    ".dne": NetworkFormat("DNE", dne.parse),
    ".dsl": NetworkFormat("DSL", dsl.parse),
}


def read_network(path: str | Path, normalise: bool = False) -> Document:
    """The network in a file, by its suffix.

    Parameters
    ----------
    normalise : bool
        Rescale table rows whose sum is off by more than rounding, instead of refusing the file.
    """
    find_format(path, NETWORK_FORMATS)  # before the file is read, which may take long
    return parse_network(read_bytes(Path(path)), path, normalise)


def parse_network(data: bytes, name: str | Path, normalise: bool = False) -> Document:
    """The network in the bytes of a file of that name. See :func:`read_network`."""
    form = find_format(name, NETWORK_FORMATS)
    with naming(name):
        return build_document(form.parse(decode(unpack(data, name, MOST_BYTES))), normalise)


def read_evidence(path: str | Path, network: Network) -> dict[int, int]:
    """The evidence of a UAI ``.evid`` file: from a variable's index to the code of its state."""
    data = read_bytes(Path(path))
    with naming(path):
        return uai.parse_evidence(decode(unpack(data, path, MOST_BYTES)), network)


def write_network(path: str | Path, document: Document | Network) -> None:
    """Write a network in the format of the suffix; the file is complete or untouched."""
    write_pieces(Path(path), pack((_dump(document, path),), path))


def dump_network(document: Document | Network, name: str | Path) -> bytes:
    """The content of a file of that name. See :func:`write_network`."""
    return b"".join(pack((_dump(document, name),), name))


def _dump(document: Document | Network, name: str | Path) -> str:
    if not isinstance(document, Document):
        document = Document(document)
    dump, form = find_dump(name, NETWORK_FORMATS), find_format(name, NETWORK_FORMATS)
    if not isinstance(document.network, form.writes):
        kind = "Markov" if isinstance(document.network, MarkovNetwork) else "Bayesian"
        able: dict[str, str] = {}  # per format, its first suffix
        for suffix, other in NETWORK_FORMATS.items():
            if other.dump is not None and isinstance(document.network, other.writes):
                able.setdefault(other.name, suffix)
        others = " or ".join(able.values())
        raise FormatError(f"{form.name} files cannot hold a {kind} network; write a {others} file", path=name)
    return dump(document)


def describe_losses(document: Document, name: str | Path) -> list[str]:
    """What a file of that name does not keep of a network, in sentences."""
    if not document.noisy or find_format(name, NETWORK_FORMATS).keeps_noisy:
        return []
    others = " and ".join(form.name for form in NETWORK_FORMATS.values() if form.keeps_noisy)
    return [f"noisy-MAX as whole tables, which {others} would keep as such: {list_names(list(document.noisy))}"]
