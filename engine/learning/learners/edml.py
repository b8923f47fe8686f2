"""EDML (Alg. 4 [thesis]): every parameter set solves its own small learning problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.learning.base import NEVER, State
from engine.learning.parameter_sets import MOST_STEPS, solve_sets
from engine.learning.problem import Problem
from engine.learning.soft_evidence import SoftEvidence, collect
from engine.model.arrays import Floats, Ints, weighted_counts
from engine.model.errors import Cancelled, ModelError

RELAX = 0.7
"""What is left of the damping after a step that gained."""
LEAST_DAMPING = 0.05
"""Damping below this is given up."""


@dataclass(frozen=True, eq=False)
class Memory:
    """Soft evidence for the next step, and the damping of each component."""

    evidence: SoftEvidence
    damping: Floats


@dataclass(frozen=True)
class EDML:
    """Each row becomes soft evidence on each parameter set; each set finds its best parameters alone.

    Not monotone: the sets move at once, each as if the others stood still, and may overshoot together.

    Attributes
    ----------
    damping : float, optional
        How much of the old parameters is kept at a step, in [0, 1). If not given it adapts: none at
        first, half way to standing still after every loss of a unit, and less again after a gain.
    solver : {"newton", "fixed-point"}
        How the sub-problems are solved; both reach the same optimum.
    local_steps : int
        The most steps of the solver.
    """

    damping: float | None = None
    solver: str = "newton"
    local_steps: int = MOST_STEPS
    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    equations: ClassVar[str] = (
        r"\lambda^i_{x|u} = \frac{\Pr(x u \mid d_i)}{\theta_{x|u}} - \Pr(u \mid d_i) + 1, \qquad "
        r"\theta_{\cdot|u} \leftarrow \arg\max_\theta \prod_x \theta_x^{\psi_{x|u} - 1} "
        r"\prod_i \sum_x \lambda^i_{x|u} \theta_x"
    )
    explanation: ClassVar[str] = (
        "Every row becomes soft evidence on every parameter set. "
        "Each set then finds its best parameters exactly, as if the others stood still."
    )

    def __post_init__(self) -> None:
        if self.damping is not None and not 0 <= self.damping < 1:
            raise ModelError(f"damping must be at least 0 and below 1; got {self.damping}")
        if self.solver not in ("newton", "fixed-point"):
            raise ModelError(f"the solver {self.solver!r} is not known; use 'newton' or 'fixed-point'")

    def begin(self, problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
        """The soft evidence at the start."""
        state, evidence = evaluate_softly(problem, theta, cancelled)
        return replace(state, memory=Memory(evidence, np.full(problem.n_components, self.damping or 0.0)))

    def step(self, problem: Problem, state: State, unit: Ints, cancelled: Callable[[], bool]) -> State:
        """Solve all sub-problems, and find the soft evidence at the new parameters.

        Sets that go to zero at once can make rows impossible together; such a component goes half way.
        """
        memory: Memory = state.memory
        kept = memory.damping[problem.component]
        theta = kept * state.theta + (1 - kept) * self.solve(problem, state.theta, memory.evidence, cancelled)
        after, evidence = evaluate_softly(problem, theta, cancelled)
        impossible = np.isneginf(after.log_likelihood)[problem.component]
        if impossible.any():
            theta = np.where(impossible, (state.theta + theta) / 2, theta)
            after, evidence = evaluate_softly(problem, theta, cancelled)
        damping = memory.damping
        if self.damping is None:
            damping = _adapt(damping, unit, after.objective - state.objective)
        return replace(after, memory=Memory(evidence, damping))

    def solve(
        self, problem: Problem, theta: Floats, evidence: SoftEvidence, cancelled: Callable[[], bool] = NEVER
    ) -> Floats:
        """The best parameters of every set under its soft evidence at ``theta`` (Eq. 4.2 [thesis])."""

        def check() -> None:
            if cancelled():
                raise Cancelled

        return solve_sets(problem, theta, evidence, self.solver, self.local_steps, check)


def evaluate_softly(problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, SoftEvidence]:
    """The state at some parameters, and the soft evidence there: one pass over the data."""
    log_likelihood, counts, evidence = collect(problem, theta, cancelled)
    return State(theta, log_likelihood, log_likelihood + problem.log_prior(theta), counts), evidence


def _adapt(damping: Floats, unit: Ints, gain: Floats) -> Floats:
    """The next damping of each component, from what its unit gained."""
    units = int(unit.max()) + 1
    lost = (weighted_counts(unit, gain, units) < 0)[unit]
    relaxed = np.where(damping < LEAST_DAMPING, 0.0, RELAX * damping)
    return np.where(lost, (1 + damping) / 2, relaxed)
