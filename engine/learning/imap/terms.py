"""The terms of a component's I-map bound: one for each variable that is observed, wherever it stands in an order.

Write S for the component's variables and B for its boundary, and give the variables of B, which are observed in every
row, any positive distributions of their own: this is the component's sub-network P, and the component's likelihood is
Σ w log P(d_S | d_B) over the rows d. Take the variables of S that are observed in some row in any order, after B. What
row d observes before X is E(d), and by the chain rule

    log P(d_S | d_B) = Σ_X [X observed in d] log P(x | e(d)).

Let M(X, d) ⊆ E(d) be what is left of E(d) without the variables that d-separation in the sub-network, with its hidden
variables left in, shows to be irrelevant: {e : X and e are not separated by the rest of E(d)}. Since d-separation obeys
intersection, M separates X from all others of E(d), and P(x | e(d)) = P(x | m(d)) for all parameters. So each term is
the logarithm of an entry of a conditional distribution P(X | M) that does not depend on the row: rows with the same M,
whatever else they observe, share it. The best that any distributions P(· | m) can do is their share in the data, hence

    Σ_d w log P(d_S | d_B) ≤ Σ_X Σ_M Σ n_M(x, m) log n_M(x, m) / n_M(m),

where n_M counts the rows that observe X and have the boundary M there. This needs nothing of how cells came to be
missing: only Pr(observed values) is bounded. If the parameters make a row impossible the likelihood is −∞, which is
below any bound. The rest is as in the other bounds: a likelihood cell counts as missing, also as a predecessor, and
adds log max λ; a prior adds its maximum.

Where M is the set of X's parents, P(x | m) is the parameter θ(x|u) itself, so that these rows and the prior of X's
table have one maximum together: Σ (n_M(x, u) + ψ − 1) log θ at its best, which is no more than the two apart.

What it is never above: with the same order, M = E(d) for all rows gives the pattern bound, where counts are split
further. With the variables of O in an order in which all parents come before their children, and the others after them,
M(X) lies before X in that order, also where it goes beyond the component; so that all components together are not above
the naive bound either, which is the case M = all of O before X.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.inference.graphs import as_mask, bits
from engine.inference.plan import Block
from engine.learning.decomposition import Component
from engine.learning.empirical import number_rows, sum_conditional
from engine.learning.imap.filling import fill
from engine.learning.imap.separation import Separation
from engine.learning.task import LearningTask
from engine.model.arrays import Bools, Floats, Ints, weighted_counts, xlogy
from engine.model.distinct import distinct_rows

Order = tuple[int, ...]
COUNTING = 10_000
"""The work of a sum apart from its cells."""


class Term(NamedTuple):
    """A variable's term, and the bit set of all that some of its boundaries have."""

    value: float
    boundary: int


