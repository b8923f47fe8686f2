"""The gallery: example networks and datasets that come with the program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from engine.formats import DataDocument, Document, read_dataset, read_network
from engine.model.errors import PgmError
from engine.model.messages import shorten
from engine.model.network import Network
from engine.studies.catalogue import STUDIES
from pgmgui.project.folders import assets_folder
from pgmgui.project.study_scenes import find_study


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


class AnyExample(Protocol):
    """What can be opened by an id: an example of the gallery, or a problem of a study."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def shows(self) -> str: ...

    @property
    def hide(self) -> tuple[str, ...]: ...

    @property
    def truth(self) -> Network | None: ...

    def read(self) -> tuple[Document, DataDocument | None]: ...


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


def find_example(identifier: str) -> AnyExample:
    """The example of that id, or the problem of the study of that name."""
    if identifier in STUDIES:
        return find_study(identifier)
    known = {example.id: example for example in load_gallery()}
    if identifier not in known:
        studies = "the studies of the Guide, such as table-4.1"
        raise PgmError(f"there is no example {shorten(identifier)}; there are {', '.join(known)}, and {studies}")
    return known[identifier]
