"""The gallery: example networks and datasets that come with the program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.formats import DataDocument, Document, read_dataset, read_network
from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.network import Network


@dataclass(frozen=True)
class Example:
    """A network, its dataset if it has one, and a line on what it shows."""

    id: str
    title: str
    shows: str
    network: Path
    data: Path | None
    hide: tuple[str, ...] = ()
    """Variables that the data has values of, and that are marked hidden at first."""
    true_network: Path | None = None
    """The network that the data was drawn from, where that is another."""

    @property
    def truth(self) -> Network | None:
        """The network that the data was drawn from, read from its file; None where it is not another one."""
        return None if self.true_network is None else read_network(self.true_network).network

    def read(self) -> tuple[Document, DataDocument | None]:
        """The network and the dataset, read from their files."""
        document = read_network(self.network)
        return document, None if self.data is None else read_dataset(self.data, document.network.variables)


def assets_folder() -> Path:
    """Where the assets are: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "assets"
    return installed if installed.is_dir() else package.parent / "assets"


@cache
def load_gallery() -> tuple[Example, ...]:
    """The examples, in the order they are shown. The first one opens by default."""
    folder = assets_folder() / "examples"
    items = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return tuple(
        Example(
            item["id"],
            item["title"],
            item["shows"],
            folder / item["network"],
            item["data"] and folder / item["data"],
            tuple(item.get("hide", ())),
            folder / item["truth"] if "truth" in item else None,
        )
        for item in items
    )


def find_example(identifier: str) -> Example:
    """The example of that id."""
    known = {example.id: example for example in load_gallery()}
    if identifier not in known:
        raise PgmError(f"there is no example {shorten(identifier)}; there are {', '.join(known)}")
    return known[identifier]
