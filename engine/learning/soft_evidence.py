"""Soft evidence on parameter sets: how EDML sees a row of data (Eq. 4.1 [thesis]).

For a parameter set X|u, row i is the likelihood vector λ(x|u) = Pr(xu|d_i)/θ(x|u) − Pr(u|d_i) + 1 on X|u.
Since Σ_x θ̂(x|u) = 1, its value at other parameters θ̂ is

    Σ_x λ(x|u) θ̂(x|u) = q + Σ_x c(x) θ̂(x|u),   q = 1 − Pr(u|d_i),  c(x) = Pr(xu|d_i) / θ(x|u),

so an *observation* is the number q and a few coefficients c. Rows that exclude u are neutral and left
out; rows that observe the whole family are counts.

For a factor f of a Markov network (chapter 5 [thesis]) the sub-problem of Eq. 5.8 is of the same form, over the
factor's marginal t(x_f): q = 0 and c(x_f) = Pr(x_f|d_i) / Pr(x_f).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.learning.objective import Objective
from engine.learning.parameters import LogLinear
from engine.learning.workspace import Chunk, Evaluation, Workspace, make_check
from engine.model.arrays import Bools, Floats, Ints

INFINITESIMAL = 1e-100
"""Stands for a parameter that is zero while derivatives are taken: Pr(xu|d)/θ(x|u) is then the derivative
of Pr(d) by θ(x|u) over Pr(d), and everything else is the same to the last digit."""
CELLS_AT_ONCE = 2**17
NO_EVIDENCE = 1e-50
"""Coefficients below this have come about by infinitesimals: the row excludes the parents' states."""


@dataclass(frozen=True, eq=False)
class SoftEvidence:
    """Observations of parameter sets, ordered by set.

    Attributes
    ----------
    set, weight, constant : array (observations,)
        The parameter set, how many times the observation counts, and q.
    start : array (observations,)
        Where its coefficients begin.
    parameter, coefficient : array (coefficients,)
        c, and the parameter it belongs to.
    """

    set: Ints
    weight: Floats
    constant: Floats
    start: Ints
    parameter: Ints
    coefficient: Floats


class Collector:
    """Gathers soft evidence while a pass over the data is made at ``theta``."""

    def __init__(self, objective: Objective, theta: Floats) -> None:
        self._theta = theta
        self._geometry = objective.geometry
        self._found: list[SoftEvidence] = []
        # As lists of arrays rather than of tuples, which would have the garbage collector look at everything.
        self._parameters: list[Ints] = []
        self._probabilities: list[Floats] = []
        self._weights: list[Floats] = []
        self._widths: list[int] = []
        self._cells = 0

    def visit(self, chunk: Chunk) -> None:
        """Take the observations of a chunk of rows. What they mean is worked out for many chunks at once."""
        for piece, index, marginal in chunk.families:
            # A row's configurations one after another, the child fastest: those of one parameter set adjoin.
            order = np.argsort(piece.offsets)
            self._parameters.append(index[order].T.reshape(-1))
            self._probabilities.append(marginal[order].T.reshape(-1))
            self._weights.append(chunk.weights)
            self._widths.append(len(order))
            self._cells += index.size
        if self._cells > CELLS_AT_ONCE:
            self._digest()

    def result(self, check: Callable[[], object]) -> SoftEvidence:
        """All observations, ordered by parameter set. ``check`` is called in between; it may raise to stop."""
        check()
        self._digest()
        empty, none = np.empty(0, dtype=np.int64), np.empty(0)
        found = [SoftEvidence(empty, none, none, empty, empty, none), *self._found]
        ends = np.cumsum([0, *(len(f.parameter) for f in found)])
        merged = SoftEvidence(
            np.concatenate([f.set for f in found]),
            np.concatenate([f.weight for f in found]),
            np.concatenate([f.constant for f in found]),
            np.concatenate([f.start + end for f, end in zip(found, ends, strict=False)]),
            np.concatenate([f.parameter for f in found]),
            np.concatenate([f.coefficient for f in found]),
        )
        order = np.argsort(merged.set, kind="stable")
        check()
        return _order(merged, order)

    def _digest(self) -> None:
        """Make observations of what was taken."""
        if not self._cells:
            return
        parameter, weighted = np.concatenate(self._parameters), np.concatenate(self._probabilities)
        if self._geometry.lead is not None:  # what is seen of a set that follows is seen of the one that leads
            parameter = self._geometry.lead[parameter]
        width = np.repeat(self._widths, [len(w) for w in self._weights])  # per row of a chunk
        weight = np.repeat(np.concatenate(self._weights), width)
        for taken in (self._parameters, self._probabilities, self._weights, self._widths):
            taken.clear()
        self._cells = 0
        own = self._geometry.set_of[parameter]
        first = np.ones(len(own), dtype=bool)
        first[1:] = own[1:] != own[:-1]
        first[np.cumsum(width) - width] = True
        start = np.flatnonzero(first)
        probability = np.divide(weighted, weight, out=np.zeros(len(weight)), where=weight != 0)
        given = np.minimum(np.add.reduceat(probability, start), 1.0)
        coefficient = probability / self._theta[parameter]
        every = SoftEvidence(own[start], weight[start], 1.0 - given, start, parameter, coefficient)
        self._found.append(select_evidence(every, np.maximum.reduceat(coefficient, start) > NO_EVIDENCE))


