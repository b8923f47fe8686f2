"""Hidden states renamed before tables are compared: their names are arbitrary, and a run may have exchanged them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.insight.relabelling import find_relabelling, relabel_table
from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.network import Network
from pgmgui.tabs.variable.comparing import LEARNED, PREDICTIVE, SHRUNK, Tables


def rename_hidden(
    task: LearningTask | None, factor: int, tables: Tables, first: str, second: str
) -> tuple[Tables, list[str]]:
    """The tables with the hidden states of the second renamed to be as close as can be to the first, and how in words.

    All tables of the component decide together. The expected counts are renamed as what was learned. Without data
    there is no task, and nothing is hidden.
    """
    if task is None or first not in tables.wholes or second not in tables.wholes:
        return tables, []
    scope = task.network.scopes[factor]
    orders = find_orders(task, factor, tables, first, second)
    found = {**tables.found, second: _rename(task.network, scope, tables.found[second], orders)}
    counts = tables.counts
    if counts is not None:
        counts = _rename(task.network, scope, counts, find_orders(task, factor, tables, first, LEARNED))
    return replace(tables, found=found, counts=counts), describe_renaming(task.network, scope, orders, second)


def find_orders(task: LearningTask, factor: int, tables: Tables, first: str, second: str) -> dict[int, tuple[int, ...]]:
    """Per hidden variable, which states of the second are its first, second, … in the first.

    What was learned counts by the rows behind it: a parameter that no row touches says nothing.
    """
    a, b, learned = tables.wholes[first], tables.wholes[second], (LEARNED, PREDICTIVE, SHRUNK)
    if first not in learned:
        weights = tables.weights if second in learned else None
        return find_relabelling(task, factor, b, a, weights).orders
    if second in learned:
        return {}
    orders = find_relabelling(task, factor, a, b, tables.weights).orders
    return {v: tuple(order.index(k) for k in range(len(order))) for v, order in orders.items()}


def describe_renaming(
    network: Network, scope: Sequence[int], orders: Mapping[int, Sequence[int]], second: str
) -> list[str]:
    """What the states of a table's variables are called in the second source, where that is something else."""
    lines = []
    for v in scope:
        states = network.variables[v].states
        pairs = [f"{states[k]} is its {states[old]}" for k, old in enumerate(orders.get(v, ())) if k != old]
        if pairs:
            lines.append(
                f"Names of hidden states are arbitrary: in {second}, {network.variables[v].name} is renamed: "
                f"{', '.join(pairs)}."
            )
    return lines


def _rename(network: Network, scope: Sequence[int], flat: Floats, orders: Mapping[int, Sequence[int]]) -> Floats:
    shape = [network.variables[v].cardinality for v in scope]
    return relabel_table(flat.reshape(shape), scope, orders).reshape(flat.shape)
