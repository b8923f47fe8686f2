"""I-equivalent structures: which arrows all of them have, and which point either way.

Structures are I-equivalent if they have the same edges and the same v-structures (Verma & Pearl); no data tells them
apart. An arrow that all of a class have is compelled, the others are reversible. Constraints fix some of these, and
others follow from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.model.network import topological_order
from engine.structure.constraints import Arrow
from engine.structure.families import Parents


@dataclass(frozen=True)
class Pattern:
    """The class of a structure (CPDAG).

    Attributes
    ----------
    compelled : frozenset of (parent, child)
    reversible : frozenset of (int, int)
        Pairs, the smaller first.
    """

    compelled: frozenset[Arrow]
    reversible: frozenset[Arrow]


def find_pattern(parents: Parents, fixed: Iterable[Arrow] = ()) -> Pattern:
    """The class of a structure, by labelling its arrows in order (Chickering, 1995).

    Parameters
    ----------
    fixed : iterable of (parent, child)
        Arrows of the structure that are held as they are: of the class, only structures with all of these count.

    >>> find_pattern(((), (0,), (1,))).reversible == {(0, 1), (1, 2)}
    True
    >>> find_pattern(((), (), (0, 1))).compelled == {(0, 2), (1, 2)}
    True
    >>> find_pattern(((), (0,), (1,)), [(0, 1)]).reversible  # 2 → 1 would be one v-structure more
    frozenset()
    """
    place = {v: k for k, v in enumerate(topological_order(parents))}
    compelled: dict[Arrow, bool] = {}
    for child in sorted(place, key=lambda v: place[v]):
        # From the highest parent on: an arrow is labelled once all that compel it are.
        for parent in sorted(parents[child], key=lambda v: -place[v]):
            if (parent, child) not in compelled:
                _label(parents, parent, child, compelled)
    _hold(parents, fixed, compelled)
    return Pattern(
        frozenset(arrow for arrow, is_so in compelled.items() if is_so),
        frozenset((min(arrow), max(arrow)) for arrow, is_so in compelled.items() if not is_so),
    )


def _label(parents: Parents, parent: int, child: int, compelled: dict[Arrow, bool]) -> None:
    """Label the arrow from a parent, and those of other parents that follow from it."""
    own = set(parents[child])
    for above in parents[parent]:
        if compelled[above, parent]:
            if above not in own:
                compelled.update({(p, child): True for p in own})
                return
            compelled[above, child] = True
    is_compelled = any(p != parent and p not in parents[parent] for p in own)
    for p in own:
        if (p, child) not in compelled:
            compelled[p, child] = is_compelled


def _hold(parents: Parents, fixed: Iterable[Arrow], compelled: dict[Arrow, bool]) -> None:
    """Label arrows that are held, and those that follow from them (Meek, 1995)."""
    waiting = [arrow for arrow in fixed if not compelled[arrow]]
    compelled.update(dict.fromkeys(waiting, True))
    beside = [set(family) for family in parents]
    for child, family in enumerate(parents):
        for p in family:
            beside[p].add(child)
    while waiting:
        held = {arrow for arrow, is_so in compelled.items() if is_so}
        free = [arrow for arrow, is_so in compelled.items() if not is_so]
        waiting = [arrow for arrow in free if _follows(*arrow, parents[arrow[1]], beside, held)]
        compelled.update(dict.fromkeys(waiting, True))


def _follows(parent: int, child: int, family: tuple[int, ...], beside: list[set[int]], held: set[Arrow]) -> bool:
    """Whether an arrow turned round would close a cycle or make another v-structure, given those that are held."""
    if any((other, parent) in held and other not in beside[child] for other in beside[parent]):
        return True
    between = [other for other in family if (other, child) in held and other in beside[parent]]
    return any(
        (parent, other) in held
        or any(second not in beside[other] for second in between if second != other)
        or any((first, other) in held and first not in beside[child] for first in beside[parent] & beside[other])
        for other in between
    )