def select_evidence(evidence: SoftEvidence, kept: Bools) -> SoftEvidence:
    """Some of the observations."""
    return evidence if kept.all() else _order(evidence, np.flatnonzero(kept))


def _order(evidence: SoftEvidence, order: Ints) -> SoftEvidence:
    """Some observations in another order, with their coefficients."""
    sizes = np.diff(np.append(evidence.start, len(evidence.parameter)))[order]
    start = np.cumsum(sizes) - sizes
    entries = np.repeat(evidence.start[order] - start, sizes) + np.arange(int(sizes.sum()))
    return SoftEvidence(
        evidence.set[order],
        evidence.weight[order],
        evidence.constant[order],
        start,
        evidence.parameter[entries],
        evidence.coefficient[entries],
    )


def merge_evidence(first: SoftEvidence, second: SoftEvidence, take_second: Bools) -> SoftEvidence:
    """The observations of some parameter sets from the second, the others from the first."""
    a, b = select_evidence(first, ~take_second[first.set]), select_evidence(second, take_second[second.set])
    merged = SoftEvidence(
        np.concatenate([a.set, b.set]),
        np.concatenate([a.weight, b.weight]),
        np.concatenate([a.constant, b.constant]),
        np.concatenate([a.start, b.start + len(a.parameter)]),
        np.concatenate([a.parameter, b.parameter]),
        np.concatenate([a.coefficient, b.coefficient]),
    )
    return _order(merged, np.argsort(merged.set, kind="stable"))


def _compare(evidence: SoftEvidence, share: Floats) -> SoftEvidence:
    """Coefficients Pr(x_f|d_i) / Pr(x_f) from Pr(x_f|d_i); 0 where neither is possible."""
    given = share[evidence.parameter]
    ratio = np.divide(evidence.coefficient, given, out=np.zeros_like(given), where=given > 0)
    return replace(evidence, coefficient=ratio)


def collect(work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[Evaluation, SoftEvidence]:
    """One pass over the data that also finds the soft evidence.

    With zeros among the parameters (or numbers too small to divide by) a second pass takes the derivatives at
    an infinitesimal instead.
    """
    geometry = work.objective.geometry
    if isinstance(geometry, LogLinear):
        collector = Collector(work.objective, np.ones_like(theta))
        found = work.evaluate(theta, cancelled, collector.visit)
        return found, _compare(collector.result(make_check(cancelled)), geometry.to_local(theta, found.model_counts))
    if (theta >= INFINITESIMAL).all():
        collector = Collector(work.objective, theta)
        found = work.evaluate(theta, cancelled, collector.visit)
    else:
        found = work.evaluate(theta, cancelled)
        positive = np.maximum(theta, INFINITESIMAL)
        collector = Collector(work.objective, positive)
        again = work.evaluate(positive, cancelled, collector.visit)
        found = replace(found, propagated=found.propagated + again.propagated)
    return found, collector.result(make_check(cancelled))
