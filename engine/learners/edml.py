"""EDML (Alg. 4 [thesis]): every parameter set solves its own small learning problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.arrays import Floats, Ints
from engine.errors import ModelError
from engine.learners.base import State
from engine.learners.parameter_sets import MOST_STEPS, solve_sets
from engine.learners.problem import Problem
from engine.learners.soft_evidence import SoftEvidence, collect


@dataclass(frozen=True)
class EDML:
    """Each row becomes soft evidence on each parameter set; each set finds its best parameters alone.

    Not monotone: the sets move at once, each as if the others stood still.

    Attributes
    ----------
    damping : float
        How much of the old parameters is kept at a step, in [0, 1).
    solver : {"newton", "fixed-point"}
        How the sub-problems are solved; both reach the same optimum.
    """

    damping: float = 0.0
    solver: str = "newton"
    local_steps: int = MOST_STEPS
    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 <= self.damping < 1:
            raise ModelError(f"damping must be at least 0 and below 1; got {self.damping}")
        if self.solver not in ("newton", "fixed-point"):
            raise ModelError(f"the solver {self.solver!r} is not known; use 'newton' or 'fixed-point'")

    def begin(self, problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
        """The soft evidence at the start."""
        return soft_state(problem, theta, cancelled)

    def step(self, problem: Problem, state: State, unit: Ints, cancelled: Callable[[], bool]) -> State:
        """Solve all sub-problems, and find the soft evidence at the new parameters.

        Sets that go to zero at once can make rows impossible together; such a component goes half way.
        """
        theta = self.update(problem, state)
        after = soft_state(problem, theta, cancelled)
        impossible = np.isneginf(after.log_likelihood)[problem.component]
        if impossible.any():
            after = soft_state(problem, np.where(impossible, (state.theta + theta) / 2, theta), cancelled)
        return after

    def update(self, problem: Problem, state: State) -> Floats:
        """The next parameters."""
        evidence: SoftEvidence = state.memory
        solved = solve_sets(problem, state.theta, evidence, self.solver, self.local_steps)
        return np.asarray(self.damping * state.theta + (1 - self.damping) * solved)


def soft_state(problem: Problem, theta: Floats, cancelled: Callable[[], bool]) -> State:
    """The state at some parameters, with the soft evidence there as memory."""
    log_likelihood, counts, evidence = collect(problem, theta, cancelled)
    return State(theta, log_likelihood, log_likelihood + problem.log_prior(theta), counts, evidence)
