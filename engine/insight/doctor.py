"""The model doctor: what in a network and its data will make learning fail, stall or mislead, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.inference.posterior import infer
from engine.learning.parameters import LogLinear, Simplex
from engine.learning.starts import find_symmetries
from engine.learning.targets.splitting import drop_targets
from engine.learning.task import LearningTask
from engine.model.arrays import Ints, weighted_counts
from engine.model.dataset import Dataset, Role
from engine.model.network import MarkovNetwork, Network
from engine.model.variable import list_names

MOST_ROWS = 20_000
"""Rows whose probability is checked: the first ones."""
MOST_NAMED = 8
"""Rows that are named."""
MANY_CELLS = 5_000
"""A table this large is hard to learn and to look at, whatever the data."""

_ALL, _LEARNED_FROM = "the data", "the rows that are learned from"


@dataclass(frozen=True)
class Finding:
    """Something to know about a model.

    Attributes
    ----------
    kind : {"impossible", "unseen", "diverging", "symmetric", "explosion", "unused", "pruned"}
    variable : int
        Whose table or states it is about; of a factor, the first variable of its scope.
    text : str
        What is the matter, in a sentence.
    advice : str
        What helps, in a sentence.
    states : tuple of int
        The states it is about, where it is about some.
    factor : int, optional
        The factor of a Markov network that it is about.
    rows : tuple of int
        The rows of the whole data that it is about, from 0.
    """

    kind: str
    variable: int
    text: str
    advice: str
    states: tuple[int, ...] = ()
    factor: int | None = None
    rows: tuple[int, ...] = ()


def examine(task: LearningTask, lines: Ints | None = None) -> list[Finding]:
    """All findings, the gravest kinds first.

    Parameters
    ----------
    lines : array (rows,), optional
        Where rows are held out: which rows of the whole data the task has. They are told by these numbers.
    """
    markov = isinstance(task.network, MarkovNetwork)
    where = _LEARNED_FROM if lines is not None else _ALL
    return [
        *_impossible_rows(task, lines),
        *_symmetric(task),
        *(_large_factors(task) if markov else _explosions(task)),
        *(_diverging(task, where) if markov else _unseen(task, where)),
        *_unused_states(task, where),
        *_pruned(task),
    ]


def _impossible_rows(task: LearningTask, lines: Ints | None) -> Iterator[Finding]:
    """Rows of probability 0 under the current parameters, and the tables or factors whose zeros make them so."""
    if not isinstance(task.dataset, Dataset):
        return  # whole rows would have to be fetched
    network, data = task.network, drop_targets(task.dataset)
    rows = np.arange(min(data.n_rows, MOST_ROWS))
    if not rows.size:
        return
    some = data.take(rows)
    bad = np.flatnonzero(infer(network, some).impossible)
    if not bad.size:
        return
    numbers = bad if lines is None else lines[bad]
    at_fault = []
    for k, scope in enumerate(network.scopes):
        codes = some.codes[list(scope)][:, bad].astype(np.int64)
        complete = (codes >= 0).all(axis=0)
        if scope and (network.tables[k][tuple(codes[:, complete])] == 0).any():
            at_fault.append(k)
    if not at_fault:  # zeros that only work together with something hidden
        at_fault = [k for k, table in enumerate(network.tables) if table.ndim and (table == 0).any()]
    markov = isinstance(network, MarkovNetwork)
    for k in at_fault:
        owner = f"the factor over {_name(network, k)}" if markov else f"the table of {network.variables[k].name!r}"
        yield Finding(
            "impossible",
            network.scopes[k][0] if markov else k,
            f"{bad.size:,} of {rows.size:,} rows have probability 0 under the current parameters "
            f"({_number_rows(numbers)}), and {owner} has zeros that exclude some.",
            "Learning leaves a factor's zeros as they are, from any start: soften them, or leave out these rows."
            if markov
            else "Learning cannot start from here: soften the zeros, or start from random parameters.",
            factor=k if markov else None,
            rows=tuple(numbers.tolist()),
        )


def _number_rows(rows: Ints) -> str:
    """The numbers of rows from 1, the last ones as a number when there are many."""
    named = ", ".join(f"{row + 1:,}" for row in rows[:MOST_NAMED])
    more = f" and {rows.size - MOST_NAMED:,} more" if rows.size > MOST_NAMED else ""
    return f"{'row' if rows.size == 1 else 'rows'} {named}{more}"


def _symmetric(task: LearningTask) -> Iterator[Finding]:
    network = task.network
    table, tables = ("factor", "its factors") if isinstance(network, MarkovNetwork) else ("table", "its table")
    for found in find_symmetries(task, task.layout.flatten(network.tables)):
        variable = network.variables[found.variable]
        names = ", ".join(variable.states[s] for s in found.states)
        yield Finding(
            "symmetric",
            found.variable,
            f"The hidden states {names} of {variable.name!r} are exactly alike in every {table}.",
            f"Starting from the current parameters, no learner can tell them apart: randomise {tables}.",
            found.states,
        )


def _explosions(task: LearningTask) -> Iterator[Finding]:
    network, total = task.bayesian, task.decomposition.dataset.total_weight
    for v, table in enumerate(network.tables):
        free = table.size // table.shape[-1] * (table.shape[-1] - 1)
        if len(network.parents[v]) > 1 and (table.size > MANY_CELLS or free > total):
            yield Finding(
                "explosion",
                v,
                f"{network.variables[v].name!r} has {len(network.parents[v])} parents and {free:,} free parameters "
                f"for {total:,.0f} rows.",
                "Remove parents, merge states, or put a hidden variable between: most rows of its table stay unseen.",
            )


def _unseen(task: LearningTask, where: str) -> Iterator[Finding]:
    """Parent configurations that no row has, where the family is observed in every row."""
    network, roles, geometry = task.bayesian, task.decomposition.dataset.roles, task.geometry
    if isinstance(geometry, Simplex) and geometry.prior is not None:
        return  # it has a say on all of them
    counts = task.layout.tables(geometry.follow(geometry.gather(task.objective.counts)))
    exponents = task.layout.tables(task.exponents)
    sharing = {v: group for group in task.ties for v in group}
    for v in range(len(network.scopes)):
        if any(roles[u] is not Role.OBSERVED for w in sharing.get(v, (v,)) for u in network.scopes[w]):
            continue
        weights = (counts[v] + exponents[v] - 1).reshape(-1, network.variables[v].cardinality).sum(axis=1)
        unseen = int(np.count_nonzero(weights <= 0))
        if unseen:
            yield Finding(
                "unseen",
                v,
                f"{unseen:,} of {weights.size:,} parent configurations of {network.variables[v].name!r} "
                f"never occur in {where}: their parameters stay as they are.",
                "Give it a prior of 2 (Laplace smoothing), collect more data, or use fewer parents.",
            )


def _large_factors(task: LearningTask) -> Iterator[Finding]:
    network, total = task.network, task.decomposition.dataset.total_weight
    for k, table in enumerate(network.tables):
        if table.ndim > 2 and (table.size > MANY_CELLS or table.size > total):
            yield Finding(
                "explosion",
                network.scopes[k][0],
                f"The factor over {_name(network, k)} has {table.size:,} cells for {total:,.0f} rows.",
                "Use factors over fewer variables, or merge states: most of its cells stay unseen.",
                factor=k,
            )


def _diverging(task: LearningTask, where: str) -> Iterator[Finding]:
    """Cells that no row has, of factors that every row completes: without a prior their logarithms fall for ever."""
    geometry, data = task.geometry, task.decomposition.dataset
    assert isinstance(geometry, LogLinear)
    if geometry.has_prior:
        return
    # A structural zero is no cell that falls.
    counts = task.layout.tables(np.where(geometry.is_free, task.objective.counts, np.nan))
    for k, scope in enumerate(task.network.scopes):
        if not scope or any(data.roles[v] is not Role.OBSERVED for v in scope):
            continue
        # Of what is given, only what occurs matters: nothing pulls the other cells.
        learned = tuple(axis for axis, v in enumerate(scope) if v not in task.given)
        pulled = np.nansum(counts[k], axis=learned, keepdims=True) > 0
        unseen = int(np.count_nonzero((counts[k] == 0) & pulled))
        if unseen:
            verb = "occurs" if unseen == 1 else "occur"
            yield Finding(
                "diverging",
                scope[0],
                f"{unseen:,} of {counts[k].size:,} combinations of {_name(task.network, k)} never {verb} in {where}: "
                "maximum likelihood drives such cells of the factor to 0, and their logarithms fall without end.",
                "Give the factors a Gaussian prior (L2) among the options, or collect more data.",
                factor=k,
            )


def _name(network: Network, factor: int) -> str:
    return list_names([network.variables[v].name for v in network.scopes[factor]])


def _unused_states(task: LearningTask, where: str) -> Iterator[Finding]:
    data = task.decomposition.dataset
    prior = "a Gaussian prior (L2)" if isinstance(task.network, MarkovNetwork) else "a prior of 2"
    # Rows held out may have the state: without it they would lose their cells.
    removal = "remove the state, or " if where == _ALL else ""
    for v, variable in enumerate(data.variables):
        if data.roles[v] not in (Role.OBSERVED, Role.PARTIAL):
            continue
        gathered, weights = data.gather([v])
        hard = gathered[v] >= 0
        counts = weighted_counts(gathered[v][hard].astype(np.int64), weights[hard], variable.cardinality)
        unused = tuple(np.flatnonzero(counts == 0).tolist())
        if unused:
            names = ", ".join(variable.states[s] for s in unused)
            yield Finding(
                "unused",
                v,
                f"{variable.name!r} is never {names} in {where}.",
                f"Maximum likelihood gives it probability 0: {removal}give {prior}.",
                unused,
            )


def _pruned(task: LearningTask) -> Iterator[Finding]:
    pruned = set(task.decomposition.pruned)
    learned = {v for group in task.ties if not pruned.issuperset(group) for v in group}
    for v in sorted(pruned - learned):
        name = task.network.variables[v].name
        yield Finding(
            "pruned",
            v,
            f"{name!r} is hidden and nothing below it is seen: the data says nothing about its table.",
            "Observe it or one of its children, or leave it: learning ignores it.",
        )
