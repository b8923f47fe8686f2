"""Gradient ascent in free coordinates: L-BFGS and nonlinear conjugate gradients.

In a Bayesian network θ(·|u) = softmax(η(·|u)), and the gradient by η is Σ Pr(xu|d) + ψ − 1 − θ(x|u) Σ_x (the
same); in a Markov network θ = exp η, and it is Σ Pr(x_f|d) − N Pr(x_f). Every unit has its own direction and
step length, but all trial steps are evaluated in one pass over the data: units do not share parameters.
Under a Laplace prior, which has an edge where η = 0, steps stay within the orthant in which they begin and come to
rest on its border (OWL-QN, Andrew and Gao 2007), so that zeros are exact. SciPy's optimisers can neither be paused
between iterations nor run many problems at once, so the short recursions are ours; tests compare them with SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.learner import Info, State, Words, evaluate_state
from engine.learning.parameters import SMALLEST, Orthant
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints, weighted_counts
from engine.model.network import BayesianNetwork, MarkovNetwork, Network

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
class Pair:
    """A step and what it showed of the curvature.

    Attributes
    ----------
    step, change : array (parameters,)
        The change of η, and that of the gradient.
    bend : array (units,)
        How much the slope along the step has fallen; 0 where that says nothing.
    """

    step: Floats
    change: Floats
    bend: Floats


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
    pairs : tuple of Pair
        The last steps, oldest first.
    """

    eta: Floats
    gradient: Floats
    direction: Floats
    objective: Floats
    pairs: tuple[Pair, ...] = ()

    def joined_by(self, other: Memory, units: Bools, unit: Ints, component: Ints) -> Memory:
        """This memory with that of some units, which have no steps behind them, from another.

        Parameters
        ----------
        unit, component : array (components,), array (parameters,)
        """
        components = units[unit]
        parameters = components[component]
        return Memory(
            np.where(parameters, other.eta, self.eta),
            np.where(parameters, other.gradient, self.gradient),
            np.where(parameters, other.direction, self.direction),
            np.where(components, other.objective, self.objective),
            tuple(replace(pair, bend=np.where(units, 0.0, pair.bend)) for pair in self.pairs),
        )


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
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "The parameters move along the slope of the objective, bent by what earlier steps showed of its curvature. "
            "A step is halved until it gains enough.",
            r"\theta_{x|u} = \frac{e^{\eta_{x|u}}}{\sum_{x′} e^{\eta_{x′|u}}}, \qquad "
            r"\frac{\partial \ell}{\partial \eta_{x|u}} = \sum_i \mathrm{Pr}(x u \mid d_i) "
            r"- \theta_{x|u} \sum_i \mathrm{Pr}(u \mid d_i)",
        ),
        MarkovNetwork: Words(
            "The logarithms of the factors move along the slope of the objective, what the data has less what the "
            "model expects, bent by what earlier steps showed. A step is halved until it gains enough.",
            r"\frac{\partial \ell}{\partial \log \theta_{x_f}} = \sum_i \mathrm{Pr}(x_f \mid d_i) "
            r"- N \, \mathrm{Pr}(x_f)",
        ),
    }

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The gradient at the start."""
        state, info = evaluate_state(work, theta, cancelled)
        return replace(state, memory=self.take_up(work, state)), info

    def take_up(self, work: Workspace, state: State) -> Memory:
        """The memory at a state that has no steps behind it."""
        eta = work.objective.geometry.to_free(state.theta)
        return Memory(eta, find_gradient(work, state), np.zeros_like(eta), state.objective)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """One iteration: a direction, and a step along it that gains enough."""
        memory: Memory = state.memory
        units = _Units(unit[work.objective.component], int(unit.max()) + 1)
        ray = self._choose_ray(work, state, units)
        found, taken, info = _search(work, state, units, unit, ray, cancelled)
        eta, gradient = ray.at(units.spread(taken)), find_gradient(work, found)
        pair = _make_pair(eta - memory.eta, gradient - memory.gradient, units)
        pairs = (*memory.pairs, pair)[-HISTORY:]
        after = replace(found, memory=Memory(eta, gradient, ray.direction, found.objective, pairs))
        return after, info

    def _choose_ray(self, work: Workspace, state: State, units: _Units) -> _Ray:
        """Where to go from here, and how far to try first."""
        memory: Memory = state.memory
        geometry = work.objective.geometry
        orthant = geometry.find_orthant(memory.eta, memory.gradient)
        climb = memory.gradient if orthant is None else orthant.climb
        if not memory.pairs:
            direction, length = climb, _first_length(climb, units)
        elif self.kind == "cg":
            direction, length = _conjugate(memory, climb, units), _last_length(memory, climb, units)
        else:
            curvature = geometry.find_curvature(state.model_counts)
            direction, length = _two_loops(memory, climb, curvature, units), np.ones(units.number)
        if orthant is not None:
            direction = np.where(direction * climb > 0, direction, 0.0)
        promise = units.dot(climb, direction)
        # A direction that does not climb, by rounding or a stale history, is replaced by the gradient.
        wrong = ~(promise > 0)
        if wrong.any():
            direction = np.where(units.spread(wrong), climb, direction)
            length = np.where(wrong, _first_length(climb, units), length)
            promise = units.dot(climb, direction)
        return _Ray(memory.eta, direction, length, promise, orthant)


@dataclass(frozen=True, eq=False)
class _Ray:
    """Where a step begins, and where it goes.

    Attributes
    ----------
    length : array (units,)
        How far to try first.
    promise : array (units,)
        The slope of the objective along the direction.
    orthant : Orthant, optional
        What the ray must not leave.
    """

    eta: Floats
    direction: Floats
    length: Floats
    promise: Floats
    orthant: Orthant | None

    def at(self, taken: Floats) -> Floats:
        """η after steps of these lengths, one for each parameter."""
        eta = self.eta + taken * self.direction
        return eta if self.orthant is None else self.orthant.project(eta)

    def find_slope(self, work: Workspace, eta: Floats, gradient: Floats, units: _Units) -> Floats:
        """How the objective climbs at η, if what has come to the border stays there."""
        orthant = None if self.orthant is None else work.objective.geometry.find_orthant(eta, gradient)
        if orthant is None:
            return units.dot(gradient, self.direction)
        return units.dot(orthant.climb, np.where(eta == 0, 0.0, self.direction))


def find_gradient(work: Workspace, state: State) -> Floats:
    """The derivative by every η of what is smooth in the objective."""
    return work.objective.geometry.pull_back(state.theta, state.counts, state.model_counts)


@dataclass(frozen=True, eq=False)
class _Units:
    """Parameters grouped into units: inner products and numbers per unit."""

    of: Ints
    number: int

    def dot(self, a: Floats, b: Floats) -> Floats:
        return np.array([a @ b]) if self.number == 1 else weighted_counts(self.of, a * b, self.number)

    def spread(self, values: Floats | Bools) -> Floats:
        """The number of its unit for each parameter, or one for all where there is one unit."""
        return np.asarray(values if self.number == 1 else values[self.of])


def _make_pair(step: Floats, change: Floats, units: _Units) -> Pair:
    bend = -units.dot(step, change)  # of the minimised function
    squared = units.dot(change, change)
    # Whatever the weights of the rows are: a thousandth of them shall make no other steps.
    usable = (bend > 1e-12 * np.sqrt(units.dot(step, step) * squared)) & (bend > SMALLEST) & (squared > SMALLEST)
    return Pair(step, change, np.where(usable, bend, 0.0))


def _two_loops(memory: Memory, climb: Floats, curvature: Floats | None, units: _Units) -> Floats:
    """L-BFGS's direction, each unit with its own inner products; pairs of no curvature are passed over.

    It begins from steps that are alike in all directions, or shorter where the curvature is known to be large: in
    Markov networks that takes a half to a sixth of the iterations.
    """
    softness = 1.0 if curvature is None else 1.0 / curvature
    direction = climb.copy()
    used = []
    scale = np.zeros(units.number)  # of the newest pair that can be used
    for pair in reversed(memory.pairs):
        rho = np.divide(1.0, pair.bend, out=np.zeros(units.number), where=pair.bend > 0)
        alpha = rho * units.dot(pair.step, direction)
        direction += units.spread(alpha) * pair.change
        used.append((pair, rho, alpha))
        newest = (pair.bend > 0) & (scale == 0)
        if newest.any():
            scale = np.divide(pair.bend, units.dot(pair.change, softness * pair.change), out=scale, where=newest)
    if not scale.all():
        scale = np.where(scale > 0, scale, _first_length(softness * climb, units))
    direction *= softness * units.spread(scale)
    for pair, rho, alpha in reversed(used):
        beta = -rho * units.dot(pair.change, direction)
        direction += units.spread(alpha - beta) * pair.step
    return direction


def _conjugate(memory: Memory, climb: Floats, units: _Units) -> Floats:
    """Polak and Ribière's direction, restarted along the gradient where it would be negative."""
    before = memory.gradient - memory.pairs[-1].change
    squared = units.dot(before, before)
    beta = np.divide(
        units.dot(memory.gradient, memory.pairs[-1].change), squared, out=np.zeros(units.number), where=squared > 0
    )
    return np.asarray(climb + units.spread(np.maximum(beta, 0.0)) * memory.direction)


