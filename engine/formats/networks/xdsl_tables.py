"""Tables that XDSL writes in short, expanded: deterministic nodes and noisy-max nodes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from engine.formats.limits import MOST_CELLS
from engine.formats.networks.draft import EXACT, ROUNDING, NodeDraft
from engine.formats.networks.implied import ImpliedTables
from engine.formats.networks.xml_tree import Element
from engine.model.arrays import Floats
from engine.model.errors import FormatError
from engine.model.messages import shorten
from engine.model.noisy_max import NoisyMax


def read_deterministic(element: Element, node: NodeDraft, cards: Sequence[int]) -> Floats:
    """The 0/1 table, flat, of ``<resultingstates>``: the child's state per configuration of the parents.

    Parameters
    ----------
    cards : sequence of int
        The numbers of states of the parents.
    """
    rows = _count_rows(element, node, cards)
    codes = {state: k for k, state in enumerate(node.states)}
    chosen = np.fromiter((codes.get(word, -1) for word in element.words(rows)), dtype=np.int64)
    if (chosen < 0).any():
        word = next(itertools.islice(element.words(rows), int(chosen.argmin()), None))
        raise FormatError(f"<resultingstates> of {shorten(node.name)}: it has no state {shorten(word)}", element.line)
    if chosen.size != rows:
        count = "more" if chosen.size > rows else f"{chosen.size:,}"
        raise FormatError(
            f"<resultingstates> of {shorten(node.name)} names {count} states; expected {rows:,}", element.line
        )
    table = np.zeros((rows, len(node.states)))
    table[np.arange(rows), chosen] = 1
    return table.reshape(-1)


def read_noisy_max(
    element: Element, strengths: Element | None, node: NodeDraft, cards: Sequence[int], implied: ImpliedTables
) -> NoisyMax:
    """What ``<parameters>`` stand for: a distribution per state of each parent, then the leak.

    SMILE's manual: the columns of a parent follow the order in ``<strengths>``, and its last column has
    probability 1 in the last state of the child, as that state is the weakest. Hence
    Pr(child ≥ k | u) = Π Pr(cause ≥ k | u_i), where ≥ is *the same or later in the list of states*.
    """
    rows = _count_rows(element, node, cards)
    size = len(node.states)
    values = element.numbers(f"the parameters of {shorten(node.name)}")
    expected = (sum(cards) + 1) * size
    if values.size != expected:
        what = f"the noisy-max {shorten(node.name)} has {values.size:,} parameters"
        raise FormatError(f"{what}; expected {expected:,}", element.line)
    implied.spend(rows * size, node.name, element.line)
    columns = values.reshape(-1, size)
    if (columns > 1 + ROUNDING).any():
        raise FormatError(f"the noisy-max {shorten(node.name)} has a column that does not sum to 1", element.line)
    sums = columns.sum(axis=1, keepdims=True)
    if (columns < 0).any() or not (np.abs(sums - 1) <= ROUNDING).all():
        raise FormatError(f"the noisy-max {shorten(node.name)} has a column that does not sum to 1", element.line)
    columns = np.where(np.abs(sums - 1) <= EXACT, columns, columns / sums)
    causes, start = [], 0
    for order in _read_strengths(strengths, node, cards):
        if (columns[start + len(order) - 1, :-1] != 0).any():
            what = f"the noisy-max {shorten(node.name)} has a parent whose last column is not 0 … 0 1"
            raise FormatError(f"{what}; change its type to General (CPT) in GeNIe", element.line)
        causes.append(columns[start : start + len(order)][np.argsort(order)])
        start += len(order)
    return NoisyMax(tuple(causes), columns[-1])


def write_noisy_max(noisy: NoisyMax) -> tuple[str, str]:
    """The contents of ``<strengths>`` and ``<parameters>``: of each parent, the state that does nothing comes last."""
    strengths, columns = [], []
    for cause, idle in zip(noisy.causes, noisy.absent, strict=True):
        order = list(range(len(cause)))
        order[idle], order[-1] = order[-1], order[idle]  # its own inverse: see _read_strengths
        strengths += order
        columns += [cause[k] for k in order]
    numbers = [number for column in (*columns, noisy.leak) for number in column.tolist()]
    return " ".join(map(str, strengths)), " ".join(map(repr, numbers))


def _read_strengths(element: Element | None, node: NodeDraft, cards: Sequence[int]) -> list[list[int]]:
    """Per parent, which of its states each column is for."""
    if element is None:
        return [list(range(card)) for card in cards]
    given = element.numbers(f"the strengths of {shorten(node.name)}").tolist()
    if len(given) != sum(cards):
        what = f"the noisy-max {shorten(node.name)} has {len(given):,} strengths"
        raise FormatError(f"{what}; expected {sum(cards):,}", element.line)
    orders = []
    for card in cards:
        order, given = given[:card], given[card:]
        if sorted(order) != list(range(card)):
            raise FormatError(
                f"the strengths of {shorten(node.name)} are not an order of its parents' states", element.line
            )
        orders.append([int(k) for k in order])
        # Whether the list gives states by column or columns by state is the same for an order that is
        # its own inverse (every order of two states); others are refused rather than guessed.
        if any(order[int(k)] != position for position, k in enumerate(order)):
            what = f"the noisy-max {shorten(node.name)} reorders a parent's states in a circle"
            raise FormatError(f"{what}; change its type to General (CPT) in GeNIe", element.line)
    return orders


def _count_rows(element: Element, node: NodeDraft, cards: Sequence[int]) -> int:
    """The configurations of the parents, checked before a table of that size is made."""
    rows = math.prod(cards)
    if rows * len(node.states) > MOST_CELLS or not node.states or not rows:
        what = f"the table of {shorten(node.name)} has {rows * len(node.states):,} cells"
        raise FormatError(f"{what}; expected 1 to {MOST_CELLS:,}", element.line)
    return rows
