"""Running a search for a structure, and the search for its bound, beside the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engine.structure.bound import StructureBound
from pgmgui.project.structure_problem import Stand
from pgmgui.state.worker import Worker

MOST_WAITING = 5000
"""Points of the curve that wait to be drawn; beyond that every other one is dropped."""

ScorePoint = tuple[int, float, float]
"""Steps made, the score of the structure then, and the best so far."""


@dataclass
class SearchMail:
    """What a search has found since it was last looked at: its curve, and where it stands."""

    points: list[ScorePoint] = field(default_factory=list)
    stand: Stand | None = None
    error: str = ""
    done: bool = False


class SearchRunner(Worker[SearchMail]):
    """A search at work.

    Parameters
    ----------
    pace : callable
        Seconds to wait after a step, so that it is seen.
    """

    def __init__(self, start: Callable[[Callable[[], bool]], Iterator[Stand]], pace: Callable[[], float]) -> None:
        super().__init__(start, SearchMail, "The search")
        self._pace = pace

    def _post(self, step: Stand) -> None:
        now = step.now
        with self._lock:
            mail = self._mail
            mail.points.append((now.iteration, now.score, now.best_score))
            mail.stand = step
            if len(mail.points) > MOST_WAITING:
                del mail.points[1:-1:2]

    def _wait(self) -> None:
        self._stopped.wait(self._pace())
        super()._wait()


@dataclass
class BoundMail:
    """The lowest bound that was found."""

    bound: StructureBound | None = None
    error: str = ""
    done: bool = False


class BoundRunner(Worker[BoundMail]):
    """The search for a bound at work."""

    def __init__(self, start: Callable[[Callable[[], bool]], Iterator[StructureBound]]) -> None:
        super().__init__(start, BoundMail, "The search for a bound")

    def _post(self, step: StructureBound) -> None:
        with self._lock:
            self._mail.bound = step
