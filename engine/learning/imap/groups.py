"""Variables that are bounded together by how few states a hidden variable has.

Late in an order, a variable has so many predecessors that each of their values is in one row alone: its own
distribution there costs nothing, however few states the hidden variables have through which it depends on them. Take a
group J of neighbours in the order, all observed in every row, a variable H of m states, and let V be what of the
variables E before them J depends on if H is known too. By the states of H, P(x_J | e) = Σ_h P(h | e) P(x_J | h, v), so

    P(x_J | e) ≤ R(x_J | v) := max_h P(x_J | h, v),  where R ≤ 1 and Σ_x R(x | v) ≤ m.

All that E told of J by way of H is forgotten, for having m distributions instead of one. The best of all such R has
R(x | v) = min(1, λ_v n(x, v)) with Σ_x R = m; Σ n(x, v) log R(x | v) then bounds what the group adds to the likelihood.
Where this is less than the sum of its variables' terms it takes their place. It is, for one, wherever a hidden variable
has many observed effects. If H is observed in some rows, P(x_J | e) = P(x_J | h, v) ≤ R there, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.learning.imap.budget import Meter
from engine.learning.imap.terms import Order, Terms

MOST = 10
"""Variables in a group: with more of them, each of their values is in one row alone too."""


@dataclass(frozen=True)
class Group:
    """Neighbours in an order that are bounded together.

    Attributes
    ----------
    start, end : int
        Their places in the order.
    hidden : int
        The node that has few states.
    value : float
        What they add to the bound.
    """

    start: int
    end: int
    hidden: int
    value: float


def find_groups(terms: Terms, order: Order, meter: Meter) -> list[Group]:
    """The groups by which the bound in an order is lowest, of those that there is time to try."""
    tried: dict[tuple[int, int], Group] = {}
    for start, end in _list_neighbours(terms, order):
        for hidden in terms.list_open_parents(order[start:end]):
            if meter.is_over:
                return _choose(terms.in_order(order), tried)
            work = terms.work
            group = Group(start, end, hidden, terms.forget(order[start:end], order[:start], hidden))
            tried[start, end] = min(group, tried.get((start, end), group), key=lambda found: found.value)
            meter.count(terms.work - work)
    return _choose(terms.in_order(order), tried)


def _list_neighbours(terms: Terms, order: Order) -> Iterator[tuple[int, int]]:
    """Places of neighbours that are observed in every row; the last ones first, where there is most to gain."""
    for end in range(len(order), 1, -1):
        for start in range(end - 1, max(-1, end - 1 - MOST), -1):
            if order[start] not in terms.always:
                break
            if start < end - 1:
                yield start, end


def _choose(values: list[float], tried: dict[tuple[int, int], Group]) -> list[Group]:
    """The groups that together with single variables add up to least."""
    lowest: list[float] = [0.0]
    last: list[Group | None] = [None]
    for end in range(1, len(values) + 1):
        best, group = lowest[end - 1] + values[end - 1], None
        for start in range(max(0, end - MOST), end - 1):
            candidate = tried.get((start, end))
            if candidate is not None and lowest[start] + candidate.value < best:
                best, group = lowest[start] + candidate.value, candidate
        lowest.append(best)
        last.append(group)
    chosen, end = [], len(values)
    while end:
        group = last[end]
        if group is not None:
            chosen.append(group)
        end = end - 1 if group is None else group.start
    return chosen[::-1]
