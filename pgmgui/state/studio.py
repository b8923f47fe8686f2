"""The missingness studio of a page: which variable it is about, and what is known of its missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from pgmgui.project.absence import Compared, Facts, find_facts, find_mark, make_mark
from pgmgui.project.marks import Absent
from pgmgui.project.scene import Scene, is_same_problem
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session


@dataclass(frozen=True)
class _Question:
    scene: Scene
    seen: Dataset
    target: str


class Studio(Newest):
    """Follows the selection. Nothing is computed while nobody looks."""

    target = param.String(default="", doc="The variable that it is about; empty if there is none.")
    facts = param.ClassSelector(class_=Facts, allow_None=True, doc="What is known of its missing values.")
    compared = param.ClassSelector(class_=Compared, allow_None=True, doc="What was learned of it in both ways.")
    doing = "Computing how much is missing"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._looking = False
        self._asked: _Question | None = None
        self._compared_in: Scene | None = None
        session.param.watch(lambda *_: self._follow(), ["selected", "scene", "derived"], precedence=1)
        self._follow()

    def look(self, looked_at: bool) -> None:
        """Say whether anyone looks."""
        self._looking = looked_at
        self._notice()

    @property
    def mark(self) -> Absent | None:
        """The mechanism of the variable, if it has one."""
        return find_mark(self._session.scene, self.target) if self.target else None

    @property
    def fits(self) -> bool:
        """Whether the facts are of the variable and its mechanism as they are now."""
        facts = self.facts
        return facts is not None and (facts.target, facts.mark) == (self.target, self.mark)

    # --- what the user does

    def choose(self, target: str) -> None:
        """Be about another variable, which is then selected."""
        if target != self.target:
            self._session.select([target])

    def set_causes(self, causes: tuple[str, ...] | None) -> bool:
        """Say what decides which values are missing; None takes the mechanism off."""
        session, mark = self._session, self.mark
        if causes is None:
            return mark is None or session.mark([self.target], None)
        if mark is not None and mark.causes == causes:
            return True
        try:
            return session.mark([self.target], make_mark(session.scene, self.target, causes))
        except PgmError as error:
            session.refuse(error)
            return False

    def set_chance(self, number: int, chance: float) -> bool:
        """Say how probably values are missing for one combination of the causes' states."""
        mark = self.mark
        if mark is None or number not in range(len(mark.chances)):
            return False
        chances = (*mark.chances[:number], chance, *mark.chances[number + 1 :])
        return self._session.mark([self.target], Absent(mark.causes, chances, mark.indicator))

    def show(self, compared: Compared, scene: Scene) -> None:
        """Show what was learned in both ways of a scene, unless it has changed meanwhile."""
        if is_same_problem(scene, self._session.scene):
            self._compared_in, self.compared = scene, compared

    # --- what follows

    def _follow(self) -> None:
        session = self._session
        names = session.network.index
        told = {mark.indicator: name for name, mark in session.marks.items() if isinstance(mark, Absent)}
        chosen = session.selected[0] if len(session.selected) == 1 else self.target
        chosen = told.get(chosen, chosen)
        target = chosen if chosen in names else next(iter(names), "")
        known = self._compared_in
        if self.compared is not None and (
            known is None or target != self.compared.target or not is_same_problem(known, session.scene)
        ):
            self._compared_in = self.compared = None
        self.target = target
        self._notice()

    def _notice(self, *_events: Any) -> None:
        session = self._session
        if not self._looking or not isinstance(session.seen, Dataset) or not self.target:
            return
        asked = self._asked
        if (
            asked is None
            or asked.target != self.target
            or asked.seen is not session.seen
            or not is_same_problem(asked.scene, session.scene)
        ):
            self._asked = _Question(session.scene, session.seen, self.target)
            self._ask(self._asked)

    def _find(self, question: _Question) -> Facts:
        return find_facts(question.scene, question.seen, question.target)

    def _take(self, found: Facts) -> None:
        if found.target == self.target:
            self.facts = found
