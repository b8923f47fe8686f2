"""What a browser tab works on: the single source of truth, and the only writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import param

from engine import editing
from engine.arrays import Floats
from engine.dataset import Dataset
from engine.errors import PgmError
from engine.formats import DataDocument, Document
from engine.learners.learn import Snapshot
from engine.network import MarkovNetwork, Network
from engine.variable import Variable
from pgmgui.examples import Example
from pgmgui.layout import arrange
from pgmgui.marks import Hidden, Mark, Sensor
from pgmgui.scene import EMPTY, Derived, Parts, Scene, derive_anew

T = TypeVar("T")
MOST_UNDO = 200
"""Steps that can be taken back."""
NEW_STATES = ("yes", "no")
"""The states of a variable that is drawn."""


@dataclass(frozen=True)
class Settings:
    """How to learn: what the next run is started with.

    Attributes
    ----------
    methods : tuple of str
        Keys of :data:`engine.learners.learn.METHODS`; they race from the same start.
    start : {"random", "uniform", "current"}
    """

    methods: tuple[str, ...] = ("d-em",)
    start: str = "random"
    seed: int = 0
    restarts: int = 1
    tol: float = 1e-4
    criterion: str = "likelihood"
    max_iter: int = 1000


class Session(param.Parameterized):
    """The network, data, marks and results of one tab.

    The values are immutable and replaced whole; a view that sees the same object again has nothing to do.
    Every method that edits can be undone, and says in ``message`` why where it refuses.
    """

    scene = param.ClassSelector(default=Scene(), class_=Scene, allow_None=False, doc="What is open.")
    derived = param.ClassSelector(default=Derived(None, None), class_=Derived, allow_None=False, doc="What follows.")
    settings = param.ClassSelector(default=Settings(), class_=Settings, allow_None=False, doc="How to learn.")
    selected = param.List(default=[], doc="The names of the selected variables.")
    component = param.Integer(default=None, allow_None=True, doc="The component looked at alone, from 0; or None.")
    colour: Any = param.Selector(default="component", objects=["component", "gap"], doc="What the hulls' colours show.")
    learned = param.ClassSelector(class_=Snapshot, allow_None=True, doc="The best that the last run has reached.")
    message = param.String(doc="What went wrong last, and what to do; empty if nothing did.")
    undoable = param.String(doc="What undo would take back; empty if nothing.")
    redoable = param.String(doc="What redo would do again; empty if nothing.")

    def __init__(self) -> None:
        super().__init__()
        self._past: list[tuple[str, Scene, Derived]] = []
        self._future: list[tuple[str, Scene, Derived]] = []

    # --- what is open, for views

    @property
    def document(self) -> Document:
        return self.scene.document

    @property
    def network(self) -> Network:
        return self.scene.document.network

    @property
    def data(self) -> DataDocument | None:
        return self.scene.data

    @property
    def marks(self) -> Mapping[str, Mark]:
        return self.scene.marks

    @property
    def seen(self) -> Dataset | None:
        """The data as the marks let it be seen."""
        return self.derived.seen

    @property
    def parts(self) -> Parts | None:
        return self.derived.parts

    # --- opening

    def open(self, scene: Scene, derived: Derived | None = None) -> bool:
        """Work on something else. ``derived`` is what follows from it, where that was found beforehand."""
        names = [variable.name for variable in scene.document.network.variables]
        if not all(name in scene.document.positions for name in names):
            scene = replace(scene, document=arrange(scene.document))
        return self._change(f"open {scene.title}", scene, derived)

    def open_example(self, example: Example) -> bool:
        """Work on an example of the gallery."""
        document, data = example.read()
        marks = dict.fromkeys(example.hide, Hidden())
        return self.open(Scene(example.title, example.shows, arrange(document), data, marks))

    def new(self, markov: bool = False) -> bool:
        """Begin with an empty Bayesian or Markov network."""
        document = Document(MarkovNetwork((), (), ())) if markov else EMPTY
        kind = "Markov" if markov else "Bayesian"
        return self.open(Scene(f"New {kind} network", "Double-click on the canvas to add a variable", document))

    def set_data(self, data: DataDocument | None, derived: Derived | None = None) -> bool:
        """Learn from other data; marks stay."""
        return self._change("change the data", replace(self.scene, data=data), derived)

    # --- the network

    def add_variable(self, x: float, y: float, name: str = "") -> bool:
        """Draw a variable, with a name of its own if none is given; it is then selected."""
        name = name or _free_name(self.network)
        if not self._edit(f"add {name}", lambda n: editing.add_variable(n, Variable(name, NEW_STATES)), {name: (x, y)}):
            return False
        self.select([name])
        return True

    def remove(self, names: Sequence[str], edges: Sequence[tuple[str, str]] = ()) -> bool:
        """Remove variables, and arrows or edges."""
        kept = [(a, b) for a, b in edges if a not in names and b not in names]
        label = f"remove {names[0] if len(names) == 1 else len(names) or 'edges'}"

        def edit(network: Network) -> Network:
            for a, b in kept:
                network = editing.disconnect(network, a, b)
            return editing.remove_variables(network, names) if names else network

        return self._edit(label, edit) if names or kept else False

    def rename(self, name: str, to: str) -> bool:
        """Give a variable another name."""
        to = to.strip()
        if to == name:
            return True
        return self._edit(f"rename {name}", lambda n: editing.rename_variable(n, name, to), renamed={name: to})

    def connect(self, a: str, b: str) -> bool:
        """Add an arrow from a to b, or an edge between them."""
        return self._edit(f"connect {a} and {b}", lambda n: editing.connect(n, a, b))

    def move(self, positions: Mapping[str, tuple[float, float]]) -> bool:
        """Put variables elsewhere."""
        places = {**self.document.positions, **{n: p for n, p in positions.items() if n in self.network.index}}
        return self._change("move", replace(self.scene, document=replace(self.document, positions=places)))

    def arrange(self) -> bool:
        """Lay the whole graph out automatically."""
        document = arrange(replace(self.document, positions={}))
        return self._change("lay out", replace(self.scene, document=document))

    def set_states(self, name: str, states: editing.States) -> bool:
        """Rename, reorder, add or remove the states of a variable."""
        return self._edit(f"states of {name}", lambda n: editing.set_states(n, name, states), states={name: states})

    def set_table(self, number: int, table: Floats) -> bool:
        """Give a variable (or a factor) another table."""
        return self._edit("change a table", lambda n: editing.set_table(n, number, table))

    def set_prior(self, name: str, exponents: float | Floats | None) -> bool:
        """Give a variable its own Dirichlet exponents; None is the common ones."""
        prior = {other: kept for other, kept in self.scene.prior.items() if other != name}
        if exponents is not None:
            prior[name] = exponents
        return self._change(f"prior of {name}", replace(self.scene, prior=prior))

    def set_common_prior(self, exponent: float) -> bool:
        """Set the Dirichlet exponent of all variables that have none of their own."""
        return self._change("prior", replace(self.scene, common_prior=exponent))

    def apply(self, snapshot: Snapshot) -> bool:
        """Give the network the parameters that were learned."""
        document = replace(self.document, network=snapshot.network())
        return self._change("apply what was learned", replace(self.scene, document=document))

    # --- marks, selection, settings

    def mark(self, names: Sequence[str], mark: Mark | None) -> bool:
        """Say what is known of variables; None is what the data says."""
        if self.data is None:
            self.message = "There is no data to mark. Open or simulate some in the Data tab."
            return False
        marks = {name: kept for name, kept in self.marks.items() if name not in names}
        if mark is not None:
            marks |= dict.fromkeys(names, mark)
        return self._change("mark", replace(self.scene, marks=marks))

    def toggle_hidden(self, names: Sequence[str]) -> bool:
        """Hide variables, or show them again if all are hidden."""
        shown = all(isinstance(self.marks.get(name), Hidden) for name in names)
        return self.mark(names, None if shown else Hidden()) if names else False

    def select(self, names: Sequence[str]) -> None:
        """Select variables."""
        self.selected = [name for name in names if name in self.network.index]

    def look_at(self, component: int | None) -> None:
        """Look at one component alone, or at all again."""
        parts = self.parts
        known = parts is not None and component in range(len(parts.task.decomposition.components))
        self.component = component if known else None

    def configure(self, **changes: Any) -> None:
        """Change how to learn."""
        self.settings = replace(self.settings, **changes)

    def report(self, snapshot: Snapshot | None) -> None:
        """Show what a run has reached."""
        self.learned = snapshot

    def say(self, message: str) -> None:
        """Tell the user that something went wrong, and what to do."""
        self.message = message

    # --- undo

    def undo(self) -> bool:
        """Take the last change back."""
        return self._travel(self._past, self._future)

    def redo(self) -> bool:
        """Do again what was taken back."""
        return self._travel(self._future, self._past)

    def _travel(self, source: list[tuple[str, Scene, Derived]], target: list[tuple[str, Scene, Derived]]) -> bool:
        if not source:
            return False
        label, scene, derived = source.pop()
        target.append((label, self.scene, self.derived))
        self._show(scene, derived)
        return True

    # --- how changes are made

    def _edit(
        self,
        label: str,
        edit: Callable[[Network], Network],
        positions: Mapping[str, tuple[float, float]] | None = None,
        renamed: Mapping[str, str] | None = None,
        states: Mapping[str, editing.States] | None = None,
    ) -> bool:
        """Edit the network; the data, the marks, the prior and the drawing follow."""
        try:
            network = edit(self.network)
            return self._change(label, _follow(self.scene, network, positions or {}, renamed or {}, states or {}))
        except PgmError as error:
            self.message = _sentence(error)
            return False

    def _change(self, label: str, scene: Scene, derived: Derived | None = None) -> bool:
        try:
            derived = derived or derive_anew(scene, self.scene, self.derived)
        except PgmError as error:
            self.message = _sentence(error)
            return False
        self._past.append((label, self.scene, self.derived))
        del self._past[:-MOST_UNDO]
        self._future.clear()
        self._show(scene, derived)
        return True

    def _show(self, scene: Scene, derived: Derived) -> None:
        known = scene.document.network.index
        news: dict[str, object] = {"scene": scene, "message": ""}
        if derived is not self.derived:
            news |= {"derived": derived, "component": None, "learned": None}
        self.param.update(
            **news,
            selected=[name for name in self.selected if name in known],
            undoable=self._past[-1][0] if self._past else "",
            redoable=self._future[-1][0] if self._future else "",
        )


def _follow(
    scene: Scene,
    network: Network,
    positions: Mapping[str, tuple[float, float]],
    renamed: Mapping[str, str],
    states: Mapping[str, editing.States],
) -> Scene:
    """A scene after its network was edited. Variables keep their names, but for the renamed."""
    before = {new: old for old, new in renamed.items()}
    names = [variable.name for variable in network.variables]
    origin = {name: before.get(name, name) for name in names}

    def carry(values: Mapping[str, T]) -> dict[str, T]:
        return {name: values[origin[name]] for name in names if origin[name] in values}

    old = scene.document
    document = replace(
        old,
        network=network,
        positions={**carry(old.positions), **positions},
        variable_properties=carry(old.variable_properties),
    )
    marks, prior = carry(scene.marks), carry(scene.prior)
    shapes = {v.name: t.shape for v, t in zip(network.variables, network.tables, strict=False)}
    # What was said for other states, or other parents, no longer fits.
    marks = {n: m for n, m in marks.items() if not (n in states and isinstance(m, Sensor))}
    prior = {n: p for n, p in prior.items() if np.ndim(p) == 0 or np.shape(p) == shapes[n]}
    same_variables = network.variables == old.network.variables
    data = scene.data if same_variables or scene.data is None else _follow_data(scene.data, network, origin, states)
    return replace(
        scene,
        document=document,
        data=data,
        marks=marks if marks != dict(scene.marks) else scene.marks,
        prior=prior if list(prior) != list(scene.prior) else scene.prior,
    )


def _follow_data(
    data: DataDocument, network: Network, origin: Mapping[str, str], states: Mapping[str, editing.States]
) -> DataDocument:
    column = {variable.name: i for i, variable in enumerate(data.dataset.variables)}
    columns = [column.get(origin[variable.name]) for variable in network.variables]
    recoded = {network.index[name]: [old for old, _ in given] for name, given in states.items()}
    return replace(data, dataset=editing.recode(data.dataset, network.variables, columns, recoded))


def _free_name(network: Network) -> str:
    """A short name that no variable has: A to Z, then X1, X2, …"""
    letters = [chr(ord("A") + k) for k in range(26)]
    numbered = (f"X{k}" for k in range(1, len(network.variables) + 2))
    return next(name for name in (*letters, *numbered) if name not in network.index)


def _sentence(error: PgmError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}"
