"""Gradient ascent in free coordinates: L-BFGS and nonlinear conjugate gradients.

In a Bayesian network θ(·|u) = softmax(η(·|u)), and the gradient by η is Σ Pr(xu|d) + ψ − 1 − θ(x|u) Σ_x (the
same); in a Markov network θ = exp η, and it is Σ Pr(x_f|d) − N Pr(x_f). Every unit has its own direction and
step length, but all trial steps are evaluated in one pass over the data: units do not share parameters.
SciPy's optimisers can neither be paused between iterations nor run many problems at once, so the two short
recursions are ours; tests compare them with SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, evaluate_state
from engine.learning.parameters import SMALLEST
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints, weighted_counts

SUFFICIENT = 1e-4
"""The part of the promised gain that a step must deliver (Armijo)."""
STEEP = 0.5
"""A step is too short while more than this part of the slope is left."""
ROUNDING = 1e-13
"""A loss this small, relative to the objective, may be none."""
TOLERANCE = 1e-20
"""How little a step may promise, relative to the objective, and still be taken: parameters are then right to
about its square root."""
MOST_TRIALS = 30
HISTORY = 10
"""How many pairs of steps and gradient changes L-BFGS keeps."""


@dataclass(frozen=True, eq=False)
class Memory:
    """What the next direction is made of.

    Attributes
    ----------
    eta, gradient : array (parameters,)
    objective : array (components,)
        At η. The state's own stands still for units that have converged.
    direction : array (parameters,)
        The last direction (conjugate gradients).
    steps, changes : tuple of array (parameters,)
        The last changes of η and of the gradient (L-BFGS), oldest first.
    """

    eta: Floats
    gradient: Floats
    direction: Floats
    objective: Floats
    steps: tuple[Floats, ...] = ()
    changes: tuple[Floats, ...] = ()


@dataclass(frozen=True)
class Gradient:
    """Gradient ascent.

    Attributes
    ----------
    kind : {"lbfgs", "cg"}
    """

    kind: str = "lbfgs"
    counts_complete_data: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    equations: ClassVar[str] = (
        r"\theta_{x|u} = \frac{e^{\eta_{x|u}}}{\sum_{x′} e^{\eta_{x′|u}}}, \qquad "
        r"\frac{\partial \ell}{\partial \eta_{x|u}} = \sum_i \mathrm{Pr}(x u \mid d_i) "
        r"- \theta_{x|u} \sum_i \mathrm{Pr}(u \mid d_i)"
    )
    explanation: ClassVar[str] = (
        "The parameters move along the slope of the objective, bent by what earlier steps showed of its curvature. "
        "A step is halved until it gains enough."
    )

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The gradient at the start."""
        eta = work.objective.geometry.to_free(theta)
        state, info = evaluate_state(work, theta, cancelled)
        gradient = find_gradient(work, state)
        return replace(state, memory=Memory(eta, gradient, np.zeros_like(eta), state.objective)), info

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """One iteration: a direction, and a step along it that gains enough."""
        memory: Memory = state.memory
        units = _Units(unit[work.objective.component], int(unit.max()) + 1)
        direction, length = self._direction(memory, units)
        promise = units.dot(memory.gradient, direction)
        # A direction that does not climb, by rounding or a stale history, is replaced by the gradient.
        wrong = ~(promise > 0)
        direction = np.where(units.spread(wrong), memory.gradient, direction)
        length = np.where(wrong, _first_length(memory.gradient, units), length)
        promise = units.dot(memory.gradient, direction)
        found, taken, info = _search(work, state, units, unit, direction, length, promise, cancelled)
        eta = memory.eta + units.spread(taken) * direction
        gradient = find_gradient(work, found)
        after = replace(
            found,
            memory=Memory(
                eta,
                gradient,
                direction,
                found.objective,
                (*memory.steps, eta - memory.eta)[-HISTORY:],
                (*memory.changes, gradient - memory.gradient)[-HISTORY:],
            ),
        )
        return after, info

    def _direction(self, memory: Memory, units: _Units) -> tuple[Floats, Floats]:
        """Where to go, and how far to try first."""
        if not memory.steps:
            return memory.gradient, _first_length(memory.gradient, units)
        if self.kind == "cg":
            return _conjugate(memory, units), _last_length(memory, units)
        return _two_loops(memory, units), np.ones(units.number)


def find_gradient(work: Workspace, state: State) -> Floats:
    """The derivative of the objective by every η."""
    return work.objective.geometry.pull_back(state.theta, state.counts, state.model_counts)


@dataclass(frozen=True, eq=False)
class _Units:
    """Parameters grouped into units: inner products and numbers per unit."""

    of: Ints
    number: int

    def dot(self, a: Floats, b: Floats) -> Floats:
        return weighted_counts(self.of, a * b, self.number)

    def spread(self, values: Floats | Bools) -> Floats:
        return np.asarray(values[self.of])


