"""What is known of the arrows that are shown, kept up to date beside the page while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import param

from engine.learning.snapshot import Snapshot
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import Network
from engine.model.variable import Variable
from engine.structure.constraints import Arrow
from engine.structure.families import Families, Parents
from engine.structure.scores import make_score
from pgmgui.project.arrows import NO_ARROWS, NO_DATA, Facts, count_cells, find_facts, find_parents
from pgmgui.project.counted_data import Rows, known_rows
from pgmgui.project.scene import Scene
from pgmgui.project.structure_constraints import parse_constraints
from pgmgui.project.structure_problem import is_complete
from pgmgui.project.structure_settings import StructureSettings
from pgmgui.state.newest import Newest
from pgmgui.state.resampling import Resampling
from pgmgui.state.session import Session
from pgmgui.state.structuring import pose_problem

NOT_KEPT = "Cells are missing: what these arrows are worth is known once they are kept, with their tables."


@dataclass(frozen=True, eq=False)
class Judging:
    """What is asked: which arrows, by which score.

    Attributes
    ----------
    parents : structure, optional
        None where there are no arrows.
    rows : Dataset, optional
        The rows that are learned from.
    source : Network or Snapshot, optional
        Whose parameters missing cells are expected by; what they are called is ``title``. None if there are none.
    fixed : tuple of (parent, child)
        Arrows that the constraints hold as they are.
    """

    scene: Scene
    parents: Parents | None
    rows: Rows | None
    score: str
    sample_size: float
    source: Network | Snapshot | None
    title: str
    fixed: tuple[Arrow, ...] = ()

    def is_same(self, other: Judging) -> bool:
        """Whether another question has the same answer."""
        return (
            (self.parents, self.fixed) == (other.parents, other.fixed)
            and self.scene.truth is other.scene.truth
            and self.is_same_sum(other)
        )

    def is_same_sum(self, other: Judging) -> bool:
        """Whether families have the same scores in another question."""
        ours, theirs = self.scene, other.scene
        # Not by the rows: where there are marks, these are made anew with every change.
        return (
            (ours.data is theirs.data and ours.marks is theirs.marks and ours.hold_out == theirs.hold_out)
            and (self.score, self.sample_size) == (other.score, other.sample_size)
            and (self.rows is None or is_complete(self.rows) or self.source is other.source)
        )


class ArrowFacts(Newest):
    """The facts of the arrows on the canvas. Nothing is computed while nobody looks."""

    facts = param.ClassSelector(class_=Facts, allow_None=True, doc="The newest; None before the first.")
    trouble = param.String(doc="Why there are no facts; empty if there are, or they are on their way.")
    doing = "Finding what arrows are worth"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self.resampling = Resampling(session, beside, partial(pose_problem, session))
        self._looking = False
        self._asked: Judging | None = None
        self._known: tuple[Judging, Families] | None = None
        watched = ["scene", "derived", "structure", "search", "arrow_colour", "viewed", "moment", "learned"]
        session.param.watch(self._notice, watched, precedence=1)

    def begin(self) -> None:
        """Begin with what is open now."""
        self._notice()

    def look(self, looked_at: bool) -> None:
        """Say whether anyone looks at the facts, besides the canvas while it is coloured by them."""
        self._looking = looked_at
        self._notice()

    def _notice(self, *_events: Any) -> None:
        session = self._session
        if not (self._looking or session.arrow_colour):
            return
        asked = self._make_question()
        if self._asked is None or not asked.is_same(self._asked):
            self._asked = asked
            self._ask(asked)

    def _make_question(self) -> Judging:
        session, reached, shown = self._session, self._session.reached, self._session.structure
        source: Network | Snapshot | None = session.network
        if shown is not None:
            source = None
        elif session.viewed == "learned" and reached is not None:
            source = reached
        settings, split = session.search, None if session.parts is None else session.parts.split
        parents = find_parents(session.network) if shown is None else shown.parents if shown.directed else None
        return Judging(
            session.scene,
            parents,
            session.seen if split is None else split.train,
            settings.score,
            settings.sample_size,
            source,
            session.viewed_title,
            _find_fixed(session.network.variables, parents, settings),
        )

    def _find(self, question: Judging) -> Facts | str:
        variables = question.scene.document.network.variables
        if question.parents is None:
            return NO_ARROWS
        families, trouble, expected = None, "", ""
        if question.rows is None or not question.rows.total_weight:
            trouble = NO_DATA
        elif question.source is None and not is_complete(question.rows):
            trouble = NOT_KEPT
        else:
            expected = "" if is_complete(question.rows) else question.title
            try:
                rows = known_rows(question.rows, "they are scored on whole rows")
                families = self._find_families(question, rows)
            except PgmError as error:
                trouble = f"What arrows are worth is not known: {error}."
        return find_facts(
            variables,
            question.parents,
            question.score,
            families,
            question.scene.truth,
            trouble,
            expected,
            question.fixed,
        )

    def _find_families(self, question: Judging, rows: Dataset) -> Families:
        """The scores of families; those that are known already are not found again."""
        if self._known is None or not question.is_same_sum(self._known[0]):
            source = question.source
            network = source.network() if isinstance(source, Snapshot) else source
            counts = count_cells(rows, network)
            self._known = question, Families(counts, make_score(question.score, counts, question.sample_size))
        return self._known[1]

    def _take(self, found: Facts | str) -> None:
        if isinstance(found, str):
            self.param.update(facts=None, trouble=found)
        else:
            self.param.update(facts=found, trouble="")


def _find_fixed(
    variables: tuple[Variable, ...], parents: Parents | None, settings: StructureSettings
) -> tuple[Arrow, ...]:
    """The arrows that constraints hold as they are; none where these cannot be read, which a search tells."""
    typed = settings.required, settings.forbidden, settings.tiers
    if parents is None or not any(text.strip() for text in typed):
        return ()
    try:
        return tuple(parse_constraints(variables, *typed, None).list_fixed(parents))
    except PgmError:
        return ()
