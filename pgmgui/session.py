"""What a browser tab works on: the single source of truth, and the only writer."""

from __future__ import annotations

import param

from engine.formats import DataDocument, Document
from engine.network import BayesianNetwork
from pgmgui.examples import Example


class Session(param.Parameterized):
    """The network and data of one tab.

    The values are immutable and replaced whole; a view that sees the same object again has nothing to do.
    """

    title = param.String(doc="What is open, for people.")
    note = param.String(doc="A line on what it shows.")
    document = param.ClassSelector(
        default=Document(BayesianNetwork((), (), ())),
        class_=Document,
        allow_None=False,
        doc="The network that is open.",
    )
    data = param.ClassSelector(class_=DataDocument, allow_None=True, doc="The dataset, if there is one.")

    def open(self, document: Document, data: DataDocument | None = None, title: str = "", note: str = "") -> None:
        """Work on another network and dataset."""
        self.param.update(title=title or document.name or "Untitled", note=note, document=document, data=data)

    def open_example(self, example: Example) -> None:
        """Work on an example of the gallery."""
        document, data = example.read()
        self.open(document, data, example.title, example.shows)
