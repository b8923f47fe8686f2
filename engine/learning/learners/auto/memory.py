"""What the automatic learner remembers: what each unit is at, how the search goes, and who polishes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.learning.learners.auto.crew import REST, Crew
from engine.model.arrays import Bools, Floats, Ints

SEARCH, TRY, POLISH = "search", "try", "polish"
"""Stages: candidates are stepped and halved; learners are tried side by side; the best of them goes on."""


@dataclass(frozen=True, eq=False)
class Search:
    """How the search goes.

    Attributes
    ----------
    round, rung : int
        Rounds before this one, and how often this one's candidates were halved.
    epoch : array (groups,)
        How often the search has begun anew.
    misses : array (groups,)
        Rounds in a row with nothing better; −1 in the first of an epoch.
    tried, better : array (groups,)
        Candidates beside the restarts; how often one was better than the best so far.
    is_better : array (groups,) of bool
        Whether this round has had something better than what it varies.
    """

    round: int
    rung: int
    epoch: Ints
    misses: Ints
    tried: Ints
    better: Ints
    is_better: Bools

    @property
    def home(self) -> Ints:
        """Per group, the slot of what is varied: the first at first, then the second."""
        return np.minimum(self.epoch, 1)


@dataclass(frozen=True, eq=False)
class Polish:
    """Who polishes, and how far there is to go.

    Attributes
    ----------
    stint : int
        Steps until learners are tried again.
    leader : array (groups,)
        The learner that polishes, by its number; REST before there is one.
    tried : array (groups,) of bool
        The groups that learners are tried on now.
    work, begun : array (slots, groups)
        In a trial, what each unit has cost, and where it began.
    recent : array (groups, some)
        The last objectives in the first slot, newest first.
    settled : array (groups,) of bool
        Groups with no more to go, by estimate.
    """

    stint: int
    leader: Ints
    tried: Bools
    work: Floats
    begun: Floats
    recent: Floats
    settled: Bools


@dataclass(frozen=True, eq=False)
class Memory:
    """What is being done.

    Attributes
    ----------
    clock : int
        Iterations until something is decided.
    which : array (slots, groups)
        The learner of each unit, or REST.
    counted, certified : array (groups,) of bool
        Groups that needed only one step, and those at their bound.
    """

    crew: Crew
    stage: str
    clock: int
    which: Ints
    counted: Bools
    certified: Bools
    search: Search
    polish: Polish

    @property
    def done(self) -> Bools:
        """The groups that nothing more is done for."""
        return self.counted | self.certified

    def forget(self, units: Bools) -> Memory:
        """The memory when some units, of shape (slots, groups), are no longer where they were."""
        return replace(self, crew=self.crew.forget(units.reshape(-1))) if units.any() else self

    def wish(self) -> Ints:
        """For each unit, whether it goes on: the first of a group until it settles, others while they are stepped."""
        goes_on = self.which != REST
        goes_on[0] = True
        wish = np.where(goes_on & ~self.done, 1, -1)
        wish[0, self.polish.settled & ~self.done] = 0
        return wish.reshape(-1)