def _first_length(gradient: Floats, units: _Units) -> Floats:
    """A step along the gradient that moves no η by more than 1."""
    largest = np.zeros(units.number)
    np.maximum.at(largest, units.of, np.abs(gradient))
    return np.divide(1.0, largest, out=np.ones(units.number), where=largest > SMALLEST)


def _last_length(memory: Memory, climb: Floats, units: _Units) -> Floats:
    """Twice the last step, in units of the last direction."""
    squared = units.dot(memory.direction, memory.direction)
    taken = np.divide(
        units.dot(memory.pairs[-1].step, memory.direction), squared, out=np.zeros(units.number), where=squared > 0
    )
    return np.where(taken > 0, 2 * taken, _first_length(climb, units))


def _search(
    work: Workspace,
    state: State,
    units: _Units,
    unit: Ints,
    ray: _Ray,
    cancelled: Callable[[], bool],
) -> tuple[State, Floats, Info]:
    """Shorten or stretch each unit's step until it gains enough and the slope has fallen (weak Wolfe conditions).

    Of a unit that finds no such step, the last that gained enough is taken; if there is none it stays.
    """
    memory, promise = state.memory, ray.promise
    geometry, propagated = work.objective.geometry, np.zeros(work.objective.n_components, dtype=np.int64)

    def evaluate() -> tuple[State, Floats]:
        eta = ray.at(units.spread(taken))
        found, info = evaluate_state(work, geometry.from_free(eta), cancelled)
        np.add(propagated, info.propagated, out=propagated)
        return found, eta

    # The same for units that learn. Those that have converged, and may have lost their data, must not hold up the rest.
    before = weighted_counts(unit, np.minimum(memory.objective, state.objective), units.number)
    rounding = ROUNDING * np.abs(before)
    taken = np.where(ray.length * promise > TOLERANCE * np.abs(before), ray.length, 0.0)
    low, high = np.zeros(units.number), np.full(units.number, np.inf)
    for _ in range(MOST_TRIALS):
        found, eta = evaluate()
        gained = weighted_counts(unit, found.objective, units.number) - before
        slope = ray.find_slope(work, eta, find_gradient(work, found), units)
        # Where gains drown in rounding, the slopes at both ends tell (Hager and Zhang's approximate condition).
        near = (gained >= -rounding) & (slope >= (2 * SUFFICIENT - 1) * promise)
        long = (taken > 0) & ~(gained >= SUFFICIENT * taken * promise) & ~near
        short = (taken > 0) & ~long & (slope > STEEP * promise) & (gained > rounding)
        if not (long | short).any():
            return found, taken, Info(propagated)
        low, high = np.where(short, taken, low), np.where(long, taken, high)
        taken = np.where(long | short, _next_length(taken, low, high, slope / np.where(promise > 0, promise, 1)), taken)
    taken = np.where(long | short, low, taken)
    found, _ = evaluate()
    return found, taken, Info(propagated)


def _next_length(taken: Floats, low: Floats, high: Floats, left: Floats) -> Floats:
    """Where the slope would be zero if it fell evenly to the part that is left of it: within what is known."""
    guess = np.divide(taken, 1 - left, out=np.full(len(taken), np.inf), where=left < 1)
    open_end = np.isinf(high)
    width = np.where(open_end, 0.0, high) - low
    narrowest = np.where(open_end, 2 * taken, low + np.where(low > 0, 0.1, 1e-3) * width)
    widest = np.where(open_end, 10 * taken, low + np.where(low > 0, 0.9, 0.5) * width)
    return np.asarray(np.clip(guess, narrowest, widest))
