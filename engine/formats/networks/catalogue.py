"""The formats of networks, by suffix, and reading and writing by it.

A new format is a module with ``parse(text)`` and perhaps ``dump(document)``, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.formats.files import read_text, write_text
from engine.formats.format import Format, find_dump, find_format
from engine.formats.networks import bif, dne, dsc, dsl, json_network, net, uai, xdsl, xmlbif
from engine.formats.networks.draft import Document, NetworkDraft, build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network


@dataclass(frozen=True)
class NetworkFormat(Format[Callable[[str], NetworkDraft], Callable[[Document], str]]):
    """A format of networks, and the kinds of networks that it can hold."""

    writes: tuple[type[Network], ...] = (BayesianNetwork,)


_BOTH = (BayesianNetwork, MarkovNetwork)
_UAI = NetworkFormat("UAI", uai.parse, uai.dump, writes=_BOTH)
_XMLBIF = NetworkFormat("XMLBIF", xmlbif.parse, xmlbif.dump)

NETWORK_FORMATS: Mapping[str, NetworkFormat] = {
    ".bif": NetworkFormat("BIF", bif.parse, bif.dump),
    ".json": NetworkFormat("JSON", json_network.parse, json_network.dump, writes=_BOTH),
    ".uai": _UAI,
    ".erg": _UAI,
    ".xml": _XMLBIF,
    ".bifxml": _XMLBIF,
    ".xmlbif": _XMLBIF,
    ".xdsl": NetworkFormat("XDSL", xdsl.parse, xdsl.dump),
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
    path = Path(path)
    form = find_format(path, NETWORK_FORMATS)
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
    if not isinstance(document, Document):
        document = Document(document)
    dump = find_dump(path, NETWORK_FORMATS)
    form = find_format(path, NETWORK_FORMATS)
    if not isinstance(document.network, form.writes):
        kind = "Markov" if isinstance(document.network, MarkovNetwork) else "Bayesian"
        raise FormatError(f"{form.name} files cannot hold a {kind} network; write a .uai file", path=path)
    write_text(path, dump(document))
