"""How long a lower bound is looked for, counted rather than measured.

A budget of a second is the work of about a second. So the same problem, budget and seed give the same bound, whatever
else the machine does; only one that is less than half as fast is stopped by its clock, and may find less.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.model.errors import ModelError

WORK_PER_SECOND = 1e8
"""In cells of data that are read; measured, good to a factor of two."""
CLOCK = 2.0
"""When it has taken so many times its budget, the search is stopped."""


@dataclass(frozen=True)
class Budget:
    """How long a lower bound is looked for.

    Attributes
    ----------
    seconds : float
        Of computing, for all components together; 0 takes the first that there is.
    seed : int
    """

    seconds: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.seconds >= 0:
            raise ModelError(f"the seconds to look for a lower bound must be 0 or more; got {self.seconds}")


DEFAULT_BUDGET = Budget()


class Meter:
    """What is left of some seconds' work."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds * WORK_PER_SECOND
        self._ends = time.thread_time() + CLOCK * seconds

    def count(self, work: float) -> None:
        """That much has been done."""
        self._left -= work

    @property
    def is_over(self) -> bool:
        return self._left <= 0 or time.thread_time() >= self._ends

    @property
    def seconds(self) -> float:
        """What is left."""
        return max(0.0, self._left / WORK_PER_SECOND)
