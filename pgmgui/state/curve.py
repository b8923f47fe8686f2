"""How one learner climbs, as far as it has come: an immutable value, replaced as it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.learning.snapshot import Snapshot
from pgmgui.project.results import Point, Standing
from pgmgui.state.frames import Frames

MOST_POINTS = 2000
"""Points kept of a curve; beyond that every other one is dropped, and fewer are kept from then on."""


@dataclass(frozen=True, eq=False)
class Curve:
    """How one learner climbs.

    Attributes
    ----------
    state : str
        What it does, or why it ended, in words.
    note : str
        Why its start cannot move, in words; empty if it can.
    frames : Frames
        What it has passed through.
    tested : tuple of Standing
        Where rows are held out: how it stands on them after some iterations, in their order.
    """

    method: str
    state: str = "setting up"
    note: str = ""
    snapshot: Snapshot | None = None
    frames: Frames = field(default_factory=Frames)
    tested: tuple[Standing, ...] = ()
    _kept: tuple[Point, ...] = ()
    _newest: Point | None = None
    _stride: int = 1

    @property
    def points(self) -> tuple[Point, ...]:
        """Points evenly spaced by iteration, and the newest."""
        newest = self._newest
        return self._kept if newest is None or newest is self._kept[-1] else (*self._kept, newest)

    @property
    def height(self) -> float:
        """The objective of its best restart; −∞ before there is one."""
        return -float("inf") if self.snapshot is None else float(self.snapshot.objective.sum(axis=1).max())

    def add(self, points: Sequence[Point]) -> Curve:
        """The curve with some of these points, and the newest of them."""
        kept, stride = list(self._kept), self._stride
        for point in points:
            if not kept or point.iteration >= kept[-1].iteration + stride:
                kept.append(point)
            if len(kept) >= MOST_POINTS:
                kept, stride = kept[::2], 2 * stride
        newest = points[-1] if points else self._newest
        return replace(self, _kept=tuple(kept), _newest=newest, _stride=stride)
