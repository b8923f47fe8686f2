"""Targets that a query has: distributions that some variables shall have, alone or together, whatever the model says.

A value that is replaced whole. Pure functions; the numbers of a target stand in the order of its variables' states, the
last variable's changing fastest.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.inference.targets.target import make_targets
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.messages import count
from engine.model.network import Network, find_variable, table_shape
from engine.model.variable import list_names
from pgmgui.project.following import Changes
from pgmgui.project.numbers import show_number
from pgmgui.project.supposing import (
    Likelihood,
    describe_supposed,
    find_same,
    find_state,
    follow_evidence,
    still_fitting,
)

Names = tuple[str, ...]
Numbers = tuple[float, ...]
MOST_TOGETHER = 3
"""Variables that a target on the page is of."""
MOST_CELLS = 500
"""Numbers of a target on the page; one of a single variable has as many as it has states."""
MOST_TOLD = 4
"""Numbers told in a line of words."""
KINDS = ("state", "likelihood", "target")
"""Of evidence on a variable."""
HALF = 0.5
"""The weight of the less likely states when a likelihood is begun."""
AUTOMATIC = ""
"""The solver that is chosen by its estimated time."""


@dataclass(frozen=True)
class Wanted:
    """What some variables shall be.

    Attributes
    ----------
    tables : mapping
        By the names of a target's variables, its numbers.
    fixed : bool
        Whether the targets hold after all that is known; if not, before it, and what is known changes them.
    solver : str
        One of the engine's, or :data:`AUTOMATIC`.
    """

    tables: Mapping[Names, Numbers] = field(default_factory=dict)
    fixed: bool = True
    solver: str = AUTOMATIC

    def of(self, name: str) -> Numbers | None:
        """The numbers that a variable alone shall have; None if it has no target of its own."""
        return self.tables.get((name,))

    def concerning(self, name: str) -> list[Names]:
        """The targets that a variable is part of."""
        return [names for names in self.tables if name in names]


def want(wanted: Wanted, network: Network, names: Sequence[str], numbers: Sequence[float]) -> Wanted:
    """With another target of some variables, in place of one that they have.

    Raises
    ------
    PgmError
        If it is malformed, or does not agree with another target on the variables they share.
    """
    return want_all(wanted, network, [arrange(network, names, numbers)])


def want_all(wanted: Wanted, network: Network, more: Iterable[tuple[Names, Numbers]]) -> Wanted:
    """With other targets, which were arranged: all are checked at once, for each may have to agree with any other."""
    found = replace(wanted, tables={**wanted.tables, **dict(more)})
    make_targets(network, as_marginals(found, network))
    return found


def arrange(network: Network, names: Sequence[str], numbers: Sequence[float]) -> tuple[Names, Numbers]:
    """The variables of a target in the order of the network, and its numbers in theirs.

    Raises
    ------
    PgmError
        If they cannot be those of a target on the page.
    """
    if len(names) > MOST_TOGETHER:
        raise PgmError(f"a target of {len(names):,} variables together; on the page it is of at most {MOST_TOGETHER}")
    variables = [find_variable(network, name) for name in names]
    if not names or len(set(names)) < len(names):
        raise PgmError("a target must name each of its variables once")
    ordered = tuple(network.variables[v].name for v in sorted(variables))
    shape = table_shape(network.variables, variables)
    size = int(np.prod(shape))
    if len(names) > 1 and size > MOST_CELLS:
        raise PgmError(
            f"{list_names(list(names))} have {size:,} combinations of states; "
            f"on the page a target has at most {MOST_CELLS}"
        )
    if len(numbers) != size:
        needed = f"{count(size, 'number')}, one for each state"
        raise PgmError(f"the target of {list_names(list(names))} needs {needed}; got {len(numbers):,}")
    table = np.array(numbers, dtype=np.float64).reshape(shape)
    table = table.transpose([list(names).index(name) for name in ordered])
    return ordered, tuple(table.reshape(-1).tolist())


def without(wanted: Wanted, names: Sequence[Names]) -> Wanted:
    """Without some targets."""
    if not any(one in wanted.tables for one in names):
        return wanted
    return replace(wanted, tables={kept: table for kept, table in wanted.tables.items() if kept not in names})


def as_marginals(wanted: Wanted, network: Network) -> dict[str | Names, Floats]:
    """The targets as the engine takes them."""
    found: dict[str | Names, Floats] = {}
    for names, numbers in wanted.tables.items():
        found[names if len(names) > 1 else names[0]] = np.array(numbers).reshape(_shape(names, network))
    return found


def share_out(numbers: Sequence[float], state: int, share: float) -> Numbers:
    """A distribution in which one state has another share; the others keep their proportions.

    >>> share_out((0.2, 0.2, 0.6), 2, 0.2), share_out((1.0, 0.0, 0.0), 0, 0.5)
    ((0.4, 0.4, 0.2), (0.5, 0.25, 0.25))
    """
    rest = [0.0 if k == state else value for k, value in enumerate(numbers)]
    if len(rest) == 1:
        return (1.0,)
    total = sum(rest)
    if total <= 0:
        rest, total = [float(k != state) for k in range(len(rest))], len(rest) - 1.0
    return tuple(share if k == state else round((1 - share) * value / total, 12) for k, value in enumerate(rest))


def read_as(kind: str, numbers: Sequence[float], posterior: Sequence[float]) -> Numbers:
    """The same numbers as another kind of evidence on a variable; none begin with what is probable now.

    >>> read_as("target", (1.0, 0.25), ()), read_as("likelihood", (0.8, 0.2), ()), read_as("state", (0.8, 0.2), ())
    ((0.8, 0.2), (0.8, 0.2), (1.0, 0.0))
    >>> read_as("target", (), (0.9, 0.1)), read_as("likelihood", (), (0.9, 0.1)), read_as("state", (), (0.9, 0.1))
    ((0.9, 0.1), (1.0, 0.5), (1.0, 0.0))
    """
    meant = tuple(numbers or posterior)
    best = meant.index(max(meant))
    if kind == "target":
        return tuple(value / sum(meant) for value in meant)
    if kind == "state":
        return tuple(float(k == best) for k in range(len(meant)))
    told = numbers and find_state(numbers) is None
    return meant if told else tuple(1.0 if k == best else HALF for k in range(len(meant)))


# --- after an edit


def follow_wanted(wanted: Wanted, before: Network, changes: Changes) -> Wanted:
    """The targets after an edit: under new names, in the new order of states; none where states came or went."""
    followed = {}
    for names, numbers in wanted.tables.items():
        table = np.array(numbers).reshape(_shape(names, before))
        new = tuple(changes.renamed.get(name, name) for name in names)
        orders = [changes.states.get(name, list(range(size))) for name, size in zip(new, table.shape, strict=True)]
        kept = [[old for old in order if old is not None] for order in orders]
        same = all(len(order) == len(old) for order, old in zip(orders, kept, strict=True))
        if same and all(sorted(old) == list(range(size)) for old, size in zip(kept, table.shape, strict=True)):
            followed[new] = tuple(table[np.ix_(*kept)].reshape(-1).tolist())
    return replace(wanted, tables=followed)


def still_wanted(wanted: Wanted, before: Network, after: Network) -> Wanted:
    """The targets of variables that two networks share, with the same states; in the order of the second."""
    same = find_same(before, after)
    kept = (arrange(after, *one) for one in wanted.tables.items() if same.issuperset(one[0]))
    return replace(wanted, tables=dict(kept))


# --- with all else that is supposed


@dataclass(frozen=True)
class Supposed:
    """All that a query supposes: a likelihood for each state of some variables, and targets."""

    likelihoods: Mapping[str, Likelihood] = field(default_factory=dict)
    wanted: Wanted = Wanted()

    @property
    def is_nothing(self) -> bool:
        return not self.likelihoods and not self.wanted.tables

    @property
    def names(self) -> set[str]:
        """The variables of which something is supposed."""
        return set(self.likelihoods).union(*self.wanted.tables)


def follow_supposed(supposed: Supposed, before: Network, changes: Changes) -> Supposed:
    """What is supposed after an edit."""
    likelihoods = follow_evidence(supposed.likelihoods, changes)
    return Supposed(likelihoods, follow_wanted(supposed.wanted, before, changes))


def still_supposed(supposed: Supposed, before: Network, after: Network) -> Supposed:
    """What is supposed of variables that two networks share, with the same states."""
    likelihoods = still_fitting(supposed.likelihoods, before, after)
    return Supposed(likelihoods, still_wanted(supposed.wanted, before, after))


def restrict(supposed: Supposed, names: Container[str]) -> Supposed:
    """What is supposed of some variables alone."""
    gone = [one for one in supposed.wanted.tables if not all(name in names for name in one)]
    likelihoods = {name: kept for name, kept in supposed.likelihoods.items() if name in names}
    return Supposed(likelihoods, without(supposed.wanted, gone))


def find_kind(supposed: Supposed, name: str) -> tuple[str, Numbers]:
    """What kind of evidence there is on a variable, as a card of bars has it, and its numbers."""
    likelihood, target = supposed.likelihoods.get(name), supposed.wanted.of(name)
    if likelihood is not None:
        return "likelihood" if find_state(likelihood) is None else "state", likelihood
    if target is not None:
        return "target", target
    return "together" if supposed.wanted.concerning(name) else "", ()


def find_margin(supposed: Supposed, name: str, network: Network) -> Numbers:
    """What the first target that a variable is part of says of it alone; all that it is part of agree."""
    names = supposed.wanted.concerning(name)[0]
    table = np.array(supposed.wanted.tables[names]).reshape(_shape(names, network))
    others = tuple(axis for axis, other in enumerate(names) if other != name)
    return tuple(table.sum(axis=others).tolist())


def list_supposed(supposed: Supposed, network: Network) -> list[str]:
    """What is supposed, in words: likelihoods first, then targets."""
    index, variables = network.index, network.variables
    found = [describe_supposed(name, variables[index[name]].states, one) for name, one in supposed.likelihoods.items()]
    kind = "" if supposed.wanted.fixed else "non-fixed "
    for names, numbers in supposed.wanted.tables.items():
        found.append(f"{', '.join(names)}: {kind}target {describe_numbers(names, numbers, network)}")
    return found


def describe_all(supposed: Supposed, name: str, network: Network) -> str:
    """All that is supposed of a variable, in words."""
    own = {other: one for other, one in supposed.likelihoods.items() if other == name}
    tables = {names: supposed.wanted.tables[names] for names in supposed.wanted.concerning(name)}
    return "; ".join(list_supposed(Supposed(own, replace(supposed.wanted, tables=tables)), network))


def describe_numbers(names: Names, numbers: Numbers, network: Network) -> str:
    """The numbers of a target, each with its state or states.

    Those of several variables have slashes between: ``yes/no 0.2``.
    """
    states = itertools.product(*(network.variables[network.index[name]].states for name in names))
    told = (f"{'/'.join(one)} {show_number(value)}" for one, value in zip(states, numbers, strict=True))
    first = list(itertools.islice(told, MOST_TOLD))
    return ", ".join(first) + (f" and {len(numbers) - MOST_TOLD:,} more" if len(numbers) > MOST_TOLD else "")


def _shape(names: Names, network: Network) -> tuple[int, ...]:
    return table_shape(network.variables, [network.index[name] for name in names])
