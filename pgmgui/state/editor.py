"""How what is open on a page is edited: every change can be taken back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import param

from engine.formats import Document
from engine.inference.chordal import as_bayesian
from engine.learning.snapshot import Snapshot
from engine.model import editing
from engine.model.arrays import Floats, frozen
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, as_markov
from engine.model.noisy_max import NoisyMax
from engine.model.table_prior import TablePrior, describe_table_prior
from engine.model.variable import Variable
from pgmgui.project.clipping import cut_out, dump_part, join, parse_part
from pgmgui.project.counted_data import AnyData
from pgmgui.project.examples import AnyExample
from pgmgui.project.factor_prior import FactorPrior
from pgmgui.project.following import Changes, follow, tell_plain
from pgmgui.project.layers import SHAPE
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Hidden, Mark
from pgmgui.project.notes import find_note, write_note
from pgmgui.project.scene import EMPTY, Derived, Scene, with_data
from pgmgui.project.tying import tie, untie
from pgmgui.project.wanted import Supposed
from pgmgui.project.words import count, cut
from pgmgui.state.open_scene import OpenScene

NEW_STATES = ("yes", "no")
"""The states of a variable that is drawn."""
MUCH = 0.1
"""How far, as a logarithm, the canvas must be from the shape that was laid out for to do so anew."""
LONGEST_TITLE = 200
"""Characters of the name of a network."""


class Editor(OpenScene):
    """The network, data, marks and prior that a page is about, and the only writer of them.

    Every method that edits can be undone, and says in ``message`` why where it refuses.
    """

    shape = param.Number(default=SHAPE, doc="How many times as wide as high the canvas is, as far as is known.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._opened = self.scene
        self._before_fit: Scene | None = None

    # --- opening

    def open(self, scene: Scene, derived: Derived | None = None) -> bool:
        """Work on something else. ``derived`` is what follows from it, where that was found beforehand."""
        names = [variable.name for variable in scene.document.network.variables]
        if not all(name in scene.document.positions for name in names):
            scene = replace(scene, document=arrange(scene.document, self.shape))
        # A page begins with what it opens: before that there is nothing to go back to.
        first = self.scene is self._beginning
        if not self._change(
            f"open {scene.title}", scene, derived, selected=(), undoable=not first, supposed=Supposed()
        ):
            return False
        self._opened, self._before_fit = self.scene, None
        return True

    def know_shape(self, shape: float) -> None:
        """Remember the shape of the canvas, for what is opened next."""
        self.shape = shape

    def fit_to(self, shape: float) -> None:
        """The canvas is there for the first time: lay out for its shape what was opened before it was known.

        Only a file without positions of its own of which nothing has been changed; it stays what was opened.
        """
        self.know_shape(shape)
        scene = self.scene
        if scene is self._opened and scene.laid_out_for and abs(math.log(shape / scene.laid_out_for)) > MUCH:
            document = arrange(replace(scene.document, positions={}), shape)
            self._opened = self.scene = replace(scene, document=document, laid_out_for=shape)
            self._before_fit = scene

    @property
    def origin(self) -> Scene:
        """What is open; before it was laid out by itself for the canvas, while nothing else was done."""
        return self.scene if self._before_fit is None or self.scene is not self._opened else self._before_fit

    def open_example(self, example: AnyExample) -> bool:
        """Work on an example."""
        document, data = example.read()
        marks = dict.fromkeys(example.hide, Hidden())
        return self.open(
            Scene(example.title, example.shows, arrange(document), data, marks, example=example.id, truth=example.truth)
        )

    def new(self, markov: bool = False) -> bool:
        """Begin with an empty Bayesian or Markov network."""
        document = Document(MarkovNetwork((), (), ())) if markov else EMPTY
        kind = "Markov" if markov else "Bayesian"
        return self.open(Scene(f"New {kind} network", "Double-click on the canvas to add a variable", document))

    def set_data(self, data: AnyData | None, derived: Derived | None = None) -> bool:
        """Learn from other data; marks stay."""
        return self._change("change the data", with_data(self.scene, data), derived)

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

    def copy(self, names: Sequence[str]) -> str:
        """Variables as text for the clipboard; empty where that is refused."""
        try:
            return dump_part(cut_out(self.scene, names)) if names else ""
        except PgmError as error:
            self.refuse(error)
            return ""

    def paste(self, text: str, at: tuple[float, float] | None = None) -> bool:
        """Add the variables of a text from the clipboard, around a point or beside where they were, and select them."""
        try:
            return self._join("paste", parse_part(text), at)
        except PgmError as error:
            self.refuse(error)
            return False

    def duplicate(self, names: Sequence[str]) -> bool:
        """Add a copy of variables beside them; the copies are then selected."""
        return self._join("duplicate", cut_out(self.scene, names), None) if names else False

    def _join(self, what: str, part: Scene, at: tuple[float, float] | None) -> bool:
        try:
            scene, names = join(self.scene, part, at)
        except PgmError as error:
            self.refuse(error)
            return False
        which = names[0] if len(names) == 1 else count(len(names), "variable")
        return self._change(f"{what} {which}", scene, selected=names)

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

    def connect_all(self, names: Sequence[str], to: str) -> bool:
        """Add an arrow from each of some variables to one, or an edge; none where one of them cannot be."""
        return self._edit(f"connect {cut(list(names))} with {to}", lambda n: editing.connect_all(n, names, to))

    def reverse(self, a: str, b: str) -> bool:
        """Turn the arrow from a to b round."""
        return self._edit(f"turn {a} → {b} round", lambda n: editing.reverse(n, a, b))

    def set_note(self, name: str, text: str) -> bool:
        """Write a note on a variable; an empty one takes it away."""
        try:
            document = write_note(self.document, name, text)
        except PgmError as error:
            self.refuse(error)
            return False
        if find_note(document, name) == find_note(self.document, name):
            return True
        return self._change(f"change the note on {name}", replace(self.scene, document=document))

    def rename_network(self, title: str) -> bool:
        """Give the network another name, here and in the files it is saved to."""
        title = " ".join(title.split())
        if not title or title == self.scene.title:
            return bool(title)
        if len(title) > LONGEST_TITLE:
            self.message = f"A name of {len(title):,} characters; at most {LONGEST_TITLE} are kept: shorten it."
            return False
        document = replace(self.document, name=title)
        return self._change(f"rename the network to {title}", replace(self.scene, title=title, document=document))

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

    def set_noisy(self, name: str, noisy: NoisyMax | None) -> bool:
        """Make the table of a variable a noisy-MAX of these numbers; None leaves it as it is, a whole table."""
        kept = {other: known for other, known in self.document.noisy.items() if other != name}
        if noisy is None:
            document = replace(self.document, noisy=kept)
            return self._change(f"make the table of {name} a whole one", replace(self.scene, document=document))
        try:
            edited = editing.set_table(self.network, self.network.index[name], noisy.expand())
            scene, _ = follow(self.scene, edited, Changes())
        except PgmError as error:
            self.refuse(error)
            return False
        document = replace(scene.document, noisy={**kept, name: noisy})
        return self._change(f"change the noisy-MAX of {name}", replace(scene, document=document))

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
        return self._change(f"change the prior of {name}", replace(self.scene, prior=prior), note=self._tell_unused())

    def tie(self, names: Sequence[str]) -> bool:
        """Let variables share one table: that of the first, and their counts are added when it is learned."""
        try:
            return self._change(f"tie {cut(list(names))}", tie(self.scene, names))
        except PgmError as error:
            self.refuse(error)
            return False

    def untie(self, names: Sequence[str]) -> bool:
        """Give each of some variables a table of its own again, as it is."""
        scene = untie(self.scene, names)
        return scene.ties == self.scene.ties or self._change(f"untie {cut(list(names))}", scene)

    def set_common_prior(self, exponent: float) -> bool:
        """Set the Dirichlet exponent of all variables that have none of their own."""
        if exponent == self.scene.common_prior:
            return True
        return self._change("change the prior", replace(self.scene, common_prior=exponent), note=self._tell_unused())

    def set_table_prior(self, prior: TablePrior | None) -> bool:
        """Set a prior on all tables of a Bayesian network that is no Dirichlet; None leaves that to the exponents."""
        if prior == self.scene.table_prior:
            return True
        is_first = prior is not None and self.scene.table_prior is None
        note = "Numerical EM learns with this prior: choose it among the learners." if is_first else ""
        return self._change("change the prior", replace(self.scene, table_prior=prior), note=note)

    def _tell_unused(self) -> str:
        """That exponents do not count while there is another prior, in a sentence."""
        prior = self.scene.table_prior
        if prior is None:
            return ""
        return f"Kept, but not used: the run's Options have {describe_table_prior(prior)} instead of exponents."

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
        document = self.document.with_network(learned)
        note = tell_plain([name for name in self.document.noisy if name not in document.noisy]).strip()
        return self._change("apply what was learned", replace(self.scene, document=document), note=note)

    # --- marks

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


def _free_name(network: Network) -> str:
    """A short name that no variable has: A to Z, then X1, X2, …"""
    letters = [chr(ord("A") + k) for k in range(26)]
    numbered = (f"X{k}" for k in range(1, len(network.variables) + 2))
    return next(name for name in (*letters, *numbered) if name not in network.index)
