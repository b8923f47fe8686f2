"""EDML's sub-problems: the best parameters of each set under soft evidence (Eq. 4.2 [thesis]).

Each parameter set maximises  Σ_x a(x) log θ(x) + Σ_i w_i log(q_i + Σ_x c_i(x) θ(x))  over its simplex,
with a = counts + ψ − 1. The function is concave; all sets of one size are solved together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.ma  # numpy.unique would load it when it is first called, in the middle of learning

from engine.learning.newton import TOLERANCE, take_steps
from engine.learning.parameters import Sets
from engine.learning.soft_evidence import INFINITESIMAL, SoftEvidence
from engine.model.arrays import Bools, Floats, Ints

MOST_STEPS = 100
MOST_OBSERVATIONS = 2**15
"""How many observations are worked on at a time: a step takes milliseconds, in the cache."""
UNLIKELY = 1e-100
"""An observation of less than this probability is as good as impossible to start from."""
VANISHING = 1e-14
"""A parameter below this that its gradient presses down is zero."""
EM_STEPS = 2
LAST = 1e-11
"""A whole step that promises less than this, relative to the weight of the evidence, needs no other."""
FLAT = 1e-6
"""Curvature this small, relative to that of each parameter alone, is none: along such a direction all parameters are
equally good, and only rounding would move them."""
ROUNDING = 1e-14
"""Slopes this small relative to the terms they are a difference of are zero."""


def solve_sets(
    geometry: Sets,
    theta: Floats,
    evidence: SoftEvidence,
    fixed: Floats,
    solver: str = "newton",
    local_steps: int = MOST_STEPS,
    check: Callable[[], object] = lambda: None,
) -> Floats:
    """The best place of every set in its simplex, starting from ``theta``.

    Parameters
    ----------
    fixed : array (parameters,)
        a.
    solver : {"newton", "fixed-point"}
        Safeguarded Newton steps, or the update of Eq. 4.3 [thesis], which never decreases its
        sub-problem (Theorem 3) but takes many more steps.
    local_steps : int
        The most steps of either.
    check : callable
        Called before every step; may raise to stop.
    """
    solved = geometry.normalise(fixed, otherwise=theta)  # right for sets without soft evidence
    climb = _climb if solver == "newton" else _repeat_update
    for size in np.unique(geometry.sizes[evidence.set]):
        check()
        for sets in _make_problems(geometry, theta, evidence, fixed, int(size)).slices():
            places = geometry.starts[sets.which][:, None] + np.arange(size)
            solved[places] = climb(sets, local_steps, check)
    return solved


@dataclass(frozen=True, eq=False)
class Problems:
    """The sub-problems of parameter sets of one size: their soft evidence, observations ordered by set.

    Attributes
    ----------
    which : array (sets,)
        Which parameter sets of the geometry they are.
    theta, fixed : array (sets, size)
        Where to start, and a.
    of : array (observations,)
        The set of each observation.
    first : array (sets,)
        Where the observations of a set begin.
    weight, constant : array (observations,)
        w and q.
    coefficients : array (size, observations)
        c, observations last: sums over them are the work.
    """

    which: Ints
    theta: Floats
    fixed: Floats
    of: Ints
    first: Ints
    weight: Floats
    constant: Floats
    coefficients: Floats

    def predict(self, theta: Floats) -> Floats:
        """q + Σ c θ of each observation."""
        return np.asarray(self.constant + self._weigh(theta))

    def gain(self, theta: Floats, predicted: Floats, step: Floats) -> Floats:
        """What a step adds to the objective of each set: exact where the two values would differ by less than
        their rounding."""
        relative = np.divide(step, theta, out=np.zeros_like(theta), where=self.fixed > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            counted = (self.fixed * np.log1p(relative)).sum(axis=1)
            seen = self.weight * np.log1p(self._weigh(step) / predicted)
        return np.asarray(counted + self._add(seen))

    def gradient(self, theta: Floats, predicted: Floats) -> Floats:
        """The derivative of the objective by each parameter."""
        counted = np.divide(self.fixed, theta, out=np.zeros_like(theta), where=self.fixed > 0)
        return np.asarray(counted + self._add(self.weight / predicted * self.coefficients).T)

    def curvature(self, theta: Floats, predicted: Floats) -> Floats:
        """Minus its second derivatives, shape (sets, size, size)."""
        size = theta.shape[1]
        scaled = self.coefficients * (np.sqrt(self.weight) / predicted)
        matrix = np.empty((len(theta), size, size))
        for k in range(size):
            matrix[:, k, k:] = self._add(scaled[k] * scaled[k:]).T
            matrix[:, k:, k] = matrix[:, k, k:]
        diagonal = np.divide(self.fixed, theta**2, out=np.zeros_like(theta), where=self.fixed > 0)
        matrix[:, np.arange(size), np.arange(size)] += diagonal
        return matrix

    def _weigh(self, values: Floats) -> Floats:
        """Σ_x c(x) times a value of each parameter, per observation."""
        return np.asarray((self.coefficients * values.T.take(self.of, axis=1)).sum(axis=0))

    def _add(self, values: Floats) -> Floats:
        """Values of observations added up by set."""
        return np.add.reduceat(values, self.first, axis=-1)

    def slices(self) -> Iterator[Problems]:
        """Some of the sets after others, of about equal work: not so many that a step takes long."""
        ends = np.append(self.first, len(self.of))
        cuts = np.flatnonzero(np.diff(self.first // MOST_OBSERVATIONS)) + 1
        for a, b in itertools.pairwise([0, *cuts.tolist(), len(self.which)]):
            seen = slice(ends[a], ends[b])
            yield Problems(
                self.which[a:b],
                self.theta[a:b],
                self.fixed[a:b],
                self.of[seen] - a,
                self.first[a:b] - ends[a],
                self.weight[seen],
                self.constant[seen],
                self.coefficients[:, seen],
            )

    def only(self, chosen: Bools) -> Problems:
        """Some of the sets."""
        observations = chosen[self.of]
        of = (np.cumsum(chosen) - 1)[self.of[observations]]
        return Problems(
            self.which[chosen],
            self.theta[chosen],
            self.fixed[chosen],
            of,
            np.searchsorted(of, np.arange(int(chosen.sum()))),
            self.weight[observations],
            self.constant[observations],
            self.coefficients[:, observations],
        )


def _make_problems(geometry: Sets, theta: Floats, evidence: SoftEvidence, fixed: Floats, size: int) -> Problems:
    chosen = geometry.sizes[evidence.set] == size
    which, of = np.unique(evidence.set[chosen], return_inverse=True)
    sizes = np.diff(np.append(evidence.start, len(evidence.parameter)))
    entries = np.repeat(chosen, sizes)
    observation = np.repeat(np.arange(int(chosen.sum())), sizes[chosen])
    parameter = evidence.parameter[entries]
    coefficients = np.zeros((size, int(chosen.sum())))
    coefficients[parameter - geometry.starts[which][of[observation]], observation] = evidence.coefficient[entries]
    places = geometry.starts[which][:, None] + np.arange(size)
    sets = Problems(
        which,
        theta[places],
        fixed[places],
        of,
        np.searchsorted(of, np.arange(len(which))),
        evidence.weight[chosen],
        evidence.constant[chosen],
        coefficients,
    )
    return replace(sets, theta=_inside(sets))


def _inside(sets: Problems) -> Floats:
    """Where to start: as given, but off the walls where a zero makes an observation or a count impossible, or
    next to impossible, where slopes would overflow."""
    impossible = np.add.reduceat(sets.predict(sets.theta) <= UNLIKELY, sets.first)
    stuck = (impossible > 0) | ((sets.theta <= INFINITESIMAL) & (sets.fixed > 0)).any(axis=1)
    return np.where(stuck[:, None], 0.99 * sets.theta + 0.01 / sets.theta.shape[1], sets.theta)


def _repeat_update(sets: Problems, steps: int, check: Callable[[], object]) -> Floats:
    """Eq. 4.3 [thesis] until nothing moves, without the neutral observations, which only slow it down.

    It multiplies, and would never leave a zero: sets with one start inside.
    """
    inside = 0.99 * sets.theta + 0.01 / sets.theta.shape[1]
    theta = np.where(sets.theta.min(axis=1, keepdims=True) > INFINITESIMAL, sets.theta, inside)
    total = sets.fixed.sum(axis=1) + np.add.reduceat(sets.weight, sets.first)
    for _ in range(steps):
        check()
        before = theta
        theta = update(sets, before, total)
        if np.abs(theta - before).max() <= VANISHING:
            break
    return theta


def update(sets: Problems, theta: Floats, total: Floats) -> Floats:
    """One local update, Eq. 4.3 [thesis]."""
    share = sets.weight / sets.predict(theta)
    moved = np.add.reduceat(share * (sets.coefficients + sets.constant), sets.first, axis=1).T
    return np.asarray((sets.fixed + theta * moved) / total[:, None])


def _climb(sets: Problems, steps: int, check: Callable[[], object]) -> Floats:
    """Newton steps within the simplex, halved until they gain, for the sets that still move."""
    best = sets.theta
    for _ in range(EM_STEPS):
        best = _em_step(sets, best)
    moving = np.arange(len(best))
    for _ in range(steps):
        check()
        best[moving], worth = _newton_step(sets, best[moving])
        if not worth.any():
            break
        if not worth.all():
            sets, moving = sets.only(worth), moving[worth]
    return best


def _em_step(sets: Problems, theta: Floats) -> Floats:
    """EM's update of each set alone: from far away it gets closer faster than Newton's."""
    expected = theta * sets.gradient(theta, sets.predict(theta))
    count = expected.sum(axis=1, keepdims=True)
    improved: Floats = np.divide(expected, count, out=theta.copy(), where=count > 0)
    return improved


def _newton_step(sets: Problems, theta: Floats) -> tuple[Floats, Bools]:
    """A step for each set, and whether the next may be worth it."""
    predicted = sets.predict(theta)
    gradient = sets.gradient(theta, predicted)
    # Evidence on a set whose parents are improbable is weak, but its optimum is as sharp as any: what is
    # negligible depends on the expected count of the set, which is this.
    count = (theta * gradient).sum(axis=1)
    slope = gradient - count[:, None]
    direction = _newton_direction(sets.curvature(theta, predicted), theta, slope)
    # Up to the wall; where a count makes the wall −∞, almost.
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(direction < 0, -theta / direction * np.where(sets.fixed > 0, 0.8, 1.0), np.inf).min(axis=1)
    direction *= np.minimum(1.0, room)[:, None]
    promise = (slope * direction).sum(axis=1)
    settled = (np.abs(slope) <= ROUNDING * gradient) | ((theta <= VANISHING) & (slope <= 0))
    promise[settled.all(axis=1) | (promise <= TOLERANCE * count)] = 0.0
    # With no weight to compare them with, all promises but 0 are wanted and checked: gains are exact.
    step, moved = take_steps(
        lambda at: sets.gain(theta, predicted, at),
        np.zeros_like(theta),
        direction,
        np.ones(len(theta)),
        promise,
        np.zeros(len(theta)),
    )
    # What a whole step promises is squared by it, relative to the count.
    last = (room >= 1) & (promise <= LAST * count)
    after = theta + step
    # At the wall means zero: what rounding leaves there decides whether a row is impossible or a hundred nats worse.
    after = np.where((after <= VANISHING) & (step < 0) & ~(sets.fixed > 0), 0.0, np.maximum(after, 0.0))
    if ((after <= 0) & (theta > 0)).any():
        # But an observation of next to no weight, whose best parameter is as small, must not become impossible.
        stays = np.add.reduceat(sets.predict(after) <= 0, sets.first) > 0
        after, moved = np.where(stays[:, None], theta, after), moved & ~stays
    return after / after.sum(axis=1, keepdims=True), moved & ~last


def _newton_direction(matrix: Floats, theta: Floats, slope: Floats) -> Floats:
    """The step to the maximum of the quadratic model that keeps the sum at one.

    Parameters at zero that their gradient presses down stay there; so do those that the step would take
    below zero, found by solving again.
    """
    at_wall = theta <= VANISHING
    held = at_wall & (slope <= 0)
    size = theta.shape[1]
    diagonal = matrix[:, np.arange(size), np.arange(size)]
    least = 1e-12 * matrix.trace(axis1=1, axis2=2)[:, None] + 1e-300
    matrix[:, np.arange(size), np.arange(size)] += FLAT * diagonal + least
    for _ in range(size):
        direction = _solve_held(matrix, slope, held)
        leaving = at_wall & (direction < 0) & ~held
        if not leaving.any():
            break
        held |= leaving
    return direction


def _solve_held(matrix: Floats, gradient: Floats, held: Bools) -> Floats:
    """Maximise gᵀd − dᵀMd/2 subject to Σ d = 0, and d = 0 where held."""
    n, size = gradient.shape
    free = ~held
    system = np.zeros((n, size + 1, size + 1))
    scale = matrix.trace(axis1=1, axis2=2)[:, None]
    system[:, :size, :size] = np.where(free[:, :, None] & free[:, None, :], matrix / scale[:, :, None], 0.0)
    system[:, np.arange(size), np.arange(size)] += held
    system[:, :size, size] = system[:, size, :size] = free
    system[:, size, size] = ~free.any(axis=1)
    right = np.zeros((n, size + 1, 1))
    right[:, :size, 0] = np.where(free, gradient / scale, 0.0)
    return np.asarray(np.linalg.solve(system, right)[:, :size, 0])
