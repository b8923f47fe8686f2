"""Further questions about what is supposed, each with a subject, answered beside the page while somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from engine.inference.query import Evidence
from engine.learning.snapshot import Snapshot
from engine.model.errors import PgmError
from engine.model.network import Network
from pgmgui.project.wanted import Supposed
from pgmgui.state.answers import as_evidence, find_source
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session

Subject = tuple[Any, ...]
"""What a question is about, as its kind needs it: names of variables or states, or cases; compared by value."""
Solve = Callable[[Network, Evidence, Subject], Any]


@dataclass(frozen=True, eq=False)
class _Question:
    source: Network | Snapshot
    supposed: Supposed
    subject: Subject


@dataclass(frozen=True, eq=False)
class Found:
    """The answer to a question, or why there is none."""

    network: Network
    supposed: Supposed
    subject: Subject
    result: Any
    trouble: str = ""


class Inquiries(Newest):
    """The answer to one kind of question. Nothing is computed while nobody looks.

    Parameters
    ----------
    solve : callable
        Finds the answer, in a thread.
    choose : callable
        What the question is about now; None if there is nothing to ask.
    source : callable
        Whose parameters are asked; the network's own where they do not matter, so that a run asks nothing anew.
    """

    found = param.ClassSelector(class_=Found, allow_None=True, doc="The newest answer; None before the first.")
    doing = "Answering the query"

    def __init__(
        self,
        session: Session,
        beside: Callable[[Callable[[], Callable[[], object]]], None],
        solve: Solve,
        choose: Callable[[], Subject | None],
        source: Callable[[Session], Network | Snapshot] = find_source,
    ) -> None:
        super().__init__(session, beside)
        self._solve, self._choose, self._source = solve, choose, source
        self._looking = False
        self._asked: _Question | None = None
        watched = ["scene", "supposed", "viewed", "moment", "learned", "selected"]
        # After those who draw the scene itself, as other answers.
        session.param.watch(lambda *_: self.ask(), watched, precedence=1)

    def look(self, looked_at: bool) -> None:
        """Say whether anyone looks at what is answered."""
        self._looking = looked_at
        self.ask()

    def ask(self) -> None:
        """Ask again, if what is asked has changed and somebody looks."""
        session, subject = self._session, self._choose()
        if not self._looking or subject is None:
            return
        source, asked = self._source(session), self._asked
        same = asked is not None and asked.source is source and asked.subject == subject
        if asked is None or not same or asked.supposed != session.supposed:
            self._asked = _Question(source, session.supposed, subject)
            self._ask(self._asked)

    @property
    def fitting(self) -> Found | None:
        """The newest answer, if it is about what is asked now; it may be of an iteration before the newest."""
        found, session = self.found, self._session
        if found is None or found.network.variables != session.network.variables:
            return None
        return found if found.supposed == session.supposed and found.subject == self._choose() else None

    def _find(self, question: _Question) -> Found:
        source = question.source
        network = source.network() if isinstance(source, Snapshot) else source
        try:
            result = self._solve(network, as_evidence(network, question.supposed), question.subject)
        except PgmError as error:
            return Found(network, question.supposed, question.subject, None, f"There is no answer to show: {error}.")
        return Found(network, question.supposed, question.subject, result)

    def _take(self, found: Found) -> None:
        self.found = found
