"""What is open on a page and how it is edited: every change can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import param

from engine.formats import DataDocument, Document
from engine.inference.chordal import as_bayesian
from engine.learning.snapshot import Snapshot
from engine.model import editing
from engine.model.arrays import Floats, frozen
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, as_markov
from engine.model.prior import flat_exponents
from engine.model.variable import Variable
from pgmgui.project.examples import Example
from pgmgui.project.factor_prior import FactorPrior
from pgmgui.project.following import Changes, follow
from pgmgui.project.layers import SHAPE
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden, Mark
from pgmgui.project.scene import EMPTY, Derived, Parts, Scene, derive_anew
from pgmgui.project.supposing import Likelihood, follow_evidence, simplify, still_fitting
from pgmgui.project.words import count, cut
from pgmgui.state.history import History, Step

NEW_STATES = ("yes", "no")
"""The states of a variable that is drawn."""


class Editor(param.Parameterized):
    """The network, data, marks, prior and evidence that a page is about, and the only writer of them.

    The values are immutable and replaced whole; a view that sees the same object again has nothing to do.
    Every method that edits can be undone, and says in ``message`` why where it refuses.
    """

    scene = param.ClassSelector(default=Scene(), class_=Scene, allow_None=False, doc="What is open.")
    derived = param.ClassSelector(default=Derived(None, None), class_=Derived, allow_None=False, doc="What follows.")
    selected = param.List(default=[], doc="The names of the selected variables.")
    factor = param.Integer(default=None, allow_None=True, doc="The selected factor of a Markov network, if one is.")
    evidence = param.Dict(default={}, doc="What a query supposes: per variable a likelihood for each state.")
    message = param.String(doc="What went wrong last, and what to do; empty if nothing did.")
    undoable = param.String(doc="What undo would take back; empty if nothing.")
    redoable = param.String(doc="What redo would do again; empty if nothing.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._history = History()
        self._beginning = self.scene

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

    @property
    def earlier_networks(self) -> Iterator[Network]:
        """The networks before the changes that can be taken back, the newest first."""
        return (step.scene.document.network for step in reversed(self._history.past))

    # --- opening

    def open(self, scene: Scene, derived: Derived | None = None) -> bool:
        """Work on something else. ``derived`` is what follows from it, where that was found beforehand."""
        names = [variable.name for variable in scene.document.network.variables]
        if not all(name in scene.document.positions for name in names):
            scene = replace(scene, document=arrange(scene.document))
        # A page begins with what it opens: before that there is nothing to go back to.
        first = self.scene is self._beginning
        return self._change(f"open {scene.title}", scene, derived, selected=(), undoable=not first, evidence={})

    def open_example(self, example: Example) -> bool:
        """Work on an example of the gallery."""
        document, data = example.read()
        marks = dict.fromkeys(example.hide, Hidden())
        return self.open(Scene(example.title, example.shows, arrange(document), data, marks, example=example.id))

    def new(self, markov: bool = False) -> bool:
        """Begin with an empty Bayesian or Markov network."""
        document = Document(MarkovNetwork((), (), ())) if markov else EMPTY
        kind = "Markov" if markov else "Bayesian"
        return self.open(Scene(f"New {kind} network", "Double-click on the canvas to add a variable", document))

    def set_data(self, data: DataDocument | None, derived: Derived | None = None) -> bool:
        """Learn from other data; marks stay."""
        return self._change("change the data", replace(self.scene, data=data, truth=None), derived)

    def replace_scene(self, label: str, scene: Scene, derived: Derived | None = None) -> bool:
        """Change several things at once, as one step that can be taken back."""
        return self._change(label, scene, derived)

    # --- the network

    def add_variable(self, x: float, y: float, name: str = "") -> bool:
        """Draw a variable, with a name of its own if none is given; it is then selected."""
        name = name.strip() or _free_name(self.network)
        return self._edit(
            f"add {name}",
            lambda network: editing.add_variable(network, Variable(name, NEW_STATES)),
            Changes(positions={name: (x, y)}),
            selected=(name,),
        )

    def remove(self, names: Sequence[str], edges: Sequence[tuple[str, str]] = ()) -> bool:
        """Remove variables, and arrows or edges."""
        kept = [(a, b) for a, b in edges if a not in names and b not in names]
        what = count(len(names), "variable") if names else count(len(kept), "edge")

        def edit(network: Network) -> Network:
            for a, b in kept:
                network = editing.disconnect(network, a, b)
            return editing.remove_variables(network, names) if names else network

        return self._edit(f"remove {names[0] if len(names) == 1 else what}", edit) if names or kept else False

    def rename(self, name: str, to: str) -> bool:
        """Give a variable another name."""
        to = to.strip()
        if to == name:
            return True
        return self._edit(
            f"rename {name}",
            lambda network: editing.rename_variable(network, name, to),
            Changes(renamed={name: to}),
            selected=tuple(to if old == name else old for old in self.selected),
        )

    def connect(self, a: str, b: str) -> bool:
        """Add an arrow from a to b, or an edge between them."""
        return self._edit(f"connect {a} and {b}", lambda n: editing.connect(n, a, b))

    def move(self, positions: Mapping[str, tuple[float, float]]) -> bool:
        """Put variables elsewhere."""
        places = {**self.document.positions, **{n: p for n, p in positions.items() if n in self.network.index}}
        return self._change("move", replace(self.scene, document=replace(self.document, positions=places)))

    def arrange(self, shape: float = SHAPE) -> bool:
        """Lay the whole graph out automatically, for a pane that is so many times as wide as high."""
        document = arrange(replace(self.document, positions={}), shape)
        return self._change("lay out", replace(self.scene, document=document))

    def set_states(self, name: str, states: editing.States) -> bool:
        """Rename, reorder, add or remove the states of a variable."""
        states = [(old, state.strip()) for old, state in states]
        known = [variable.states for variable in self.network.variables if variable.name == name]
        if [states] == [list(enumerate(names)) for names in known]:
            return True
        return self._edit(
            f"change the states of {name}",
            lambda network: editing.set_states(network, name, states),
            Changes(states={name: [old for old, _ in states]}),
        )

    def set_table(self, number: int, table: Floats) -> bool:
        """Give a variable (or a factor) another table."""
        if np.array_equal(self.network.tables[number], table):
            return True
        name = self.network.variables[number].name if isinstance(self.network, BayesianNetwork) else "a factor"
        return self._edit(f"change the table of {name}", lambda n: editing.set_table(n, number, table))

    def remove_factor(self, number: int) -> bool:
        """Remove a factor of a Markov network."""
        return self._edit("remove a factor", lambda network: editing.remove_factor(network, number))

    def moralise(self) -> bool:
        """Make a Markov network of a Bayesian one: each table becomes a factor. Data and marks stay."""
        return self._edit("moralise", as_markov) if isinstance(self.network, BayesianNetwork) else False

    def add_arrows(self) -> bool:
        """Make a Bayesian network of a Markov one, exactly, if its graph is chordal. Data and marks stay."""
        if not isinstance(self.network, MarkovNetwork):
            return False
        return self._edit("add arrows", lambda network: as_bayesian(network, editing.MOST_CELLS))

    def set_prior(self, name: str, exponents: float | Floats | None) -> bool:
        """Give a variable its own Dirichlet exponents; None is the common ones."""
        own = self.scene.prior.get(name)
        if exponents is own or (exponents is not None and own is not None and np.array_equal(exponents, own)):
            return True
        prior = {other: kept for other, kept in self.scene.prior.items() if other != name}
        if exponents is not None:
            prior[name] = exponents if np.ndim(exponents) == 0 else frozen(np.array(exponents, dtype=np.float64))
        return self._change(f"change the prior of {name}", replace(self.scene, prior=prior))

    def set_common_prior(self, exponent: float) -> bool:
        """Set the Dirichlet exponent of all variables that have none of their own."""
        if exponent == self.scene.common_prior:
            return True
        return self._change("change the prior", replace(self.scene, common_prior=exponent))

    def set_factor_prior(self, prior: FactorPrior | None) -> bool:
        """Set the prior on the factors of a Markov network; None is none."""
        if prior == self.scene.factor_prior:
            return True
        return self._change("change the prior", replace(self.scene, factor_prior=prior))

    def apply(self, snapshot: Snapshot) -> bool:
        """Give the network the parameters that were learned."""
        learned, network = snapshot.network(), self.network
        if learned.variables != network.variables or learned.scopes != network.scopes:
            self.message = "What was learned belongs to another network: learn again."
            return False
        document = replace(self.document, network=learned)
        return self._change("apply what was learned", replace(self.scene, document=document))

    # --- marks, selection, evidence, messages

    def mark(self, names: Sequence[str], mark: Mark | None) -> bool:
        """Say what is known of variables; None is what the data says."""
        if self.data is None:
            self.message = "There is no data to mark. Open or simulate some in the Data tab."
            return False
        marks = {name: kept for name, kept in self.marks.items() if name not in names}
        if mark is not None:
            marks |= dict.fromkeys(names, mark)
        if marks == dict(self.marks):
            return True
        return self._change(f"mark {cut(list(names))}", replace(self.scene, marks=marks))

    def toggle_hidden(self, names: Sequence[str]) -> bool:
        """Hide variables, or show them again if all are hidden."""
        shown = all(isinstance(self.marks.get(name), Hidden) for name in names)
        return self.mark(names, None if shown else Hidden()) if names else False

    def select(self, names: Sequence[str]) -> None:
        """Select variables."""
        self.param.update(selected=[name for name in names if name in self.network.index], factor=None)

    def select_factor(self, number: int | None) -> None:
        """Select a factor of a Markov network, and no variable."""
        known = isinstance(self.network, MarkovNetwork) and number in range(len(self.network.scopes))
        self.param.update(selected=[], factor=number if known else None)

    def suppose(self, name: str, likelihood: Sequence[float] | None) -> None:
        """Suppose something about a variable in queries, a likelihood for each state; None supposes nothing.

        Nor does a likelihood that tells no states apart, or leaves none possible.
        """
        evidence = {other: kept for other, kept in self.evidence.items() if other != name}
        meant = simplify(likelihood)
        if meant is not None:
            evidence[name] = meant
        if evidence != self.evidence:
            self.evidence = evidence

    def suppose_nothing(self) -> None:
        """Clear all evidence."""
        self.evidence = {}

    def say(self, message: str) -> None:
        """Tell the user that something went wrong, and what to do."""
        self.message = message

    def refuse(self, error: PgmError) -> None:
        """Tell the user why something cannot be done."""
        self.message = _sentence(error)

    # --- undo

    def undo(self) -> bool:
        """Take the last change back."""
        return self._travel(self._history.past, self._history.go_back)

    def redo(self) -> bool:
        """Do again what was taken back."""
        return self._travel(self._history.future, self._history.go_forward)

    def _travel(self, steps: Sequence[Step], go: Callable[[Step], None]) -> bool:
        if not steps:
            return False
        step = steps[-1]
        derived = step.derived or derive_anew(step.scene, self.scene, self.derived)
        go(Step(step.label, self.scene, self.derived, tuple(self.selected)))
        self._show(step.scene, derived, step.selected)
        return True

    # --- how changes are made

    def _edit(
        self,
        label: str,
        edit: Callable[[Network], Network],
        changes: Changes | None = None,
        selected: tuple[str, ...] | None = None,
    ) -> bool:
        """Edit the network; the data, the marks, the prior and the drawing follow."""
        try:
            scene, note = follow(self.scene, edit(self.network), changes or Changes())
        except PgmError as error:
            self.refuse(error)
            return False
        evidence = follow_evidence(self.evidence, changes or Changes())
        return self._change(label, scene, selected=selected, note=note, evidence=evidence)

    def _change(
        self,
        label: str,
        scene: Scene,
        derived: Derived | None = None,
        selected: tuple[str, ...] | None = None,
        note: str = "",
        undoable: bool = True,
        evidence: Mapping[str, Likelihood] | None = None,
    ) -> bool:
        try:
            if isinstance(scene.document.network, BayesianNetwork):
                flat_exponents(scene.document.network, scene.whole_prior)
            derived = derived or derive_anew(scene, self.scene, self.derived)
        except PgmError as error:
            self.refuse(error)
            return False
        if undoable:
            self._history.record(Step(label, self.scene, self.derived, tuple(self.selected)))
        self._show(scene, derived, tuple(self.selected) if selected is None else selected, note, evidence)
        return True

    def _show(
        self,
        scene: Scene,
        derived: Derived,
        selected: Sequence[str],
        note: str = "",
        evidence: Mapping[str, Likelihood] | None = None,
    ) -> None:
        network = scene.document.network
        known = network.index
        past, future = self._history.past, self._history.future
        news: dict[str, object] = {"scene": scene, "message": note}
        if derived is not self.derived:
            said = f"{note} {derived.obstacle}".strip()
            news |= {"derived": derived, "message": said, **self._let_go()}
        if evidence is None:
            evidence = still_fitting(self.evidence, self.network, network)
        evidence = {name: likelihood for name, likelihood in evidence.items() if name in known}
        if evidence != self.evidence:
            news["evidence"] = evidence
        if selected or type(network) is not type(self.network) or network.scopes != self.network.scopes:
            news["factor"] = None  # its number may mean another
        self.param.update(
            **news,
            selected=[name for name in selected if name in known],
            undoable=past[-1].label if past else "",
            redoable=future[-1].label if future else "",
        )

    def _let_go(self) -> dict[str, object]:
        """What else changes when something else follows from the scene: parameters and their values."""
        return {}


def _free_name(network: Network) -> str:
    """A short name that no variable has: A to Z, then X1, X2, …"""
    letters = [chr(ord("A") + k) for k in range(26)]
    numbered = (f"X{k}" for k in range(1, len(network.variables) + 2))
    return next(name for name in (*letters, *numbered) if name not in network.index)


def _sentence(error: PgmError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}"
