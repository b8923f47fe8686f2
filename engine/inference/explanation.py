"""Explanations: the most probable states of all variables (MPE), or of chosen ones (MAP), given evidence.

By elimination, in logarithms: variables that were not chosen are summed out first, then the chosen ones are maximised
out, and their states are read off on the way back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.inference.graphs import bits, joined
from engine.inference.log_space import log_sum
from engine.inference.memory import show_gigabytes
from engine.inference.orders import find_order, find_order_in_two
from engine.inference.plan import MEMORY_LIMIT
from engine.inference.query import Evidence, absorb_targets, check_evidence, make_impossible
from engine.model.arrays import Floats
from engine.model.errors import MemoryLimitError
from engine.model.network import BayesianNetwork, Network, find_variable
from engine.model.variable import list_names

TIE = 1e-9
"""Logarithms of probabilities that differ by less are taken as equal: rounding is far below this."""
BYTES_KEPT, BYTES_AT_ONCE = 12, 24
"""For a cell of a table that is maximised, which is kept with its message; and of the largest while it is worked on."""


@dataclass(frozen=True)
class Explanation:
    """The most probable states of some variables, by name.

    Attributes
    ----------
    states : mapping to a state's name
    log_probability : float
        log Pr(states | evidence), the variables that were not chosen summed out.
    other : mapping to a state's name, optional
        Other states that are as probable; None if there are none.
    """

    states: Mapping[str, str]
    log_probability: float
    other: Mapping[str, str] | None


@dataclass(frozen=True, eq=False)
class _Table:
    """A logarithm for each configuration of a scope."""

    scope: tuple[int, ...]
    logs: Floats


def explain(
    network: Network, evidence: Evidence, chosen: Iterable[str] | None = None, memory_limit: int = MEMORY_LIMIT
) -> Explanation:
    """The most probable states of the chosen variables, of all if none are named, given evidence.

    Raises
    ------
    ImpossibleEvidenceError
        If the evidence has probability zero, or the target marginals cannot hold together.
    MemoryLimitError
        If the tables do not fit: where few variables are chosen, they are summed out in an order that is not free.

    Examples
    --------
    >>> from engine.model.variable import Variable
    >>> rain, wet = Variable("Rain", ("yes", "no")), Variable("Wet", ("yes", "no"))
    >>> network = BayesianNetwork((rain, wet), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]))
    >>> found = explain(network, Evidence({"Wet": "yes"}, {}, {}))
    >>> found.states, round(math.exp(found.log_probability), 4), found.other
    ({'Rain': 'yes', 'Wet': 'yes'}, 0.6923, None)
    """
    check_evidence(network, evidence)
    network, evidence = absorb_targets(network, evidence, memory_limit)
    everything = range(len(network.variables))
    wanted = list(everything) if chosen is None else [find_variable(network, name) for name in chosen]
    known = {network.index[name]: network.variables[network.index[name]].code(s) for name, s in evidence.states.items()}
    # A variable with one state is known, and would only be one more axis.
    known |= {v: 0 for v in everything if network.variables[v].cardinality == 1}
    total, _ = _eliminate(network, evidence, known, set(), memory_limit)
    if total == -math.inf:
        raise make_impossible(evidence)
    weight, steps = _eliminate(network, evidence, known, set(wanted) - set(known), memory_limit)
    best, tie = _trace(steps, known)
    other = None if tie is None else _trace(steps, known, tie)[0]
    # The same sum in another order can come out smaller by rounding.
    log_probability = min(0.0, weight - total)
    return Explanation(
        _name(network, wanted, best), log_probability, None if other is None else _name(network, wanted, other)
    )


def _name(network: Network, wanted: Sequence[int], codes: Mapping[int, int]) -> dict[str, str]:
    return {network.variables[v].name: network.variables[v].states[codes[v]] for v in wanted}


def _eliminate(
    network: Network, evidence: Evidence, known: Mapping[int, int], chosen: set[int], memory_limit: int
) -> tuple[float, list[_Table]]:
    """The largest weight that states of the chosen variables have, all others summed out; and for each of them, as it
    was maximised out, the table that it was in, itself first."""
    tables = _gather(network, evidence, known, chosen)
    log_weight = math.fsum(float(table.logs) for table in tables if not table.scope)
    open_tables = [table for table in tables if table.scope]
    buckets = _find_buckets(network, open_tables, chosen, memory_limit)
    place = {variable: k for k, (variable, _) in enumerate(buckets)}
    piles: list[list[_Table]] = [[] for _ in buckets]
    for table in open_tables:
        piles[min(place[v] for v in table.scope)].append(table)
    steps = []
    for (variable, around), pile in zip(buckets, piles, strict=True):
        scope = (variable, *sorted(around, key=place.__getitem__))
        logs = np.zeros([network.variables[v].cardinality for v in scope])
        for table in pile:
            logs += _align(table, scope)
        if variable in chosen:
            steps.append(_Table(scope, logs))
            message = _Table(scope[1:], logs.max(axis=0))
        else:
            message = _Table(scope[1:], log_sum(logs, (0,)))
        pile.clear()
        if message.scope:
            piles[place[message.scope[0]]].append(message)
        else:
            log_weight += float(message.logs)
    return log_weight, steps


def _gather(network: Network, evidence: Evidence, known: Mapping[int, int], chosen: set[int]) -> list[_Table]:
    """The logarithms of the tables and likelihoods, what is known being indexed out of them."""
    factors = [(network.scopes[k], network.tables[k]) for k in _find_relevant(network, evidence, known, chosen)]
    factors += [((network.index[name],), np.array(vector)) for name, vector in evidence.likelihoods.items()]
    # Variables of a Markov network may be in no factor; and the chosen ones are to have a place here.
    free = chosen if isinstance(network, BayesianNetwork) else set(range(len(network.variables))) - set(known)
    tables = [_Table((v,), np.zeros(network.variables[v].cardinality)) for v in sorted(free)]
    for scope, values in factors:
        kept = values[tuple(known.get(v, slice(None)) for v in scope)]
        with np.errstate(divide="ignore"):
            tables.append(_Table(tuple(v for v in scope if v not in known), np.asarray(np.log(kept))))
    return tables


def _find_relevant(network: Network, evidence: Evidence, known: Mapping[int, int], chosen: set[int]) -> list[int]:
    """The tables that matter: in a Bayesian network, those of the chosen variables, of those with evidence, and of
    their ancestors. The others sum to 1."""
    if not isinstance(network, BayesianNetwork):
        return list(range(len(network.tables)))
    relevant = {*known, *chosen, *(network.index[name] for name in evidence.likelihoods)}
    for child in reversed(network.topological_order):
        if child in relevant:
            relevant.update(network.parents[child])
    return sorted(relevant)


def _find_buckets(
    network: Network, tables: Sequence[_Table], chosen: set[int], memory_limit: int
) -> list[tuple[int, tuple[int, ...]]]:
    """The variables in the order of their elimination, the chosen ones last, each with its neighbours by then."""
    present = {v for table in tables for v in table.scope}
    variables = [*sorted(present - chosen), *sorted(present & chosen)]
    number = {v: k for k, v in enumerate(variables)}
    graph = joined([[number[v] for v in table.scope] for table in tables])
    sizes = {k: network.variables[v].cardinality for k, v in enumerate(variables)}
    summed = len(present - chosen)
    if 0 < summed < len(variables):
        buckets, rest = find_order_in_two(graph, sizes, summed)
    else:
        buckets, rest = find_order(graph, sizes)
    # What is not eliminated is out of reach: as one table it is refused.
    cliques = [(node, *bits(around)) for node, around in buckets] + ([tuple(bits(rest))] if rest else [])
    found = [tuple(variables[k] for k in clique) for clique in cliques]
    _check_memory(network, found, chosen, memory_limit)
    return [(clique[0], clique[1:]) for clique in found]


def _check_memory(network: Network, cliques: Sequence[tuple[int, ...]], chosen: set[int], limit: int) -> None:
    """Raise a MemoryLimitError if the tables over these cliques need more bytes than there may be."""
    sizes = [math.prod(network.variables[v].cardinality for v in clique) for clique in cliques]
    largest = max(sizes, default=0)
    kept = sum(size for size, clique in zip(sizes, cliques, strict=True) if clique[0] in chosen)
    needed = BYTES_KEPT * kept + BYTES_AT_ONCE * largest
    if needed <= limit:
        return
    widest = cliques[sizes.index(largest)]
    names = list_names([network.variables[v].name for v in widest], most=6)
    raise MemoryLimitError(
        f"the explanation would need about {show_gigabytes(needed)} for its tables, over the limit of "
        f"{show_gigabytes(limit)}; the largest joins {len(widest)} unobserved variables ({names}) in {largest:.3g} "
        "cells. Observe some of them, choose fewer variables or all of them, or raise the memory limit "
        "(--memory-limit)",
        needed,
        limit,
    )


def _align(table: _Table, scope: Sequence[int]) -> Floats:
    """The table with the axes of a scope that holds its own."""
    order = sorted(range(len(table.scope)), key=lambda axis: scope.index(table.scope[axis]))
    sizes = dict(zip(table.scope, table.logs.shape, strict=True))
    return table.logs.transpose(order).reshape([sizes.get(v, 1) for v in scope])


def _trace(
    steps: Sequence[_Table], known: Mapping[int, int], turn: tuple[int, int] | None = None
) -> tuple[dict[int, int], tuple[int, int] | None]:
    """The states that reach the maximum, and the first variable on the way back that could as well have another.

    Parameters
    ----------
    turn : (variable, state), optional
        The state to take for that variable.

    Returns
    -------
    codes : dict from variable to state
    tie : (variable, state), optional
        Any other states of all variables that are as probable differ first in such a variable: without one, there are
        none.
    """
    codes, tie = dict(known), None
    for step in reversed(steps):
        variable = step.scope[0]
        column = step.logs[tuple(codes.get(v, slice(None)) for v in step.scope)]  # all but the first are known by now
        codes[variable] = turn[1] if turn is not None and turn[0] == variable else int(column.argmax())
        if tie is None:
            as_good = np.flatnonzero(column >= column.max() - TIE)
            tie = next(((variable, int(k)) for k in as_good if k != codes[variable]), None)
    return codes, tie
