"""How well what was learned foretells a variable of the rows held out, found beside the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import param

from engine.insight.held_out import HeldOutScore, score_held_out
from engine.insight.prediction import Prediction, predict
from engine.learning.snapshot import Snapshot
from engine.model.errors import PgmError
from pgmgui.project.scene import Parts
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session


@dataclass(frozen=True, eq=False)
class Predicted:
    """What the parameters of a snapshot say of the rows held out.

    Attributes
    ----------
    target : str
        The variable that was foretold; empty if there is none to foretell.
    title : str
        Whose parameters they are, in words.
    train : float
        The mean log-likelihood of the rows learned from.
    score : HeldOutScore, optional
    prediction : Prediction, optional
    trouble : str
        Why one of the two is not there.
    """

    parts: Parts
    target: str
    title: str
    train: float
    score: HeldOutScore | None = None
    prediction: Prediction | None = None
    trouble: str = ""


@dataclass(frozen=True)
class _Question:
    parts: Parts
    reached: Snapshot
    target: str
    title: str


class Predicting(Newest):
    """Scores and predictions by the parameters of the run that are looked at. Nothing while nobody looks."""

    predicted = param.ClassSelector(class_=Predicted, allow_None=True, doc="The newest; None before the first.")
    target = param.String(default="", doc="The variable that is foretold; empty before one is chosen.")
    doing = "Scoring the rows held out"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._looking = False
        self._asked: _Question | None = None
        session.param.watch(lambda *_: self._follow(), "selected", precedence=1)
        session.param.watch(self._notice, ["learned", "moment", "derived"], precedence=1)
        self._follow()

    def look(self, looked_at: bool) -> None:
        """Say whether anyone looks."""
        self._looking = looked_at
        self._notice()

    def choose(self, target: str) -> None:
        """Foretell another variable."""
        self.target = target
        self._session.foretell(target)
        self._notice()

    @property
    def targets(self) -> list[str]:
        """The variables that can be foretold: some row held out tells their state, and they are not given."""
        return list_targets(self._session.parts)

    def _follow(self) -> None:
        """Foretell the variable that was selected, if it can be."""
        selected = self._session.selected
        if len(selected) == 1 and selected[0] in self.targets:
            self.choose(selected[0])

    def _notice(self, *_events: Any) -> None:
        session, parts, targets = self._session, self._session.parts, self.targets
        if self.target not in targets:
            self.target = targets[0] if targets else ""
        if not self._looking or parts is None or parts.split is None or session.reached is None:
            return
        title = "the newest iteration" if session.moment is None else session.moment.title
        question = _Question(parts, session.reached, self.target, title)
        if question != self._asked:
            self._asked = question
            self._ask(question)

    def _find(self, question: _Question) -> Predicted:
        return _foretell(question)

    def _take(self, found: Predicted) -> None:
        # One of an earlier iteration is better than none; one of other rows is not.
        if found.parts is self._session.parts:
            self.predicted = found


def list_targets(parts: Parts | None) -> list[str]:
    """The variables that can be foretold: some row held out tells their state, and they are not given."""
    if parts is None or parts.split is None:
        return []
    test, given = parts.split.test, parts.task.given
    return [v.name for k, v in enumerate(test.variables) if test.ranges[k][1] >= 0 and k not in given]


def foretell(parts: Parts | None, reached: Snapshot | None, target: str) -> Predicted | None:
    """What a snapshot says of the rows held out, and of a variable of them, the first if that one cannot be foretold.

    None where no rows are held out, or nothing was learned.
    """
    if parts is None or parts.split is None or reached is None:
        return None
    targets = list_targets(parts)
    target = target if target in targets else (targets or [""])[0]
    return _foretell(_Question(parts, reached, target, ""))


def _foretell(question: _Question) -> Predicted:
    parts, reached, target = question.parts, question.reached, question.target
    assert parts.split is not None
    given, fixed = parts.task.given, not parts.task.has_moving_targets
    test, network = parts.split.test, reached.network()
    train = float(reached.log_likelihood[reached.best].sum()) / parts.task.decomposition.dataset.total_weight
    found = Predicted(parts, target, question.title, train)
    try:
        found = replace(found, score=score_held_out(network, test, given, fixed=fixed))
        return replace(found, prediction=predict(network, test, network.index[target]) if target else None)
    except PgmError as error:
        return replace(found, trouble=f"{error}.")
