"""What will be asked for, guessed from a few rows: so that one pass over the table counts it, and not a second one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Scope = frozenset[int]


@dataclass(frozen=True)
class Look:
    """What some rows say of the variables.

    Attributes
    ----------
    hidden, open : sets of variables
        Those that are missing in all of these rows, and those that are missing, or uncertain, in some.
    """

    hidden: frozenset[int]
    open: frozenset[int]


def guess_scopes(scopes: Iterable[Sequence[int]], look: Look, sizes: Mapping[int, int], most: int) -> list[Scope]:
    """The sets of variables that learning counts together: tables that share a variable that is not always observed.

    A guess: where it is wrong, the right ones are asked for later. Sets that may have more than ``most`` distinct
    rows are left for then.

    Parameters
    ----------
    sizes : mapping from variable to int
        How many values it may have.

    >>> look = Look(frozenset({1}), frozenset({1}))
    >>> found = guess_scopes([(0,), (0, 1), (1, 2), (2, 3)], look, dict.fromkeys(range(4), 2), 100)
    >>> [sorted(scope) for scope in found]
    [[0], [0, 1, 2], [2, 3]]
    """
    found: dict[int, Scope] = {}
    owner: dict[int, int] = {}  # of each variable that is open
    for number, scope in enumerate(_drop_leaves({frozenset(scope) for scope in scopes}, look.hidden)):
        shared = {owner[v] for v in scope if v in owner}
        found[number] = scope.union(*(found.pop(other) for other in shared))
        owner |= dict.fromkeys(found[number].intersection(look.open), number)
    return [scope for scope in found.values() if math.prod(sizes[v] for v in scope) <= most]


def _drop_leaves(scopes: set[Scope], hidden: Collection[int]) -> list[Scope]:
    """Without the tables of hidden leaves, which say nothing: only such a variable is in one table alone."""
    kept = sorted(scopes, key=lambda scope: (len(scope), sorted(scope)))
    while True:
        tables = Counter(v for scope in kept for v in scope)
        leaves = {v for v in hidden if tables[v] == 1}
        if not leaves:
            return kept
        kept = [scope for scope in kept if leaves.isdisjoint(scope)]