def _two_loops(memory: Memory, units: _Units) -> Floats:
    """L-BFGS's direction, each unit with its own inner products; pairs of no curvature are passed over."""
    direction = memory.gradient.copy()
    pairs = []
    scale = np.zeros(units.number)  # of the newest pair that can be used
    for step, change in zip(reversed(memory.steps), reversed(memory.changes), strict=True):
        curvature = -units.dot(step, change)  # of the minimised function
        squared = units.dot(change, change)
        # Whatever the weights of the rows are: a thousandth of them shall make no other steps.
        usable = (curvature > 1e-12 * np.sqrt(units.dot(step, step) * squared)) & (curvature > SMALLEST)
        usable &= squared > SMALLEST
        rho = np.divide(1.0, curvature, out=np.zeros(units.number), where=usable)
        alpha = rho * units.dot(step, direction)
        direction -= units.spread(alpha) * -change
        pairs.append((step, change, rho, alpha))
        newest = usable & (scale == 0)
        scale = np.divide(curvature, squared, out=scale, where=newest)
    direction *= units.spread(np.where(scale > 0, scale, _first_length(memory.gradient, units)))
    for step, change, rho, alpha in reversed(pairs):
        beta = rho * units.dot(-change, direction)
        direction += units.spread(alpha - beta) * step
    return direction


def _conjugate(memory: Memory, units: _Units) -> Floats:
    """Polak and Ribière's direction, restarted along the gradient where it would be negative."""
    before = memory.gradient - memory.changes[-1]
    squared = units.dot(before, before)
    beta = np.divide(
        units.dot(memory.gradient, memory.changes[-1]), squared, out=np.zeros(units.number), where=squared > 0
    )
    return np.asarray(memory.gradient + units.spread(np.maximum(beta, 0.0)) * memory.direction)


def _first_length(gradient: Floats, units: _Units) -> Floats:
    """A step along the gradient that moves no η by more than 1."""
    largest = np.zeros(units.number)
    np.maximum.at(largest, units.of, np.abs(gradient))
    return np.divide(1.0, largest, out=np.ones(units.number), where=largest > SMALLEST)


def _last_length(memory: Memory, units: _Units) -> Floats:
    """Twice the last step, in units of the last direction."""
    squared = units.dot(memory.direction, memory.direction)
    taken = np.divide(
        units.dot(memory.steps[-1], memory.direction), squared, out=np.zeros(units.number), where=squared > 0
    )
    return np.where(taken > 0, 2 * taken, _first_length(memory.gradient, units))


def _search(
    work: Workspace,
    state: State,
    units: _Units,
    unit: Ints,
    direction: Floats,
    length: Floats,
    promise: Floats,
    cancelled: Callable[[], bool],
) -> tuple[State, Floats, Info]:
    """Shorten or stretch each unit's step until it gains enough and the slope has fallen (weak Wolfe conditions).

    Of a unit that finds no such step, the last that gained enough is taken; if there is none it stays.
    """
    memory: Memory = state.memory
    geometry, propagated = work.objective.geometry, np.zeros(work.objective.n_components, dtype=np.int64)

    def evaluate() -> State:
        theta = geometry.from_free(memory.eta + units.spread(taken) * direction)
        found, info = evaluate_state(work, theta, cancelled)
        np.add(propagated, info.propagated, out=propagated)
        return found

    # The same for units that learn. Those that have converged, and may have lost their data, must not hold up the rest.
    before = weighted_counts(unit, np.minimum(memory.objective, state.objective), units.number)
    rounding = ROUNDING * np.abs(before)
    taken = np.where(length * promise > TOLERANCE * np.abs(before), length, 0.0)
    low, high = np.zeros(units.number), np.full(units.number, np.inf)
    for _ in range(MOST_TRIALS):
        found = evaluate()
        gained = weighted_counts(unit, found.objective, units.number) - before
        slope = units.dot(find_gradient(work, found), direction)
        # Where gains drown in rounding, the slopes at both ends tell (Hager and Zhang's approximate condition).
        near = (gained >= -rounding) & (slope >= (2 * SUFFICIENT - 1) * promise)
        long = (taken > 0) & ~(gained >= SUFFICIENT * taken * promise) & ~near
        short = (taken > 0) & ~long & (slope > STEEP * promise) & (gained > rounding)
        if not (long | short).any():
            return found, taken, Info(propagated)
        low, high = np.where(short, taken, low), np.where(long, taken, high)
        taken = np.where(long | short, _next_length(taken, low, high, slope / np.where(promise > 0, promise, 1)), taken)
    taken = np.where(long | short, low, taken)
    return evaluate(), taken, Info(propagated)


def _next_length(taken: Floats, low: Floats, high: Floats, left: Floats) -> Floats:
    """Where the slope would be zero if it fell evenly to the part that is left of it: within what is known."""
    guess = np.divide(taken, 1 - left, out=np.full(len(taken), np.inf), where=left < 1)
    open_end = np.isinf(high)
    width = np.where(open_end, 0.0, high) - low
    narrowest = np.where(open_end, 2 * taken, low + np.where(low > 0, 0.1, 1e-3) * width)
    widest = np.where(open_end, 10 * taken, low + np.where(low > 0, 0.9, 0.5) * width)
    return np.asarray(np.clip(guess, narrowest, widest))
