"""What is open on a page, what of it is selected and supposed, and what can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import param

from engine.formats import Document
from engine.model.data_edits import DataEdit
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.prior import flat_exponents
from engine.model.variable import list_names
from engine.sources.engine import UncountedError, asking_nothing
from pgmgui.project.counted_data import AnyData, Rows, need_rows
from pgmgui.project.counting import ELSEWHERE
from pgmgui.project.following import Changes, follow
from pgmgui.project.link_data import find_place
from pgmgui.project.marks import Mark
from pgmgui.project.scene import Derived, Parts, Scene, derive_anew
from pgmgui.project.supposing import Likelihood, simplify
from pgmgui.project.tying import share_tables
from pgmgui.project.wanted import (
    Supposed,
    Wanted,
    find_kind,
    follow_supposed,
    list_supposed,
    read_as,
    restrict,
    still_supposed,
    want,
    without,
)
from pgmgui.project.words import capitalise
from pgmgui.state.history import History, Step, make_step


class OpenScene(param.Parameterized):
    """A scene that is looked at and changed, and the way there.

    The values are immutable and replaced whole; a view that sees the same object again has nothing to do.
    """

    scene = param.ClassSelector(default=Scene(), class_=Scene, allow_None=False, doc="What is open.")
    derived = param.ClassSelector(default=Derived(None, None), class_=Derived, allow_None=False, doc="What follows.")
    selected = param.List(default=[], doc="The names of the selected variables.")
    factor = param.Integer(default=None, allow_None=True, doc="The selected factor of a Markov network, if one is.")
    edge = param.Tuple(
        default=None, length=2, allow_None=True, doc="The names of the selected arrow's ends, if one is."
    )
    supposed = param.ClassSelector(default=Supposed(), class_=Supposed, allow_None=False, doc="What a query supposes.")
    message = param.String(doc="What went wrong last, and what to do; empty if nothing did.")
    undoable = param.String(doc="What undo would take back; empty if nothing.")
    redoable = param.String(doc="What redo would do again; empty if nothing.")
    local = param.Boolean(default=True, doc="Whether only this machine can open the page, so that it may use paths.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._history = History()
        self._beginning = self.scene
        self.count_first: Callable[[Scene, Callable[[Derived], object]], object] | None = None
        """Has counted beside the page what follows from a scene, and hands it on; None lets the page wait."""

    # --- what is open, for views

    @property
    def document(self) -> Document:
        return self.scene.document

    @property
    def network(self) -> Network:
        return self.scene.document.network

    @property
    def data(self) -> AnyData | None:
        return self.scene.data

    @property
    def marks(self) -> Mapping[str, Mark]:
        return self.scene.marks

    @property
    def seen(self) -> Rows | None:
        """The data as the marks let it be seen."""
        return self.derived.seen

    @property
    def parts(self) -> Parts | None:
        return self.derived.parts

    @property
    def evidence(self) -> Mapping[str, Likelihood]:
        """What is supposed of single variables: a likelihood for each state."""
        return self.supposed.likelihoods

    @property
    def wanted(self) -> Wanted:
        """The targets that are supposed."""
        return self.supposed.wanted

    @property
    def earlier_networks(self) -> Iterator[Network]:
        """The networks before the changes that can be taken back, the newest first."""
        return (step.scene.document.network for step in reversed(self._history.past))

    # --- selection, evidence, messages

    def select(self, names: Sequence[str]) -> None:
        """Select variables."""
        self.param.update(selected=[name for name in names if name in self.network.index], factor=None, edge=None)

    def select_edge(self, ends: tuple[str, str] | None) -> None:
        """Select the arrow between two variables, by their names, and no variable; None selects none."""
        if ends is None or not all(name in self.network.index for name in ends):
            self.edge = None
        else:
            self.param.update(selected=[], factor=None, edge=ends)

    def select_factor(self, number: int | None) -> None:
        """Select a factor of a Markov network, and no variable."""
        known = isinstance(self.network, MarkovNetwork) and number in range(len(self.network.scopes))
        self.param.update(selected=[], factor=number if known else None, edge=None)

    def suppose(self, name: str, likelihood: Sequence[float] | None) -> None:
        """Suppose something about a variable in queries, a likelihood for each state; None supposes nothing.

        Nor does a likelihood that tells no states apart, or leaves none possible. Targets that it is part of are given
        up: there is one kind of evidence on a variable.
        """
        likelihoods = {other: kept for other, kept in self.evidence.items() if other != name}
        meant = simplify(likelihood)
        if meant is not None:
            likelihoods[name] = meant
        self._suppose(Supposed(likelihoods, without(self.wanted, self.wanted.concerning(name))))

    def suppose_nothing(self) -> None:
        """Clear all evidence; whether targets are fixed, and how they are met, stays."""
        self._suppose(Supposed({}, replace(self.wanted, tables={})))

    def want(self, names: Sequence[str], numbers: Sequence[float] | None) -> bool:
        """Suppose a target of some variables together, a number for each combination of states; None gives it up.

        What else is supposed of each of them is given up, but for other targets, which must agree with it. Of several
        variables together, where that is not plain to see, a message says so.
        """
        wanted = self.wanted
        if numbers is None:
            gone = [one for one in wanted.tables if set(one) == set(names)]
            self._suppose(replace(self.supposed, wanted=without(wanted, gone)))
            return True
        try:
            wanted = want(wanted, self.network, names, numbers)
        except PgmError as error:
            self.refuse(error)
            return False
        given_up = restrict(Supposed(self.evidence), names).likelihoods
        self._suppose(Supposed({name: kept for name, kept in self.evidence.items() if name not in names}, wanted))
        if given_up and len(names) > 1:
            told = "; ".join(list_supposed(Supposed(given_up), self.network))
            self.say(
                f"No longer supposed: {told}. The target of {list_names(list(names))} takes its place, for a variable "
                "has one kind of evidence."
            )
        return True

    def suppose_kind(self, name: str, kind: str, posterior: Sequence[float]) -> None:
        """Suppose the same numbers of a variable as another kind of evidence, or begin with what is probable now."""
        numbers = read_as(kind, find_kind(self.supposed, name)[1], posterior)
        if kind == "target":
            self.want((name,), numbers)
        else:
            self.suppose(name, numbers)

    def fix_targets(self, fixed: bool) -> None:
        """Let targets hold after all that is known, or before it."""
        self._suppose(replace(self.supposed, wanted=replace(self.wanted, fixed=fixed)))

    def solve_by(self, solver: str) -> None:
        """Meet targets by a solver of the engine's; empty for that of least estimated time."""
        self._suppose(replace(self.supposed, wanted=replace(self.wanted, solver=solver)))

    def suppose_all(self, supposed: Supposed) -> None:
        """Suppose what was supposed before, in place of all else."""
        likelihoods = {name: simplify(likelihood) for name, likelihood in supposed.likelihoods.items()}
        self._suppose(Supposed({name: one for name, one in likelihoods.items() if one is not None}, supposed.wanted))

    def _suppose(self, supposed: Supposed) -> None:
        if supposed != self.supposed:
            self.supposed = supposed

    def say(self, message: str) -> None:
        """Tell the user that something went wrong, and what to do."""
        self.message = message

    def refuse(self, error: PgmError) -> None:
        """Tell the user why something cannot be done."""
        self.message = capitalise(str(error))

    # --- undo

    def undo(self) -> bool:
        """Take the last change back."""
        return self._travel(self._history.past, self._history.go_back)

    def redo(self) -> bool:
        """Do again what was taken back."""
        return self._travel(self._history.future, self._history.go_forward)

    def _travel(self, steps: Sequence[Step], go: Callable[[Step], None], derived: Derived | None = None) -> bool:
        if not steps:
            return False
        step, now = steps[-1], self.scene
        scene = step.restore(now)
        try:
            derived = derived or step.derived or self._derive(scene)
        except UncountedError:
            return self._count(scene, lambda found: self._travel(steps, go, found))
        edit = None
        if step.edit is not None and now.data is not None:
            edit = step.edit.invert(need_rows(now.data.dataset, "the data cannot be edited"))
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
        supposed = follow_supposed(self.supposed, self.network, changes or Changes())
        return self._change(label, scene, selected=selected, note=note, supposed=supposed)

    def _change(
        self,
        label: str,
        scene: Scene,
        derived: Derived | None = None,
        selected: tuple[str, ...] | None = None,
        note: str = "",
        undoable: bool = True,
        supposed: Supposed | None = None,
        back: DataEdit | None = None,
    ) -> bool:
        try:
            shared, said = share_tables(self.scene, scene)
            if shared is not scene:
                scene, derived, note = shared, None, f"{note} {said}".strip()
            if isinstance(scene.document.network, BayesianNetwork):
                flat_exponents(scene.document.network, scene.whole_prior)
            if not self.local and find_place(scene) is not None:
                raise PgmError(ELSEWHERE)
            derived = derived or self._derive(scene)
        except UncountedError:
            rest: dict[str, Any] = {"note": note, "undoable": undoable, "supposed": supposed, "back": back}
            return self._count(scene, lambda found: self._change(label, scene, found, selected, **rest))
        except PgmError as error:
            self.refuse(error)
            return False
        if undoable:
            self._history.record(make_step(label, self.scene, self.derived, tuple(self.selected), scene, back))
        self._show(scene, derived, tuple(self.selected) if selected is None else selected, note, supposed)
        return True

    def _derive(self, scene: Scene) -> Derived:
        """What follows from a scene; UncountedError where data would have to be counted first, and the page wait."""
        if self.count_first is None:
            return derive_anew(scene, self.scene, self.derived)
        with asking_nothing():
            return derive_anew(scene, self.scene, self.derived)

    def _count(self, scene: Scene, again: Callable[[Derived], bool]) -> bool:
        """Have counted what a scene needs, beside the page, and do again then what needed it: False, for not yet."""
        before = self.scene

        def go_on(found: Derived) -> None:
            if self.scene is before:
                self.say("")
                again(found)
            else:
                self.say("The page has changed while the data was counted: what was asked for before was given up.")

        assert self.count_first is not None
        self.count_first(scene, go_on)
        return False

    def _show(
        self,
        scene: Scene,
        derived: Derived,
        selected: Sequence[str],
        note: str = "",
        supposed: Supposed | None = None,
    ) -> None:
        network = scene.document.network
        known = network.index
        past, future = self._history.past, self._history.future
        news: dict[str, object] = {"scene": scene, "message": note}
        if derived is not self.derived:
            said = f"{note} {derived.obstacle}".strip()
            news |= {"derived": derived, "message": said, **self._let_go()}
        if supposed is None:
            supposed = still_supposed(self.supposed, self.network, network)
        supposed = restrict(supposed, known)
        if supposed != self.supposed:
            news["supposed"] = supposed
        if selected or type(network) is not type(self.network) or network.scopes != self.network.scopes:
            news |= {"factor": None, "edge": None}  # its number may mean another
        self.param.update(
            **news,
            selected=[name for name in selected if name in known],
            undoable=past[-1].label if past else "",
            redoable=future[-1].label if future else "",
        )

    def _let_go(self) -> dict[str, object]:
        """What else changes when something else follows from the scene: parameters and their values."""
        return {}
