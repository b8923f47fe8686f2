"""What a browser tab works on: the single source of truth, and the only writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import param

from engine.bounds import Bounds, find_bounds
from engine.dataset import Dataset
from engine.errors import PgmError
from engine.formats import DataDocument, Document
from engine.learners.learn import Snapshot
from engine.learners.problem import LearningTask, make_task
from engine.network import BayesianNetwork
from pgmgui.examples import Example
from pgmgui.marks import Hidden, Mark, apply_marks


@dataclass(frozen=True, eq=False)
class Parts:
    """How the learning problem falls apart, and how high each part can go."""

    task: LearningTask
    bounds: Bounds


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
    marks = param.Dict(default={}, doc="What is said to be known of variables, by name.")
    seen = param.ClassSelector(class_=Dataset, allow_None=True, doc="The dataset as the marks let it be seen.")
    parts = param.ClassSelector(class_=Parts, allow_None=True, doc="The decomposition, where there is data.")
    selected = param.List(default=[], doc="The names of the selected variables.")
    message = param.String(doc="What went wrong last, and what to do; empty if nothing did.")

    def open(self, document: Document, data: DataDocument | None = None, title: str = "", note: str = "") -> None:
        """Work on another network and dataset."""
        seen = None if data is None else data.dataset
        with param.parameterized.batch_call_watchers(self):
            self.param.update(title=title or document.name or "Untitled", note=note, document=document, data=data)
            self.param.update(marks={}, selected=[], message="", **self._derive(document, seen))

    def open_example(self, example: Example) -> None:
        """Work on an example of the gallery."""
        document, data = example.read()
        self.open(document, data, example.title, example.shows)

    def select(self, names: Sequence[str]) -> None:
        """Select variables."""
        known = self.document.network.index
        self.selected = [name for name in names if name in known]

    def mark(self, names: Sequence[str], mark: Mark | None) -> None:
        """Say what is known of variables; None is what the data says."""
        if self.data is None:
            self.message = "There is no data to mark. Open an example that has some."
            return
        marks: Mapping[str, Mark] = {name: kept for name, kept in self.marks.items() if name not in names}
        if mark is not None:
            marks = {**marks, **dict.fromkeys(names, mark)}
        try:
            seen = apply_marks(self.data.dataset, marks)
            self.param.update(marks=marks, message="", **self._derive(self.document, seen))
        except PgmError as error:
            self.message = str(error)

    def toggle_hidden(self, names: Sequence[str]) -> None:
        """Hide variables, or show them again if all are hidden."""
        if names:
            self.mark(names, None if all(isinstance(self.marks.get(name), Hidden) for name in names) else Hidden())

    def apply(self, snapshot: Snapshot) -> None:
        """Give the network the parameters that were learned."""
        old = self.document
        network = snapshot.network()
        document = Document(network, old.name, old.positions, old.properties, old.variable_properties)
        self.param.update(document=document, message="", **self._derive(document, self.seen))

    @staticmethod
    def _derive(document: Document, seen: Dataset | None) -> dict[str, object]:
        """What follows from a network and the data as seen."""
        network = document.network
        if seen is None or not isinstance(network, BayesianNetwork) or not seen.n_rows:
            return {"seen": seen, "parts": None}
        task = make_task(network, seen)
        return {"seen": seen, "parts": Parts(task, find_bounds(task))}
