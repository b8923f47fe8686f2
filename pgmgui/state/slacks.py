"""Where the component that is looked at is below its bound, variable by variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.insight.slack import share_gap
from engine.learning.bounds import Bounds
from engine.learning.snapshot import Snapshot
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from pgmgui.project.scene import Parts
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session, Slack

MOST = 200
"""Variables of a component up to which its gap is shared out: each takes an inference."""


class Slacks(Newest):
    """Finds the session's ``slack``: while a component is looked at alone, and something was learned."""

    doing = "Sharing out a gap"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._asked: tuple[Snapshot, int] | None = None
        # After those who draw what was learned.
        session.param.watch(self._notice, ["component", "learned", "moment", "derived"], precedence=1)

    def _notice(self, *_events: Any) -> None:
        parts, reached, number = self._session.parts, self._session.reached, self._session.component
        if parts is None or reached is None or number is None or not isinstance(parts.bounds, Bounds):
            self._asked = None
            return
        if self._asked is not None and self._asked[0] is reached and self._asked[1] == number:
            return
        self._asked = reached, number
        self._ask((parts, reached, number))

    def _find(self, question: tuple[Parts, Snapshot, int]) -> Slack:
        parts, reached, number = question
        network, bounds, component = reached.network(), parts.bounds, parts.task.decomposition.components[number]
        assert isinstance(network, BayesianNetwork)
        assert isinstance(bounds, Bounds)
        if len(component.variables) > MOST:
            return Slack(parts, number, (), f"The gap is shared out over at most {MOST} variables.")
        try:
            return Slack(parts, number, tuple(share_gap(parts.task, bounds, network, number)))
        except PgmError as error:
            return Slack(parts, number, (), f"The gap cannot be shared out: {error}")

    def _take(self, found: Slack) -> None:
        # One of an earlier iteration is better than none; one of another problem is not.
        if found.parts is self._session.parts and self._session.learned is not None:
            self._session.slack = found
