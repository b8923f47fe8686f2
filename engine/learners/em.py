"""Expectation maximisation (Alg. 3 [thesis]), for maximum likelihood and for MAP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from engine.learners.base import State, evaluate_state
from engine.learners.problem import Problem


@dataclass(frozen=True)
class EM:
    """θ(x|u) ← (ψ − 1 + Σ Pr(xu|d)) / (Σ ψ − |X| + Σ Pr(u|d)). Never decreases the objective."""

    counts_complete_data: ClassVar[bool] = True

    def step(self, problem: Problem, state: State, cancelled: Callable[[], bool]) -> State:
        """The M-step from the counts at hand, and the E-step at the new parameters."""
        theta = problem.normalise(state.counts + (problem.exponents - 1), otherwise=state.theta)
        return evaluate_state(problem, theta, cancelled)
