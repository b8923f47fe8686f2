"""The arrows that the canvas shows instead of the network's own, while a search for them is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from engine.structure.families import Parents
from engine.structure.snapshot import Operation


@dataclass(frozen=True)
class ShownStructure:
    """A structure over the variables of the session's network, which has other arrows.

    Attributes
    ----------
    parents : tuple of tuple of int
        Per variable of the network; of edges without arrows, the lower number is among those of the higher.
    directed : bool
    last : Operation, optional
        The step that led here; None where there was none, or the search has ended.
    """

    parents: Parents
    directed: bool = True
    last: Operation | None = None

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of parent and child."""
        return tuple((parent, child) for child, family in enumerate(self.parents) for parent in family)
