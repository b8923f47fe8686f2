"""Targets on their way to being met: round after round, in turns that leave the page time to show them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from engine.inference.posterior import Posterior
from engine.inference.query import MOST_ROUNDS, TOL, Evidence, make_impossible, open_meeting
from engine.inference.targets.fitting import Round
from engine.model.errors import ImpossibleEvidenceError
from engine.model.network import Network
from pgmgui.project.wanted import AUTOMATIC
from pgmgui.project.words import count, cut

LEAST_OFF = 1e-12
"""A residual that is not above this is what rounding leaves: the target is met."""
MOST_TOLD = 6
"""Targets told in a line of words."""
TURN = 0.15
"""Seconds of solving between two looks at it."""


@dataclass(frozen=True, eq=False)
class Stand:
    """How targets stand after a round.

    Attributes
    ----------
    number : int
        Rounds so far; 0 before the first.
    residuals : tuple of float
        Per target, the largest difference from it.
    divergence : float
        From the model given the evidence, in nats (Kullback–Leibler).
    cells : int
        Cells of tables computed so far.
    """

    number: int
    residuals: tuple[float, ...]
    divergence: float
    cells: int


@dataclass(frozen=True, eq=False)
class SolvingCourse:
    """How targets were met, or are being met.

    Attributes
    ----------
    solver : str
        The one that is at work.
    was_named : bool
        Whether it was asked for; if not, it was chosen by its estimated time.
    titles : tuple of str
        What each target is of; targets that are met by themselves are left out.
    stands : tuple of Stand
        From that before the first round on.
    ended : bool
        Whether there are no more rounds: the targets are met, or cannot be.
    trouble : str
        Why they cannot be met; empty if they can, or it is not known yet.
    """

    solver: str
    was_named: bool
    titles: tuple[str, ...]
    stands: tuple[Stand, ...]
    ended: bool
    trouble: str = ""

    @property
    def was_met(self) -> bool:
        """Whether the targets were met before the first round."""
        return self.ended and not self.trouble and len(self.stands) == 1


def name_solver(solver: str) -> str:
    """A solver as people write it.

    >>> name_solver("bn-ipfp-2"), name_solver("big-clique")
    ('BN-IPFP-2', 'big clique')
    """
    return solver.upper() if solver.startswith("bn-") else solver.replace("-", " ")


def show_rough(value: float) -> str:
    """A residual, in two digits; 0 where it is what rounding leaves.

    >>> show_rough(0.264029), show_rough(5.66e-11), show_rough(2.2e-16)
    ('0.26', '5.7e-11', '0')
    """
    return f"{value:.2g}" if value > LEAST_OFF else "0"


def describe_course(course: SolvingCourse) -> str:
    """How targets were met, or are being met, in a sentence."""
    if not course.stands:
        return ""
    last = course.stands[-1]
    rounds, off = count(last.number, "round"), show_rough(max(last.residuals, default=0.0))
    how = f"{name_solver(course.solver)}{'' if course.was_named else ' (chosen by estimated time)'}"
    if course.was_met:
        return f"Targets met already, before the first round: off by {off} at most, and nothing is changed."
    if not course.ended:
        return f"Meeting the targets by {how}: {rounds} so far, still off by {off} …"
    if course.trouble:
        return f"Targets not met by {how}: after {rounds} still off by {off}."
    nats, cells = f"{last.divergence:.4g} nats from the model (KL)", f"{last.cells:,} cells computed"
    return f"Targets met by {how} in {rounds}, to {off}; {nats}; {cells}."


def describe_stand(course: SolvingCourse, number: int) -> list[str]:
    """How targets stand after a round: in all, and each."""
    stand = course.stands[number]
    when = "Before the first round" if number == 0 else f"After round {number:,} of {course.stands[-1].number:,}"
    pairs = sorted(zip(stand.residuals, course.titles, strict=True), reverse=True)
    each = cut([f"{title} {show_rough(off)}" for off, title in pairs], MOST_TOLD)
    return [
        f"{when}: {stand.divergence:.4g} nats from the model, {stand.cells:,} cells computed.",
        f"Off by: {each}." if each else "",
    ]


class Solving:
    """Targets that are being met, a turn at a time.

    Raises
    ------
    PgmError
        If they cannot be met from the start: malformed, at odds with each other, or beside impossible evidence.
    """

    def __init__(self, network: Network, evidence: Evidence, solver: str) -> None:
        self._evidence = evidence
        self._meeting = open_meeting(network, evidence)
        self._named = solver != AUTOMATIC
        self._solver = solver if self._named else self._meeting.choose()
        moving = [target for target in self._meeting.targets if target.table.size > 1]
        self._titles = tuple(", ".join(target.names) for target in moving)
        self._rounds = self._meeting.iterate(self._solver, TOL, MOST_ROUNDS)
        self._stands: list[Stand] = []
        self._last: Round | None = None
        self.ended, self.trouble = False, ""

    def go_on(self, seconds: float = math.inf) -> None:
        """Do further rounds, for about so long."""
        end = time.monotonic() + seconds
        try:
            for one in self._rounds:
                self._last = one
                residuals = tuple(one.residuals.tolist())
                self._stands.append(Stand(one.number, residuals, one.divergence, one.cells))
                if time.monotonic() >= end:
                    return
        except ImpossibleEvidenceError as error:
            self.trouble = str(error)
        self.ended = True

    @property
    def course(self) -> SolvingCourse:
        """How it went so far."""
        return SolvingCourse(self._solver, self._named, self._titles, tuple(self._stands), self.ended, self.trouble)

    def finish(self) -> Posterior:
        """The posterior in which the targets are met, once they are.

        Raises
        ------
        ImpossibleEvidenceError
            If what is known is impossible once targets that are not fixed hold.
        """
        assert self._last is not None
        posterior = self._meeting.finish(self._last)
        if posterior.impossible[0]:
            raise ImpossibleEvidenceError(f"once the targets hold, {make_impossible(self._evidence)}")
        return posterior
