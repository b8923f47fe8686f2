"""What a structure must and must not have: required and forbidden arrows, tiers, and a cap on parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.model.arrays import Bools, frozen
from engine.model.errors import ModelError
from engine.model.variable import Variable
from engine.structure.families import Parents
from engine.structure.graphs import find_cycle

Arrow = tuple[int, int]
"""(parent, child)."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """What a structure over some variables must and must not have.

    Attributes
    ----------
    required, forbidden : frozenset of (parent, child)
    tiers : tuple of tuple of int
        No arrow leads from a variable of a later tier to one of an earlier; variables in no tier are free.
    max_parents : int, optional
    """

    variables: tuple[Variable, ...]
    required: frozenset[Arrow] = frozenset()
    forbidden: frozenset[Arrow] = frozenset()
    tiers: tuple[tuple[int, ...], ...] = ()
    max_parents: int | None = None

    def __post_init__(self) -> None:
        if self.max_parents is not None and self.max_parents < 0:
            raise ModelError(f"the most parents must be 0 or more; got {self.max_parents}")
        seen: set[int] = set()
        for v in (v for tier in self.tiers for v in tier):
            if v in seen:
                raise ModelError(f"{self._name(v)} is in two tiers; name it once")
            seen.add(v)
        for arrow in sorted(self.required):
            if not self.allowed[arrow]:
                if arrow[0] == arrow[1]:
                    raise ModelError(f"the required arrow {self._show(arrow)} leads to itself; leave it out")
                why = "is also forbidden" if arrow in self.forbidden else "leads to an earlier tier"
                raise ModelError(f"the required arrow {self._show(arrow)} {why}; drop one of the two")
        for v, parents in enumerate(self.required_parents):
            if len(parents) > self.cap:
                needed = "1 parent" if len(parents) == 1 else f"{len(parents)} parents"
                raise ModelError(
                    f"{self._name(v)} needs {needed} by the required arrows, and {self.cap} at most "
                    f"{'is' if self.cap == 1 else 'are'} allowed; raise the cap, or require fewer"
                )
        cycle = find_cycle(self.required_parents)
        if cycle:
            path = " → ".join(self._name(v) for v in cycle)
            raise ModelError(f"the required arrows form a cycle: {path}; drop one of them")

    @property
    def cap(self) -> int:
        """The most parents that a variable can have."""
        most = max(0, len(self.variables) - 1)
        return most if self.max_parents is None else min(most, self.max_parents)

    @property
    def is_free(self) -> bool:
        """Whether arrows are neither required nor forbidden, however many parents there may be."""
        return not (self.required or self.forbidden or len(self.tiers) > 1)

    @cached_property
    def allowed(self) -> Bools:
        """Per parent and child, whether there may be an arrow."""
        found = ~np.eye(len(self.variables), dtype=bool)
        tier = np.full(len(self.variables), -1)
        for k, members in enumerate(self.tiers):
            tier[list(members)] = k
        found[(tier[:, None] > tier[None, :]) & (tier[None, :] >= 0)] = False
        for arrow in self.forbidden:
            found[arrow] = False
        return frozen(found)

    @cached_property
    def required_parents(self) -> Parents:
        """Per variable, the parents that it must have."""
        found: list[list[int]] = [[] for _ in self.variables]
        for parent, child in sorted(self.required):
            found[child].append(parent)
        return tuple(map(tuple, found))

    def list_fixed(self, parents: Parents) -> list[Arrow]:
        """The arrows of a structure that may not point the other way: required, or not allowed the other way round."""
        return [
            (p, child)
            for child, family in enumerate(parents)
            for p in family
            if (p, child) in self.required or not self.allowed[child, p]
        ]

    def is_met_by(self, parents: Parents) -> bool:
        """Whether a structure has all that is required and nothing that is not allowed."""
        arrows = {(p, child) for child, family in enumerate(parents) for p in family}
        return (
            arrows >= self.required
            and all(self.allowed[arrow] for arrow in arrows)
            and all(len(family) <= self.cap for family in parents)
        )

    def _name(self, v: int) -> str:
        return repr(self.variables[v].name)

    def _show(self, arrow: Sequence[int]) -> str:
        return f"{self._name(arrow[0])} → {self._name(arrow[1])}"
