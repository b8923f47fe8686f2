"""What is open on a page, what of it is selected and supposed, and what can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import param

from engine.formats import DataDocument, Document
from engine.model.data_edits import DataEdit
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.prior import flat_exponents
from pgmgui.project.following import Changes, follow
from pgmgui.project.marks import Mark
from pgmgui.project.scene import Derived, Parts, Scene, derive_anew
from pgmgui.project.supposing import Likelihood, follow_evidence, simplify, still_fitting
from pgmgui.project.tying import share_tables
from pgmgui.state.history import History, Step, make_step


class OpenScene(param.Parameterized):
    """A scene that is looked at and changed, and the way there.

    The values are immutable and replaced whole; a view that sees the same object again has nothing to do.
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

    # --- selection, evidence, messages

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
        step, now = steps[-1], self.scene
        scene = step.restore(now)
        derived = step.derived or derive_anew(scene, now, self.derived)
        edit = None if step.edit is None or now.data is None else step.edit.invert(now.data.dataset)
        go(make_step(step.label, now, self.derived, tuple(self.selected), scene, edit))
        self._show(scene, derived, step.selected)
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
        back: DataEdit | None = None,
    ) -> bool:
        try:
            shared, said = share_tables(self.scene, scene)
            if shared is not scene:
                scene, derived, note = shared, None, f"{note} {said}".strip()
            if isinstance(scene.document.network, BayesianNetwork):
                flat_exponents(scene.document.network, scene.whole_prior)
            derived = derived or derive_anew(scene, self.scene, self.derived)
        except PgmError as error:
            self.refuse(error)
            return False
        if undoable:
            self._history.record(make_step(label, self.scene, self.derived, tuple(self.selected), scene, back))
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


def _sentence(error: PgmError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}"
