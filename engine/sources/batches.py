"""Which columns are counted together: few questions to the engine, each with few answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

SMALL = 2**13
"""Combinations of values up to which more columns are counted in one question. Up to here an engine's time goes by the
number of columns, each of which is read once for all the scopes in it; beyond, by the number of groups."""

Columns = frozenset[str]


def pack(scopes: Iterable[Collection[str]], sizes: Mapping[str, int], most: int = SMALL) -> list[Columns]:
    """Sets of columns, such that each scope lies in one of them.

    Scopes with few combinations of values share a set. One with more than ``most`` has a set of its own, unless it
    lies in another.

    Parameters
    ----------
    sizes : mapping from column to int
        How many values it has.

    >>> pack([["a", "b"], ["b", "c"], ["d"]], {"a": 2, "b": 2, "c": 2, "d": 100}, most=10) == [
    ...     frozenset("d"), frozenset("abc")
    ... ]
    True
    """

    def size(columns: Columns) -> int:
        return math.prod(sizes[name] for name in columns)

    packed: list[Columns] = []
    for scope in sorted({frozenset(scope) for scope in scopes}, key=lambda scope: (-size(scope), sorted(scope))):
        if any(scope <= other for other in packed):
            continue
        # The one that grows least: it has most of the columns already.
        candidates = [(size(other | scope) / size(other), k) for k, other in enumerate(packed)]
        growth, k = min((each for each in candidates if size(packed[each[1]] | scope) <= most), default=(0.0, -1))
        if growth:
            packed[k] |= scope
        else:
            packed.append(scope)
    return [columns for k, columns in enumerate(packed) if not any(columns < other for other in packed)]
