"""The search for orders in which components' variables have a low bound.

Any order gives a bound; which is low depends on the network and the data. A variable is taken out of its order and put
where the sum of the terms is lowest, one variable after the other, until none moves. Going past a neighbour changes the
terms of these two alone, and not even these where the later one does not depend on the other. Then a few variables are
put anywhere, and it begins anew from there. The lowest order is kept, so that a bound never rises by searching.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.learning.imap.budget import Meter
from engine.learning.imap.terms import Order, Terms

LOOKED_UP = 500
"""The work of asking for a term that is known."""
REACH = 2
"""Variables that a variable is carried past in vain. It may be more, without any effect, if they are independent."""
SHAKEN = 3
"""Variables that are put anywhere once none moves by itself."""
PATIENCE = 2
"""Beginnings without success before it gives up, for each variable."""
LEAST_GAIN = 1e-9
"""In nats for each row: less is rounding."""


def search_orders(parts: Sequence[Terms], starts: Sequence[Order], seed: int, meter: Meter) -> list[Order]:
    """Per component, an order that is no worse than the one it starts with."""
    best = list(starts)
    climbs = {k: _climb(terms, start, seed) for k, (terms, start) in enumerate(zip(parts, starts, strict=True))}
    while climbs:
        for k, climb in list(climbs.items()):
            if meter.is_over:
                return best
            before = parts[k].work
            found = next(climb, None)
            if found is None:
                del climbs[k]
            else:
                best[k] = found
            meter.count(parts[k].work - before + LOOKED_UP * len(starts[k]))
    return best


def _climb(terms: Terms, start: Order, seed: int) -> Iterator[Order]:
    """The lowest order so far, whenever a variable has been tried; ends when nothing is found any more."""
    generator = np.random.default_rng(seed)
    best = order = start
    lowest = value = terms.add_up(start)
    least, failures = LEAST_GAIN * terms.rows, 0
    while len(start) > 1 and failures < PATIENCE * len(start):
        failures += 1
        moved = True
        while moved:
            moved = False
            for node in generator.permutation(start).tolist():
                change, better = _move(terms, order, node)
                if change < -least:
                    order, value, moved = better, value + change, True
                if value < lowest - least:
                    best, lowest, failures = order, value, 0
                yield best
        order = _shake(best, generator)
        value = terms.add_up(order)


def _shake(order: Order, generator: np.random.Generator) -> Order:
    """An order with a few variables put anywhere."""
    shaken = list(order)
    for _ in range(SHAKEN):
        node = shaken.pop(int(generator.integers(len(shaken))))
        shaken.insert(int(generator.integers(len(shaken) + 1)), node)
    return tuple(shaken)


def _move(terms: Terms, order: Order, node: int) -> tuple[float, Order]:
    """The order with a node where the sum of the terms is lowest nearby, and what the sum changes by."""
    at = order.index(node)
    before = terms.given
    for other in order[:at]:
        before |= 1 << other
    change, place = min(_carry(terms, order, at, before, -1), _carry(terms, order, at, before, 1))
    rest = [*order[:at], *order[at + 1 :]]
    return change, (*rest[:place], node, *rest[place:])


def _carry(terms: Terms, order: Order, at: int, before: int, step: int) -> tuple[float, int]:
    """The least that the sum changes by when a node goes back (step −1) or on (step 1), and to which place.

    ``before`` are the nodes before it.
    """
    node, change, lowest, vain = order[at], 0.0, (0.0, at), 0
    for place in range(at + step, len(order) if step > 0 else -1, step):
        other = order[place]
        if step < 0:
            before &= ~(1 << other)
        swapped = _swap(terms, other, node, before) if step < 0 else _swap(terms, node, other, before)
        if step > 0:
            before |= 1 << other
        if swapped is not None:
            change, vain = change + swapped, vain + 1
            if change < lowest[0]:
                lowest, vain = (change, place), 0
            if vain == REACH:
                break
    return lowest


def _swap(terms: Terms, first: int, second: int, before: int) -> float | None:
    """What the sum changes by when two neighbours change places; None if they are independent.

    Given what is before them, that is: each then has the same boundary in either place.
    """
    after = terms.find(second, before | 1 << first)
    if not after.boundary >> first & 1:
        return None
    now = terms.find(first, before).value + after.value
    return terms.find(second, before).value + terms.find(first, before | 1 << second).value - now