class Terms:
    """The terms of a component, found when they are asked for and kept.

    Nodes are the variables of S and B, numbered so that parents come before their children.

    Parameters
    ----------
    rank : sequence of int
        Per variable of the network, its place in such an order.

    Attributes
    ----------
    variables : tuple of int
        Per node, the variable.
    given : int
        B, as a bit set of nodes.
    always, sometimes : tuple of int
        The nodes of S that are observed in every row, and those in some.
    rows : float
        The weight of all rows.
    work : int
        What finding terms has taken so far, in cells of data that were read.
    """

    def __init__(self, task: LearningTask, component: Component, block: Block, rank: Sequence[int]) -> None:
        inside = set(component.variables)
        self.variables = tuple(sorted({*inside, *component.boundary}, key=rank.__getitem__))
        node = {v: k for k, v in enumerate(self.variables)}
        self._parents = [
            tuple(node[p] for p in task.bayesian.parents[v]) if v in inside else () for v in self.variables
        ]
        self._strides = [task.layout.strides[v] for v in self.variables]
        self._priors = [_find_prior(task, v) if v in inside else None for v in self.variables]
        self._sizes = [task.network.variables[v].cardinality for v in self.variables]
        counted = np.flatnonzero(block.weights > 0)
        self._weights = block.weights[counted]
        self._codes = [block.codes[v][counted] for v in self.variables]
        self.given = as_mask(node[v] for v in component.boundary)
        self.always = tuple(sorted(node[v] for v in component.observed))
        seen = {node[v]: self._codes[node[v]] >= 0 for v in component.variables if v not in component.observed}
        self.sometimes = tuple(sorted(k for k, rows in seen.items() if rows.any()))
        first, self._pattern = distinct_rows([seen[k].view(np.int8) for k in self.sometimes], len(counted))
        self._separation = Separation(
            [as_mask(parents) for parents in self._parents],
            self.given | as_mask(self.always),
            {k: seen[k][first] for k in self.sometimes},
            len(first),
        )
        self._terms: dict[tuple[int, int], Term] = {}
        self._sums: dict[tuple[int, int, bytes], float] = {}
        self.rows = float(self._weights.sum())
        self.work = 0

    @property
    def topological(self) -> Order:
        """The nodes of S that are observed in some row, parents before their children."""
        return tuple(sorted((*self.always, *self.sometimes)))

    @property
    def observed_first(self) -> Order:
        """Those that are observed in every row, parents first; then the others, those that are observed most first."""

        def seldom(node: int) -> tuple[float, int]:
            return -float(self._weights[self._codes[node] >= 0].sum()), self.variables[node]

        return (*self.always, *sorted(self.sometimes, key=seldom))

    def add_up(self, order: Sequence[int]) -> float:
        """The sum of the terms in an order."""
        return math.fsum(self.in_order(order))

    def in_order(self, order: Sequence[int]) -> list[float]:
        """The terms of nodes in an order."""
        terms, before = [], self.given
        for node in order:
            terms.append(self.find(node, before).value)
            before |= 1 << node
        return terms

    def find(self, node: int, before: int) -> Term:
        """The term of a node after others, those of B among them; with the maximum of its table's prior."""
        key = node, before
        if key not in self._terms:
            self._terms[key] = self._find(node, before)
        return self._terms[key]

    def _find(self, node: int, before: int) -> Term:
        value, touched, parents, prior = 0.0, 0, as_mask(self._parents[node]), self._priors[node]
        for boundary, patterns in self._separation.find_boundaries(1 << node, before).items():
            chosen = np.zeros(self._separation.patterns, dtype=bool)
            chosen[patterns] = True
            key = node, boundary, np.packbits(chosen).tobytes()
            if key not in self._sums:
                rows = self._choose_rows(chosen)
                self.work += COUNTING + len(self._weights[rows]) * (boundary.bit_count() + 1)
                is_family = prior is not None and boundary == parents
                self._sums[key] = self._sum_family(node, rows) if is_family else self._sum(node, boundary, rows)
            value += self._sums[key]
            touched |= boundary
            if boundary == parents:
                prior = None  # it is in the sum
        return Term(value if prior is None else value + _best(prior, self._sizes[node]), touched)

    def list_open_parents(self, nodes: Sequence[int]) -> list[int]:
        """The parents of nodes that are not observed in every row."""
        closed = self.given | as_mask(self.always)
        return [k for k in sorted({p for node in nodes for p in self._parents[node]}) if not closed >> k & 1]

    def forget(self, nodes: Sequence[int], before: Sequence[int], hidden: int) -> float:
        """The bound of a group of nodes after others, by the states of a hidden node: see :mod:`.groups`."""
        value = math.fsum(_best(prior, self._sizes[k]) for k in nodes if (prior := self._priors[k]) is not None)
        found = self._separation.find_boundaries(as_mask(nodes), self.given | as_mask(before), 1 << hidden)
        for boundary, patterns in found.items():
            chosen = np.zeros(self._separation.patterns, dtype=bool)
            chosen[patterns] = True
            rows = self._choose_rows(chosen)
            among, weights = list(bits(boundary & ~(1 << hidden))), self._weights[rows]
            self.work += COUNTING + len(weights) * (len(among) + len(nodes))
            given = number_rows([self._codes[k][rows] for k in among], weights)
            first, outcome = distinct_rows([given, *(self._codes[k][rows] for k in nodes)], len(weights))
            value += fill(weighted_counts(outcome, weights, len(first)), given[first], self._sizes[hidden])
        return value

    def _choose_rows(self, patterns: Bools) -> Ints | slice:
        """The rows of some patterns."""
        return slice(None) if patterns.all() else np.flatnonzero(patterns[self._pattern])

    def _sum(self, node: int, boundary: int, rows: Ints | slice) -> float:
        """Σ n(x, m) log n(x, m) / n(m) over some rows."""
        weights, among = self._weights[rows], list(bits(boundary))
        ranges = [(0, self._sizes[k] - 1) for k in among]
        given = distinct_rows([self._codes[k][rows] for k in among], len(weights), ranges)[1]
        return sum_conditional(given, number_rows([given, self._codes[node][rows]], weights), weights)

    def _sum_family(self, node: int, rows: Ints | slice) -> float:
        """Σ (n(x, u) + ψ − 1) log θ(x|u) at its maximum, over some rows and the prior."""
        weights, prior = self._weights[rows], self._priors[node]
        assert prior is not None
        index = np.zeros(len(weights), dtype=np.int64)
        for k, stride in zip((*self._parents[node], node), self._strides[node], strict=True):
            index += stride * self._codes[k][rows].astype(np.int64)
        return _best(weighted_counts(index, weights, len(prior)) + prior, self._sizes[node])


def _find_prior(task: LearningTask, variable: int) -> Floats | None:
    """What the prior adds to the counts of a variable's table, flat; None if it adds nothing."""
    start, end = task.layout.starts[variable], task.layout.starts[variable + 1]
    counts = task.prior_counts[start:end]
    return counts if counts.any() else None


def _best(weights: Floats, size: int) -> float:
    """Σ w log θ at its maximum, in sets of some size that each sum to one: θ = w / Σ w."""
    sums = weights.reshape(-1, size).sum(axis=1)
    return float(xlogy(weights, weights).sum() - xlogy(sums, sums).sum())
