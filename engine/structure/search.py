"""The catalogue of searches for a structure in complete data, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.model.errors import ModelError
from engine.model.randomness import RandomState
from engine.structure.constraints import Constraints
from engine.structure.exact import search_all
from engine.structure.families import Families
from engine.structure.hill_climbing import Climb, climb, never
from engine.structure.k2 import search_in_order
from engine.structure.snapshot import Snapshot
from engine.structure.trees import grow_tan, grow_tree

SEARCHES = ("hill-climbing", "chow-liu", "tan", "exact", "k2")


@dataclass(frozen=True)
class Search:
    """How to look for a structure.

    Attributes
    ----------
    name : str
        One of :data:`SEARCHES`.
    climbing : Climb
    root : int
        Where the arrows of a tree lead away from; the class of ``tan``.
    order : sequence of int, optional
        For ``k2``.
    """

    name: str = "hill-climbing"
    climbing: Climb = field(default_factory=Climb)
    root: int = 0
    order: Sequence[int] | None = None

    def run(
        self,
        families: Families,
        constraints: Constraints,
        *,
        random_state: RandomState = 0,
        cancelled: Callable[[], bool] = never,
    ) -> Iterator[Snapshot]:
        """The snapshots of the search; the last one says why it ended. Not to ask for the next is to pause."""
        if self.name == "hill-climbing":
            return climb(families, constraints, self.climbing, random_state=random_state, cancelled=cancelled)
        if self.name == "chow-liu":
            return grow_tree(families, constraints, root=self.root, cancelled=cancelled)
        if self.name == "tan":
            return grow_tan(families, constraints, root=self.root, cancelled=cancelled)
        if self.name == "exact":
            return search_all(families, constraints, cancelled=cancelled)
        if self.name == "k2":
            return search_in_order(families, constraints, order=self.order, cancelled=cancelled)
        raise ModelError(f"the search {self.name!r} is not known; use one of {', '.join(SEARCHES)}")
