"""How probable each row of the data is under the parameters that are shown, kept up to date beside the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from engine.insight.row_scores import RowScores, score_rows
from engine.learning.snapshot import Snapshot
from engine.model.errors import PgmError
from engine.model.network import Network
from pgmgui.project.counted_data import Rows, need_rows
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of the rows of a dataset, and whose parameters they are by; or why there are none."""

    dataset: Rows
    title: str
    scores: RowScores | None
    trouble: str = ""


@dataclass(frozen=True, eq=False)
class _Question:
    source: Network | Snapshot
    dataset: Rows
    given: tuple[int, ...]
    title: str


class RowScoring(Newest):
    """The scores of the session's rows. Nothing is computed while nobody looks."""

    scored = param.ClassSelector(class_=Scored, allow_None=True, doc="The newest; None before the first.")
    looking = param.Boolean(default=False, doc="Whether anyone looks at the rows by their probability.")
    doing = "Finding how probable the rows are"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._asked: _Question | None = None
        session.param.watch(self._notice, ["derived", "viewed", "moment", "learned"], precedence=1)
        self.param.watch(self._notice, "looking")

    def look(self, looked_at: bool) -> None:
        """Say whether anyone looks."""
        self.looking = looked_at

    def _notice(self, *_events: Any) -> None:
        session, reached = self._session, self._session.reached
        if not self.looking or session.seen is None:
            return
        source = session.network if session.viewed == "current" or reached is None else reached
        asked = self._asked
        if asked is not None and asked.source is source and asked.dataset is session.seen:
            return
        self._asked = _Question(source, session.seen, session.scene.given, session.viewed_title)
        self._ask(self._asked)

    def _find(self, question: _Question) -> Scored:
        source, title = question.source, question.title
        network = source.network() if isinstance(source, Snapshot) else source
        try:
            dataset = need_rows(question.dataset, "they are scored one by one")
            return Scored(dataset, title, score_rows(network, dataset, question.given))
        except PgmError as error:
            return Scored(question.dataset, title, None, f"The rows cannot be scored: {error}.")

    def _take(self, found: Scored) -> None:
        # One of a run's earlier iteration is better than none; one of other rows is not.
        if found.dataset is self._session.seen:
            self.scored = found
